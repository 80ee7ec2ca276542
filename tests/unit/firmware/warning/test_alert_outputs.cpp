// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/alert_outputs.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

#include "firmware/warning/reopening_outputs.hpp"
#include "hal/fake/clock.hpp"
#include "hal/fake/dimmer.hpp"
#include "hal/fake/log.hpp"
#include "hal/fake/output_line.hpp"
#include "hal/fake/tone.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

struct Desk {
  FakeOutputLine warning, status;
  FakeTone tone;
  TonePattern pattern{900, 7, 0.4, 0.5};
  AlertOutputs outputs{&warning, &status, &tone, pattern};
};

TEST(a_collision_is_a_steady_lamp_and_the_configured_sound) {
  Desk d;
  for (int ms = 0; ms < 2000; ms += 10)
    d.outputs.show(WarningLevel::collision, true, false, milliseconds{ms});
  for (const bool lit : d.warning.history) TEST_ASSERT_TRUE(lit);
  TEST_ASSERT_TRUE(d.warning.on());
  TEST_ASSERT_TRUE(d.tone.sounding().has_value());
  TEST_ASSERT_EQUAL_DOUBLE(900, d.tone.sounding()->frequency_hz);
  d.outputs.show(WarningLevel::none, false, false, seconds{3});
  TEST_ASSERT_FALSE(d.warning.on());
  TEST_ASSERT_FALSE(d.tone.sounding().has_value());
}

TEST(a_lamp_whose_line_does_not_follow_has_failed) {
  Desk d;
  d.warning.stuck_at = false;
  d.outputs.show(WarningLevel::none, false, true, seconds{1});
  TEST_ASSERT_FALSE(d.outputs.refusal().has_value());
  d.outputs.show(WarningLevel::collision, false, true, seconds{2});
  TEST_ASSERT_TRUE(d.outputs.refusal().has_value());
  TEST_ASSERT_EQUAL_INT(EIO, d.outputs.refusal()->native);
  TEST_ASSERT_TRUE(d.outputs.last(AlertOutput::warning_lamp)->refusal.has_value());
  TEST_ASSERT_FALSE(d.outputs.last(AlertOutput::status_lamp)->refusal.has_value());
  d.outputs.show(WarningLevel::collision, false, true, seconds{2} + milliseconds{10});
  TEST_ASSERT_TRUE_MESSAGE(d.outputs.refusal().has_value(), "it is tried again and still fails");
  d.warning.stuck_at.reset();
  d.outputs.show(WarningLevel::collision, false, true, seconds{2} + milliseconds{20});
  TEST_ASSERT_FALSE(d.outputs.refusal().has_value());
  d.status.stuck_at = true;  // it cannot be put out either
  d.outputs.show(WarningLevel::collision, false, false, seconds{2} + milliseconds{30});
  TEST_ASSERT_TRUE(d.outputs.last(AlertOutput::status_lamp)->refusal.has_value());
}

TEST(both_lamps_are_as_bright_as_the_level_says) {
  Desk d;
  FakeDimmer dimmer;
  AlertOutputs outputs{&d.warning, &d.status, &d.tone, d.pattern, &dimmer};
  outputs.show(WarningLevel::none, false, true, seconds{1});
  TEST_ASSERT_EQUAL_DOUBLE(1, dimmer.share());
  outputs.set_level({.brightness = 0.3});
  for (int ms = 10; ms < 1000; ms += 10)
    outputs.show(WarningLevel::none, false, true, seconds{1} + milliseconds{ms});
  TEST_ASSERT_EQUAL_size_t(2, dimmer.history.size());  // written when it changes,
  outputs.show(WarningLevel::none, false, true, seconds{2});
  TEST_ASSERT_EQUAL_size_t(3, dimmer.history.size());  // and once a second
  TEST_ASSERT_EQUAL_DOUBLE(0.3, dimmer.share());
  TEST_ASSERT_TRUE(d.status.on());
}

