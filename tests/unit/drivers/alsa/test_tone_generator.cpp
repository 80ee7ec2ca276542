// SPDX-License-Identifier: Apache-2.0
// Measures the samples, as somebody with an oscilloscope would.
#include "drivers/alsa/tone_generator.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/contract/outputs_tone_measure.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;

/// The largest difference of neighbouring samples that a pattern can have, in samples' units: the
/// sine's steepest slope, the steepest of the pulse's edge and that of the fade, all at once, and
/// rounding.
double max_step(const TonePattern& pattern, double sample_rate_hz) {
  constexpr double kEdge_s = 0.005, kSteepest = std::numbers::pi / 2;  // half a cosine's, per edge
  const double period = 1 / pattern.pulses_per_s;
  const double on = std::max(pattern.duty * period, 0.002), pause = period - on;
  const double edge = pause < 0.001 ? 0 : std::min({kEdge_s, on, pause});  // 0: a steady tone
  const double slopes = 2 * std::numbers::pi * pattern.frequency_hz +
                        (edge > 0 ? kSteepest / edge : 0) + kSteepest / kEdge_s;
  return pattern.volume * 32767 * slopes / sample_rate_hz + 1;
}

// So many seconds, in pieces of a size that divides nothing.
void append(ToneGenerator& generator, Recording& recording, double seconds) {
  auto left = static_cast<std::size_t>(seconds * recording.rate_hz);
  while (left > 0) {
    const std::size_t piece = std::min<std::size_t>(left, 331);
    const std::size_t at = recording.samples.size();
    recording.samples.resize(at + piece);
    generator.fill({recording.samples.data() + at, piece});
    left -= piece;
  }
}
Recording play(const TonePattern& pattern, double rate, double seconds) {
  ToneGenerator generator{rate};
  generator.play(pattern);
  Recording recording{{}, rate};
  append(generator, recording, seconds);
  return recording;
}

TEST(patterns_measure_as_they_were_asked_for_to_one_percent) {
  struct Case {
    TonePattern pattern;
    double rate;
  };
  for (const Case& c : {Case{{1000, 8, 0.5, 0.8}, 48000}, Case{{1000, 8, 0.5, 0.8}, 44100},
                        Case{{2500, 4, 0.25, 0.3}, 48000}, Case{{440, 2, 0.75, 1.0}, 48000},
                        Case{{3000, 16, 0.5, 0.5}, 48000}, Case{{800, 5, 0.9, 0.6}, 16000},
                        Case{{1500, 0.5, 0.1, 0.8}, 48000}, Case{{4000, 50, 0.5, 1.0}, 48000}}) {
    char name[80];
    std::snprintf(name, sizeof name, "%g Hz, %g/s, duty %g, at %g", c.pattern.frequency_hz,
                  c.pattern.pulses_per_s, c.pattern.duty, c.rate);
    const double seconds = std::max(2.0, 4 / c.pattern.pulses_per_s);  // at least four pulses
    const ToneMeasurement m = measure_tone(play(c.pattern, c.rate, seconds));
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.01 * c.pattern.frequency_hz, c.pattern.frequency_hz,
                                      m.frequency_hz, name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.01 * c.pattern.pulses_per_s, c.pattern.pulses_per_s,
                                      m.pulses_per_s, name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.01, c.pattern.duty, m.duty, name);
    TEST_ASSERT_TRUE_MESSAGE(m.peak <= c.pattern.volume, name);
    TEST_ASSERT_TRUE_MESSAGE(m.peak > 0.98 * c.pattern.volume, name);
    TEST_ASSERT_TRUE_MESSAGE(m.max_step <= max_step(c.pattern, c.rate), name);
  }
}

// The sound of a collision warning, as it ships: by zero crossings and by the energy at each
// frequency, whichever is asked.
TEST(the_default_pattern_is_high_and_pulsed_as_a_warning_must_be) {
  for (const double rate : {48000.0, 44100.0, 16000.0}) {
    const Recording recording = play(TonePattern{}, rate, 3);
    const ToneMeasurement m = measure_tone(recording);
    TEST_ASSERT_TRUE(m.frequency_hz >= 800);
    TEST_ASSERT_TRUE(m.pulses_per_s >= 6 && m.pulses_per_s <= 12);
    TEST_ASSERT_TRUE(m.duty >= 0.25 && m.duty <= 0.95);
    TEST_ASSERT_TRUE(m.peak > 0.5);
    // No lower tone in it: of all the energy below 3 kHz, by a plain sum at each 20 Hz over a
    // second, the most is at 800 Hz or above, and next to nothing lies below 700.
    double most = 0, most_at = 0, low = 0, all = 0;
    for (double hz = 20; hz <= 3000; hz += 20) {
      double re = 0, im = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(rate); ++i) {
        const double turn = 2 * std::numbers::pi * hz * static_cast<double>(i) / rate;
        re += recording.samples[i] * std::cos(turn);
        im += recording.samples[i] * std::sin(turn);
      }
      const double energy = re * re + im * im;
      all += energy;
      if (hz < 700) low += energy;
      if (energy > most) {
        most = energy;
        most_at = hz;
      }
    }
    TEST_ASSERT_TRUE(most_at >= 800);
    TEST_ASSERT_DOUBLE_WITHIN(20, m.frequency_hz, most_at);
    TEST_ASSERT_TRUE(low < 0.01 * all);
  }
}

