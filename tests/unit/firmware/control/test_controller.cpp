// SPDX-License-Identifier: Apache-2.0
// All that the product does beside seeing people, on a clock of the test's own.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <vector>

#include "hal/fake/diagnostic_link.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/control/drive.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Drive;
using test::Walker;

namespace {

constexpr Drive::Options kNoDetector{.detectors = Drive::Detectors::none};

TEST(it_becomes_active_and_says_so_with_the_lamp_going_off) {
  Drive car;
  car.filming = false;
  car.step();
  TEST_ASSERT_EQUAL_STRING("STARTING", name_of(car.controller->health().state));
  TEST_ASSERT_TRUE(car.amber.on());
  car.filming = true;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.until([&] { return !car.amber.on(); }));
  TEST_ASSERT_TRUE(car.until([&] { return car.statuses.back().speed_valid; }));
  TEST_ASSERT_TRUE(car.statuses.back().detector_present);
}

TEST(without_a_detector_the_amber_lamp_is_lit_though_nothing_is_broken) {
  Drive car{kNoDetector};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.until([&] { return car.readiness() == Readiness::no_detector; }));
  car.amber.history.clear();
  car.run(seconds{3});
  TEST_ASSERT_TRUE(car.amber.on());
  for (const bool lit : car.amber.history) TEST_ASSERT_TRUE(lit);
  TEST_ASSERT_FALSE(car.statuses.back().detector_present);
  TEST_ASSERT_EQUAL_INT(0, car.lists.size());  // nobody looks
}

TEST(the_amber_lamp_is_lit_in_reverse_and_not_while_the_car_stands) {
  Drive car;
  car.gear = Gear::drive;
  TEST_ASSERT_TRUE(car.becomes_ready());
  car.run(seconds{2});
  TEST_ASSERT_FALSE(car.amber.on());  // standing still is no reason
  car.gear = Gear::reverse;
  TEST_ASSERT_TRUE(car.until([&] { return car.readiness() == Readiness::reversing; }));
  car.step();
  TEST_ASSERT_TRUE(car.amber.on());
  TEST_ASSERT_EQUAL_STRING("ACTIVE", name_of(car.statuses.back().health.state));
}

TEST(a_bus_that_is_switched_off_but_required_is_a_fault) {
  Drive car{{.bus = false}};
  TEST_ASSERT_TRUE(car.reaches(HealthState::degraded, Cause::signals_missing));
  TEST_ASSERT_EQUAL_STRING("no_speed", name_of(car.controller->readiness()));
  TEST_ASSERT_TRUE(car.amber.on());
}

/// Asks over the link, and gives the first bytes of the answer as a number.
std::uint64_t answer_to(Drive& car, FakeDiagnosticLink& link,
                        const FakeDiagnosticLink::Bytes& request) {
  link.responses.clear();
  link.ask(request);
  car.step();
  std::uint64_t out = 0;
  if (!link.responses.empty())
    for (std::size_t i = 0; i < std::min<std::size_t>(8, link.responses[0].size()); ++i)
      out = out << 8 | link.responses[0][i];
  return out;
}

