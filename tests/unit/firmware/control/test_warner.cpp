// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/warner.hpp"

#include <array>
#include <memory>
#include <optional>

#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr Nanos kRound = milliseconds{10};
constexpr double kBumper = 3.6;

/// Rounds of a warner with one or two cameras that report every third round.
struct Bench {
  explicit Bench(int cameras) : count{static_cast<std::size_t>(cameras)} {
    facts.starting = false;
    facts.detector_present = true;
    facts.cameras = cameras;
    tell_speed(0.0);
    for (std::size_t i = 0; i < count; ++i) reports[i] = std::make_unique<risk::PeopleReport>();
  }
  void tell_speed(std::optional<double> speed) {
    vehicle.speed_mps.value = vehicle.held_speed.mps = speed;
    vehicle.speed_mps.validity = speed ? can::Validity::valid : can::Validity::missing;
  }
  /// Somebody as camera `i` has them: before the bumper, and the contact that awaits them.
  void put(std::size_t i, double ahead_m, double probability = 0, double in_s = 0) {
    risk::PeopleReport& r = *reports[i];
    r.people.count = 1;
    track::Person& person = r.people.items[0];
    person.id = 7;
    person.confirmed = true;
    person.certainty = 1;
    person.x_m = kBumper + ahead_m;
    r.contacts[0] = {};
    r.contacts[0].probability = probability;
    if (probability > 0) r.contacts[0].expected_s = in_s;
    r.contacts[0].ahead_m = ahead_m;
  }
  void step() {
    now += kRound;
    std::array<const risk::PeopleReport*, WarningLogic::kMostCameras> all{};
    for (std::size_t i = 0; i < count; ++i) {
      risk::PeopleReport& r = *reports[i];
      if (rounds % 3 == 0) {
        r.at = now;
        r.path_known = vehicle.speed_mps.value.has_value();
        r.speed_mps = vehicle.speed_mps.value.value_or(0);
        for (int k = 0; k < r.people.count; ++k) r.people.items[k].last_seen = now;
      }
      if (r.at != Nanos::zero()) all[i] = &r;
    }
    ++rounds;
    if (buttons) warner.press(*buttons, now);
    const WarningDecision told = warner.step(now, all, facts, vehicle);
    TEST_ASSERT_EQUAL_STRING(name_of(told.level), name_of(warner.decision().level));
  }
  void run(Nanos duration) {
    for (const Nanos end = now + duration; now < end;) step();
  }
  [[nodiscard]] WarningLevel level() const { return warner.decision().level; }

  Warner warner{WarningRules{}};
  ReadinessFacts facts;
  can::VehicleState vehicle;
  std::array<std::unique_ptr<risk::PeopleReport>, WarningLogic::kMostCameras> reports;
  std::optional<can::VehicleDriver> buttons;
  std::size_t count;
  Nanos now = seconds{10};
  int rounds = 0;
};

TEST(it_takes_the_vehicles_side_from_the_vehicle) {
  Bench bench{1};
  bench.tell_speed(12);
  bench.vehicle.yaw_rate_radps.value = 0.1;
  bench.vehicle.gear.value = Gear::drive;
  bench.vehicle.turn_signal.value = TurnSignal::left;
  bench.facts.speed_mps = 99;  // whatever it is told besides
  bench.facts.gear = Gear::reverse;
  bench.facts.switched_off = true;
  bench.step();
  const DriverSide& side = bench.warner.side();
  TEST_ASSERT_EQUAL_STRING("ready", name_of(side.readiness));
  TEST_ASSERT_EQUAL_STRING("ready", name_of(bench.warner.readiness()));
  TEST_ASSERT_EQUAL_DOUBLE(12, side.speed_mps.value_or(-1));
  TEST_ASSERT_EQUAL_DOUBLE(0.1, side.yaw_rate_radps.value_or(-1));
  TEST_ASSERT_TRUE(side.gear == Gear::drive);
  TEST_ASSERT_TRUE(side.turn_signal == TurnSignal::left);
  bench.vehicle.gear.value = Gear::reverse;
  bench.step();
  TEST_ASSERT_EQUAL_STRING("reversing", name_of(bench.warner.readiness()));
  bench.vehicle.gear.value.reset();
  bench.tell_speed(std::nullopt);
  bench.step();
  TEST_ASSERT_EQUAL_STRING("no_speed", name_of(bench.warner.readiness()));
}

