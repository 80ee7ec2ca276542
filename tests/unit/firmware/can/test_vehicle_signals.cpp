// SPDX-License-Identifier: Apache-2.0
#include "firmware/can/vehicle_signals.hpp"

#include <random>

#include "firmware/can/codec.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::can;
using namespace std::chrono_literals;

namespace {

/// A vehicle that talks to the signals under test, 20 ms a step.
struct Vehicle {
  explicit Vehicle(const VehicleLimits& limits = {}) : signals{limits, Nanos{1s}} {}

  void motion(std::optional<double> speed, std::optional<double> yaw = 0.0) {
    now += 20ms;
    signals.feed(encode(VehicleMotion{speed, yaw, counter}), now);
    counter = static_cast<std::uint8_t>((counter + 1) & 0xF);
  }
  void corrupt(double speed) {
    now += 20ms;
    CanFrame frame = encode(VehicleMotion{speed, 0.0, counter});
    frame.data[0] ^= 0x55;
    signals.feed(frame, now);
    counter = static_cast<std::uint8_t>((counter + 1) & 0xF);
  }
  void stuck(double speed) {
    now += 20ms;
    signals.feed(encode(VehicleMotion{speed, 0.0, 5}), now);
  }
  void drive(double speed, int messages) {
    for (int i = 0; i < messages; ++i) motion(speed);
  }
  [[nodiscard]] Reading<double> speed() const { return signals.at(now).speed_mps; }
  [[nodiscard]] Reading<double> yaw() const { return signals.at(now).yaw_rate_radps; }

  VehicleSignals signals;
  Nanos now = 1s;
  std::uint8_t counter = 0;
};

#define TEST_ASSERT_VALIDITY(expected, reading)                                       \
  TEST_ASSERT_EQUAL_STRING(name_of(Validity::expected), name_of((reading).validity)); \
  TEST_ASSERT_EQUAL((Validity::expected == Validity::valid), (reading).value.has_value())

TEST(nothing_heard_is_missing_with_its_time) {
  Vehicle car;
  car.now += 350ms;
  TEST_ASSERT_VALIDITY(missing, car.speed());
  TEST_ASSERT_EQUAL_DOUBLE(350, car.speed().number);
  const VehicleState state = car.signals.at(car.now);
  TEST_ASSERT_VALIDITY(missing, state.turn_signal);
  TEST_ASSERT_VALIDITY(missing, state.gear);
  TEST_ASSERT_EQUAL(Cause::signals_missing, car.signals.fault(car.now)->cause);
  TEST_ASSERT_EQUAL_DOUBLE(350, car.signals.fault(car.now)->number);
}

TEST(the_first_value_is_believed_after_three_good_messages) {
  Vehicle car;
  car.drive(10, 2);
  TEST_ASSERT_VALIDITY(missing, car.speed());
  car.drive(10, 1);
  TEST_ASSERT_VALIDITY(valid, car.speed());
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 10, *car.speed().value);
  TEST_ASSERT_FALSE(car.signals.fault(car.now).has_value());
  TEST_ASSERT_EQUAL(3, car.signals.counters().accepted);
}

TEST(standing_still_is_a_value_not_a_fault) {
  Vehicle car;
  car.drive(0, 3);
  TEST_ASSERT_VALIDITY(valid, car.speed());
  TEST_ASSERT_EQUAL_DOUBLE(0, *car.speed().value);
}

TEST(a_value_is_good_until_its_limit_and_stale_after_it) {
  Vehicle car;
  car.drive(10, 5);
  car.now += 200ms;
  TEST_ASSERT_VALIDITY(valid, car.speed());
  car.now += 1ms;
  TEST_ASSERT_VALIDITY(stale, car.speed());
  TEST_ASSERT_EQUAL_DOUBLE(201, car.speed().number);
  TEST_ASSERT_EQUAL(Cause::signals_missing, car.signals.fault(car.now)->cause);
}

