// SPDX-License-Identifier: Apache-2.0
#include "firmware/can/lateness.hpp"

#include <deque>
#include <random>

#include "firmware/can/codec.hpp"
#include "firmware/can/vehicle_signals.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::can;
using namespace std::chrono_literals;

namespace {

/// A car whose messages go through something that may hold them up or lose them, and arrive when
/// that lets them. Time goes by in steps of a millisecond; the sender keeps its timetable.
struct Line {
  void run(Nanos time) {
    for (const Nanos end = now + time; now < end;) {
      now += 1ms;
      if (paused) continue;
      sent += 1ms;
      if (sent % motion_period == 0ms) say(encode(VehicleMotion{speed, yaw, motion++}));
      if (sent % 100ms == 0ms) say(encode(VehicleBody{TurnSignal::off, Gear::drive, body++}));
      motion &= 0xF;
      body &= 0xF;
      while (!stalled && !queue.empty() && queue.front().at <= now) {
        signals.feed(queue.front().frame, now);
        queue.pop_front();
      }
      worst = std::max(worst, signals.lag());
      speed += acceleration * 1e-3;
    }
  }
  void say(const CanFrame& frame) {
    if (loses) return;
    Nanos at = now + delay;
    if (jitter > Nanos::zero())
      at += Nanos{std::uniform_int_distribution<Nanos::rep>{0, jitter.count()}(random)};
    if (!queue.empty()) at = std::max(at, queue.back().at);
    queue.push_back({at, frame});
  }
  [[nodiscard]] bool late() const { return signals.lag() > Nanos::zero(); }
  [[nodiscard]] double lag_ms() const {
    return std::chrono::duration<double, std::milli>{signals.lag()}.count();
  }

