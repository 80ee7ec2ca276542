// SPDX-License-Identifier: Apache-2.0
// What a driver is told of people on the road, by the product as a whole: on the bus, by the lamps
// and by the sound.
#include <chrono>

#include "firmware/diagnostics/life_book.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/control/drive.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Drive;

namespace {

constexpr double kBumper = 3.6;

/// How many seconds until the car's front is where somebody stands.
double seconds_to(const Drive& drive, std::size_t i = 0) {
  return (drive.people[i].x_m - drive.config.car.axle_to_bumper_m) / drive.speed.value_or(0);
}

TEST(somebody_straight_ahead_of_a_moving_car_is_warned_of_in_time) {
  Drive drive;
  drive.speed = 10;
  drive.gear = Gear::drive;
  TEST_ASSERT_TRUE(drive.becomes_ready());
  drive.people = {{.x_m = 45}};
  const auto warned = [&] { return drive.level() == WarningLevel::collision; };
  TEST_ASSERT_TRUE(drive.until(warned, seconds{4}));
  // Not before a driver would care, and in time to stop.
  TEST_ASSERT_DOUBLE_WITHIN(0.6, 2.3, seconds_to(drive));
  TEST_ASSERT_FALSE(drive.ever(WarningLevel::information));
  TEST_ASSERT_TRUE(drive.lamp.on());
  TEST_ASSERT_TRUE(drive.tone.sounding().has_value());
  TEST_ASSERT_FALSE(drive.amber.on());
  TEST_ASSERT_EQUAL_UINT64(1, drive.controller->totals().collisions);

  // It stays, lamp and sound with it, and speaks of somebody who is in the list.
  const std::size_t first = drive.lamp.history.size();
  drive.run(milliseconds{700});
  TEST_ASSERT_TRUE(warned());
  for (std::size_t i = first; i < drive.lamp.history.size(); ++i)
    TEST_ASSERT_TRUE(drive.lamp.history[i]);
  TEST_ASSERT_TRUE(drive.tone.sounding().has_value());
  const can::WarningMessage& told = drive.warnings.back();
  TEST_ASSERT_FALSE(told.test);
  TEST_ASSERT_TRUE(told.object_id.has_value());
  TEST_ASSERT_TRUE(drive.lists.back().has(*told.object_id));
  TEST_ASSERT_DOUBLE_WITHIN(0.4, seconds_to(drive), told.time_to_collision_s.value_or(99));
  for (std::size_t i = 1; i < drive.warnings.size(); ++i)
    TEST_ASSERT_EQUAL_UINT8((drive.warnings[i - 1].counter + 1) % 16, drive.warnings[i].counter);

  // The driver goes round them: it ends, and does not come back.
  drive.people = {};
  TEST_ASSERT_TRUE(drive.until([&] { return drive.level() == WarningLevel::none; }, seconds{3}));
  drive.run(seconds{1});
  TEST_ASSERT_FALSE(drive.lamp.on());
  TEST_ASSERT_FALSE(drive.tone.sounding().has_value());
  TEST_ASSERT_EQUAL_UINT64(1, drive.controller->totals().collisions);
  TEST_ASSERT_EQUAL_INT(0, drive.bad_frames + drive.stray_frames);
}

/// Somebody in the way is warned of by the camera that is left; what is wrong with the other shows.
void expect_warned_by_the_first(Drive& drive, Cause cause, Errc number) {
  TEST_ASSERT_TRUE(drive.heard(HealthState::degraded, cause));
  TEST_ASSERT_EQUAL_INT(1, drive.statuses.back().health.camera);
  if (cause == Cause::vision_failed)
    TEST_ASSERT_DOUBLE_WITHIN(0.1, static_cast<double>(number),
                              drive.statuses.back().health.number);
  TEST_ASSERT_TRUE(drive.amber.on());
  TEST_ASSERT_TRUE(drive.becomes_ready());
  drive.people = {{.x_m = 45}};
  const auto warned = [&] { return drive.level() == WarningLevel::collision; };
  TEST_ASSERT_TRUE(drive.until(warned, seconds{4}));
  TEST_ASSERT_DOUBLE_WITHIN(0.6, 2.3, seconds_to(drive));
  TEST_ASSERT_EQUAL_STRING("ready", name_of(drive.readiness()));
  TEST_ASSERT_EQUAL_STRING("DEGRADED", name_of(drive.statuses.back().health.state));
}

TEST(a_camera_without_a_detector_does_not_silence_the_other) {
  struct Case {
    Drive::Detectors detectors;
    Errc number;
  };
  for (const Case& c : {Case{Drive::Detectors::second_broken, Errc::damaged},
                        Case{Drive::Detectors::of_the_first, Errc::not_found}}) {
    Drive drive{{.cameras = 2, .detectors = c.detectors}};
    drive.speed = 10;
    drive.gear = Gear::drive;
    expect_warned_by_the_first(drive, Cause::vision_failed, c.number);
    TEST_ASSERT_FALSE(drive.statuses.back().detector_present);  // not of every camera
  }
}

TEST(a_detector_that_fails_on_the_road_does_not_silence_the_other_camera) {
  Drive drive{{.cameras = 2}};
  drive.speed = 10;
  drive.gear = Gear::drive;
  TEST_ASSERT_TRUE(drive.becomes_ready());
  drive.eye(1).crowd->broken = true;
  expect_warned_by_the_first(drive, Cause::vision_failed, Errc::device);
}

TEST(whoever_stands_beside_the_way_is_not_warned_of) {
  Drive drive;
  drive.speed = 10;
  TEST_ASSERT_TRUE(drive.becomes_ready());
  drive.people = {{.x_m = 45, .y_m = 3.5}, {.x_m = 48, .y_m = -3.5}};
  std::size_t most = 0;
  drive.each_step = [&] {
    if (!drive.lists.empty()) most = std::max(most, drive.lists.back().people.size());
  };
  drive.run(seconds{5});  // past them
  TEST_ASSERT_EQUAL_size_t(2, most);
  TEST_ASSERT_FALSE(drive.ever(WarningLevel::collision));
  TEST_ASSERT_FALSE(drive.ever(WarningLevel::information));
  for (const auto& sound : drive.tone.history) TEST_ASSERT_FALSE(sound.has_value());
}

/// A picture that stands still would have people run along with the car, or into its way.
TEST(a_frozen_picture_warns_of_nobody) {
  Drive drive;
  drive.speed = 11;
  TEST_ASSERT_TRUE(drive.becomes_ready());
  drive.people = {{.x_m = 30, .y_m = 2.6}, {.x_m = 24, .y_m = -2.7}, {.x_m = 40, .y_m = 2.4}};
  drive.run(milliseconds{800});
  TEST_ASSERT_EQUAL_size_t(3, drive.lists.back().people.size());
  drive.frozen = true;
  TEST_ASSERT_TRUE(drive.heard(HealthState::degraded, Cause::camera_frozen));
  TEST_ASSERT_TRUE(drive.pipeline().people().looked_at < drive.clock.now() - milliseconds{200});
  drive.run(seconds{2});
  TEST_ASSERT_FALSE(drive.ever(WarningLevel::collision));
}

TEST(somebody_close_before_a_standing_car_is_told_of_by_light_alone) {
  Drive drive;
  TEST_ASSERT_TRUE(drive.becomes_ready());
  drive.people = {{.x_m = kBumper + 3.2}};
  const auto informed = [&] { return drive.level() == WarningLevel::information; };
  TEST_ASSERT_TRUE(drive.until(informed, seconds{2}));
  TEST_ASSERT_EQUAL_INT(1, drive.shown());
  std::size_t lit = 0, rounds = 0, changes = 0;
  bool was = drive.lamp.on(), sounded = false;
  drive.each_step = [&] {
    lit += drive.lamp.on() ? 1 : 0;
    changes += drive.lamp.on() != was ? 1 : 0;
    was = drive.lamp.on();
    sounded = sounded || drive.tone.sounding().has_value();
    ++rounds;
  };
  drive.run(seconds{4});
  TEST_ASSERT_TRUE(informed());
  TEST_ASSERT_FALSE(sounded);
  // It blinks: half the time lit, twice a second.
  TEST_ASSERT_EQUAL_size_t(400, rounds);
  TEST_ASSERT_DOUBLE_WITHIN(30, 200, static_cast<double>(lit));
  TEST_ASSERT_DOUBLE_WITHIN(1, 16, static_cast<double>(changes));
  TEST_ASSERT_FALSE(drive.ever(WarningLevel::collision));
  TEST_ASSERT_TRUE(drive.warnings.back().object_id.has_value());
  TEST_ASSERT_TRUE(drive.lists.back().has(*drive.warnings.back().object_id));
  TEST_ASSERT_EQUAL_UINT64(1, drive.controller->totals().informations);
  drive.people = {};
  TEST_ASSERT_TRUE(drive.until([&] { return drive.level() == WarningLevel::none; }, seconds{4}));
}

/// Holds the off button, then presses the other.
void switch_off(Drive& drive) {
  drive.buttons = can::VehicleDriver{};
  drive.run(milliseconds{300});
  drive.buttons->off_pressed = true;
  drive.run(milliseconds{1300});
  drive.buttons->off_pressed = false;
  drive.run(milliseconds{300});
  drive.buttons->confirm_pressed = true;
  drive.run(milliseconds{200});
  drive.buttons->confirm_pressed = false;
  drive.run(milliseconds{200});
}

TEST(off_takes_two_actions_shows_and_warns_of_nobody) {
  Drive drive;
  drive.speed = 10;
  TEST_ASSERT_TRUE(drive.becomes_ready());
  TEST_ASSERT_FALSE(drive.amber.on());
  drive.buttons = can::VehicleDriver{.off_pressed = true};  // one alone does nothing
  drive.run(seconds{2});
  TEST_ASSERT_EQUAL_STRING("ready", name_of(drive.readiness()));
  switch_off(drive);
  TEST_ASSERT_EQUAL_STRING("switched_off", name_of(drive.readiness()));
  TEST_ASSERT_TRUE(drive.amber.on());
  TEST_ASSERT_EQUAL_STRING("ACTIVE", name_of(drive.statuses.back().health.state));  // all the same
  drive.people = {{.x_m = 45}};
  drive.run(seconds{5});
  TEST_ASSERT_FALSE(drive.ever(WarningLevel::collision));
  TEST_ASSERT_FALSE(drive.lamp.on());
  TEST_ASSERT_FALSE(drive.tone.sounding().has_value());
  TEST_ASSERT_EQUAL_UINT64(0, drive.controller->totals().collisions);

  drive.buttons->confirm_pressed = true;  // on again takes one
  drive.run(milliseconds{300});
  drive.buttons->confirm_pressed = false;
  TEST_ASSERT_TRUE(drive.until([&] { return drive.readiness() == Readiness::ready; }, seconds{1}));
  TEST_ASSERT_TRUE(drive.until([&] { return !drive.amber.on(); }, seconds{1}));
  drive.people = {{.x_m = 45}};
  TEST_ASSERT_TRUE(
      drive.until([&] { return drive.level() == WarningLevel::collision; }, seconds{4}));
}

TEST(it_is_on_again_at_the_next_start) {
  {
    Drive drive;
    TEST_ASSERT_TRUE(drive.becomes_ready());
    switch_off(drive);
    TEST_ASSERT_EQUAL_STRING("switched_off", name_of(drive.readiness()));
  }
  Drive next;
  TEST_ASSERT_TRUE(next.becomes_ready());
  TEST_ASSERT_FALSE(next.amber.on());
}

TEST(a_restart_within_one_ignition_keeps_it_off_and_the_next_ignition_does_not) {
  const test::TempFolder folder;
  FakeLog log;
  const diagnostics::LifeBookOptions options{(folder.path() / "life").string(), seconds{60},
                                             seconds{10}, seconds{10}};
  const auto open = [&] {
    Result<std::unique_ptr<diagnostics::LifeBook>> book = diagnostics::LifeBook::open(options, log);
    TEST_ASSERT_OK(book);
    return std::move(*book);
  };
  {
    const auto life = open();
    Drive drive{{.life = life.get()}};
    drive.buttons.emplace();
    drive.buttons->ignition_cycle = 9;
    TEST_ASSERT_TRUE(drive.becomes_ready());
    switch_off(drive);
    TEST_ASSERT_EQUAL_STRING("switched_off", name_of(drive.readiness()));
  }  // it crashes here: no finish()
  {
    const auto life = open();
    TEST_ASSERT_TRUE(life->was_interrupted());
    Drive again{{.life = life.get()}};
    TEST_ASSERT_TRUE_MESSAGE(again.becomes_ready(), "on until the car tells its ignition");
    again.buttons.emplace();
    again.buttons->ignition_cycle = 9;
    TEST_ASSERT_TRUE(again.until([&] { return again.readiness() == Readiness::switched_off; }));
    again.controller->finish(again.clock.now());
  }
  const auto life = open();
  TEST_ASSERT_FALSE(life->was_interrupted());
  Drive next{{.life = life.get()}};
  next.buttons.emplace();
  next.buttons->ignition_cycle = 10;
  TEST_ASSERT_TRUE(next.becomes_ready());
  next.run(seconds{1});
  TEST_ASSERT_EQUAL_STRING("ready", name_of(next.readiness()));
  TEST_ASSERT_EQUAL_UINT32(3, life->counters().starts);
  TEST_ASSERT_EQUAL_UINT32(1, life->counters().interrupted);
}

TEST(switching_off_ends_a_warning) {
  Drive drive;
  TEST_ASSERT_TRUE(drive.becomes_ready());
  drive.people = {{.x_m = kBumper + 3.2}};
  TEST_ASSERT_TRUE(
      drive.until([&] { return drive.level() == WarningLevel::information; }, seconds{2}));
  switch_off(drive);
  drive.run(WarningLogic::kShortest);
  TEST_ASSERT_EQUAL_STRING("none", name_of(drive.level()));
  TEST_ASSERT_FALSE(drive.lamp.on());
}

TEST(above_80_kmh_it_says_that_it_does_not_warn) {
  Drive drive;
  drive.speed = 24;  // 86 km/h
  TEST_ASSERT_TRUE(drive.until([&] { return drive.readiness() == Readiness::too_fast; }));
  drive.people = {{.x_m = 50}};
  drive.run(seconds{3});
  TEST_ASSERT_EQUAL_STRING("too_fast", name_of(drive.readiness()));
  TEST_ASSERT_EQUAL_STRING("none", name_of(drive.level()));
  TEST_ASSERT_EQUAL_UINT64(0, drive.controller->totals().collisions);
  TEST_ASSERT_TRUE(drive.amber.on());  // nothing is broken, but nobody would be warned of
  drive.people = {};
  for (; *drive.speed > 20; *drive.speed -= 0.05) drive.step();
  TEST_ASSERT_TRUE(drive.becomes_ready());
  drive.step();
  TEST_ASSERT_FALSE(drive.amber.on());
}

TEST(a_limited_view_is_told_with_its_distance_and_warns_all_the_same) {
  Drive drive{{.measures_view = true}};
  drive.speed = 10;  // needs 21.3 m to stop; by day the camera sees 19.6
  TEST_ASSERT_TRUE(drive.becomes_ready());
  drive.run(seconds{3});
  TEST_ASSERT_EQUAL_STRING("ready", name_of(drive.readiness()));
  TEST_ASSERT_DOUBLE_WITHIN(0.3, 19.5, drive.readies.back().view_m.value_or(-1));
  TEST_ASSERT_EQUAL_STRING("size", name_of(drive.readies.back().view_limit));

  drive.brightness = 6;  // night
  TEST_ASSERT_TRUE(
      drive.until([&] { return drive.readiness() == Readiness::limited_view; }, seconds{3}));
  drive.amber.history.clear();
  drive.run(seconds{4});
  TEST_ASSERT_EQUAL_STRING("limited_view", name_of(drive.readiness()));
  const can::ReadyMessage told = drive.readies.back();
  TEST_ASSERT_TRUE(told.view_m.value_or(-1) > 3);
  TEST_ASSERT_TRUE(told.view_m.value_or(-1) < 15);
  TEST_ASSERT_EQUAL_STRING("light", name_of(told.view_limit));
  TEST_ASSERT_EQUAL_STRING("ACTIVE", name_of(drive.statuses.back().health.state));
  TEST_ASSERT_FALSE(drive.ever(WarningLevel::information));
  TEST_ASSERT_FALSE(drive.ever(WarningLevel::collision));
  TEST_ASSERT_FALSE(drive.lamp.on());
  const auto& levels = drive.amber.history;  // a second on, a second off; repeated each second
  TEST_ASSERT_TRUE(std::ranges::count(levels, true) >= 1 && std::ranges::count(levels, false) >= 1);
  TEST_ASSERT_LESS_THAN_size_t(12, levels.size());

  drive.people = {{.x_m = 40}};
  TEST_ASSERT_TRUE(
      drive.until([&] { return drive.level() == WarningLevel::collision; }, seconds{4}));
  TEST_ASSERT_EQUAL_STRING("limited_view", name_of(drive.readiness()));
  TEST_ASSERT_TRUE(drive.lamp.on());

  drive.people = {};
  drive.brightness = 120;
  TEST_ASSERT_TRUE(drive.until([&] { return drive.readiness() == Readiness::ready; }, seconds{8}));
  drive.run(seconds{2});
  TEST_ASSERT_FALSE(drive.amber.on());
}

TEST(at_night_the_lamps_are_dimmed_and_a_dial_of_the_vehicle_comes_before_that) {
  Drive drive{{.measures_view = true}};
  drive.speed = 10;
  TEST_ASSERT_TRUE(drive.becomes_ready());
  drive.run(seconds{5});
  TEST_ASSERT_EQUAL_DOUBLE(1, drive.dimmer.share());
  drive.brightness = 6;  // night
  drive.run(seconds{8});
  TEST_ASSERT_EQUAL_DOUBLE(drive.config.lamp.dimmer.darkest, drive.dimmer.share());
  drive.gear = Gear::drive;
  drive.lamp_brightness = 0.5;
  drive.sound_volume = 0;
  drive.run(seconds{3});
  TEST_ASSERT_DOUBLE_WITHIN(0.006, 0.5 + 0.5 * drive.config.lamp.dimmer.darkest,
                            drive.dimmer.share());
  drive.people = {{.x_m = 40}};
  TEST_ASSERT_TRUE(
      drive.until([&] { return drive.level() == WarningLevel::collision; }, seconds{4}));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, drive.config.tone.collision.volume * drive.config.tone.quietest,
                            drive.tone.sounding()->volume);
}