TEST(a_dimmer_that_refuses_is_told_and_tried_again_and_the_lamps_go_on) {
  Desk d;
  FakeDimmer dimmer;
  AlertOutputs outputs{&d.warning, &d.status, &d.tone, d.pattern, &dimmer};
  dimmer.unplugged = true;
  outputs.show(WarningLevel::collision, true, false, seconds{1});
  TEST_ASSERT_TRUE(outputs.refusal().has_value());
  TEST_ASSERT_TRUE(d.warning.on());
  TEST_ASSERT_TRUE(d.tone.sounding().has_value());
  outputs.show(WarningLevel::collision, true, false, seconds{1} + milliseconds{10});
  TEST_ASSERT_TRUE(outputs.refusal().has_value());
  dimmer.unplugged = false;
  outputs.show(WarningLevel::collision, true, false, seconds{1} + milliseconds{20});
  TEST_ASSERT_TRUE_MESSAGE(outputs.refusal().has_value(), "it is tried once a second");
  outputs.show(WarningLevel::collision, true, false, seconds{2} + milliseconds{20});
  TEST_ASSERT_FALSE(outputs.refusal().has_value());
}

TEST(a_lamp_that_loses_its_level_a_moment_later_has_failed) {
  Desk d;
  d.outputs.show(WarningLevel::collision, false, true, seconds{1});
  d.warning.stuck_at = false;
  d.outputs.show(WarningLevel::collision, false, true, seconds{1} + milliseconds{40});
  TEST_ASSERT_FALSE(d.outputs.refusal().has_value());
  d.outputs.show(WarningLevel::collision, false, true, seconds{1} + milliseconds{50});
  TEST_ASSERT_TRUE(d.outputs.refusal().has_value());
}

TEST(a_sound_keeps_its_volume_to_its_end) {
  Desk d;
  d.outputs.set_level({.volume = 0.6});
  d.outputs.show(WarningLevel::collision, true, false, seconds{1});
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.3, d.tone.sounding()->volume);  // of the pattern's 0.5
  d.outputs.set_level({.volume = 1});
  for (int ms = 10; ms < 3000; ms += 10)
    d.outputs.show(WarningLevel::collision, true, false, seconds{1} + milliseconds{ms});
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.3, d.tone.sounding()->volume);
  d.outputs.show(WarningLevel::none, false, false, seconds{5});
  d.outputs.show(WarningLevel::collision, true, false, seconds{6});
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, d.tone.sounding()->volume);
}

TEST(information_blinks_twice_a_second_and_makes_no_sound) {
  Desk d;
  for (int ms = 0; ms < 2000; ms += 10)
    d.outputs.show(WarningLevel::information, false, false, seconds{7} + milliseconds{ms});
  TEST_ASSERT_EQUAL_size_t(8, d.warning.history.size());  // four times on, four times off
  TEST_ASSERT_TRUE(d.warning.history.front());
  TEST_ASSERT_FALSE(d.tone.sounding().has_value());
}

TEST(the_status_lamp_follows_what_it_is_told) {
  Desk d;
  d.outputs.show(WarningLevel::none, false, true, seconds{1});
  TEST_ASSERT_TRUE(d.status.on());
  d.outputs.show(WarningLevel::none, false, true, seconds{1} + milliseconds{10});
  TEST_ASSERT_EQUAL_size_t(1, d.status.history.size());
  d.outputs.show(WarningLevel::none, false, false, seconds{3});
  TEST_ASSERT_FALSE(d.status.on());
}