TEST(a_workshop_reads_the_fault_of_a_camera_and_drives_the_lamps) {
  FakeDiagnosticLink link;
  diagnostics::Setup setup;
  setup.link = &link;
  setup.restarts = true;
  Drive::Options options;  // with a detector: without one the amber lamp is lit anyway
  options.diagnostics = &setup;
  Drive car{options};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.until([&] { return car.statuses.back().speed_valid; }));
  TEST_ASSERT_EQUAL_HEX64(0x5902FF, answer_to(car, link, {0x19, 0x02, 0x01}));
  TEST_ASSERT_EQUAL_HEX64(0x62FD160000 | 0xFF, answer_to(car, link, {0x22, 0xFD, 0x16}));

  car.filming = false;
  TEST_ASSERT_TRUE(car.heard(HealthState::degraded, Cause::camera_silent));
  TEST_ASSERT_EQUAL_HEX64(0x5902FF9A0431A7, answer_to(car, link, {0x19, 0x02, 0x01}));
  car.filming = true;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_EQUAL_HEX64(0x5902FF, answer_to(car, link, {0x19, 0x02, 0x01}));
  TEST_ASSERT_EQUAL_HEX64(0x5902FF9A043126, answer_to(car, link, {0x19, 0x02, 0x20}));

  TEST_ASSERT_EQUAL_HEX64(0x5003003201F4, answer_to(car, link, {0x10, 0x03}));
  TEST_ASSERT_EQUAL_HEX64(0x6FFD200301, answer_to(car, link, {0x2F, 0xFD, 0x20, 0x03, 0x01}));
  TEST_ASSERT_EQUAL_HEX64(0x6FFD210301, answer_to(car, link, {0x2F, 0xFD, 0x21, 0x03, 0x01}));
  TEST_ASSERT_EQUAL_HEX64(0x6FFD220301, answer_to(car, link, {0x2F, 0xFD, 0x22, 0x03, 0x01}));
  TEST_ASSERT_TRUE(
      car.until([&] { return car.lamp.on() && car.amber.on() && car.tone.sounding(); }));
  car.speed = 5;
  TEST_ASSERT_TRUE(
      car.until([&] { return !car.lamp.on() && !car.amber.on() && !car.tone.sounding(); }));
  TEST_ASSERT_EQUAL_HEX64(0x7F1122, answer_to(car, link, {0x11, 0x01}));
  TEST_ASSERT_FALSE(car.controller->reset_requested());
  car.speed = 0;
  TEST_ASSERT_TRUE(car.until([&] { return answer_to(car, link, {0x11, 0x01}) == 0x5101; }));
  TEST_ASSERT_TRUE(car.controller->reset_requested());
}

TEST(without_diagnostics_nobody_asks_for_a_reset) {
  Drive car{kNoDetector};
  car.run(milliseconds{100});
  TEST_ASSERT_FALSE(car.controller->reset_requested());
}

TEST(the_status_comes_ten_times_a_second_with_a_running_counter) {
  Drive car{kNoDetector};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.statuses.clear();
  car.run(seconds{2});
  TEST_ASSERT_INT_WITHIN(1, 20, car.statuses.size());
  for (std::size_t i = 1; i < car.statuses.size(); ++i)
    TEST_ASSERT_EQUAL_UINT8((car.statuses[i - 1].counter + 1) % 16, car.statuses[i].counter);
  TEST_ASSERT_EQUAL_INT(0, car.bad_frames);
}

TEST(a_lost_camera_shows_on_the_bus_and_the_lamp_and_it_recovers) {
  Drive car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.filming = false;
  TEST_ASSERT_TRUE(car.heard(HealthState::degraded, Cause::camera_silent));
  TEST_ASSERT_TRUE(car.amber.on());
  TEST_ASSERT_TRUE(car.statuses.back().health.number >= 250);
  TEST_ASSERT_TRUE(car.heard(HealthState::failed, Cause::camera_silent));
  car.filming = true;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.until([&] { return !car.amber.on(); }));
}

TEST(a_lost_bus_and_a_silent_vehicle_are_faults_that_end) {
  Drive car{kNoDetector};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.talking = false;
  TEST_ASSERT_TRUE(car.heard(HealthState::degraded, Cause::signals_missing));
  car.talking = true;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.ours.down();
  TEST_ASSERT_TRUE(car.reaches(HealthState::degraded, Cause::bus_lost));
  TEST_ASSERT_GREATER_THAN_UINT64(0, car.controller->totals().send_refused);
  car.ours.up();
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
}

TEST(heat_degrades_then_fails_and_leaves_with_hysteresis) {
  Drive car{kNoDetector};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.thermal.set(97);
  TEST_ASSERT_TRUE(car.heard(HealthState::degraded, Cause::board_hot));
  TEST_ASSERT_DOUBLE_WITHIN(0.1, 97, car.statuses.back().health.number);
  car.thermal.set(101);
  TEST_ASSERT_TRUE(car.heard(HealthState::failed, Cause::board_hot));
  car.thermal.set(87);  // under the limit of 90, but not by the hysteresis of 5
  TEST_ASSERT_TRUE(car.heard(HealthState::degraded, Cause::board_hot));
  car.statuses.clear();
  car.run(seconds{2});
  for (const can::StatusMessage& status : car.statuses)
    TEST_ASSERT_TRUE(status.health.state != HealthState::active);
  car.thermal.set(60);
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
}

can::ServiceMessage warning_test(double duration_s) {
  can::ServiceMessage request;
  request.request = can::ServiceRequest::warning_test;
  request.level = WarningLevel::collision;
  request.duration_s = duration_s;
  return request;
}