TEST(after_a_silence_three_good_messages_are_needed_again) {
  Vehicle car;
  car.drive(10, 5);
  car.now += 1s;
  car.drive(30, 2);  // far from the old value: there is nothing to compare with after a silence
  TEST_ASSERT_VALIDITY(stale, car.speed());
  car.drive(30, 1);
  TEST_ASSERT_VALIDITY(valid, car.speed());
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 30, *car.speed().value);
}

/// Through a short fault one goes on with the last speed, less and less sure of it.
TEST(a_lost_speed_is_held_for_a_second) {
  Vehicle car;
  const auto held = [&] { return car.signals.at(car.now).held_speed; };
  TEST_ASSERT_FALSE(held().mps.has_value());  // none was ever known
  car.drive(10, 2);
  TEST_ASSERT_FALSE(held().mps.has_value());
  car.drive(10, 1);
  TEST_ASSERT_EQUAL_DOUBLE(10, held().mps.value_or(-1));
  TEST_ASSERT_EQUAL_DOUBLE(0, held().sigma_mps);
  car.now += 500ms;
  TEST_ASSERT_VALIDITY(stale, car.speed());
  TEST_ASSERT_EQUAL_DOUBLE(10, held().mps.value_or(-1));
  const double sigma = held().sigma_mps;
  TEST_ASSERT_TRUE(sigma > 0.5 && sigma < 3);
  car.now += 480ms;
  TEST_ASSERT_TRUE(held().mps.has_value() && held().sigma_mps > 1.5 * sigma);
  car.now += 40ms;
  TEST_ASSERT_FALSE(held().mps.has_value());
  car.drive(12, 3);
  TEST_ASSERT_EQUAL_DOUBLE(12, held().mps.value_or(-1));
  car.motion(200);  // implausible: the last good one is
  TEST_ASSERT_VALIDITY(implausible, car.speed());
  TEST_ASSERT_EQUAL_DOUBLE(12, held().mps.value_or(-1));
}

TEST(a_withdrawn_value_is_missing_at_once_and_only_that_one) {
  Vehicle car;
  car.drive(10, 5);
  car.motion(std::nullopt, 0.0);
  TEST_ASSERT_VALIDITY(missing, car.speed());
  TEST_ASSERT_VALIDITY(valid, car.yaw());
  TEST_ASSERT_EQUAL_DOUBLE(20, car.speed().number);
}

TEST(implausible_values_are_refused_with_their_number) {
  struct Case {
    const char* name;
    double before, value;
    bool refused;
  };
  constexpr Case kCases[] = {
      {"top of the range", 99.9, 100, false},
      {"past the range", 99.9, 100.1, true},
      {"far past the range", 50, 300, true},
      {"bottom of the range", -19.9, -20, false},
      {"below the range", -19.9, -20.1, true},
      {"hard braking", 20, 19.8, false},
      {"at the limit of change", 20, 19.47, false},
      {"past the limit of change", 20, 19.45, true},
      {"a jump to zero", 20, 0, true},
      {"a jump up", 0, 15, true},
  };
  for (const Case& c : kCases) {
    Vehicle car;
    car.drive(c.before, 3);
    car.motion(c.value);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(c.refused ? "implausible" : "valid",
                                     name_of(car.speed().validity), c.name);
    TEST_ASSERT_EQUAL_MESSAGE(!c.refused, car.speed().value.has_value(), c.name);
    if (!c.refused) continue;
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, c.value, car.speed().number, c.name);
    const std::optional<HealthFault> fault = car.signals.fault(car.now);
    TEST_ASSERT_EQUAL(Cause::signals_implausible, fault->cause);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, c.value, fault->number);
  }
}

TEST(an_implausible_yaw_rate_leaves_the_speed_alone) {
  for (const double yaw : {2.1, -2.1, 0.5}) {
    Vehicle car;
    car.drive(10, 5);
    car.motion(10, yaw);
    TEST_ASSERT_VALIDITY(valid, car.speed());
    TEST_ASSERT_VALIDITY(implausible, car.yaw());
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, yaw, car.yaw().number);
    TEST_ASSERT_EQUAL(Cause::signals_implausible, car.signals.fault(car.now)->cause);
  }
}

