// SPDX-License-Identifier: Apache-2.0
// What becomes of the messages that Kerbwatch sends: refused ones are a fault, a warning waits
// behind nothing, and what the driver's buttons and a workshop say is new or does not count.
#include <cerrno>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/test.hpp"
#include "tests/unit/firmware/control/drive.hpp"
#include "tests/unit/firmware/events/scratch.hpp"

using namespace kerb;
using nlohmann::json;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Drive;
using test::Walker;

namespace {

constexpr Drive::Options kNoDetector{.detectors = Drive::Detectors::none};

TEST(refused_messages_are_a_fault_that_is_told_and_ends) {
  Drive car;
  TEST_ASSERT_TRUE(car.becomes_ready());
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.run(seconds{1});
  car.ours.queue_full(true);
  const Nanos begin = car.clock.now();
  TEST_ASSERT_TRUE(car.reaches(HealthState::degraded, Cause::sending_refused));
  TEST_ASSERT_LESS_OR_EQUAL_INT64(milliseconds{300} / Nanos{1}, (car.clock.now() - begin).count());
  TEST_ASSERT_TRUE(car.amber.on());
  TEST_ASSERT_TRUE(car.log.has("messages are refused: send on the fake CAN: queue full"));
  car.run(seconds{1});
  TEST_ASSERT_DOUBLE_WITHIN(0.1, 100, car.controller->health().number);
  car.ours.queue_full(false);
  car.statuses.clear();
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_FALSE(car.amber.on());
}

TEST(some_that_are_refused_in_a_row_for_long_are_a_fault_too) {
  Drive car{kNoDetector};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  int round = 0;
  car.each_step = [&] { car.ours.queue_full(round++ % 7 < 4); };
  TEST_ASSERT_TRUE(car.reaches(HealthState::degraded, Cause::sending_refused));
  TEST_ASSERT_TRUE(car.controller->health().number >= 20);
  TEST_ASSERT_TRUE(car.heard(HealthState::degraded, Cause::sending_refused));  // the others say so
}

TEST(a_moment_without_room_is_no_fault) {
  Drive car{kNoDetector};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.run(seconds{1});
  for (int i = 0; i < 5; ++i) {
    car.ours.queue_full(true);
    car.step();
    car.step();
    car.ours.queue_full(false);
    for (int k = 0; k < 60; ++k) {
      car.step();
      TEST_ASSERT_EQUAL_STRING("ACTIVE", name_of(car.controller->health().state));
    }
  }
}

TEST(a_bus_that_is_down_is_one_fault_not_two) {
  Drive car{kNoDetector};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.ours.down();
  for (int i = 0; i < 200; ++i) {
    car.step();
    TEST_ASSERT_TRUE(car.controller->health().cause != Cause::sending_refused);
  }
  TEST_ASSERT_TRUE(car.reaches(HealthState::degraded, Cause::bus_lost));
  TEST_ASSERT_GREATER_THAN_UINT64(0, car.controller->totals().send_refused);
}

TEST(where_the_bus_is_not_required_what_it_refuses_is_logged_only) {
  Drive car{{.detectors = Drive::Detectors::none, .can_required = false}};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.ours.queue_full(true);
  car.run(seconds{1});
  TEST_ASSERT_EQUAL_STRING("ACTIVE", name_of(car.controller->health().state));
  TEST_ASSERT_TRUE(car.log.has("messages are refused"));
}

TEST(a_controller_that_cannot_be_restarted_is_told_with_what_to_do) {
  const Scratch scratch;
  const SystemClock clock;
  EventLogOptions options;
  options.path = scratch.path("events.jsonl");
  Result<std::unique_ptr<EventLog>> events = EventLog::open(options, clock);
  TEST_ASSERT_OK(events);
  const auto told = [&] {
    std::vector<json> out;
    TEST_ASSERT_TRUE((*events)->flush(seconds{10}));
    for (const std::string& line : lines_of(slurp(scratch.path("events.jsonl"))))
      if (const json event = json::parse(line); event["kind"] == "bus_restart_refused")
        out.push_back(event);
    return out;
  };
  Drive car{{.detectors = Drive::Detectors::none, .events = events->get()}};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.ours.bus_off(milliseconds{100});  // one that it comes back from
  car.run(milliseconds{50});
  car.statuses.clear();
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_EQUAL_INT(0, told().size());

  car.ours.refuse_restart(Error{Errc::unsupported, EPERM, "restart the CAN controller", "can0"});
  car.ours.bus_off(milliseconds{100});
  TEST_ASSERT_TRUE(car.reaches(HealthState::degraded, Cause::bus_restart_refused));
  TEST_ASSERT_DOUBLE_WITHIN(0.1, EPERM, car.controller->health().number);
  car.run(seconds{5});
  TEST_ASSERT_TRUE(car.amber.on());
  const std::vector<json> events_told = told();
  TEST_ASSERT_EQUAL_INT(1, events_told.size());
  TEST_ASSERT_EQUAL_STRING("error", events_told[0]["severity"].get<std::string>().c_str());
  const json& data = events_told[0]["data"];
  TEST_ASSERT_EQUAL_INT(EPERM, data["native"].get<int>());
  TEST_ASSERT_EQUAL_STRING(
      "ip link set can0 type can restart-ms 100, or give kerbwatch CAP_NET_ADMIN",
      data["advice"].get<std::string>().c_str());
  TEST_ASSERT_TRUE(car.log.has("restart-ms 100"));
  TEST_ASSERT_TRUE(car.log.has("CAP_NET_ADMIN"));

  car.ours.refuse_restart(std::nullopt);  // somebody did it
  car.ours.restart();
  car.statuses.clear();
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
}

/// Five abreast, twice, nobody behind another.
std::vector<Walker> rows(double first_m, double aside) {
  std::vector<Walker> out;
  for (int i = 0; i < 10; ++i) {
    const double x = first_m + 8 * (i % 2);
    out.push_back({.x_m = x, .y_m = x * (0.08 * (i - 4.5) + aside)});
  }
  return out;
}

TEST(a_crowd_fits_through_a_transmit_queue_of_ten_and_a_warning_goes_first) {
  Drive car{{.cameras = 2}};
  // txqueuelen 10, and 0.27 ms for a frame: 500 kbit/s. Without other traffic.
  car.ours.queue_holds(10, microseconds{270});
  FakeCanBus wire{car.wire, car.clock};
  car.eye(0).people = rows(12, 0);
  car.eye(1).people = rows(16, 0.04);
  TEST_ASSERT_TRUE(car.until(
      [&] { return !car.lists.empty() && car.lists.back().people.size() == can::kMaxObjects; }));
  car.lists.clear();
  car.warnings.clear();
  const std::uint64_t refused = car.controller->totals().send_refused;
  std::size_t most_in_a_round = 0;
  bool warning_first = true;
  car.each_step = [&] {
    std::size_t frames = 0;
    while (const Result<CanFrame> frame = wire.receive(Nanos::zero())) {
      if (frame->id == can::kVehicleMotionId) continue;
      if (frame->id == can::kWarningId && frames > 0) warning_first = false;
      ++frames;
    }
    most_in_a_round = std::max(most_in_a_round, frames);
  };
  while (wire.receive(Nanos::zero())) {
  }
  // Somebody steps in front of the standing car.
  car.eye(0).people->push_back({.x_m = car.config.car.axle_to_bumper_m + 3.2});
  TEST_ASSERT_TRUE(car.until([&] { return car.level() == WarningLevel::information; }));
  car.run(seconds{2});
  TEST_ASSERT_EQUAL_UINT64(refused, car.controller->totals().send_refused);
  TEST_ASSERT_TRUE(warning_first);
  TEST_ASSERT_LESS_OR_EQUAL_size_t(9, most_in_a_round);
  TEST_ASSERT_TRUE(car.lists.size() >= 19);
  TEST_ASSERT_EQUAL_INT(can::kMaxObjects, car.lists.back().people.size());
  TEST_ASSERT_EQUAL_INT(0, car.bad_frames + car.stray_frames);
  for (std::size_t i = 1; i < car.lists.size(); ++i)
    TEST_ASSERT_EQUAL_UINT8((car.lists[i - 1].counter + 1) % 16, car.lists[i].counter);
}

TEST(a_list_that_finds_no_room_goes_on_when_there_is_some) {
  Drive car;
  car.people = {{.x_m = 14, .y_m = 2}, {.x_m = 25, .y_m = -3}};
  TEST_ASSERT_TRUE(
      car.until([&] { return !car.lists.empty() && car.lists.back().people.size() == 2; }));
  car.run(seconds{1});
  car.lists.clear();
  int round = 0;
  car.each_step = [&] { car.ours.queue_full(round++ % 20 == 0); };  // each other list waits a round
  car.run(seconds{4});
  TEST_ASSERT_INT_WITHIN(1, 40, car.lists.size());
  for (const test::HeardList& list : car.lists) TEST_ASSERT_EQUAL_INT(2, list.people.size());
  TEST_ASSERT_EQUAL_INT(0, car.stray_frames);
}

TEST(the_warning_message_comes_all_the_time_whatever_the_state) {
  Drive car{kNoDetector};
  car.filming = false;
  car.step();
  TEST_ASSERT_EQUAL_INT(1, car.warnings.size());  // from the first round
  TEST_ASSERT_TRUE(car.heard(HealthState::failed, Cause::camera_silent));
  car.warnings.clear();
  car.run(seconds{2});
  TEST_ASSERT_EQUAL_INT(20, car.warnings.size());
  car.filming = true;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.warnings.clear();
  car.run(seconds{2});
  TEST_ASSERT_EQUAL_INT(20, car.warnings.size());
  for (std::size_t i = 1; i < car.warnings.size(); ++i)
    TEST_ASSERT_EQUAL_UINT8((car.warnings[i - 1].counter + 1) % 16, car.warnings[i].counter);
  TEST_ASSERT_FALSE(car.ever(WarningLevel::information));
}

can::ServiceMessage lamp_test(std::uint8_t counter) {
  can::ServiceMessage request;
  request.request = can::ServiceRequest::lamp_test;
  request.duration_s = 0.5;
  request.counter = counter;
  return request;
}

TEST(a_request_that_is_repeated_is_no_new_request) {
  Drive car{kNoDetector};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.until([&] { return car.statuses.back().speed_valid; }));
  // A gateway that is stuck sends it for ever: one test, which ends.
  car.each_step = [&] { car.send(can::encode(lamp_test(3))); };
  TEST_ASSERT_TRUE(car.until([&] { return car.lamp.on(); }, milliseconds{50}));
  TEST_ASSERT_TRUE(car.until([&] { return !car.lamp.on(); }, milliseconds{700}));
  car.lamp.history.clear();
  car.run(seconds{3});
  for (const bool lit : car.lamp.history) TEST_ASSERT_FALSE(lit);
  TEST_ASSERT_GREATER_THAN_UINT64(300, car.controller->totals().frames_repeated);
  car.each_step = nullptr;
  car.send(can::encode(lamp_test(4)));
  TEST_ASSERT_TRUE(car.until([&] { return car.lamp.on(); }, milliseconds{50}));
  can::ServiceMessage stop;  // whatever its counter
  stop.counter = 4;
  car.send(can::encode(stop));
  TEST_ASSERT_TRUE(car.until([&] { return !car.lamp.on(); }, milliseconds{50}));
}