TEST(a_warning_test_lights_sounds_is_marked_and_ends) {
  Drive car{kNoDetector};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.until([&] { return car.statuses.back().speed_valid; }));
  car.send(can::encode(warning_test(0.5)));
  TEST_ASSERT_TRUE(car.until([&] { return car.lamp.on(); }));
  TEST_ASSERT_TRUE(car.tone.sounding().has_value());
  const auto is_collision = [](const can::WarningMessage& warning) {
    return warning.level == WarningLevel::collision;
  };
  TEST_ASSERT_TRUE(car.until([&] { return std::ranges::any_of(car.warnings, is_collision); }));
  for (const can::WarningMessage& warning : car.warnings)
    TEST_ASSERT_EQUAL(is_collision(warning), warning.test);
  TEST_ASSERT_TRUE(car.until([&] { return !car.lamp.on(); }));
  TEST_ASSERT_FALSE(car.tone.sounding().has_value());
  TEST_ASSERT_TRUE(car.until([&] { return car.warnings.back().level == WarningLevel::none; }));
}

TEST(a_sound_that_leaves_unused_degrades_and_it_recovers) {
  Drive car{kNoDetector};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.tone.unplugged = true;
  TEST_ASSERT_TRUE(car.heard(HealthState::degraded, Cause::output_refused));
  TEST_ASSERT_TRUE(car.amber.on());
  car.tone.unplugged = false;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
}

TEST(records_that_the_disk_refuses_degrade_warn_all_the_same_and_recover) {
  const test::TempFolder folder;
  FakeLog log;
  records::RecordedSettings settings;
  settings.cameras.push_back(
      {.name = "camera 0", .model = test::road_camera(), .tracker = {}, .car = {}, .contact = {}});
  const auto recorder = records::WarningRecorder::open(
      {.path = folder.write("file", "not a folder") + "/records", .retry = milliseconds{1}},
      settings, nullptr, log);
  TEST_ASSERT_OK(recorder);
  TEST_ASSERT_TRUE(test::comes_to_be([&] { return (*recorder)->status().error != 0; }));
  Drive car{{.recorder = recorder->get()}};
  TEST_ASSERT_TRUE(car.heard(HealthState::degraded, Cause::records_refused));
  TEST_ASSERT_DOUBLE_WITHIN(0.1, ENOTDIR, car.statuses.back().health.number);
  TEST_ASSERT_TRUE(car.amber.on());
  TEST_ASSERT_TRUE(car.becomes_ready());
  car.people = {{.x_m = car.config.car.axle_to_bumper_m + 3}};
  TEST_ASSERT_TRUE(car.until([&] { return car.level() == WarningLevel::information; }));
  car.people = {};
  std::filesystem::remove(folder.path() / "file");
  TEST_ASSERT_TRUE(test::comes_to_be([&] { return (*recorder)->status().error == 0; }));
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
}

TEST(a_moving_car_is_not_tested) {
  Drive car{kNoDetector};
  car.speed = 10;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.until([&] { return car.statuses.back().speed_valid; }));
  car.send(can::encode(warning_test(2)));
  TEST_ASSERT_TRUE(car.until([&] { return car.log.has("warning_test refused"); }));
  TEST_ASSERT_FALSE(car.lamp.on());
}

