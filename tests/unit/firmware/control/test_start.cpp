// SPDX-License-Identifier: Apache-2.0
// The start: what driver and bus are told while devices are missing, and that it goes on by itself.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "firmware/control/reopening_devices.hpp"
#include "firmware/control/start_round.hpp"
#include "firmware/control/starter.hpp"
#include "hal/fake/can_bus.hpp"
#include "hal/fake/clock.hpp"
#include "hal/fake/log.hpp"
#include "hal/fake/output_line.hpp"
#include "hal/fake/thermal.hpp"
#include "hal/fake/tone.hpp"
#include "hal/fake/watchdog.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/control/listener.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// A car in which the product starts, in rounds of 10 ms.
struct Bench : test::Listener {
  explicit Bench(Starter::Attempt attempt, bool resumes = false) : starter{std::move(attempt)} {
    devices.resumes = resumes;
    devices.bus = &ours;
    devices.warning_lamp = &red;
    devices.status_lamp = &amber;
    devices.tone = &tone;
    round.emplace(config, devices, log, clock.now());
  }
  /// One round. An attempt that is under way is waited for, unless it is to hang.
  bool step(bool wait = true) {
    clock.advance(milliseconds{10});
    const bool started = starter.step(clock.now());
    while (wait && starter.busy()) std::this_thread::yield();
    if (!started) round->tick(clock.now(), starter.failure());
    hear(theirs);
    return started;
  }
  bool runs(Nanos duration, bool wait = true) {
    for (const Nanos end = clock.now() + duration; clock.now() < end;)
      if (step(wait)) return true;
    return false;
  }

  FakeClock clock;
  FakeLog log;
  Config config;
  FakeCanWire wire;
  FakeCanBus ours{wire, clock}, theirs{wire, clock};
  FakeOutputLine red, amber;
  FakeTone tone;
  ControlDevices devices;
  Starter starter;
  std::optional<StartRound> round;
};

StartFailure absent_camera() {
  return {.cause = Cause::camera_gone,
          .camera = 1,
          .error = {Errc::not_found, ENOENT, "open camera", "/dev/video1"}};
}

TEST(a_camera_that_is_not_there_is_failed_on_lamp_and_bus_and_is_tried_again) {
  std::vector<Nanos> tries;
  std::atomic<bool> plugged{false};
  Bench* car = nullptr;
  Bench bench{[&]() -> std::optional<StartFailure> {
    tries.push_back(car->clock.now());
    if (plugged) return std::nullopt;
    return absent_camera();
  }};
  car = &bench;
  TEST_ASSERT_FALSE(bench.step());
  TEST_ASSERT_TRUE(bench.amber.on());
  TEST_ASSERT_EQUAL_STRING("STARTING", name_of(bench.statuses.back().health.state));
  TEST_ASSERT_FALSE(bench.runs(seconds{20}));
  const can::StatusMessage told = bench.statuses.back();
  TEST_ASSERT_EQUAL_STRING("FAILED", name_of(told.health.state));
  TEST_ASSERT_EQUAL_STRING("camera_gone", name_of(told.health.cause));
  TEST_ASSERT_EQUAL_INT(1, told.health.camera);
  TEST_ASSERT_DOUBLE_WITHIN(1000, 20000, bench.round->health().number);
  TEST_ASSERT_EQUAL_STRING("not_active", name_of(bench.readiness()));
  for (const bool lit : bench.amber.history) TEST_ASSERT_TRUE(lit);
  TEST_ASSERT_FALSE(bench.red.on());
  TEST_ASSERT_TRUE(bench.log.has("/dev/video1"));
  // With growing waits, and the bus is spoken to all the time.
  TEST_ASSERT_INT_WITHIN(1, 7, tries.size());
  TEST_ASSERT_TRUE(tries[2] - tries[1] >= tries[1] - tries[0]);
  TEST_ASSERT_INT_WITHIN(3, 200, bench.statuses.size());
  for (std::size_t i = 1; i < bench.statuses.size(); ++i)
    TEST_ASSERT_EQUAL_UINT8((bench.statuses[i - 1].counter + 1) % 16, bench.statuses[i].counter);
  plugged = true;
  TEST_ASSERT_TRUE(bench.runs(seconds{6}));
  TEST_ASSERT_TRUE(bench.amber.on());  // the controller puts it off, when it is ready
}

std::optional<StartFailure> never() { return absent_camera(); }