TEST(a_likely_contact_is_a_collision_warning_and_says_whom_and_who_sees_them) {
  Bench bench{2};
  bench.tell_speed(10);
  bench.run(milliseconds{100});
  bench.put(1, 15, 0.9, 1.5);
  bench.run(milliseconds{300});
  TEST_ASSERT_EQUAL_STRING("collision", name_of(bench.level()));
  TEST_ASSERT_EQUAL_UINT32(7, bench.warner.decision().person.value_or(0));
  TEST_ASSERT_EQUAL_INT(1, bench.warner.decision().camera);
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 1.5, bench.warner.decision().time_to_collision_s.value_or(-1));
}

TEST(the_sensitivity_is_the_one_it_was_made_with) {
  Bench bench{1};
  bench.tell_speed(10);
  bench.put(0, 20, 0.65, 1.8);  // enough for normal, too little for late
  bench.run(milliseconds{300});
  TEST_ASSERT_EQUAL_STRING("collision", name_of(bench.level()));
  Bench later{1};
  later.warner = Warner{WarningRules{}.at(Sensitivity::late)};
  later.tell_speed(10);
  later.put(0, 20, 0.65, 1.8);
  later.run(milliseconds{300});
  TEST_ASSERT_EQUAL_STRING("none", name_of(later.level()));
}

TEST(the_view_is_that_of_the_camera_that_sees_farthest) {
  Bench bench{2};
  bench.tell_speed(12);  // 27.6 m
  bench.reports[0]->view = {true, 9, 1, 45, ViewLimit::light};
  bench.run(seconds{1});
  TEST_ASSERT_EQUAL_STRING("limited_view", name_of(bench.warner.readiness()));
  TEST_ASSERT_EQUAL_DOUBLE(9, bench.warner.view()->distance_m);
  bench.reports[1]->view = {true, 40, 1, 45, ViewLimit::size};  // a thermal camera
  bench.run(seconds{3});
  TEST_ASSERT_EQUAL_STRING("ready", name_of(bench.warner.readiness()));
  TEST_ASSERT_EQUAL_DOUBLE(40, bench.warner.view()->distance_m);
  bench.facts.camera_causes[1].add(Cause::camera_blinded);  // now it does not count
  bench.run(seconds{1});
  TEST_ASSERT_EQUAL_STRING("limited_view", name_of(bench.warner.readiness()));
  bench.reports[0]->view.known = false;
  bench.run(milliseconds{100});
  TEST_ASSERT_FALSE(bench.warner.view().has_value());
  TEST_ASSERT_EQUAL_STRING("ready", name_of(bench.warner.readiness()));
}

TEST(a_camera_that_cannot_see_warns_of_nobody_the_other_does) {
  Bench bench{2};
  bench.put(0, 2);
  bench.facts.camera_causes[0].add(Cause::camera_blinded);
  bench.run(milliseconds{500});
  TEST_ASSERT_EQUAL_STRING("ready", name_of(bench.warner.readiness()));  // one sees
  TEST_ASSERT_EQUAL_STRING("none", name_of(bench.level()));
  bench.put(1, 2);
  bench.run(milliseconds{500});
  TEST_ASSERT_EQUAL_STRING("information", name_of(bench.level()));
  TEST_ASSERT_EQUAL_INT(1, bench.warner.decision().camera);
  bench.facts.camera_causes[1].add(Cause::camera_dark);
  bench.run(seconds{2});
  TEST_ASSERT_EQUAL_STRING("not_active", name_of(bench.warner.readiness()));
  TEST_ASSERT_EQUAL_STRING("none", name_of(bench.level()));
}