TEST(the_status_lamp_blinks_slowly_a_second_on_and_a_second_off) {
  Desk d;
  std::vector<bool> lit;
  for (int ms = 0; ms < 4000; ms += 10) {
    d.outputs.show(WarningLevel::none, false, StatusLight::slow_blink,
                   seconds{7} + milliseconds{ms});
    if (ms % 1000 == 500) lit.push_back(d.status.on());
  }
  TEST_ASSERT_TRUE((lit == std::vector<bool>{true, false, true, false}));
  TEST_ASSERT_FALSE(d.warning.on());
  d.outputs.show(WarningLevel::none, false, StatusLight::off, seconds{12});
  TEST_ASSERT_FALSE(d.status.on());
}

TEST(a_refused_lamp_is_told_and_tried_again) {
  Desk d;
  d.outputs.show(WarningLevel::none, false, false, seconds{1});
  d.warning.fail_next = Error{Errc::io, 5, "set line"};
  d.outputs.show(WarningLevel::collision, false, false, seconds{2});
  TEST_ASSERT_TRUE(d.outputs.refusal().has_value());
  TEST_ASSERT_EQUAL_INT(5, d.outputs.refusal()->native);
  TEST_ASSERT_FALSE(d.warning.on());
  d.outputs.show(WarningLevel::collision, false, false, seconds{2} + milliseconds{10});
  TEST_ASSERT_FALSE(d.outputs.refusal().has_value());
  TEST_ASSERT_TRUE(d.warning.on());
}

TEST(a_refused_sound_does_not_keep_the_lamp_dark) {
  Desk d;
  d.tone.unplugged = true;
  d.outputs.show(WarningLevel::collision, true, true, seconds{1});
  TEST_ASSERT_TRUE(d.warning.on());
  TEST_ASSERT_TRUE(d.status.on());
  TEST_ASSERT_TRUE(d.outputs.refusal().has_value());
  d.tone.unplugged = false;
  d.outputs.show(WarningLevel::collision, true, true, seconds{2});
  TEST_ASSERT_TRUE(d.tone.sounding().has_value());
}

TEST(unchanged_outputs_are_written_once_a_second) {
  Desk d;
  for (int ms = 0; ms < 5000; ms += 10)
    d.outputs.show(WarningLevel::none, false, false, seconds{1} + milliseconds{ms});
  TEST_ASSERT_EQUAL_size_t(5, d.warning.history.size());
  TEST_ASSERT_EQUAL_size_t(5, d.status.history.size());
  TEST_ASSERT_EQUAL_size_t(5, d.tone.history.size());
  for (const auto& pattern : d.tone.history) TEST_ASSERT_FALSE(pattern.has_value());
}

TEST(an_output_that_leaves_while_nothing_changes_is_told_within_a_second) {
  for (const int which : {0, 1, 2}) {
    Desk d;
    d.outputs.show(WarningLevel::none, false, false, seconds{1});
    TEST_ASSERT_FALSE(d.outputs.refusal().has_value());
    d.warning.unplugged = which == 0;
    d.status.unplugged = which == 1;
    d.tone.unplugged = which == 2;
    d.outputs.show(WarningLevel::none, false, false, seconds{2});
    TEST_ASSERT_TRUE(d.outputs.refusal().has_value());
    d.outputs.show(WarningLevel::none, false, false, seconds{2} + milliseconds{10});
    TEST_ASSERT_TRUE(d.outputs.refusal().has_value());  // for as long as it lasts
    d.warning.unplugged = d.status.unplugged = d.tone.unplugged = false;
    d.outputs.show(WarningLevel::none, false, false, seconds{2} + milliseconds{20});
    TEST_ASSERT_FALSE(d.outputs.refusal().has_value());
  }
}

TEST(missing_outputs_are_left_alone) {
  AlertOutputs none{nullptr, nullptr, nullptr, TonePattern{}};
  none.show(WarningLevel::collision, true, true, seconds{1});
  TEST_ASSERT_FALSE(none.refusal().has_value());
}

/// An output that can be pulled out; while it is out, opening fails.
template <typename Output, typename Fake>
struct Bench {
  FakeClock clock;
  FakeLog log;
  bool plugged = true;
  std::vector<Nanos> tries;
  Fake* current = nullptr;

