// SPDX-License-Identifier: Apache-2.0
// Floods of messages from the bus: the event log and the log keep room for what else happens, and
// say how much they left out.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/test.hpp"
#include "tests/unit/firmware/control/drive.hpp"
#include "tests/unit/firmware/events/scratch.hpp"

using namespace kerb;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Drive;

namespace {

struct Road {
  explicit Road(bool service = true) {
    EventLogOptions options;
    options.path = scratch.path("events.jsonl");
    Result<std::unique_ptr<EventLog>> opened = EventLog::open(options, clock);
    TEST_ASSERT_OK(opened);
    events = std::move(*opened);
    drive = std::make_unique<Drive>(Drive::Options{.events = events.get(), .service = service});
    TEST_ASSERT_TRUE(drive->becomes_ready());
    TEST_ASSERT_TRUE(drive->until([&] { return drive->statuses.back().speed_valid; }));
  }
  /// The data of all events of a kind.
  std::vector<json> told(const char* kind) const {
    std::vector<json> out;
    TEST_ASSERT_TRUE(events->flush(seconds{10}));
    for (const std::string& line : lines_of(slurp(scratch.path("events.jsonl"))))
      if (const json event = json::parse(line); event["kind"] == kind) out.push_back(event["data"]);
    return out;
  }
  int logged(const std::string& part) const {
    int count = 0;
    for (const FakeLog::Line& line : drive->log.lines())
      if (line.text.find(part) != std::string::npos) ++count;
    return count;
  }
  void ask(can::ServiceRequest request, double duration_s = 1) {
    can::ServiceMessage message;
    message.request = request;
    message.duration_s = duration_s;
    message.counter = requests++ & 15;
    drive->send(can::encode(message));
  }
  void end() const { drive->controller->finish(drive->clock.now()); }