TEST(the_amber_lamp_of_a_limited_view_is_as_configured) {
  for (const ViewLamp lamp : {ViewLamp::off, ViewLamp::on}) {
    Drive drive{{.measures_view = true, .limited_view = {.lamp = lamp}}};
    drive.brightness = 6;
    drive.speed = 10;
    TEST_ASSERT_TRUE(
        drive.until([&] { return drive.readiness() == Readiness::limited_view; }, seconds{5}));
    drive.run(milliseconds{100});
    drive.amber.history.clear();
    drive.run(seconds{3});
    for (const bool lit : drive.amber.history) TEST_ASSERT_EQUAL(lamp == ViewLamp::on, lit);
    TEST_ASSERT_EQUAL(lamp == ViewLamp::on, drive.amber.on());
  }
  Drive never{{.measures_view = true, .limited_view = {.enabled = false}}};
  never.brightness = 6;
  never.speed = 10;
  TEST_ASSERT_TRUE(never.becomes_ready());
  never.run(seconds{4});
  TEST_ASSERT_EQUAL_STRING("ready", name_of(never.readiness()));
  TEST_ASSERT_TRUE(never.readies.back().view_m.value_or(-1) < 15);  // still said
}

TEST(a_person_comes_before_a_service_test) {
  Drive drive;
  TEST_ASSERT_TRUE(drive.becomes_ready());
  can::ServiceMessage request;
  request.request = can::ServiceRequest::warning_test;
  request.level = WarningLevel::collision;
  request.duration_s = 5;
  drive.send(can::encode(request));
  TEST_ASSERT_TRUE(drive.until([&] { return drive.level() == WarningLevel::collision; }));
  TEST_ASSERT_TRUE(drive.warnings.back().test);
  TEST_ASSERT_TRUE(drive.tone.sounding().has_value());
  // Somebody steps in front of the standing car: light without sound, and it is no test.
  drive.people = {{.x_m = kBumper + 3.2}};
  TEST_ASSERT_TRUE(
      drive.until([&] { return drive.level() == WarningLevel::information; }, seconds{2}));
  TEST_ASSERT_FALSE(drive.warnings.back().test);
  TEST_ASSERT_TRUE(drive.warnings.back().object_id.has_value());
  drive.step();
  TEST_ASSERT_FALSE(drive.tone.sounding().has_value());
  TEST_ASSERT_EQUAL_UINT64(1, drive.controller->totals().informations);
  TEST_ASSERT_EQUAL_UINT64(0, drive.controller->totals().collisions);
}

}  // namespace