  std::unique_ptr<Output> make() {
    auto fake = std::make_unique<Fake>();
    current = fake.get();
    return fake;
  }
  DeviceOpener<Output> opener() {
    return [this]() -> Result<std::unique_ptr<Output>> {
      tries.push_back(clock.now());
      if (!plugged) return Error{Errc::not_found, 2, "open output", "/dev/out0"};
      return make();
    };
  }
  void pull() {
    plugged = false;
    current->unplugged = true;
  }
};
using LineBench = Bench<OutputLine, FakeOutputLine>;
using ToneBench = Bench<Tone, FakeTone>;

TEST(a_line_passes_through_while_all_is_well) {
  LineBench b;
  ReopeningLine line{b.make(), b.opener(), "lamp", b.clock, b.log};
  TEST_ASSERT_OK(line.set(true));
  TEST_ASSERT_TRUE(b.current->on());
  TEST_ASSERT_TRUE(*line.get());
  b.current->fail_next = Error{Errc::io, 5, "set line"};
  TEST_ASSERT_ERROR(Errc::io, line.set(false));  // refused, not gone: nothing to open
  TEST_ASSERT_OK(line.set(false));
  TEST_ASSERT_FALSE(b.current->on());
  TEST_ASSERT_EQUAL_size_t(0, b.tries.size());
  TEST_ASSERT_EQUAL_size_t(0, b.log.lines().size());
}

TEST(a_lost_line_is_tried_with_growing_waits_up_to_five_seconds) {
  LineBench b;
  ReopeningLine line{b.make(), b.opener(), "lamp", b.clock, b.log};
  b.clock.advance(seconds{60});
  b.pull();
  const Nanos lost = b.clock.now();
  for (; b.clock.now() < lost + seconds{30}; b.clock.advance(milliseconds{10})) {
    const Status refused = line.set(true);
    TEST_ASSERT_ERROR(Errc::gone, refused);
    if (!b.tries.empty()) TEST_ASSERT_EQUAL_INT(2, refused.error().native);  // why it stays away
    TEST_ASSERT_ERROR(Errc::gone, line.get());
  }
  TEST_ASSERT_GREATER_OR_EQUAL_size_t(9, b.tries.size());
  Nanos before = lost, wanted = milliseconds{100};
  for (const Nanos tried : b.tries) {
    TEST_ASSERT_TRUE(tried - before == wanted);
    before = tried;
    wanted = std::min<Nanos>(wanted * 2, seconds{5});
  }
}

TEST(a_line_that_is_back_gets_the_level_that_is_wanted_now) {
  LineBench b;
  ReopeningLine line{b.make(), b.opener(), "status lamp", b.clock, b.log};
  TEST_ASSERT_OK(line.set(false));
  b.pull();
  TEST_ASSERT_ERROR(Errc::gone, line.set(true));
  b.plugged = true;
  TEST_ASSERT_ERROR(Errc::gone, line.set(true));  // its time has not come
  b.clock.advance(milliseconds{100});
  TEST_ASSERT_OK(line.set(true));
  TEST_ASSERT_TRUE(b.current->on());
  TEST_ASSERT_TRUE(*line.get());
  TEST_ASSERT_TRUE(b.log.has("status lamp is back"));
}

TEST(a_line_that_is_known_to_be_lost_gets_its_level_again_without_waiting_for_a_change) {
  LineBench b;
  ReopeningLine line{b.make(), b.opener(), "warning lamp", b.clock, b.log};
  TEST_ASSERT_OK(line.repeat());  // dark until it is set
  TEST_ASSERT_FALSE(b.current->on());
  TEST_ASSERT_OK(line.set(true));
  b.current->unplugged = true;  // another way to it is there at once
  TEST_ASSERT_ERROR(Errc::gone, line.repeat());
  TEST_ASSERT_ERROR(Errc::gone, line.get());
  b.clock.advance(milliseconds{100});
  TEST_ASSERT_OK(line.repeat());
  TEST_ASSERT_TRUE(b.current->on());
  TEST_ASSERT_EQUAL_size_t(1, b.tries.size());
}