TEST(a_real_step_is_a_fault_that_ends_by_itself) {
  Vehicle car;
  car.drive(10, 5);
  car.motion(25);
  TEST_ASSERT_VALIDITY(implausible, car.speed());
  car.drive(25, 2);
  TEST_ASSERT_VALIDITY(implausible, car.speed());
  // 15 m/s at 12 m/s^2, but for the slack.
  car.drive(25, 55);
  TEST_ASSERT_VALIDITY(implausible, car.speed());
  car.drive(25, 5);
  TEST_ASSERT_VALIDITY(valid, car.speed());
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 25, *car.speed().value);
}

/// A sensor that sticks at 0 has a good counter and CRC. No car stops from 50 km/h at once.
TEST(a_speed_that_drops_to_zero_at_once_is_not_believed_until_a_car_can_have_stopped) {
  Vehicle car;
  car.drive(14, 5);
  car.drive(0, 50);
  TEST_ASSERT_VALIDITY(implausible, car.speed());
  TEST_ASSERT_EQUAL_DOUBLE(0, car.speed().number);
  TEST_ASSERT_EQUAL_DOUBLE(14, car.signals.at(car.now).held_speed.mps.value_or(-1));
  car.drive(14, 4);  // it works again: another step, and three good ones
  TEST_ASSERT_VALIDITY(valid, car.speed());
  car.drive(0, 60);
  TEST_ASSERT_VALIDITY(valid, car.speed());
  TEST_ASSERT_EQUAL_DOUBLE(0, *car.speed().value);
}

TEST(a_bad_message_among_good_ones_starts_the_count_again) {
  Vehicle car;
  car.drive(10, 5);
  car.motion(300);
  car.drive(10, 2);
  car.motion(300);
  car.drive(10, 2);
  TEST_ASSERT_VALIDITY(implausible, car.speed());
  car.drive(10, 1);
  TEST_ASSERT_VALIDITY(valid, car.speed());
  TEST_ASSERT_EQUAL(2, car.signals.counters().implausible);
}

TEST(a_few_corrupt_messages_are_ridden_out_many_are_a_fault) {
  Vehicle car;
  car.drive(10, 5);
  for (int i = 0; i < 10; ++i) car.corrupt(10);
  TEST_ASSERT_VALIDITY(valid, car.speed());
  car.corrupt(10);
  TEST_ASSERT_VALIDITY(corrupt, car.speed());
  TEST_ASSERT_EQUAL_DOUBLE(11, car.speed().number);
  TEST_ASSERT_EQUAL(Cause::signals_missing, car.signals.fault(car.now)->cause);
  TEST_ASSERT_EQUAL_DOUBLE(220, car.signals.fault(car.now)->number);
  car.drive(10, 3);
  TEST_ASSERT_VALIDITY(valid, car.speed());
  TEST_ASSERT_EQUAL(11, car.signals.counters().corrupt);
  TEST_ASSERT_EQUAL(0, car.signals.counters().lost);
}

TEST(a_short_message_counts_as_corrupt) {
  Vehicle car;
  CanFrame frame = encode(VehicleMotion{10.0, 0.0, 0});
  frame.size = 7;
  TEST_ASSERT_TRUE(car.signals.feed(frame, car.now));
  TEST_ASSERT_VALIDITY(corrupt, car.speed());
  TEST_ASSERT_EQUAL(1, car.signals.counters().corrupt);
}

TEST(a_counter_that_stands_still_is_a_fault_and_stays_one) {
  Vehicle car;
  car.drive(10, 5);  // the last counter was 4
  car.stuck(10);     // 5: still good
  for (int i = 0; i < 10; ++i) car.stuck(10);
  TEST_ASSERT_VALIDITY(valid, car.speed());
  for (int i = 11; i < 500; ++i) {
    car.stuck(10);
    TEST_ASSERT_VALIDITY(repeated, car.speed());
    TEST_ASSERT_EQUAL_DOUBLE(i, car.speed().number);
  }
  car.counter = 6;
  car.drive(10, 3);
  TEST_ASSERT_VALIDITY(valid, car.speed());
}