  Scratch scratch;
  SystemClock clock;
  std::unique_ptr<EventLog> events;
  std::unique_ptr<Drive> drive;
  std::uint8_t requests = 0;
};

/// Those that were written and those that were left out.
std::uint64_t all_of(const std::vector<json>& told) {
  std::uint64_t all = 0;
  for (const json& event : told) all += 1 + event["left_out"].get<std::uint64_t>();
  return all;
}

void expect_requests_limited(bool service) {
  Road road{service};
  Drive& drive = *road.drive;
  drive.speed = 10;  // a moving car is not tested
  TEST_ASSERT_TRUE(drive.until([&] {
    return drive.controller->vehicle(drive.clock.now()).speed_mps.value.value_or(0) > 9;
  }));
  std::uint64_t sent = 0;
  drive.each_step = [&] {
    for (int i = 0; i < 40; ++i, ++sent) road.ask(can::ServiceRequest::sound_test);
  };
  drive.run(seconds{20});
  drive.each_step = nullptr;
  drive.run(milliseconds{100});
  road.end();
  const std::vector<json> told = road.told("service_request");
  TEST_ASSERT_EQUAL_UINT64(80'000, sent);
  TEST_ASSERT_LESS_OR_EQUAL_size_t(10 + 20 / 10 + 2, told.size());
  TEST_ASSERT_EQUAL_UINT64(sent, all_of(told));
  TEST_ASSERT_EQUAL_INT(told.size(), road.logged("sound_test refused"));
  TEST_ASSERT_TRUE(drive.log.has("more left out)"));
  TEST_ASSERT_FALSE(told.back()["accepted"].get<bool>());
}

TEST(a_flood_of_requests_leaves_a_dozen_lines_where_service_is_off) {
  expect_requests_limited(false);
}
TEST(a_flood_of_requests_leaves_a_dozen_lines_where_service_is_on) {
  expect_requests_limited(true);
}

TEST(a_request_that_is_accepted_does_not_drown_in_refused_ones) {
  Road road;
  Drive& drive = *road.drive;
  drive.each_step = [&] {
    for (int i = 0; i < 10; ++i) road.ask(can::ServiceRequest::sound_test, 0);  // of no length
  };
  drive.run(seconds{3});
  road.ask(can::ServiceRequest::lamp_test);
  TEST_ASSERT_TRUE(drive.until([&] { return drive.lamp.on(); }, milliseconds{50}));
  int accepted = 0;
  for (const json& event : road.told("service_request")) {
    if (!event["accepted"].get<bool>()) continue;
    ++accepted;
    TEST_ASSERT_EQUAL_STRING("lamp_test", event["request"].get<std::string>().c_str());
  }
  TEST_ASSERT_EQUAL_INT(1, accepted);
}

TEST(tests_that_begin_and_end_in_a_flood_do_not_fill_the_log) {
  Road road;
  Drive& drive = *road.drive;
  int rounds = 0;
  drive.each_step = [&] {
    road.ask(rounds++ % 2 == 0 ? can::ServiceRequest::lamp_test : can::ServiceRequest::stop);
  };
  drive.run(seconds{20});
  drive.each_step = nullptr;
  // Ten tests, and one in five seconds.
  TEST_ASSERT_LESS_OR_EQUAL_size_t(2 * (10 + 4 + 1), road.told("warning_changed").size());
  drive.run(seconds{6});
  TEST_ASSERT_FALSE(drive.lamp.on());
}

TEST(a_gear_that_flutters_is_told_now_and_then_and_where_it_ends) {
  Road road;
  Drive& drive = *road.drive;
  int rounds = 0, changes = 0;
  Readiness last = drive.readiness();
  drive.each_step = [&] {
    can::VehicleBody body;
    body.gear = ++rounds / 3 % 2 == 0 ? Gear::drive : Gear::reverse;
    body.counter = static_cast<std::uint8_t>(rounds % 16);
    drive.send(can::encode(body));
    if (drive.controller->readiness() != last) ++changes;
    last = drive.controller->readiness();
  };
  const std::size_t before = road.told("readiness_changed").size();
  const std::uint64_t all_before = all_of(road.told("readiness_changed"));
  drive.run(seconds{20});
  TEST_ASSERT_TRUE(changes > 300);
  drive.each_step = nullptr;
  drive.gear = Gear::reverse;
  drive.run(seconds{6});
  if (drive.controller->readiness() != last) ++changes;
  const std::vector<json> told = road.told("readiness_changed");
  TEST_ASSERT_LESS_OR_EQUAL_size_t(20 + 26 / 5 + 1, told.size() - before);
  TEST_ASSERT_EQUAL_STRING("reversing", told.back()["to"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_UINT64(changes, all_of(told) - all_before);
  for (std::size_t i = 1; i < told.size(); ++i)  // a chain without a break
    TEST_ASSERT_EQUAL_STRING(told[i - 1]["to"].get<std::string>().c_str(),
                             told[i]["from"].get<std::string>().c_str());
}

TEST(a_speed_that_comes_and_goes_does_not_fill_the_log) {
  Road road;
  Drive& drive = *road.drive;
  drive.each_step = [&] {  // away for 0.3 s, there for 0.3 s: longer than recovery takes
    const bool there = drive.clock.now() / milliseconds{300} % 2 == 0;
    drive.speed = there ? std::optional<double>{0} : std::nullopt;
  };
  drive.run(seconds{60});
  drive.each_step = nullptr;
  drive.speed = 0;
  drive.run(seconds{6});
  const std::vector<json> told = road.told("health_changed");
  TEST_ASSERT_GREATER_THAN_UINT64(100, drive.controller->totals().state_changes);
  TEST_ASSERT_LESS_OR_EQUAL_size_t(30 + 66 / 5 + 3, told.size());
  TEST_ASSERT_EQUAL_STRING("ACTIVE", told.back()["to"].get<std::string>().c_str());
}

TEST(a_controller_that_goes_back_and_forth_does_not_fill_the_log) {
  Road road;
  Drive& drive = *road.drive;
  int rounds = 0;
  drive.each_step = [&] {
    drive.ours.error(++rounds % 2 == 0 ? CanState::active : CanState::warning);
  };
  drive.run(seconds{20});
  drive.each_step = nullptr;
  drive.ours.error(CanState::passive);
  drive.run(seconds{11});
  const std::vector<json> told = road.told("bus_state");
  TEST_ASSERT_LESS_OR_EQUAL_size_t(10 + 31 / 10 + 1, told.size());
  TEST_ASSERT_EQUAL_STRING("passive", told.back()["to"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_UINT64(rounds, all_of(told));  // the last step was to active, then to passive
}

TEST(corrupt_messages_are_counted_and_leave_no_line) {
  Road road;
  Drive& drive = *road.drive;
  can::VehicleDriver buttons;
  can::ServiceMessage request;
  request.request = can::ServiceRequest::lamp_test;
  request.duration_s = 1;
  std::vector<CanFrame> frames{can::encode(buttons), can::encode(request),
                               can::encode(can::VehicleMotion{})};
  for (CanFrame& frame : frames) frame.data[0] ^= 0x55;
  const std::size_t lines = drive.log.size();
  std::uint64_t sent = 0;
  drive.each_step = [&] {
    for (const CanFrame& frame : frames) drive.send(frame);
    sent += frames.size();
  };
  drive.run(seconds{5});
  drive.each_step = nullptr;
  drive.step();
  TEST_ASSERT_EQUAL_UINT64(sent, drive.controller->totals().frames_corrupt);
  TEST_ASSERT_EQUAL_size_t(lines, drive.log.size());
  TEST_ASSERT_EQUAL_INT(0, road.told("service_request").size());
  TEST_ASSERT_FALSE(drive.lamp.on());
}

}  // namespace