  struct Due {
    Nanos at;
    CanFrame frame;
  };
  VehicleSignals signals{VehicleLimits{}, Nanos{1s}};
  std::mt19937 random{7};
  Nanos now = 1s, sent{}, delay{}, jitter{}, worst{};
  Nanos motion_period = 20ms;
  std::deque<Due> queue;
  std::uint8_t motion = 0, body = 0;
  double speed = 10, yaw = 0, acceleration = 0;
  bool loses = false, paused = false;
  bool stalled = false;  // the reader: what arrives waits, and is read at once
};

void expect_late(const Line& line, double ms) {
  TEST_ASSERT_DOUBLE_WITHIN(45, ms, line.lag_ms());
  const VehicleState state = line.signals.at(line.now);
  TEST_ASSERT_EQUAL_STRING("late", name_of(state.speed_mps.validity));
  TEST_ASSERT_FALSE(state.speed_mps.value.has_value());
  TEST_ASSERT_FALSE(state.yaw_rate_radps.value.has_value());
  const auto fault = line.signals.fault(line.now);
  TEST_ASSERT_TRUE(fault.has_value());
  TEST_ASSERT_EQUAL(Cause::signals_late, fault->cause);
  TEST_ASSERT_DOUBLE_WITHIN(45, ms, fault->number);
}

/// Silence, then messages that go on where they were: told as missing first, then as late, for as
/// long as it lasts; and all is well once the queue has run empty. Any length from the silence that
/// is a fault on, also those at which the short counter is where it would be without.
TEST(messages_that_were_held_up_are_late_until_they_have_caught_up) {
  for (const Nanos held : {300ms, 320ms, 400ms, 500ms, 640ms, 800ms, 960ms, 1280ms, 2000ms}) {
    Line line;
    line.run(4s);
    TEST_ASSERT_FALSE(line.signals.fault(line.now).has_value());
    line.delay = held;
    line.run(210ms);
    TEST_ASSERT_EQUAL(Cause::signals_missing, line.signals.fault(line.now)->cause);
    line.run(held - 200ms);
    line.run(220ms);
    expect_late(line, std::chrono::duration<double, std::milli>{held}.count());
    line.run(60s);
    expect_late(line, std::chrono::duration<double, std::milli>{held}.count());
    line.delay = Nanos::zero();  // what waits comes at once, before anything newer
    line.run(held + 300ms);
    TEST_ASSERT_FALSE(line.signals.fault(line.now).has_value());
    TEST_ASSERT_TRUE(line.signals.at(line.now).speed_mps.value.has_value());
  }
}

TEST(late_messages_that_are_thrown_away_leave_nothing_late) {
  Line line;
  line.run(4s);
  line.delay = 800ms;
  line.run(3s);
  expect_late(line, 800);
  TEST_ASSERT_TRUE(line.signals.at(line.now).gear.value.has_value());  // of use even late
  line.queue.clear();
  line.delay = Nanos::zero();
  line.run(300ms);
  TEST_ASSERT_FALSE(line.signals.fault(line.now).has_value());
}

/// The counter has gone on by what time demands: nothing is late, however long it was.
TEST(lost_messages_are_not_late_ones) {
  for (int ms = 20; ms <= 3000; ms += 20) {
    Line line;
    line.run(4s);
    line.loses = true;
    line.run(std::chrono::milliseconds{ms});
    line.loses = false;
    line.run(500ms);
    TEST_ASSERT_EQUAL_INT64(0, line.worst.count());
    TEST_ASSERT_FALSE(line.signals.fault(line.now).has_value());
  }
}

TEST(single_losses_and_losses_while_late_change_nothing) {
  Line line;
  line.run(4s);
  const auto lose_some = [&](Nanos time) {
    for (Nanos end = line.now + time; line.now < end;) {
      line.loses = std::uniform_int_distribution{0, 9}(line.random) == 0;
      line.run(20ms);
    }
    line.loses = false;
  };
  lose_some(60s);
  TEST_ASSERT_EQUAL_INT64(0, line.worst.count());
  line.delay = 800ms;
  line.run(2s);
  lose_some(30s);
  expect_late(line, 800);
}

/// Jitter of three periods, hold-ups that the limit of silence forgives, and a timetable that is
/// off by a twentieth: no fault.
TEST(jitter_hold_ups_and_another_timetable_are_not_lateness) {
  for (const Nanos period : {20ms, 19ms, 21ms, 25ms, 40ms}) {
    Line line;
    line.motion_period = period;
    line.jitter = 60ms;
    line.run(60s);
    for (int i = 0; i < 6; ++i) {  // and now and then a sender that waits for the bus
      line.paused = true;
      line.run(120ms);
      line.paused = false;
      line.run(20s);
    }
    TEST_ASSERT_EQUAL_INT64(0, line.worst.count());
    TEST_ASSERT_FALSE(line.signals.fault(line.now).has_value());
  }
}

/// A machine that stands still again and again, from its first second on, reads its messages in
/// bursts. They were late; once it runs, they are not, and stay so.
TEST(a_reader_that_stood_still_takes_nothing_for_late_afterwards) {
  struct Stutter {
    Nanos still, runs;
    int times;
  };
  for (const Stutter& stutter : {Stutter{90ms, 60ms, 8},
                                 {180ms, 60ms, 20},
                                 {190ms, 60ms, 8},
                                 {198ms, 62ms, 8},
                                 {250ms, 60ms, 8},
                                 {300ms, 60ms, 8},
                                 {700ms, 60ms, 8},
                                 {900ms, 61ms, 8},
                                 {1500ms, 60ms, 8}}) {
    Line line;
    line.run(60ms);
    for (int i = 0; i < stutter.times; ++i) {
      line.stalled = true;
      line.run(stutter.still);
      line.stalled = false;
      line.run(stutter.runs);
    }
    for (int i = 0; i < 30; ++i) {
      line.run(1s);
      TEST_ASSERT_FALSE(line.signals.fault(line.now).has_value());
    }
    line.delay = 800ms;  // and what is late then is still found
    line.run(2s);
    expect_late(line, 800);
  }
}

/// After a sender's restart nothing waits any more: the period is learned from all messages, also
/// from those that are read two at a time.
TEST(a_restart_leaves_nothing_waiting) {
  Line line;
  line.run(4s);
  line.paused = true;
  line.run(600s);
  line.paused = false;
  line.motion = (line.motion + 5) & 0xF;
  for (int i = 0; i < 1500; ++i) {
    line.stalled = true;
    line.run(39ms);
    line.stalled = false;
    line.run(1ms);
  }
  TEST_ASSERT_FALSE(line.signals.fault(line.now).has_value());
  line.delay = 800ms;
  line.run(2s);
  expect_late(line, 800);
}

/// A sender that paused looks the same, unless what it says cannot have been said one message
/// after the last.
TEST(a_sender_that_paused_is_told_unless_its_values_say_better) {
  for (const bool braked : {false, true}) {
    Line line;
    line.run(4s);
    line.paused = true;
    line.run(700ms);
    if (braked) line.speed -= 4;
    line.paused = false;
    line.run(500ms);
    TEST_ASSERT_EQUAL(!braked, line.late());
    line.signals.are_timely();
    TEST_ASSERT_FALSE(line.signals.fault(line.now).has_value());
    line.run(10s);
    TEST_ASSERT_FALSE(line.late());
  }
}

TEST(a_sender_that_starts_anew_is_not_late) {
  for (std::uint8_t ahead = 2; ahead < 16; ++ahead) {
    Line line;
    line.run(4s);
    line.paused = true;
    line.run(700ms);
    line.paused = false;
    line.motion = (line.motion + ahead) & 0xF;
    line.run(500ms);
    TEST_ASSERT_FALSE(line.late());
    TEST_ASSERT_FALSE(line.signals.fault(line.now).has_value());
  }
}

TEST(a_counter_that_stuck_and_goes_on_is_not_late) {
  Line line;
  line.run(4s);
  const CanFrame stuck = encode(
      VehicleMotion{line.speed, line.yaw, static_cast<std::uint8_t>((line.motion + 15) & 0xF)});
  for (int i = 0; i < 50; ++i) {
    line.now += 20ms;
    line.signals.feed(stuck, line.now);
  }
  TEST_ASSERT_EQUAL(Cause::signals_missing, line.signals.fault(line.now)->cause);
  line.run(500ms);
  TEST_ASSERT_FALSE(line.signals.fault(line.now).has_value());
}

}  // namespace
