// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/signal_check.hpp"

#include "tests/support/test.hpp"
#include "tests/unit/firmware/control/drive.hpp"

using namespace kerb;
using ego::Travel;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Drive;

namespace {

/// Rounds of 10 ms, and the motion between two pictures every 30 ms.
struct Bench {
  void tell(std::optional<double> speed) {
    told.speed_mps.value = told.held_speed.mps = speed;
    told.speed_mps.validity = speed ? can::Validity::valid : can::Validity::missing;
  }
  /// The road as the pictures show it; `agrees`: with the speed that is used.
  void run(Nanos time, Travel travel) {
    for (const Nanos end = now + time; now < end;) {
      now += milliseconds{10};
      check.step(now, told);
      if ((now - Nanos::zero()) % milliseconds{30} != Nanos::zero()) continue;
      const std::optional<double> used = check.believed(now, told).held_speed.mps;
      ego::MotionReport report;
      report.at = now;
      report.ego.state = shows ? ego::EgoState::valid : ego::EgoState::too_few_points;
      report.ego.interval = milliseconds{30};
      report.ego.travel = travel;
      const Travel expected = !used || std::abs(*used) < 0.1 ? Travel::none
                              : *used > 0                    ? Travel::forward
                                                             : Travel::backward;
      report.ego.speed_distrusted = used && travel != expected;
      report.ego.travel_from_flow = !used || report.ego.speed_distrusted;
      check.see(report, told);
    }
  }
  [[nodiscard]] can::VehicleState believed() const { return check.believed(now, told); }

