// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/outputs_tone_suite.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "tests/support/unity.hpp"

namespace kerb {
namespace {

using namespace std::chrono_literals;

const ToneFixture* fx = nullptr;

void assert_sounding(const Tone& tone, const std::optional<TonePattern>& expected) {
  if (!fx->sounding) return;
  const std::optional<TonePattern> actual = fx->sounding(tone);
  TEST_ASSERT_EQUAL(expected.has_value(), actual.has_value());
  if (!expected) return;
  TEST_ASSERT_EQUAL_DOUBLE(expected->frequency_hz, actual->frequency_hz);
  TEST_ASSERT_EQUAL_DOUBLE(expected->pulses_per_s, actual->pulses_per_s);
  TEST_ASSERT_EQUAL_DOUBLE(expected->duty, actual->duty);
}

void a_tone_starts_silent() {
  const auto tone = fx->open();
  assert_sounding(*tone, std::nullopt);
  if (fx->listen) TEST_ASSERT_TRUE(measure_tone(fx->listen(0.2)).peak < 0.001);
}

void a_tone_plays_stops_and_plays_again() {
  const auto tone = fx->open();
  for (int i = 0; i < 3; ++i) {
    TEST_ASSERT_OK(tone->play(TonePattern{}));
    assert_sounding(*tone, TonePattern{});
    TEST_ASSERT_OK(tone->stop());
    assert_sounding(*tone, std::nullopt);
  }
  TEST_ASSERT_OK(tone->stop());  // silence can be asked for twice
}

void a_pattern_replaces_the_last() {
  const auto tone = fx->open();
  const TonePattern other{440, 2, 0.25, 0.5};
  TEST_ASSERT_OK(tone->play(TonePattern{}));
  TEST_ASSERT_OK(tone->play(other));
  assert_sounding(*tone, other);
}

void a_pattern_out_of_range_is_refused_and_the_last_plays_on() {
  const auto tone = fx->open();
  TEST_ASSERT_OK(tone->play(TonePattern{}));
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const TonePattern& bad :
       {TonePattern{99, 8, 0.5, 0.5}, TonePattern{8001, 8, 0.5, 0.5},
        TonePattern{1000, 0, 0.5, 0.5}, TonePattern{1000, 51, 0.5, 0.5},
        TonePattern{1000, 8, 0, 0.5}, TonePattern{1000, 8, 1.1, 0.5}, TonePattern{1000, 8, 0.5, 0},
        TonePattern{1000, 8, 0.5, 1.01}, TonePattern{kNan, 8, 0.5, 0.5}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, tone->play(bad));
  assert_sounding(*tone, TonePattern{});
}

void calls_return_at_once() {
  const auto tone = fx->open();
  // The quickest of several rounds, so that a machine that stands still for a while does not count.
  std::chrono::nanoseconds quickest = 10s;
  for (int round = 0; round < 5; ++round) {
    const auto before = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) {
      TEST_ASSERT_OK(tone->play(TonePattern{1000.0 + i, 8, 0.5, 0.5}));
      TEST_ASSERT_OK(tone->stop());
    }
    quickest =
        std::min<std::chrono::nanoseconds>(quickest, std::chrono::steady_clock::now() - before);
  }
  TEST_ASSERT_TRUE(quickest < 100ms);
}

void what_is_heard_is_what_was_asked_for() {
  if (!fx->listen) TEST_IGNORE_MESSAGE("needs a device to listen on");
  for (const TonePattern& pattern :
       {TonePattern{1000, 8, 0.5, 0.8}, TonePattern{2500, 4, 0.25, 0.4},
        TonePattern{600, 15, 0.6, 1.0}}) {
    const auto tone = fx->open();
    TEST_ASSERT_OK(tone->play(pattern));
    const ToneMeasurement heard = measure_tone(fx->listen(2.5));
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * pattern.frequency_hz, pattern.frequency_hz,
                              heard.frequency_hz);
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * pattern.pulses_per_s, pattern.pulses_per_s,
                              heard.pulses_per_s);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, pattern.duty, heard.duty);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, pattern.volume, heard.peak);
    TEST_ASSERT_TRUE(heard.peak <= pattern.volume + 0.001);
  }
}

void silence_is_heard_after_stop() {
  if (!fx->listen) TEST_IGNORE_MESSAGE("needs a device to listen on");
  const auto tone = fx->open();
  TEST_ASSERT_OK(tone->play(TonePattern{1000, 8, 1, 0.8}));
  TEST_ASSERT_TRUE(measure_tone(fx->listen(0.5)).peak > 0.7);
  TEST_ASSERT_OK(tone->stop());
  static_cast<void>(fx->listen(0.3));  // what was on its way
  TEST_ASSERT_TRUE(measure_tone(fx->listen(0.2)).peak < 0.001);
}

void a_device_that_left_is_gone() {
  if (!fx->unplug) TEST_IGNORE_MESSAGE("needs a device that can be unplugged");
  const auto tone = fx->open();
  TEST_ASSERT_OK(tone->play(TonePattern{}));
  fx->unplug(*tone);
  TEST_ASSERT_ERROR(Errc::gone, tone->play(TonePattern{}));
  TEST_ASSERT_ERROR(Errc::gone, tone->stop());
}

}  // namespace

int run_tone_suite(const ToneFixture& fixture) {
  fx = &fixture;
  UNITY_BEGIN();
  RUN_TEST(a_tone_starts_silent);
  RUN_TEST(a_tone_plays_stops_and_plays_again);
  RUN_TEST(a_pattern_replaces_the_last);
  RUN_TEST(a_pattern_out_of_range_is_refused_and_the_last_plays_on);
  RUN_TEST(calls_return_at_once);
  RUN_TEST(what_is_heard_is_what_was_asked_for);
  RUN_TEST(silence_is_heard_after_stop);
  RUN_TEST(a_device_that_left_is_gone);
  return UNITY_END();
}

}  // namespace kerb