TEST(the_red_lamp_is_lit_and_put_out_at_the_start_while_the_amber_one_stays_lit) {
  Bench bench{never};
  TEST_ASSERT_FALSE(bench.step());
  TEST_ASSERT_TRUE(bench.red.on());
  TEST_ASSERT_TRUE(bench.readies.back().self_test[TestPart::warning_lamp] == TestResult::not_run);
  bench.runs(milliseconds{470});
  TEST_ASSERT_TRUE(bench.red.on());
  bench.runs(milliseconds{40});
  TEST_ASSERT_FALSE(bench.red.on());
  bench.runs(seconds{1});
  TEST_ASSERT_TRUE(bench.readies.back().self_test[TestPart::warning_lamp] == TestResult::passed);
  TEST_ASSERT_TRUE(bench.readies.back().self_test[TestPart::status_lamp] == TestResult::passed);
  TEST_ASSERT_TRUE(bench.readies.back().self_test[TestPart::sound] == TestResult::passed);
  TEST_ASSERT_TRUE(bench.readies.back().self_test[TestPart::watchdog] == TestResult::not_run);
  for (const auto& played : bench.tone.history) TEST_ASSERT_FALSE(played.has_value());  // tone_ms 0
  for (const bool lit : bench.amber.history) TEST_ASSERT_TRUE(lit);
  for (const can::WarningMessage& warning : bench.warnings)
    TEST_ASSERT_TRUE(warning.level == WarningLevel::none);
}

TEST(a_lamp_that_stays_dark_fails_the_self_test) {
  Bench bench{never};
  bench.red.stuck_at = false;
  bench.runs(seconds{2});
  TEST_ASSERT_TRUE(bench.readies.back().self_test[TestPart::warning_lamp] == TestResult::failed);
  TEST_ASSERT_TRUE(bench.readies.back().self_test[TestPart::status_lamp] == TestResult::passed);
}

TEST(after_a_run_that_ended_without_order_no_red_lamp_is_lit) {
  Bench bench{never, true};
  bench.config.self_test.tone = milliseconds{100};
  bench.runs(seconds{2});
  for (const bool lit : bench.red.history) TEST_ASSERT_FALSE(lit);
  TEST_ASSERT_TRUE(bench.amber.on());
  TEST_ASSERT_TRUE(bench.readies.back().self_test[TestPart::warning_lamp] == TestResult::not_run);
}

TEST(no_memory_at_the_start_is_a_failure_that_is_told_and_no_watchdog_is_armed) {
  int left = 3;
  Bench bench{[&]() -> std::optional<StartFailure> {
    if (left-- > 0) throw std::bad_alloc{};
    return std::nullopt;
  }};
  FakeWatchdogTimer timer{bench.clock};
  ReopeningWatchdog dog{[&]() -> Result<std::unique_ptr<Watchdog>> {
                          return {std::make_unique<FakeWatchdog>(timer)};
                        },
                        "watchdog", seconds{10}, bench.clock, bench.log};
  bench.devices.watchdog = &dog;
  bench.round.emplace(bench.config, bench.devices, bench.log, bench.clock.now());
  TEST_ASSERT_FALSE(bench.runs(seconds{1}));
  TEST_ASSERT_EQUAL_STRING("FAILED", name_of(bench.round->health().state));
  TEST_ASSERT_EQUAL_STRING("vision_failed", name_of(bench.statuses.back().health.cause));
  TEST_ASSERT_EQUAL_INT(ENOMEM, bench.starter.failure()->error.native);
  TEST_ASSERT_TRUE(bench.amber.on());
  TEST_ASSERT_FALSE(timer.armed);
  TEST_ASSERT_TRUE(bench.runs(seconds{10}));
  TEST_ASSERT_FALSE(timer.armed);
  TEST_ASSERT_TRUE(dog.timeout() == seconds{10});
  TEST_ASSERT_OK(dog.kick());  // the controller's first, when everything exists
  TEST_ASSERT_TRUE(timer.armed);
  TEST_ASSERT_OK(dog.disarm());
  TEST_ASSERT_FALSE(timer.armed);
}