TEST(duty_one_is_a_steady_tone) {
  const Recording recording = play({1000, 8, 1, 0.8}, 48000, 2);
  const ToneMeasurement m = measure_tone(recording);
  TEST_ASSERT_EQUAL(0, m.pulses);
  TEST_ASSERT_DOUBLE_WITHIN(1, 1000, m.frequency_hz);
  for (std::size_t i = 480; i + 48 < recording.samples.size(); i += 48) {  // each cycle is full
    const auto [low, high] =
        std::minmax_element(recording.samples.begin() + static_cast<long>(i),
                            recording.samples.begin() + static_cast<long>(i) + 48);
    TEST_ASSERT_TRUE(*high > 26000 && *low < -26000);
  }
}

TEST(extremes_of_duty_do_not_click) {
  for (const TonePattern& pattern :
       {TonePattern{1000, 50, 1e-9, 1}, TonePattern{1000, 50, 0.001, 1},
        TonePattern{1000, 50, 0.999, 1}, TonePattern{1000, 0.5, 0.9999, 1},
        TonePattern{100, 50, 0.94, 1}, TonePattern{8000, 50, 0.06, 1}}) {
    const ToneMeasurement m = measure_tone(play(pattern, 48000, 2));
    TEST_ASSERT_TRUE(m.peak > 0.3);  // it is heard
    TEST_ASSERT_TRUE(m.max_step <= max_step(pattern, 48000));
    TEST_ASSERT_TRUE(max_step(pattern, 48000) < 40000);  // no bound on nothing
  }
}

TEST(the_sine_goes_on_in_phase_through_the_pauses) {
  // At 1000 Hz and 48 kHz the phase at sample i is i mod 48, whatever the pulse: the signs tell.
  const Recording recording = play({1000, 8, 0.5, 0.8}, 48000, 3);
  for (std::size_t i = 0; i < recording.samples.size(); ++i) {
    const std::size_t phase = i % 48;
    if (phase >= 2 && phase <= 22) TEST_ASSERT_TRUE(recording.samples[i] >= 0);
    if (phase >= 26 && phase <= 46) TEST_ASSERT_TRUE(recording.samples[i] <= 0);
  }
}

TEST(there_is_silence_before_and_after) {
  ToneGenerator generator{48000};
  TEST_ASSERT_TRUE(generator.silent());
  Recording before{{}, 48000}, during{{}, 48000}, after{{}, 48000}, fade{{}, 48000};
  append(generator, before, 0.1);
  generator.play({1000, 8, 1, 0.8});
  append(generator, during, 0.1);
  TEST_ASSERT_FALSE(generator.silent());
  generator.stop();
  append(generator, fade, 0.006);
  TEST_ASSERT_TRUE(generator.silent());
  append(generator, after, 0.1);
  TEST_ASSERT_EQUAL_DOUBLE(0, measure_tone(before).peak);
  TEST_ASSERT_TRUE(measure_tone(during).peak > 0.7);
  TEST_ASSERT_EQUAL_DOUBLE(0, measure_tone(after).peak);
}

TEST(changes_at_any_moment_do_not_click) {
  const TonePattern loud{1000, 8, 0.7, 1.0}, other{1700, 15, 0.5, 0.9};
  double most = std::max(max_step(loud, 48000), max_step(other, 48000));
  for (int offset = 0; offset < 40; ++offset) {
    ToneGenerator generator{48000};
    Recording recording{{}, 48000};
    const double wait = 0.0137 + 0.0031 * offset;
    generator.play(loud);
    append(generator, recording, wait);
    generator.play(other);
    append(generator, recording, wait);
    generator.stop();
    append(generator, recording, 0.0021);  // still fading
    generator.play(loud);
    append(generator, recording, wait);
    generator.stop();
    append(generator, recording, 0.1);
    TEST_ASSERT_TRUE(measure_tone(recording).max_step <= most);
    TEST_ASSERT_EQUAL(0, recording.samples.back());
  }
}

TEST(the_new_pattern_is_heard_within_ten_milliseconds) {
  ToneGenerator generator{48000};
  Recording first{{}, 48000}, second{{}, 48000};
  generator.play({1000, 0.5, 0.5, 0.8});
  append(generator, first, 1.5);  // in the pause
  generator.play({2000, 8, 0.5, 0.8});
  append(generator, second, 0.01);
  TEST_ASSERT_TRUE(measure_tone(second).peak > 0.5);
}

TEST(the_same_pattern_again_changes_nothing) {
  const TonePattern pattern{1000, 8, 0.5, 0.8};
  ToneGenerator once{48000}, often{48000};
  Recording a{{}, 48000}, b{{}, 48000};
  once.play(pattern);
  for (int i = 0; i < 100; ++i) {
    often.play(pattern);
    append(once, a, 0.01);
    append(often, b, 0.01);
  }
  TEST_ASSERT_EQUAL_INT16_ARRAY(a.samples.data(), b.samples.data(), a.samples.size());
}

}  // namespace