TEST(it_is_switched_off_by_two_actions_and_then_silent) {
  Bench bench{1};
  bench.put(0, 2);
  bench.buttons = can::VehicleDriver{};
  bench.run(milliseconds{500});
  TEST_ASSERT_EQUAL_STRING("information", name_of(bench.level()));
  bench.buttons->off_pressed = true;
  bench.run(OffSwitch::kHold + milliseconds{100});
  TEST_ASSERT_FALSE(bench.warner.switched_off());  // it asks
  bench.buttons = can::VehicleDriver{.confirm_pressed = true};
  bench.run(milliseconds{100});
  TEST_ASSERT_TRUE(bench.warner.switched_off());
  TEST_ASSERT_EQUAL_STRING("switched_off", name_of(bench.warner.readiness()));
  bench.run(WarningLogic::kShortest);
  TEST_ASSERT_EQUAL_STRING("none", name_of(bench.level()));
  bench.buttons.reset();  // whoever stops talking does not switch it on
  bench.run(seconds{5});
  TEST_ASSERT_TRUE(bench.warner.switched_off());
  TEST_ASSERT_EQUAL_STRING("none", name_of(bench.level()));
  bench.buttons = can::VehicleDriver{};
  bench.run(milliseconds{100});
  bench.buttons->off_pressed = true;
  bench.run(milliseconds{100});
  TEST_ASSERT_FALSE(bench.warner.switched_off());
  bench.run(milliseconds{500});
  TEST_ASSERT_EQUAL_STRING("information", name_of(bench.level()));
}

TEST(buttons_that_fall_silent_while_held_are_released) {
  Bench bench{1};
  bench.buttons = can::VehicleDriver{};
  bench.run(milliseconds{200});
  bench.buttons->off_pressed = true;
  bench.run(milliseconds{600});
  bench.buttons.reset();  // a message lost, two messages lost: held
  bench.run(milliseconds{300});
  bench.buttons = can::VehicleDriver{.off_pressed = true};
  bench.run(milliseconds{200});  // a second in all: it asks
  bench.buttons = can::VehicleDriver{.confirm_pressed = true};
  bench.run(milliseconds{50});
  TEST_ASSERT_TRUE(bench.warner.switched_off());

  Bench silent{1};
  silent.buttons = can::VehicleDriver{};
  silent.run(milliseconds{200});
  silent.buttons->off_pressed = true;
  silent.run(milliseconds{600});
  silent.buttons.reset();
  silent.run(milliseconds{700});  // longer than a held button is believed
  silent.buttons = can::VehicleDriver{.off_pressed = true};
  silent.run(milliseconds{1200});  // never seen released: no press
  silent.buttons = can::VehicleDriver{.confirm_pressed = true};
  silent.run(milliseconds{50});
  TEST_ASSERT_FALSE(silent.warner.switched_off());
}

TEST(it_is_silent_without_health_speed_or_detector) {
  const auto silent_with = [](const char* readiness, const auto& change) {
    Bench bench{1};
    change(bench);
    bench.put(0, 2);
    bench.run(seconds{1});
    TEST_ASSERT_EQUAL_STRING(readiness, name_of(bench.warner.readiness()));
    TEST_ASSERT_EQUAL_STRING_MESSAGE("none", name_of(bench.level()), readiness);
  };
  silent_with("starting", [](Bench& b) { b.facts.starting = true; });
  silent_with("not_active", [](Bench& b) { b.facts.failed = true; });
  silent_with("no_detector", [](Bench& b) { b.facts.detector_present = false; });
  silent_with("no_speed", [](Bench& b) { b.tell_speed(std::nullopt); });
  silent_with("too_fast", [](Bench& b) { b.tell_speed(23.5); });
  silent_with("reversing", [](Bench& b) { b.tell_speed(-1); });
}

TEST(degraded_by_what_a_warning_does_not_need_still_warns) {
  Bench bench{1};
  bench.facts.causes.add(Cause::output_refused);
  bench.put(0, 2);
  bench.run(milliseconds{500});
  TEST_ASSERT_EQUAL_STRING("information", name_of(bench.level()));
}

TEST(a_round_allocates_nothing) {
  Bench bench{2};
  bench.buttons = can::VehicleDriver{};
  bench.put(0, 2);
  bench.put(1, 15, 0.9, 1.5);
  const std::uint64_t before = test::allocations();
  bench.run(seconds{2});
  TEST_ASSERT_EQUAL_UINT64(before, test::allocations());
}

}  // namespace