TEST(people_are_told_ten_times_a_second_and_nobody_is_an_empty_list) {
  Drive car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.statuses.back().detector_present);
  TEST_ASSERT_TRUE(car.until([&] { return !car.lists.empty(); }));
  TEST_ASSERT_EQUAL_INT(0, car.lists.back().people.size());
  const Walker far{.x_m = 25, .y_m = -3, .height_m = 1.6}, near{.x_m = 14, .y_m = 2};
  car.people = {far, near};
  TEST_ASSERT_TRUE(car.until([&] { return car.lists.back().people.size() == 2; }));
  TEST_ASSERT_EQUAL_INT(2, car.shown());
  car.lists.clear();
  const std::uint64_t sent = car.controller->totals().lists_sent;
  car.run(seconds{2});
  TEST_ASSERT_INT_WITHIN(1, 20, car.lists.size());
  TEST_ASSERT_EQUAL_UINT64(car.lists.size(), car.controller->totals().lists_sent - sent);
  for (std::size_t i = 1; i < car.lists.size(); ++i)
    TEST_ASSERT_EQUAL_UINT8((car.lists[i - 1].counter + 1) % 16, car.lists[i].counter);

  const std::vector<can::ObjectMessage>& people = car.lists.back().people;
  TEST_ASSERT_EQUAL_INT(2, people.size());
  const double bumper = car.config.car.axle_to_bumper_m;
  TEST_ASSERT_DOUBLE_WITHIN(1.5, near.x_m - bumper, *people[0].x_m);  // the nearest first
  TEST_ASSERT_DOUBLE_WITHIN(0.3, near.y_m, *people[0].y_m);
  TEST_ASSERT_DOUBLE_WITHIN(0.15, near.height_m, *people[0].height_m);
  TEST_ASSERT_DOUBLE_WITHIN(0.5, 0, *people[0].vx_mps);
  TEST_ASSERT_DOUBLE_WITHIN(0.5, 0, *people[0].vy_mps);
  TEST_ASSERT_DOUBLE_WITHIN(3, far.x_m - bumper, *people[1].x_m);
  TEST_ASSERT_DOUBLE_WITHIN(0.5, far.y_m, *people[1].y_m);
  TEST_ASSERT_DOUBLE_WITHIN(0.2, far.height_m, *people[1].height_m);
  // Who is followed keeps their number and grows older.
  for (const test::HeardList& list : car.lists)
    for (const can::ObjectMessage& person : people) TEST_ASSERT_TRUE(list.has(person.id));
  TEST_ASSERT_TRUE(*people[0].age_s >= 1.7);
  TEST_ASSERT_TRUE(*people[0].age_s > *car.lists.front().people[0].age_s);
  TEST_ASSERT_TRUE(people[0].id != people[1].id);
  TEST_ASSERT_EQUAL_INT(0, car.bad_frames + car.stray_frames);
  car.people = {};
  TEST_ASSERT_TRUE(car.until([&] { return car.lists.back().people.empty(); }));
}

TEST(a_list_has_the_nearest_of_all_cameras_and_no_more_than_fit) {
  Drive car{{.cameras = 2}};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.statuses.back().detector_present);
  car.eye(0).people = {{.x_m = 12, .y_m = 2}, {.x_m = 20, .y_m = 2}, {.x_m = 28, .y_m = 2}};
  car.eye(1).people = {{.x_m = 16, .y_m = -2}, {.x_m = 24, .y_m = -2}};
  const auto are = [&](std::size_t count) {
    return !car.lists.empty() && car.lists.back().people.size() == count;
  };
  TEST_ASSERT_TRUE(car.until([&] { return are(5); }));
  car.run(milliseconds{500});
  TEST_ASSERT_TRUE(car.until([&] { return are(5); }));
  const std::vector<can::ObjectMessage> five = car.lists.back().people;
  TEST_ASSERT_EQUAL_INT(5, five.size());
  for (std::size_t i = 0; i < 5; ++i) {  // by turns from one camera and the other
    TEST_ASSERT_DOUBLE_WITHIN(0.5, i % 2 == 0 ? 2 : -2, *five[i].y_m);
    TEST_ASSERT_DOUBLE_WITHIN(2, 12 + 4 * static_cast<double>(i) - car.config.car.axle_to_bumper_m,
                              *five[i].x_m);
    for (std::size_t k = 0; k < i; ++k) TEST_ASSERT_TRUE(five[k].id != five[i].id);
  }
  // Ten: five abreast, twice, nobody behind another. Both cameras see them: they are ten, not
  // twenty.
  const auto rows = [](double first_m, double aside) {
    std::vector<Walker> out;
    for (int i = 0; i < 10; ++i) {
      const double x = first_m + 8 * (i % 2);
      out.push_back({.x_m = x, .y_m = x * (0.08 * (i - 4.5) + aside)});
    }
    return out;
  };
  car.eye(0).people = car.eye(1).people = rows(12, 0);
  TEST_ASSERT_TRUE(car.until([&] { return are(10); }));
  car.run(seconds{3});  // those who were there before are given up
  const std::vector<can::ObjectMessage> ten = car.lists.back().people;
  TEST_ASSERT_EQUAL_INT(10, ten.size());
  const std::size_t heard = car.lists.size();
  car.run(seconds{1});
  TEST_ASSERT_TRUE(car.lists.size() > heard + 5);
  for (std::size_t k = heard; k < car.lists.size(); ++k) {
    TEST_ASSERT_EQUAL_INT(10, car.lists[k].people.size());
    for (const can::ObjectMessage& person : ten) TEST_ASSERT_TRUE(car.lists[k].has(person.id));
  }
  // The second camera loses them, and sees ten others: of twenty the nearest fifteen.
  car.eye(1).people = rows(16, 0.04);
  const double bumper = car.config.car.axle_to_bumper_m;
  const auto is_full = [&] {
    if (!are(can::kMaxObjects)) return false;
    const std::vector<can::ObjectMessage>& of = car.lists.back().people;
    return *of[4].x_m<14 - bumper&& * of[5].x_m> 14 - bumper &&
           *of[9].x_m<18 - bumper&& * of[10].x_m> 18 - bumper;
  };
  TEST_ASSERT_TRUE(car.until(is_full));
  for (const can::ObjectMessage& person : ten)  // the first ten are who they were
    if (*person.x_m < 14 - bumper) TEST_ASSERT_TRUE(car.lists.back().has(person.id));
  TEST_ASSERT_EQUAL_INT(10, car.shown());
  TEST_ASSERT_EQUAL_INT(0, car.bad_frames + car.stray_frames);
}

