// SPDX-License-Identifier: Apache-2.0
#include <numbers>
#include <string>

#include "firmware/can/codec.hpp"
#include "firmware/can/vehicle_signals.hpp"
#include "firmware/config/config.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/can/other_vehicle.hpp"

using namespace kerb;
using namespace kerb::can;
using namespace std::chrono_literals;
namespace other = kerb::test::other_vehicle;

namespace {

const std::string kFolder = KERB_SOURCE_DIR "/tests/unit/firmware/can/";

VehicleLayout layout_of_file() {
  const LoadResult loaded = load_config(kFolder + "other_vehicle.toml");
  TEST_ASSERT_TRUE_MESSAGE(loaded.ok(), loaded.ok() ? "" : loaded.lines().front().c_str());
  return loaded.config.can.layout;
}

/// The other vehicle, 10 ms a step: Brake_1 every time, Dynamics_2 every second, Comfort_3 every
/// tenth.
struct OtherVehicle {
  void step() {
    now += 10ms;
    if (talks) signals.feed(other::brake_1(speed_kmh, steps % 15), now);
    if (steps % 2 == 0 && turns)
      signals.feed(other::dynamics_2(yaw_degps, wheel_deg, steps / 2 % 8), now);
    if (steps % 10 == 0)
      signals.feed(other::comfort_3(left, right, gear, false, false, dimmer, volume_percent), now);
    ++steps;
  }
  void run(int count) {
    for (int i = 0; i < count; ++i) step();
  }
  [[nodiscard]] VehicleState state() const { return signals.at(now); }

  VehicleSignals signals{VehicleLimits{}, Nanos{1s}, layout_of_file()};
  Nanos now = 1s;
  int steps = 0;
  double speed_kmh = 36, yaw_degps = 0, wheel_deg = 0;
  int left = 0, right = 0, gear = 1, dimmer = 15, volume_percent = 140;
  bool talks = true, turns = true;
};

#define TEST_ASSERT_VALIDITY(expected, reading) \
  TEST_ASSERT_EQUAL_STRING(name_of(Validity::expected), name_of((reading).validity))

TEST(every_signal_of_another_vehicle_arrives_in_si_units) {
  OtherVehicle car;
  car.yaw_degps = -9;
  car.wheel_deg = 48;  // to the right
  car.right = 1;
  car.run(40);
  const VehicleState state = car.state();
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 10, state.speed_mps.value.value_or(-1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -9 * std::numbers::pi / 180,
                            state.yaw_rate_radps.value.value_or(9));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -3 * std::numbers::pi / 180,
                            state.steering_rad.value.value_or(9));
  TEST_ASSERT_TRUE(state.turn_signal.value == TurnSignal::right);
  TEST_ASSERT_TRUE(state.gear.value == Gear::drive);
  TEST_ASSERT_FALSE(car.signals.fault(car.now).has_value());
  TEST_ASSERT_EQUAL(0, car.signals.counters().lost + car.signals.counters().repeated +
                           car.signals.counters().corrupt);
  car.speed_kmh = -7.2;
  car.signals = VehicleSignals{VehicleLimits{}, car.now, layout_of_file()};
  car.left = 1;
  car.gear = 7;
  car.run(40);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -2, car.state().speed_mps.value.value_or(9));
  TEST_ASSERT_TRUE(car.state().turn_signal.value == TurnSignal::hazard);
  TEST_ASSERT_TRUE(car.state().gear.value == Gear::reverse);
}

TEST(a_dial_is_a_share_of_the_range_that_the_file_states) {
  OtherVehicle car;
  car.run(40);
  TEST_ASSERT_VALIDITY(missing, car.state().lamp_brightness);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, car.state().sound_volume.value.value_or(-1));
  car.dimmer = 3;
  car.volume_percent = 50;
  car.run(40);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.25, car.state().lamp_brightness.value.value_or(-1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.25, car.state().sound_volume.value.value_or(-1));
  car.dimmer = 12;
  car.volume_percent = 20;
  car.run(10);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, car.state().lamp_brightness.value.value_or(-1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, car.state().sound_volume.value.value_or(-1));
}

TEST(numbers_that_the_lists_do_not_have_are_implausible_and_none_is_missing) {
  OtherVehicle car;
  car.run(40);
  car.gear = 9;
  car.run(10);
  TEST_ASSERT_VALIDITY(implausible, car.state().gear);
  TEST_ASSERT_EQUAL_DOUBLE(9, car.state().gear.number);
  car.gear = 15;
  car.run(10);
  TEST_ASSERT_VALIDITY(missing, car.state().gear);
}

TEST(its_valid_bit_and_range_say_not_available) {
  OtherVehicle car;
  car.run(40);
  car.signals.feed(other::brake_1(36, car.steps % 15, false), car.now += 10ms);
  TEST_ASSERT_VALIDITY(missing, car.state().speed_mps);
  car.steps = 0;
  car.run(40);
  TEST_ASSERT_VALIDITY(valid, car.state().speed_mps);
  // 8191 is past the range of the DBC file, 163 deg/s.
  car.signals.feed(other::dynamics_2(8191 * 0.02, 0, car.steps / 2 % 8), car.now);
  TEST_ASSERT_VALIDITY(missing, car.state().yaw_rate_radps);
  TEST_ASSERT_VALIDITY(valid, car.state().speed_mps);  // of another message
}

