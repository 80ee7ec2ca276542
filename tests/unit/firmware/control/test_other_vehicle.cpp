// SPDX-License-Identifier: Apache-2.0
// The product in a vehicle whose messages are described by a DBC file and a mapping.
#include "tests/unit/firmware/can/other_vehicle.hpp"

#include <chrono>
#include <string>

#include "tests/support/test.hpp"
#include "tests/unit/firmware/control/drive.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Drive;
namespace other = test::other_vehicle;

namespace {

Drive::Options options_of_file() {
  const LoadResult loaded =
      load_config(KERB_SOURCE_DIR "/tests/unit/firmware/can/other_vehicle.toml");
  TEST_ASSERT_TRUE_MESSAGE(loaded.ok(), loaded.ok() ? "" : loaded.lines().front().c_str());
  Drive::Options options;
  options.layout = loaded.config.can.layout;
  return options;
}

/// Talks as other_vehicle.dbc has it: Brake_1 every 10 ms, the others every 20 and 100.
struct OtherDrive {
  OtherDrive() {
    drive.talking = false;
    drive.each_step = [this] {
      if (is_silent) return;
      drive.send(other::brake_1(drive.speed.value_or(0) * 3.6, steps % 15));
      if (steps % 2 == 0) drive.send(other::dynamics_2(0, 0, steps / 2 % 8));
      if (steps % 10 == 0) drive.send(other::comfort_3(0, 0, gear, off, menu));
      ++steps;
    };
  }
  Drive drive{options_of_file()};
  int steps = 0, gear = 1;
  bool off = false, menu = false, is_silent = false;
};

TEST(somebody_ahead_is_warned_of_by_the_signals_of_another_vehicle) {
  OtherDrive car;
  car.drive.speed = 10;
  TEST_ASSERT_TRUE(car.drive.becomes_ready());
  car.drive.people = {{.x_m = 45}};
  TEST_ASSERT_TRUE(
      car.drive.until([&] { return car.drive.level() == WarningLevel::collision; }, seconds{4}));
  const double left_s =
      (car.drive.people[0].x_m - car.drive.config.car.axle_to_bumper_m) / *car.drive.speed;
  TEST_ASSERT_DOUBLE_WITHIN(0.6, 2.3, left_s);  // as with Kerbwatch's own messages
  TEST_ASSERT_EQUAL_UINT64(0, car.drive.controller->totals().frames_corrupt);
}

TEST(the_gear_and_the_silence_of_another_vehicle_are_told) {
  OtherDrive car;
  TEST_ASSERT_TRUE(car.drive.becomes_ready());
  car.gear = 7;
  TEST_ASSERT_TRUE(car.drive.until([&] { return car.drive.readiness() == Readiness::reversing; }));
  car.gear = 1;
  TEST_ASSERT_TRUE(car.drive.becomes_ready());
  car.is_silent = true;
  TEST_ASSERT_TRUE(car.drive.heard(HealthState::degraded, Cause::signals_missing));
}

/// They are in one message with the gear here, and without a counter.
TEST(the_buttons_of_another_vehicle_switch_it_off) {
  OtherDrive car;
  TEST_ASSERT_TRUE(car.drive.becomes_ready());
  car.off = true;
  car.drive.run(milliseconds{1500});
  car.off = false;
  car.drive.run(milliseconds{500});
  car.menu = true;
  car.drive.run(milliseconds{500});
  car.menu = false;
  TEST_ASSERT_TRUE(
      car.drive.until([&] { return car.drive.readiness() == Readiness::switched_off; }));
}

/// And Kerbwatch's own messages mean nothing then.
TEST(the_built_in_messages_are_not_heard_in_another_vehicle) {
  OtherDrive car;
  car.is_silent = true;
  car.drive.talking = true;
  car.drive.speed = 10;
  car.drive.run(seconds{2});
  TEST_ASSERT_TRUE(car.drive.readiness() != Readiness::ready);
  TEST_ASSERT_TRUE(car.drive.heard(HealthState::degraded, Cause::signals_missing));
}

}  // namespace
