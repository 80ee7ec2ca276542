// SPDX-License-Identifier: Apache-2.0
// The self-test at the start, part by part, and what becomes of one that has failed.
#include "firmware/control/self_test.hpp"

#include <optional>
#include <vector>

#include "hal/fake/clock.hpp"
#include "hal/fake/log.hpp"
#include "hal/fake/output_line.hpp"
#include "hal/fake/tone.hpp"
#include "hal/fake/watchdog.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

struct Bench {
  explicit Bench(Nanos tone_time = {}) {
    config.self_test.tone = tone_time;
    devices.warning_lamp = &red;
    devices.status_lamp = &amber;
    devices.tone = &tone;
    devices.watchdog = &dog;
    outputs.emplace(&red, &amber, &tone, config.tone.collision);
    test.emplace(config, devices);
    monitor.frames_flow();
  }
  /// One round: the red lamp and the sound as given.
  void round(bool lit, bool sounds = false) {
    now += milliseconds{10};
    outputs->show(lit ? WarningLevel::collision : WarningLevel::none, sounds, StatusLight::on, now);
    test->see(*outputs);
    test->judge(now, now, monitor, reporter);
  }
  void rounds(Nanos time, bool lit = false) {
    for (const Nanos end = now + time; now < end;) round(lit);
  }
  [[nodiscard]] TestResult of(TestPart part) const { return test->report()[part]; }
  [[nodiscard]] PartState fault() const { return monitor.present(Cause::self_test_failed); }
  [[nodiscard]] int part() const {
    return static_cast<int>(monitor.number(Cause::self_test_failed));
  }

  FakeClock clock;
  FakeLog log;
  Config config;
  std::vector<ControlledCamera> cameras;
  ControlTotals totals;
  ChangeReporter reporter{config, cameras, nullptr, log, totals};
  HealthMonitor monitor{Nanos::zero(), Nanos::zero()};
  FakeOutputLine red, amber;
  FakeTone tone;
  FakeWatchdogTimer timer{clock};
  FakeWatchdog dog{timer};
  ControlDevices devices;
  std::optional<AlertOutputs> outputs;
  std::optional<SelfTest> test;
  Nanos now{};
};

TEST(lamps_and_sound_pass_when_they_were_driven_and_had_their_level) {
  Bench b;
  b.rounds(milliseconds{100}, true);
  TEST_ASSERT_TRUE(b.of(TestPart::warning_lamp) == TestResult::not_run);
  b.round(false);  // its level must last
  TEST_ASSERT_TRUE(b.of(TestPart::warning_lamp) == TestResult::not_run);
  b.rounds(milliseconds{100});
  TEST_ASSERT_TRUE(b.of(TestPart::warning_lamp) == TestResult::passed);
  TEST_ASSERT_TRUE(b.of(TestPart::status_lamp) == TestResult::passed);
  TEST_ASSERT_TRUE(b.of(TestPart::sound) == TestResult::passed);
  TEST_ASSERT_TRUE(b.fault() == PartState::fine);
}

TEST(a_sound_that_is_to_be_heard_must_play) {
  Bench b{milliseconds{100}};
  b.round(true);
  TEST_ASSERT_TRUE(b.of(TestPart::sound) == TestResult::not_run);
  b.round(true, true);
  b.round(false);
  TEST_ASSERT_TRUE(b.of(TestPart::sound) == TestResult::passed);
}

TEST(a_part_that_fails_is_a_cause_with_its_number_until_it_passes) {
  Bench b;
  b.red.stuck_at = false;
  b.round(true);
  TEST_ASSERT_TRUE(b.fault() == PartState::degraded);
  TEST_ASSERT_EQUAL_INT(2, b.part());
  b.rounds(seconds{2});  // dark is the level that it has, and that does not put it right
  TEST_ASSERT_TRUE(b.fault() == PartState::degraded);
  TEST_ASSERT_TRUE(b.log.has("the self-test has failed: warning_lamp"));
  b.red.stuck_at.reset();
  b.rounds(milliseconds{100}, true);
  b.rounds(milliseconds{100});
  TEST_ASSERT_TRUE(b.fault() == PartState::fine);
  TEST_ASSERT_TRUE(b.of(TestPart::warning_lamp) == TestResult::passed);
  b.red.stuck_at = false;  // the test is over: the lamp's own cause tells from now on
  b.round(true);
  TEST_ASSERT_TRUE(b.of(TestPart::warning_lamp) == TestResult::passed);
}

TEST(a_lamp_that_comes_later_is_no_fault_any_more) {
  Bench b;
  b.red.unplugged = true;
  b.round(false);
  TEST_ASSERT_TRUE(b.fault() == PartState::degraded);
  b.red.unplugged = false;
  b.rounds(milliseconds{100});
  TEST_ASSERT_TRUE(b.fault() == PartState::fine);
  TEST_ASSERT_TRUE(b.of(TestPart::warning_lamp) == TestResult::not_run);  // it was never lit
}

TEST(the_watchdog_passes_when_it_was_fed) {
  Bench b;
  b.test->see_watchdog(std::nullopt, 0);
  TEST_ASSERT_TRUE(b.of(TestPart::watchdog) == TestResult::not_run);
  b.test->see_watchdog(Error{Errc::io, 5, "feed"}, 0);
  b.round(false);
  TEST_ASSERT_EQUAL_INT(5, b.part());
  b.test->see_watchdog(std::nullopt, 1);
  b.round(false);
  TEST_ASSERT_TRUE(b.fault() == PartState::fine);
  TEST_ASSERT_TRUE(b.of(TestPart::watchdog) == TestResult::passed);
}

/// Behind a guard, a lamp's set() succeeds, and what became of it is known a moment later.
TEST(a_level_that_is_lost_a_moment_later_fails) {
  Bench b;
  b.round(true);
  b.red.stuck_at = false;
  b.rounds(milliseconds{100}, true);
  TEST_ASSERT_TRUE(b.of(TestPart::warning_lamp) == TestResult::failed);
  TEST_ASSERT_TRUE(b.outputs->refusal().has_value());
}

TEST(a_detector_that_misses_the_known_person_is_failed) {
  Bench b;
  b.cameras.push_back({.name = "front", .detector_test = TestResult::passed});
  b.test->see_detectors(b.cameras);
  TEST_ASSERT_TRUE(b.of(TestPart::detector) == TestResult::passed);
  Bench worse;
  worse.cameras.push_back({.name = "front", .detector_test = TestResult::passed});
  worse.cameras.push_back({.name = "left", .detector_test = TestResult::failed});
  worse.test->see_detectors(worse.cameras);
  worse.red.unplugged = true;  // the detector comes first
  worse.round(false);
  TEST_ASSERT_TRUE(worse.of(TestPart::detector) == TestResult::failed);
  TEST_ASSERT_TRUE(worse.fault() == PartState::degraded);  // the other one protects
  TEST_ASSERT_EQUAL_INT(1, worse.part());
  worse.cameras.front().detector_test = TestResult::failed;
  worse.test->see_detectors(worse.cameras);
  worse.round(false);
  TEST_ASSERT_TRUE(worse.fault() == PartState::failed);
}

TEST(with_self_test_off_nothing_is_told) {
  Bench b;
  b.config.self_test.enabled = false;
  SelfTest off{b.config, b.devices};
  b.red.unplugged = true;
  b.round(true);
  off.see(*b.outputs);
  TEST_ASSERT_TRUE(off.report() == SelfTestReport{});
}

}  // namespace