TEST(whether_it_is_ready_is_told_twice_a_second) {
  Drive without{kNoDetector};
  TEST_ASSERT_TRUE(without.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(without.until([&] { return without.readiness() == Readiness::no_detector; }));

  Drive car;
  car.filming = false;
  car.step();
  car.filming = true;
  TEST_ASSERT_TRUE(car.until([&] { return car.readiness() == Readiness::ready; }));
  TEST_ASSERT_EQUAL_INT(0, car.readies.front().counter);
  TEST_ASSERT_EQUAL_STRING("starting", name_of(car.readies.front().readiness));
  car.filming = false;
  TEST_ASSERT_TRUE(car.until([&] { return car.readiness() == Readiness::not_active; }));
  car.filming = true;
  TEST_ASSERT_TRUE(car.until([&] { return car.readiness() == Readiness::ready; }));
  const std::size_t before = car.readies.size();
  TEST_ASSERT_TRUE(car.until([&] { return car.readies.size() >= before + 3; }));
  for (std::size_t i = 1; i < car.readies.size(); ++i)
    TEST_ASSERT_EQUAL_UINT8((car.readies[i - 1].counter + 1) % 16, car.readies[i].counter);
  TEST_ASSERT_EQUAL_INT(0, car.bad_frames);
}

TEST(there_is_no_list_unless_every_camera_is_looked_through) {
  Drive without{{.cameras = 2, .detectors = Drive::Detectors::of_the_first}};
  TEST_ASSERT_TRUE(without.heard(HealthState::degraded, Cause::vision_failed));
  without.run(milliseconds{400});
  TEST_ASSERT_FALSE(without.statuses.back().detector_present);
  TEST_ASSERT_EQUAL_INT(0, without.lists.size());

  Drive car;
  TEST_ASSERT_TRUE(car.until([&] { return !car.lists.empty(); }));
  car.filming = false;  // what was seen last is soon not true any more, and nobody looks
  TEST_ASSERT_TRUE(car.heard(HealthState::failed, Cause::camera_silent));
  car.lists.clear();
  car.run(milliseconds{400});
  TEST_ASSERT_EQUAL_INT(0, car.lists.size());
  car.filming = true;
  TEST_ASSERT_TRUE(car.until([&] { return !car.lists.empty(); }));
}

TEST(a_failing_detector_is_failed_vision_and_it_recovers) {
  Drive car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.eye().crowd->broken = true;
  TEST_ASSERT_TRUE(car.heard(HealthState::failed, Cause::vision_failed));
  TEST_ASSERT_DOUBLE_WITHIN(0.1, static_cast<double>(Errc::device),
                            car.statuses.back().health.number);
  TEST_ASSERT_TRUE(car.amber.on());
  car.run(milliseconds{300});
  car.lists.clear();
  car.run(milliseconds{300});
  TEST_ASSERT_EQUAL_INT(0, car.lists.size());
  car.eye().crowd->broken = false;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.until([&] { return !car.lists.empty(); }));
}