TEST(a_checksum_or_a_length_that_is_wrong_is_corrupt) {
  OtherVehicle car;
  car.run(40);
  const std::uint64_t before = car.signals.counters().corrupt;
  CanFrame frame = other::brake_1(36, car.steps % 15);
  for (unsigned bit = 0; bit < 64; ++bit) {
    CanFrame broken = frame;
    broken.data[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    TEST_ASSERT_TRUE(car.signals.feed(broken, car.now));
  }
  frame.size = 7;
  TEST_ASSERT_TRUE(car.signals.feed(frame, car.now));
  CanFrame comfort = other::comfort_3(0, 0, 1);
  comfort.data[2] ^= 4;
  TEST_ASSERT_TRUE(car.signals.feed(comfort, car.now));
  TEST_ASSERT_EQUAL(66, car.signals.counters().corrupt - before);
  // A counter of 15 in a round of 0..14, with a good checksum.
  TEST_ASSERT_TRUE(car.signals.feed(other::brake_1(36, 15), car.now));
  TEST_ASSERT_EQUAL(67, car.signals.counters().corrupt - before);
  // Without a checksum nobody notices, which check tells.
  CanFrame dynamics = other::dynamics_2(0, 0, car.steps / 2 % 8);
  dynamics.data[0] = 0x55;
  car.signals.feed(dynamics, car.now);
  TEST_ASSERT_EQUAL(67, car.signals.counters().corrupt - before);
}

TEST(each_message_is_stale_after_ten_cycles_of_its_own) {
  OtherVehicle car;
  car.run(41);
  car.talks = false;
  car.run(10);
  TEST_ASSERT_VALIDITY(valid, car.state().speed_mps);
  car.run(1);
  TEST_ASSERT_VALIDITY(stale, car.state().speed_mps);
  TEST_ASSERT_VALIDITY(valid, car.state().yaw_rate_radps);
  TEST_ASSERT_TRUE(car.signals.fault(car.now)->cause == Cause::signals_missing);
  car.talks = true;
  car.turns = false;
  car.run(30);
  TEST_ASSERT_VALIDITY(valid, car.state().speed_mps);
  TEST_ASSERT_VALIDITY(stale, car.state().yaw_rate_radps);
  TEST_ASSERT_VALIDITY(stale, car.state().steering_rad);
}

TEST(a_counter_of_another_round_finds_repeated_and_lost_messages) {
  OtherVehicle car;
  car.run(60);  // the round of 15 ends, and begins again
  TEST_ASSERT_EQUAL(0, car.signals.counters().lost);
  car.steps += 4;
  car.now += 40ms;
  car.run(2);
  TEST_ASSERT_EQUAL(4 + 2, car.signals.counters().lost);  // of Brake_1 and of Dynamics_2
  const CanFrame stuck = other::brake_1(36, (car.steps - 1) % 15);
  for (int i = 0; i < 20; ++i) car.signals.feed(stuck, car.now += 10ms);
  TEST_ASSERT_VALIDITY(repeated, car.state().speed_mps);
  TEST_ASSERT_EQUAL(20, car.signals.counters().repeated);
}

/// Messages held up by a gateway are late, whatever their counter's round: the counter goes on.
TEST(messages_of_another_round_that_are_held_up_are_late) {
  OtherVehicle car;
  car.run(500);
  car.now += 370ms;  // no multiple of either round
  car.run(20);
  TEST_ASSERT_VALIDITY(late, car.state().speed_mps);
  TEST_ASSERT_TRUE(car.signals.fault(car.now)->cause == Cause::signals_late);
}

TEST(too_fast_a_change_is_measured_in_its_own_cycle) {
  OtherVehicle car;
  car.run(40);
  car.speed_kmh += 3.6 * 0.4;  // 12 m/s2 in 10 ms, and 0.3 m/s of slack: 0.42 m/s
  car.run(1);
  TEST_ASSERT_VALIDITY(valid, car.state().speed_mps);
  car.speed_kmh += 3.6 * 0.5;
  car.run(1);
  TEST_ASSERT_VALIDITY(implausible, car.state().speed_mps);
}

TEST(frames_of_others_are_not_the_vehicles) {
  VehicleSignals signals{VehicleLimits{}, Nanos{1s}, layout_of_file()};
  CanFrame frame = other::brake_1(36, 1);
  frame.extended = true;
  TEST_ASSERT_FALSE(signals.feed(frame, 2s));
  frame = other::dynamics_2(0, 0, 1);
  frame.extended = false;
  TEST_ASSERT_FALSE(signals.feed(frame, 2s));
  TEST_ASSERT_FALSE(signals.feed(encode(VehicleMotion{10.0, 0.0, 1}), 2s));
}

TEST(buttons_of_another_vehicle) {
  const VehicleLayout layout = layout_of_file();
  const Result<VehicleDriver> off =
      decode_vehicle_driver(layout, other::comfort_3(0, 0, 1, true, false));
  TEST_ASSERT_TRUE(off && off->off_pressed && !off->confirm_pressed);
  const Result<VehicleDriver> menu =
      decode_vehicle_driver(layout, other::comfort_3(1, 1, 1, false, true));
  TEST_ASSERT_TRUE(menu && !menu->off_pressed && menu->confirm_pressed);
  TEST_ASSERT_FALSE(decode_vehicle_driver(layout, encode(VehicleDriver{true, true, 1})));
}

}  // namespace