TEST(a_line_that_is_missing_at_the_start_is_opened_when_it_comes) {
  LineBench b;
  b.plugged = false;
  ReopeningLine line{nullptr, b.opener(), "status lamp", b.clock, b.log};
  const Status refused = line.set(true);
  TEST_ASSERT_ERROR(Errc::gone, refused);
  TEST_ASSERT_EQUAL_INT(2, refused.error().native);
  TEST_ASSERT_ERROR(Errc::gone, line.get());
  TEST_ASSERT_TRUE(b.log.has("status lamp: open output: /dev/out0"));
  b.plugged = true;
  TEST_ASSERT_ERROR(Errc::gone, line.set(true));  // its time has not come
  b.clock.advance(milliseconds{100});
  TEST_ASSERT_OK(line.set(true));
  TEST_ASSERT_TRUE(b.current->on());
  // One that is there is opened without a word.
  LineBench there;
  ReopeningLine first{nullptr, there.opener(), "lamp", there.clock, there.log};
  TEST_ASSERT_OK(first.set(true));
  TEST_ASSERT_TRUE(there.current->on());
  TEST_ASSERT_EQUAL_size_t(0, there.log.lines().size());
}

TEST(an_output_that_keeps_leaving_is_tried_less_and_less) {
  LineBench b;
  ReopeningLine line{b.make(), b.opener(), "lamp", b.clock, b.log};
  const Nanos begin = b.clock.now();
  for (; b.clock.now() < begin + seconds{60}; b.clock.advance(milliseconds{10}))
    if (line.set(true)) b.current->unplugged = true;  // it works once, then leaves
  TEST_ASSERT_LESS_THAN_size_t(20, b.tries.size());
}

TEST(a_sound_that_is_back_plays_what_is_wanted_now) {
  ToneBench b;
  ReopeningTone tone{b.make(), b.opener(), "sound", b.clock, b.log};
  const TonePattern pattern{900, 7, 0.4, 0.5};
  TEST_ASSERT_OK(tone.stop());
  b.pull();
  TEST_ASSERT_ERROR(Errc::gone, tone.stop());
  b.plugged = true;
  b.clock.advance(milliseconds{100});
  TEST_ASSERT_OK(tone.play(pattern));
  TEST_ASSERT_TRUE(b.current->sounding().has_value());
  TEST_ASSERT_EQUAL_DOUBLE(900, b.current->sounding()->frequency_hz);
  TEST_ASSERT_TRUE(b.log.has("sound is back"));
}

TEST(alert_outputs_notice_a_lost_lamp_and_light_it_when_it_is_back) {
  LineBench b;
  ReopeningLine line{b.make(), b.opener(), "status lamp", b.clock, b.log};
  AlertOutputs outputs{nullptr, &line, nullptr, TonePattern{}};
  const auto run = [&](Nanos duration) {
    for (const Nanos end = b.clock.now() + duration; b.clock.now() < end;) {
      outputs.show(WarningLevel::none, false, true, b.clock.now());
      b.clock.advance(milliseconds{10});
    }
  };
  run(seconds{10});
  TEST_ASSERT_FALSE(outputs.refusal().has_value());
  b.pull();
  run(milliseconds{1010});
  TEST_ASSERT_TRUE(outputs.refusal().has_value());
  run(seconds{20});
  TEST_ASSERT_TRUE(outputs.refusal().has_value());
  b.plugged = true;
  run(milliseconds{5010});
  TEST_ASSERT_FALSE(outputs.refusal().has_value());
  TEST_ASSERT_TRUE(b.current->on());
}

}  // namespace
