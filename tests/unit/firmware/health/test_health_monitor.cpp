// SPDX-License-Identifier: Apache-2.0
#include "firmware/health/health_monitor.hpp"

#include <set>
#include <string>

#include "tests/support/test.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr Nanos kDeadline = seconds{5};
constexpr Nanos kRecover = milliseconds{500};

HealthMonitor running() {
  HealthMonitor m{kDeadline, kRecover};
  m.frames_flow();
  return m;
}
void expect(const HealthMonitor& m, Nanos now, HealthState state, Cause cause) {
  const HealthReport r = m.evaluate(now);
  TEST_ASSERT_EQUAL_STRING(name_of(state), name_of(r.state));
  TEST_ASSERT_EQUAL_STRING(name_of(cause), name_of(r.cause));
}

TEST(it_is_starting_until_frames_flow) {
  HealthMonitor m{kDeadline, kRecover};
  expect(m, seconds{1}, HealthState::starting, Cause::none);
  m.frames_flow();
  expect(m, seconds{1}, HealthState::active, Cause::none);
}

TEST(a_degraded_part_does_not_end_the_start_but_a_failed_one_does) {
  HealthMonitor m{kDeadline, kRecover};
  m.report(Cause::signals_missing, PartState::degraded, 700, seconds{1});
  expect(m, seconds{1}, HealthState::starting, Cause::signals_missing);
  m.report(Cause::board_hot, PartState::failed, 105, seconds{1});
  expect(m, seconds{1}, HealthState::failed, Cause::board_hot);
}

TEST(the_start_ends_at_its_deadline) {
  HealthMonitor m{kDeadline, kRecover};
  m.report(Cause::camera_silent, PartState::degraded, 5000, seconds{4});
  expect(m, kDeadline - Nanos{1}, HealthState::starting, Cause::camera_silent);
  expect(m, kDeadline, HealthState::degraded, Cause::camera_silent);
}

TEST(a_part_gets_worse_at_once_and_carries_its_latest_number) {
  HealthMonitor m = running();
  m.report(Cause::camera_silent, PartState::degraded, 251, seconds{10});
  expect(m, seconds{10}, HealthState::degraded, Cause::camera_silent);
  m.report(Cause::camera_silent, PartState::failed, 2001, seconds{12});
  expect(m, seconds{12}, HealthState::failed, Cause::camera_silent);
  TEST_ASSERT_EQUAL_DOUBLE(2001, m.evaluate(seconds{12}).number);
  TEST_ASSERT_EQUAL_INT(0, m.evaluate(seconds{12}).camera);
}

TEST(it_recovers_only_when_good_has_lasted) {
  HealthMonitor m = running();
  m.report(Cause::board_hot, PartState::degraded, 97, seconds{10});
  m.report(Cause::board_hot, PartState::fine, 89, seconds{11});
  expect(m, seconds{11}, HealthState::degraded, Cause::board_hot);
  m.report(Cause::board_hot, PartState::fine, 89, seconds{11} + kRecover - Nanos{1});
  expect(m, seconds{12}, HealthState::degraded, Cause::board_hot);
  m.report(Cause::board_hot, PartState::fine, 89, seconds{11} + kRecover);
  expect(m, seconds{12}, HealthState::active, Cause::none);
}

TEST(a_relapse_starts_the_wait_again) {
  HealthMonitor m = running();
  m.report(Cause::bus_lost, PartState::degraded, 600, seconds{10});
  m.report(Cause::bus_lost, PartState::fine, 0, seconds{11});
  m.report(Cause::bus_lost, PartState::degraded, 100, seconds{11} + milliseconds{400});
  m.report(Cause::bus_lost, PartState::fine, 0, seconds{11} + milliseconds{500});
  m.report(Cause::bus_lost, PartState::fine, 0, seconds{11} + milliseconds{999});
  expect(m, seconds{12}, HealthState::degraded, Cause::bus_lost);
  m.report(Cause::bus_lost, PartState::fine, 0, seconds{12});
  expect(m, seconds{12}, HealthState::active, Cause::none);
}