TEST(an_opening_that_hangs_is_failed_after_the_time_for_the_start) {
  std::atomic<bool> hangs{true};
  Bench bench{[&]() -> std::optional<StartFailure> {
    while (hangs) std::this_thread::yield();
    return std::nullopt;
  }};
  TEST_ASSERT_FALSE(bench.runs(bench.config.health.start - milliseconds{20}, false));
  TEST_ASSERT_EQUAL_STRING("STARTING", name_of(bench.statuses.back().health.state));
  TEST_ASSERT_EQUAL_STRING("starting", name_of(bench.readiness()));
  TEST_ASSERT_FALSE(bench.runs(milliseconds{200}, false));
  TEST_ASSERT_EQUAL_STRING("FAILED", name_of(bench.statuses.back().health.state));
  TEST_ASSERT_DOUBLE_WITHIN(0.1, static_cast<double>(Errc::timeout),
                            bench.statuses.back().health.number);
  TEST_ASSERT_TRUE(bench.log.has("takes too long"));
  TEST_ASSERT_TRUE(bench.amber.on());
  hangs = false;
  TEST_ASSERT_TRUE(bench.runs(milliseconds{50}));
}

TEST(a_bus_that_comes_later_is_down_until_then_and_speaks_from_then_on) {
  FakeClock clock;
  FakeLog log;
  FakeCanWire wire;
  FakeCanBus theirs{wire, clock};
  bool there = false;
  ReopeningBus bus{[&]() -> Result<std::unique_ptr<CanBus>> {
                     if (!there) return Error{Errc::not_found, ENODEV, "open CAN", "can0"};
                     return {std::make_unique<FakeCanBus>(wire, clock)};
                   },
                   "CAN", clock, log};
  const CanFrame frame = can::encode(can::StatusMessage{});
  TEST_ASSERT_ERROR(Errc::gone, bus.send(frame));
  TEST_ASSERT_ERROR(Errc::gone, bus.receive(Nanos::zero()));
  TEST_ASSERT_TRUE(bus.state() == CanState::down);
  TEST_ASSERT_EQUAL_UINT64(1, bus.counters().refused);
  TEST_ASSERT_TRUE(log.has("can0"));
  there = true;
  clock.advance(seconds{5});
  TEST_ASSERT_OK(bus.send(frame));
  TEST_ASSERT_TRUE(bus.state() == CanState::active);
  TEST_ASSERT_OK(theirs.receive(Nanos::zero()));
  TEST_ASSERT_EQUAL_UINT64(1, bus.counters().refused);
  TEST_ASSERT_EQUAL_UINT64(1, bus.counters().sent);
}

TEST(sensors_that_come_later_are_read_from_then_on) {
  FakeClock clock;
  FakeLog log;
  bool there = false;
  FakeThermal* inside = nullptr;
  ReopeningThermal thermal{[&]() -> Result<std::unique_ptr<Thermal>> {
                             if (!there) return Error{Errc::not_found, 0, "find thermal zones"};
                             auto made = std::make_unique<FakeThermal>(50);
                             inside = made.get();
                             return {std::move(made)};
                           },
                           "temperature", clock, log};
  for (int i = 0; i < 5; ++i) {
    TEST_ASSERT_ERROR(Errc::gone, thermal.hottest());
    clock.advance(seconds{1});
  }
  TEST_ASSERT_EQUAL_INT(1, std::ranges::count_if(log.lines(), [](const FakeLog::Line& line) {
                          return line.text.find("thermal zones") != std::string::npos;
                        }));
  there = true;
  clock.advance(seconds{5});
  const Result<ThermalReading> reading = thermal.hottest();
  TEST_ASSERT_OK(reading);
  TEST_ASSERT_EQUAL_DOUBLE(50, reading->celsius);
  inside->zones.clear();  // unplugged: opened anew
  TEST_ASSERT_ERROR(Errc::gone, thermal.hottest());
  clock.advance(seconds{5});
  TEST_ASSERT_OK(thermal.hottest());
}

TEST(a_watchdog_that_is_not_there_is_refused_and_tried_again) {
  FakeClock clock;
  FakeLog log;
  FakeWatchdogTimer timer{clock};
  bool there = false;
  ReopeningWatchdog dog{[&]() -> Result<std::unique_ptr<Watchdog>> {
                          if (!there) return Error{Errc::not_found, ENOENT, "open watchdog"};
                          return {std::make_unique<FakeWatchdog>(timer)};
                        },
                        "watchdog", seconds{4}, clock, log};
  const Status refused = dog.kick();
  TEST_ASSERT_ERROR(Errc::gone, refused);
  TEST_ASSERT_EQUAL_INT(ENOENT, refused.error().native);
  TEST_ASSERT_OK(dog.disarm());
  TEST_ASSERT_TRUE(dog.timeout() == seconds{4});
  there = true;
  clock.advance(seconds{1});
  TEST_ASSERT_OK(dog.kick());
  TEST_ASSERT_TRUE(timer.armed);
  TEST_ASSERT_TRUE(dog.timeout() == seconds{10});
}

}  // namespace