TEST(lost_messages_are_counted_and_give_the_speed_time_to_change) {
  Vehicle car;
  car.drive(10, 3);
  car.counter = static_cast<std::uint8_t>(car.counter + 5);
  car.now += 20ms;  // they arrive late, all at once: the counter tells the time
  car.motion(11.2);
  TEST_ASSERT_VALIDITY(valid, car.speed());
  TEST_ASSERT_EQUAL(5, car.signals.counters().lost);
}

TEST(turn_signal_and_gear_follow_the_same_rules) {
  VehicleSignals signals{VehicleLimits{}, Nanos{1s}};
  Nanos now = 1s;
  std::uint8_t counter = 0;
  const auto send = [&](TurnSignal turn, Gear gear) {
    now += 100ms;
    TEST_ASSERT_TRUE(signals.feed(encode(VehicleBody{turn, gear, counter}), now));
    counter = static_cast<std::uint8_t>((counter + 1) & 0xF);
  };
  for (int i = 0; i < 3; ++i) send(TurnSignal::left, Gear::drive);
  TEST_ASSERT_EQUAL(TurnSignal::left, *signals.at(now).turn_signal.value);
  TEST_ASSERT_EQUAL(Gear::drive, *signals.at(now).gear.value);
  send(TurnSignal::hazard, Gear::reverse);  // no limit to how fast these change
  TEST_ASSERT_EQUAL(TurnSignal::hazard, *signals.at(now).turn_signal.value);
  TEST_ASSERT_EQUAL(Gear::reverse, *signals.at(now).gear.value);
  send(static_cast<TurnSignal>(5), Gear::not_available);
  TEST_ASSERT_VALIDITY(implausible, signals.at(now).turn_signal);
  TEST_ASSERT_EQUAL_DOUBLE(5, signals.at(now).turn_signal.number);
  TEST_ASSERT_VALIDITY(missing, signals.at(now).gear);
  now += 1001ms;
  TEST_ASSERT_VALIDITY(stale, signals.at(now).turn_signal);
}

TEST(dials_are_optional_and_a_vehicle_without_them_sends_the_bits_it_always_had) {
  VehicleSignals signals{VehicleLimits{}, Nanos{1s}};
  Nanos now = 1s;
  VehicleBody body{TurnSignal::off, Gear::drive, 0};
  const auto send = [&](std::optional<double> brightness, std::optional<double> volume) {
    now += 100ms;
    body.lamp_brightness = brightness;
    body.sound_volume = volume;
    const CanFrame frame = encode(body);
    signals.feed(frame, now);
    body.counter = static_cast<std::uint8_t>((body.counter + 1) & 0xF);
    return frame;
  };
  CanFrame last;
  for (int i = 0; i < 3; ++i) last = send(std::nullopt, std::nullopt);
  for (std::size_t i = 3; i < 8; ++i) TEST_ASSERT_EQUAL_HEX8(0, last.data[i]);
  TEST_ASSERT_VALIDITY(missing, signals.at(now).lamp_brightness);
  TEST_ASSERT_VALIDITY(missing, signals.at(now).sound_volume);
  for (int i = 0; i < 3; ++i) send(0.0, 1.0);
  TEST_ASSERT_EQUAL_DOUBLE(0, signals.at(now).lamp_brightness.value.value_or(-1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, signals.at(now).sound_volume.value.value_or(-1));
  send(0.37, 0.5);  // at once: a driver turns a dial as fast as they like
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.37, signals.at(now).lamp_brightness.value.value_or(-1));
  now += 1001ms;
  TEST_ASSERT_VALIDITY(stale, signals.at(now).lamp_brightness);
  TEST_ASSERT_TRUE(signals.at(now).gear.validity == Validity::stale);
}