TEST(what_is_there_now_has_no_hysteresis) {
  HealthMonitor m = running();
  m.report(Cause::camera_silent, PartState::degraded, 300, seconds{10}, 1);
  TEST_ASSERT_TRUE(m.present(Cause::camera_silent, 1) == PartState::degraded);
  TEST_ASSERT_TRUE(m.present(Cause::camera_silent, 0) == PartState::fine);
  m.report(Cause::camera_silent, PartState::fine, 0, seconds{11}, 1);
  TEST_ASSERT_TRUE(m.present(Cause::camera_silent, 1) == PartState::fine);
  TEST_ASSERT_TRUE(m.severity(Cause::camera_silent, 1) == PartState::degraded);
}

TEST(from_failed_it_gets_better_to_the_worst_it_saw_meanwhile) {
  HealthMonitor m = running();
  m.report(Cause::board_hot, PartState::failed, 106, seconds{10});
  m.report(Cause::board_hot, PartState::fine, 80, seconds{11});
  m.report(Cause::board_hot, PartState::degraded, 98, seconds{11} + milliseconds{100});
  m.report(Cause::board_hot, PartState::fine, 80, seconds{11} + kRecover);
  expect(m, seconds{12}, HealthState::degraded, Cause::board_hot);
  m.report(Cause::board_hot, PartState::fine, 80, seconds{12});
  m.report(Cause::board_hot, PartState::fine, 80, seconds{12} + kRecover);
  expect(m, seconds{13}, HealthState::active, Cause::none);
}

TEST(the_gravest_cause_is_named_then_the_oldest) {
  HealthMonitor m = running();
  m.report(Cause::bus_lost, PartState::degraded, 1, seconds{10});
  m.report(Cause::camera_silent, PartState::degraded, 2, seconds{11});
  expect(m, seconds{11}, HealthState::degraded, Cause::bus_lost);
  m.report(Cause::camera_silent, PartState::failed, 3, seconds{12});
  expect(m, seconds{12}, HealthState::failed, Cause::camera_silent);
}

TEST(cameras_are_told_apart) {
  HealthMonitor m = running();
  m.report(Cause::camera_silent, PartState::fine, 0, seconds{10}, 0);
  m.report(Cause::camera_silent, PartState::degraded, 400, seconds{10}, 2);
  TEST_ASSERT_EQUAL_INT(2, m.evaluate(seconds{10}).camera);
  m.report(Cause::camera_silent, PartState::fine, 0, seconds{20}, 0);
  TEST_ASSERT_EQUAL_INT(2, m.evaluate(seconds{20}).camera);
  m.report(Cause::bus_lost, PartState::failed, 400, seconds{20});
  TEST_ASSERT_EQUAL_INT(-1, m.evaluate(seconds{20}).camera);
}

TEST(every_cause_has_a_name_of_its_own) {
  std::set<std::string> names;
  for (int c = 0; c < kCauseCount; ++c) names.insert(name_of(static_cast<Cause>(c)));
  TEST_ASSERT_EQUAL_size_t(kCauseCount, names.size());
  TEST_ASSERT_EQUAL_STRING("unknown", name_of(static_cast<Cause>(kCauseCount)));
  TEST_ASSERT_EQUAL_STRING("", unit_of(static_cast<Cause>(255)));
}

TEST(a_failed_camera_of_several_degrades_and_all_of_them_fail) {
  HealthMonitor m{kDeadline, kRecover, 2};
  m.frames_flow();
  m.report(Cause::vision_failed, PartState::failed, 9, seconds{10}, 1);
  expect(m, seconds{10}, HealthState::degraded, Cause::vision_failed);
  TEST_ASSERT_EQUAL_INT(1, m.evaluate(seconds{10}).camera);
  TEST_ASSERT_TRUE(m.failed(1));
  TEST_ASSERT_FALSE(m.failed(0));
  // It is still the most severe one.
  m.report(Cause::camera_blinded, PartState::degraded, 250, seconds{9}, 0);
  expect(m, seconds{10}, HealthState::degraded, Cause::vision_failed);
  m.report(Cause::camera_gone, PartState::failed, 2000, seconds{11}, 0);
  expect(m, seconds{11}, HealthState::failed, Cause::vision_failed);
}

TEST(what_there_is_once_fails_all_cameras) {
  HealthMonitor m{kDeadline, kRecover, 2};
  m.frames_flow();
  m.report(Cause::board_hot, PartState::failed, 105, seconds{10});
  expect(m, seconds{10}, HealthState::failed, Cause::board_hot);
  m.report(Cause::camera_gone, PartState::failed, 2000, seconds{11}, 1);
  expect(m, seconds{11}, HealthState::failed, Cause::board_hot);
}

}  // namespace