/// The buttons as a car sends them: every 100 ms.
struct Buttons {
  Drive& car;
  can::VehicleDriver now{};
  bool stuck = false;  ///< the last message again and again
  int rounds = 0;
  void step() {
    if (rounds++ % 10 != 0) return;
    if (!stuck) now.counter = (now.counter + 1) & 15;
    car.send(can::encode(now));
  }
};

TEST(a_message_that_is_stuck_does_not_hold_the_off_button) {
  Drive car;
  TEST_ASSERT_TRUE(car.becomes_ready());
  Buttons buttons{car};
  car.each_step = [&] { buttons.step(); };
  car.run(milliseconds{500});
  buttons.now.off_pressed = true;  // a press of 0.2 s, as far as anybody knows
  car.run(milliseconds{200});
  buttons.stuck = true;
  car.run(seconds{2});
  buttons.stuck = false;
  buttons.now.off_pressed = false;
  car.run(milliseconds{300});
  buttons.now.confirm_pressed = true;
  car.run(milliseconds{300});
  buttons.now.confirm_pressed = false;
  car.run(seconds{1});
  TEST_ASSERT_EQUAL_STRING("ready", name_of(car.readiness()));
  TEST_ASSERT_GREATER_THAN_UINT64(15, car.controller->totals().frames_repeated);
  // Who means it still can.
  buttons.now.off_pressed = true;
  car.run(milliseconds{1300});
  buttons.now.off_pressed = false;
  car.run(milliseconds{300});
  buttons.now.confirm_pressed = true;
  TEST_ASSERT_TRUE(car.until([&] { return car.readiness() == Readiness::switched_off; }));
}

TEST(buttons_with_a_wrong_crc_are_none) {
  Drive car;
  TEST_ASSERT_TRUE(car.becomes_ready());
  can::VehicleDriver now;
  bool corrupt = false;
  int rounds = 0;
  car.each_step = [&] {
    if (rounds++ % 10 != 0) return;
    now.counter = (now.counter + 1) & 15;
    CanFrame frame = can::encode(now);
    if (corrupt) frame.data[0] ^= 1;
    car.send(frame);
  };
  car.run(milliseconds{500});
  corrupt = true;
  now.off_pressed = true;
  car.run(milliseconds{1500});
  corrupt = false;
  now.off_pressed = false;
  car.run(milliseconds{300});
  now.confirm_pressed = true;
  car.run(seconds{1});
  TEST_ASSERT_EQUAL_STRING("ready", name_of(car.readiness()));
  TEST_ASSERT_GREATER_THAN_UINT64(10, car.controller->totals().frames_corrupt);
}

}  // namespace