TEST(steering_is_optional_and_no_fault_of_it_is_one_of_the_state) {
  Vehicle car;
  const auto steer = [&](std::optional<double> angle) {
    car.now += 20ms;
    car.signals.feed(encode(VehicleMotion{10.0, 0.0, car.counter, angle}), car.now);
    car.counter = static_cast<std::uint8_t>((car.counter + 1) & 0xF);
    return car.signals.at(car.now).steering_rad;
  };
  car.drive(10, 5);
  TEST_ASSERT_VALIDITY(missing, car.signals.at(car.now).steering_rad);
  TEST_ASSERT_FALSE(car.signals.fault(car.now).has_value());
  for (int i = 0; i < 3; ++i) steer(0.05);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.05, *car.signals.at(car.now).steering_rad.value);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.1, *steer(0.1).value);  // 2.5 rad/s
  TEST_ASSERT_VALIDITY(implausible, steer(0.3));            // 10 rad/s
  TEST_ASSERT_VALIDITY(implausible, steer(1.2));            // no wheel turns as far
  TEST_ASSERT_FALSE(car.signals.fault(car.now).has_value());
  TEST_ASSERT_VALIDITY(valid, car.speed());
  TEST_ASSERT_VALIDITY(missing, steer(std::nullopt));
  for (int i = 0; i < 3; ++i) steer(0.05);
  TEST_ASSERT_VALIDITY(valid, car.signals.at(car.now).steering_rad);
  car.now += 201ms;
  TEST_ASSERT_VALIDITY(stale, car.signals.at(car.now).steering_rad);
}

TEST(without_steering_the_message_has_the_bits_it_always_had) {
  // As the first version of the message, whose last two bytes and bit 14 had no signal.
  const CanFrame frame = encode(VehicleMotion{10.0, 0.1, 3});
  TEST_ASSERT_EQUAL_HEX8(0x33, frame.data[1]);
  TEST_ASSERT_EQUAL_HEX8(0, frame.data[6]);
  TEST_ASSERT_EQUAL_HEX8(0, frame.data[7]);
  TEST_ASSERT_FALSE(decode_vehicle_motion(frame)->steering_rad.has_value());
}

TEST(frames_of_others_are_left_alone) {
  Vehicle car;
  CanFrame frame = encode(VehicleMotion{10.0, 0.0, 0});
  frame.extended = true;
  TEST_ASSERT_FALSE(car.signals.feed(frame, car.now));
  TEST_ASSERT_FALSE(car.signals.feed(encode(StatusMessage{}), car.now));
  TEST_ASSERT_EQUAL(0, car.signals.counters().corrupt);
}

TEST(whatever_comes_a_value_is_only_given_when_valid_and_in_range) {
  std::mt19937 random{3};
  Vehicle car;
  for (int i = 0; i < 50000; ++i) {
    switch (random() % 8) {
      case 0:
        car.corrupt(10);
        break;
      case 1:
        car.motion(std::nullopt, std::nullopt);
        break;
      case 2:
        car.now += std::chrono::milliseconds{random() % 500};
        break;
      case 3:
        car.now -= 5ms;  // time stamps out of order
        break;
      case 4:
        car.motion(static_cast<double>(random() % 600) - 300,
                   static_cast<double>(random() % 8) - 4);
        break;
      default:
        car.drive(static_cast<double>(random() % 3), static_cast<int>(random() % 6));
    }
    const VehicleState state = car.signals.at(car.now);
    for (const Reading<double>& reading : {state.speed_mps, state.yaw_rate_radps}) {
      TEST_ASSERT_EQUAL(reading.validity == Validity::valid, reading.value.has_value());
      if (reading.value) TEST_ASSERT_TRUE(*reading.value >= -20 && *reading.value <= 100);
      if (reading.value) TEST_ASSERT_TRUE(reading.age <= 200ms);
    }
  }
}

}  // namespace