TEST(a_detector_that_could_not_be_made_is_failed_vision) {
  Drive car{{.detectors = Drive::Detectors::broken}};
  TEST_ASSERT_TRUE(car.heard(HealthState::failed, Cause::vision_failed));
  TEST_ASSERT_DOUBLE_WITHIN(0.1, static_cast<double>(Errc::damaged),
                            car.statuses.back().health.number);
  TEST_ASSERT_TRUE(car.amber.on());
  car.statuses.clear();
  car.run(milliseconds{500});
  for (const can::StatusMessage& status : car.statuses) {
    TEST_ASSERT_EQUAL_STRING("FAILED", name_of(status.health.state));
    TEST_ASSERT_FALSE(status.detector_present);
  }
  TEST_ASSERT_EQUAL_INT(0, car.lists.size());
}

TEST(the_watchdog_is_fed_while_threads_live_and_starved_when_one_is_stuck) {
  Drive car{kNoDetector};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.until([&] { return car.watchdog.kicks > 3; }));
  TEST_ASSERT_FALSE(car.timer.expired());
  car.eye().preparer->stuck = true;
  car.eye().awaited = false;
  TEST_ASSERT_TRUE(car.until([&] { return car.timer.expired(); }));
  TEST_ASSERT_TRUE(car.log.has("stuck"));
}

TEST(a_watchdog_that_refuses_is_a_fault_that_ends) {
  Drive car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.each_step = [&] { car.watchdog.fail_next = Error{Errc::io, EBUSY, "kick the watchdog"}; };
  TEST_ASSERT_TRUE(car.heard(HealthState::degraded, Cause::watchdog_refused));
  TEST_ASSERT_DOUBLE_WITHIN(0.1, EBUSY, car.statuses.back().health.number);
  TEST_ASSERT_TRUE(car.amber.on());
  TEST_ASSERT_EQUAL_STRING("ready", name_of(car.readiness()));
  car.each_step = nullptr;
  car.watchdog.fail_next.reset();
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
}

TEST(what_could_not_be_made_at_the_start_is_a_fault_and_warnings_are_given) {
  const Error no_thread{Errc::io, EAGAIN, "start its thread"};
  const Error no_gpu{Errc::device, 100, "run on the GPU"};
  struct Case {
    StartGaps gaps;
    Cause cause;
    double number;
  };
  for (const Case& c : {Case{{.events = no_thread}, Cause::event_log_refused, EAGAIN},
                        Case{{.recorder = no_thread}, Cause::records_refused, EAGAIN},
                        Case{{.gpu = no_gpu}, Cause::gpu_missing, 6}}) {
    Drive car{{.gaps = c.gaps}};
    TEST_ASSERT_TRUE(car.heard(HealthState::degraded, c.cause));
    TEST_ASSERT_DOUBLE_WITHIN(0.1, c.number, car.statuses.back().health.number);
    TEST_ASSERT_TRUE(car.becomes_ready());
    TEST_ASSERT_TRUE(car.amber.on());
  }
}

TEST(a_stuck_capture_thread_starves_the_watchdog_however_far_it_was_ahead) {
  Drive car{kNoDetector};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.filming = false;
  car.opening_hangs = true;
  // Without a signal capture wakes twice as often as processing, or more.
  for (int i = 0; i < 150; ++i) car.eye().camera->fail_next({Errc::no_signal, 0, "no signal"});
  car.eye().camera->fail_next({Errc::gone, 19, "unplugged"});
  car.eye().camera = nullptr;
  car.eye().awaited = false;
  TEST_ASSERT_TRUE(
      test::comes_to_be([&] { return car.pipeline().facts().condition == CameraCondition::gone; }));
  TEST_ASSERT_FALSE(car.timer.expired());
  TEST_ASSERT_TRUE(car.until([&] { return car.timer.expired(); }));
}

TEST(an_orderly_end_disarms_the_watchdog_and_leaves_only_the_status_lamp_on) {
  Drive car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.until([&] { return !car.amber.on() && car.statuses.back().speed_valid; }));
  car.send(can::encode(warning_test(25)));
  TEST_ASSERT_TRUE(car.until([&] { return car.lamp.on(); }));
  TEST_ASSERT_TRUE(car.tone.sounding().has_value());
  car.controller->finish(car.clock.now());
  TEST_ASSERT_FALSE(car.timer.armed);
  TEST_ASSERT_FALSE(car.lamp.on());
  TEST_ASSERT_FALSE(car.tone.sounding().has_value());
  TEST_ASSERT_TRUE(car.amber.on());
}

}  // namespace