  SignalCheck check;
  can::VehicleState told;
  Nanos now = seconds{100};
  bool shows = true;
};

TEST(what_agrees_is_left_as_it_is) {
  Bench b;
  b.told.gear.value = Gear::drive;
  for (const double speed : {14.0, 0.0, 3.0, 0.0}) {
    b.tell(speed);
    b.run(seconds{3}, speed > 0 ? Travel::forward : Travel::none);
    TEST_ASSERT_FALSE(b.check.fault().has_value());
    TEST_ASSERT_EQUAL_DOUBLE(speed, b.believed().speed_mps.value.value_or(-1));
    TEST_ASSERT_TRUE(b.believed().gear.value == Gear::drive);
  }
}

TEST(a_speed_stuck_at_zero_is_not_believed_while_the_road_flows_by) {
  Bench b;
  b.tell(14);
  b.run(seconds{1}, Travel::forward);
  b.tell(0);
  b.run(milliseconds{300}, Travel::forward);
  TEST_ASSERT_FALSE(b.check.fault().has_value());
  b.run(milliseconds{200}, Travel::forward);
  TEST_ASSERT_TRUE(b.check.fault().has_value());
  TEST_ASSERT_TRUE(b.check.fault()->cause == Cause::signals_implausible);
  TEST_ASSERT_EQUAL_DOUBLE(0, b.check.fault()->number);
  TEST_ASSERT_FALSE(b.believed().speed_mps.value.has_value());
  TEST_ASSERT_EQUAL_DOUBLE(14, b.believed().held_speed.mps.value_or(-1));
  const double sigma = b.believed().held_speed.sigma_mps;
  b.run(seconds{3}, Travel::forward);
  TEST_ASSERT_TRUE(b.check.fault().has_value());  // the pictures agree with the one that is held
  TEST_ASSERT_TRUE(b.believed().held_speed.sigma_mps > sigma);
  b.run(seconds{10}, Travel::forward);
  TEST_ASSERT_FALSE(b.believed().held_speed.mps.has_value());
  TEST_ASSERT_TRUE(b.check.fault().has_value());
  b.tell(12);  // it works again
  b.run(milliseconds{10}, Travel::forward);
  TEST_ASSERT_FALSE(b.check.fault().has_value());
}

/// A drop to 0 that no car can do is refused by itself at first: the evidence is collected
/// meanwhile.
TEST(a_sudden_standstill_is_found_out_before_it_would_be_believed) {
  Bench b;
  b.tell(14);
  b.run(seconds{1}, Travel::forward);
  b.told.speed_mps.value.reset();
  b.told.speed_mps.validity = can::Validity::implausible;
  b.told.speed_mps.number = 0;
  b.run(seconds{1}, Travel::forward);
  b.tell(0);
  b.run(milliseconds{10}, Travel::forward);
  TEST_ASSERT_TRUE(b.check.fault().has_value());
  TEST_ASSERT_EQUAL_DOUBLE(14, b.believed().held_speed.mps.value_or(-1));
}

TEST(a_car_that_stops_meanwhile_stands) {
  Bench b;
  b.tell(14);
  b.run(seconds{1}, Travel::forward);
  b.tell(0);
  b.run(seconds{1}, Travel::forward);
  TEST_ASSERT_TRUE(b.check.fault().has_value());
  b.run(milliseconds{600}, Travel::none);
  TEST_ASSERT_FALSE(b.check.fault().has_value());
  TEST_ASSERT_EQUAL_DOUBLE(0, b.believed().speed_mps.value.value_or(-1));
}

TEST(a_speed_that_was_never_told_is_not_invented) {
  Bench b;
  b.tell(0);
  b.run(seconds{10}, Travel::none);
  b.run(seconds{1}, Travel::forward);
  TEST_ASSERT_TRUE(b.check.fault().has_value());
  TEST_ASSERT_FALSE(b.believed().held_speed.mps.has_value());
}

TEST(without_pictures_the_speed_is_believed) {
  Bench b;
  b.tell(14);
  b.run(seconds{1}, Travel::forward);
  b.shows = false;
  b.tell(0);
  b.run(seconds{3}, Travel::forward);
  TEST_ASSERT_FALSE(b.check.fault().has_value());
  TEST_ASSERT_EQUAL_DOUBLE(0, b.believed().speed_mps.value.value_or(-1));
}

TEST(reverse_gear_while_driving_forward_is_no_reversing) {
  Bench b;
  b.told.gear.value = Gear::reverse;
  for (const double speed : {14.0, 4.0}) {
    b.tell(speed);
    b.run(milliseconds{20}, Travel::forward);
    TEST_ASSERT_FALSE(b.believed().gear.value.has_value());  // not for a moment
    TEST_ASSERT_FALSE(b.check.fault().has_value());
    b.run(milliseconds{250}, Travel::forward);
    TEST_ASSERT_TRUE(b.check.fault().has_value());
    TEST_ASSERT_FALSE(b.believed().gear.value.has_value());
    TEST_ASSERT_EQUAL_DOUBLE(speed, b.believed().speed_mps.value.value_or(-1));
    b.tell(0);
    b.run(milliseconds{50}, Travel::none);
    TEST_ASSERT_FALSE(b.check.fault().has_value());
    TEST_ASSERT_TRUE(b.believed().gear.value == Gear::reverse);
  }
}

/// Of a sender without a sign; a car that rolls; a change of gear while it still rolls.
TEST(reversing_is_reversing) {
  struct Case {
    double speed;
    Travel travel;
  };
  for (const Case& c : {Case{-3, Travel::backward}, Case{3, Travel::backward},
                        Case{1.5, Travel::forward}, Case{0, Travel::none}}) {
    Bench b;
    b.told.gear.value = Gear::reverse;
    b.tell(0);
    b.run(seconds{1}, c.travel);
    b.tell(c.speed);
    b.run(seconds{3}, c.travel);
    TEST_ASSERT_TRUE(b.believed().gear.value == Gear::reverse);
  }
}

/// In the product: it goes on warning, says that a signal is implausible, and lights the lamp.
TEST(reverse_gear_at_50_kmh_does_not_mute_it) {
  Drive drive;
  drive.speed = 14;
  TEST_ASSERT_TRUE(drive.becomes_ready());
  drive.gear = Gear::reverse;
  TEST_ASSERT_TRUE(
      drive.until([&] { return drive.statuses.back().health.cause == Cause::signals_implausible; },
                  seconds{1}));
  TEST_ASSERT_TRUE(drive.until([&] { return drive.readiness() == Readiness::ready; }));
  TEST_ASSERT_TRUE(drive.amber.on());
  drive.people = {{.x_m = 45}};
  TEST_ASSERT_TRUE(
      drive.until([&] { return drive.level() == WarningLevel::collision; }, seconds{4}));
}

}  // namespace
