// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/controller.hpp"

#include <functional>
#include <thread>

#include "firmware/can/codec.hpp"
#include "hal/fake/can_bus.hpp"
#include "hal/fake/frame_source.hpp"
#include "hal/fake/log.hpp"
#include "hal/fake/output_line.hpp"
#include "hal/fake/thermal.hpp"
#include "hal/fake/tone.hpp"
#include "hal/fake/watchdog.hpp"
#include "tests/support/unity.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;

void setUp() {}
void tearDown() {}

namespace {

class PlainPreparer final : public ImagePreparer {
 public:
  Result<PreparedImage> prepare(const RawImageView<Space::host>& image) override {
    while (stuck) std::this_thread::sleep_for(milliseconds{5});
    PreparedImage out;
    out.grey = {image.data, image.width, image.height, image.row_stride};
    return out;
  }
  [[nodiscard]] const char* backend() const noexcept override { return "plain"; }
  std::atomic<bool> stuck{false};
};

/// The whole product on fakes, in real time: a camera at about 50 Hz and a car that talks.
struct Car {
  SystemClock clock;
  FakeLog log;
  Config config;
  FakeCanWire wire;
  FakeCanBus ours{wire, clock}, theirs{wire, clock};
  FakeOutputLine warning_lamp, status_lamp;
  FakeTone tone;
  FakeThermal thermal;
  FakeWatchdogTimer timer{clock, seconds{2}};
  FakeWatchdog watchdog{timer};
  FakeFrameSource* camera = nullptr;
  PlainPreparer* preparer = nullptr;
  std::atomic<bool> opening_hangs{false};
  std::unique_ptr<CameraPipeline> pipeline;
  std::unique_ptr<Controller> controller;
  bool filming = true, talking = true;
  double speed = 0;
  std::vector<can::StatusMessage> statuses;
  std::vector<can::WarningMessage> warnings;
  int bad_frames = 0;
  Nanos next_motion, next_frame;
  std::uint8_t counter = 0;
  int pictures = 0;

  Car() {
    config.health.recover = milliseconds{200};
    config.service_enabled = true;
    auto source = std::make_unique<FakeFrameSource>(clock);
    camera = source.get();
    auto preparing = std::make_unique<PlainPreparer>();
    preparer = preparing.get();
    const SourceOpener never = [this]() -> Result<std::unique_ptr<FrameSource>> {
      while (opening_hangs) std::this_thread::sleep_for(milliseconds{5});
      return Error{Errc::not_found, 0, "open"};
    };
    pipeline = std::make_unique<CameraPipeline>(
        std::make_unique<ReopeningSource>(std::move(source), FrameSourceInfo{}, never, clock, log),
        std::move(preparing), nullptr, StageBudgets{}, HandOver::newest, clock);
    ControlDevices devices;
    devices.bus = &ours;
    devices.warning_lamp = &warning_lamp;
    devices.status_lamp = &status_lamp;
    devices.tone = &tone;
    devices.thermal = &thermal;
    devices.watchdog = &watchdog;
    controller = std::make_unique<Controller>(
        config, devices, std::vector<ControlledCamera>{{"front", pipeline.get()}}, clock, log);
    next_motion = next_frame = clock.now();
    pipeline->start();
  }
  ~Car() { preparer->stuck = opening_hangs = false; }

  /// Neither dark nor blinding, and never the same twice running: a picture nobody complains about.
  FakeFrame daylight() {
    FakeFrame frame;
    frame.fill = static_cast<std::uint8_t>(100 + pictures++ % 50);
    return frame;
  }
  void step() {
    const Nanos now = clock.now();
    if (talking && now >= next_motion) {
      can::VehicleMotion motion;
      motion.speed_mps = speed;
      motion.yaw_rate_radps = 0.0;
      motion.counter = counter++ & 15;
      static_cast<void>(theirs.send(can::encode(motion)));
      next_motion = now + milliseconds{20};
    }
    if (filming && now >= next_frame) {
      if (camera->waiting() < 2) camera->push(daylight());
      next_frame = now + milliseconds{20};
    }
    controller->tick(now);
    while (const Result<CanFrame> frame = theirs.receive(Nanos::zero())) {
      if (const auto status = can::decode_status(*frame)) {
        statuses.push_back(*status);
      } else if (const auto warning = can::decode_warning(*frame)) {
        warnings.push_back(*warning);
      } else {
        ++bad_frames;
      }
    }
    clock.sleep_until(now + milliseconds{5});
  }
  bool until(const std::function<bool()>& so, Nanos limit = seconds{10}) {
    for (const Nanos end = clock.now() + limit; clock.now() < end;) {
      step();
      if (so()) return true;
    }
    return false;
  }
  void run(Nanos duration) {
    until([] { return false; }, duration);
  }
  bool reaches(HealthState state, Cause cause) {
    return until(
        [&] { return controller->health().state == state && controller->health().cause == cause; });
  }
  /// The bus, not only the controller, has said so.
  bool heard(HealthState state, Cause cause) {
    return until([&] {
      return !statuses.empty() && statuses.back().health.state == state &&
             statuses.back().health.cause == cause;
    });
  }
};

void test_it_becomes_active_and_says_so_with_the_lamp_going_off() {
  Car car;
  car.filming = false;  // however slow this machine is, nothing has been seen yet
  car.step();
  TEST_ASSERT_EQUAL_STRING("STARTING", name_of(car.controller->health().state));
  TEST_ASSERT_TRUE(car.status_lamp.on());
  car.filming = true;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_FALSE(car.status_lamp.on());
  TEST_ASSERT_TRUE(car.until([&] { return car.statuses.back().speed_valid; }));
  TEST_ASSERT_FALSE(car.statuses.back().detector_present);
}

void test_the_status_comes_ten_times_a_second_with_a_running_counter() {
  Car car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.statuses.clear();
  const Nanos from = car.clock.now();
  car.run(seconds{2});
  const double expected = static_cast<double>((car.clock.now() - from).count()) * 1e-8;
  TEST_ASSERT_DOUBLE_WITHIN(2, expected, static_cast<double>(car.statuses.size()));
  for (std::size_t i = 1; i < car.statuses.size(); ++i)
    TEST_ASSERT_EQUAL_UINT8((car.statuses[i - 1].counter + 1) % 16, car.statuses[i].counter);
  TEST_ASSERT_EQUAL_INT(0, car.bad_frames);
}

void test_a_lost_camera_shows_on_the_bus_and_the_lamp_and_it_recovers() {
  Car car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.filming = false;
  TEST_ASSERT_TRUE(car.heard(HealthState::degraded, Cause::camera_silent));
  TEST_ASSERT_TRUE(car.status_lamp.on());
  TEST_ASSERT_TRUE(car.statuses.back().health.number >= 250);
  TEST_ASSERT_TRUE(car.heard(HealthState::failed, Cause::camera_silent));
  car.filming = true;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_FALSE(car.status_lamp.on());
}

void test_a_lost_bus_and_a_silent_vehicle_are_faults_that_end() {
  Car car;
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

void test_heat_degrades_then_fails_and_leaves_with_hysteresis() {
  Car car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.thermal.set(97);
  TEST_ASSERT_TRUE(car.heard(HealthState::degraded, Cause::board_hot));
  TEST_ASSERT_DOUBLE_WITHIN(0.1, 97, car.statuses.back().health.number);
  car.thermal.set(101);
  TEST_ASSERT_TRUE(car.heard(HealthState::failed, Cause::board_hot));
  car.thermal.set(87);  // under the limit of 90, but not by the hysteresis of 5
  TEST_ASSERT_TRUE(car.heard(HealthState::degraded, Cause::board_hot));
  car.run(seconds{2});
  TEST_ASSERT_EQUAL_STRING("DEGRADED", name_of(car.controller->health().state));
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

void test_a_warning_test_lights_sounds_is_marked_and_ends() {
  Car car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.until([&] { return car.statuses.back().speed_valid; }));
  TEST_ASSERT_OK(car.theirs.send(can::encode(warning_test(0.5))));
  TEST_ASSERT_TRUE(car.until([&] { return car.warning_lamp.on(); }));
  TEST_ASSERT_TRUE(car.tone.sounding().has_value());
  TEST_ASSERT_TRUE(car.until([&] {
    return !car.warnings.empty() && car.warnings.back().level == WarningLevel::collision;
  }));
  TEST_ASSERT_TRUE(car.warnings.back().test);
  TEST_ASSERT_TRUE(car.until([&] { return !car.warning_lamp.on(); }));
  TEST_ASSERT_FALSE(car.tone.sounding().has_value());
  TEST_ASSERT_TRUE(car.until([&] { return car.warnings.back().level == WarningLevel::none; }));
}

void test_a_sound_that_leaves_unused_degrades_and_it_recovers() {
  Car car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.tone.unplugged = true;
  TEST_ASSERT_TRUE(car.heard(HealthState::degraded, Cause::output_refused));
  TEST_ASSERT_TRUE(car.status_lamp.on());
  car.tone.unplugged = false;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
}

void test_a_moving_car_is_not_tested() {
  Car car;
  car.speed = 10;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.until([&] { return car.statuses.back().speed_valid; }));
  TEST_ASSERT_OK(car.theirs.send(can::encode(warning_test(2))));
  TEST_ASSERT_TRUE(car.until([&] { return car.log.has("warning_test refused"); }));
  TEST_ASSERT_FALSE(car.warning_lamp.on());
}

void test_the_watchdog_is_fed_while_threads_live_and_starved_when_one_is_stuck() {
  Car car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.run(seconds{3});
  TEST_ASSERT_FALSE(car.timer.expired());
  TEST_ASSERT_GREATER_THAN_INT(3, car.watchdog.kicks);
  car.preparer->stuck = true;
  TEST_ASSERT_TRUE(car.until([&] { return car.timer.expired(); }, seconds{10}));
  TEST_ASSERT_TRUE(car.log.has("stuck"));
}

void test_a_stuck_capture_thread_starves_the_watchdog_however_far_it_was_ahead() {
  Car car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.filming = false;  // the camera is about to be destroyed
  // Without a signal capture wakes every 20 ms, processing every 100 ms.
  for (int i = 0; i < 150; ++i) car.camera->fail_next({Errc::no_signal, 0, "no signal"});
  car.camera->fail_next({Errc::gone, 19, "unplugged"});
  car.opening_hangs = true;
  TEST_ASSERT_TRUE(
      car.until([&] { return car.pipeline->facts().condition == CameraCondition::gone; }));
  TEST_ASSERT_FALSE(car.timer.expired());
  TEST_ASSERT_TRUE(car.until([&] { return car.timer.expired(); }, seconds{8}));
}

void test_an_orderly_end_disarms_the_watchdog_and_leaves_only_the_status_lamp_on() {
  Car car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.until([&] { return car.statuses.back().speed_valid; }));
  TEST_ASSERT_OK(car.theirs.send(can::encode(warning_test(5))));
  TEST_ASSERT_TRUE(car.until([&] { return car.warning_lamp.on() && !car.status_lamp.on(); }));
  TEST_ASSERT_TRUE(car.tone.sounding().has_value());
  car.controller->finish(car.clock.now());
  TEST_ASSERT_FALSE(car.timer.armed);
  TEST_ASSERT_FALSE(car.warning_lamp.on());
  TEST_ASSERT_FALSE(car.tone.sounding().has_value());
  TEST_ASSERT_TRUE(car.status_lamp.on());
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_it_becomes_active_and_says_so_with_the_lamp_going_off);
  RUN_TEST(test_the_status_comes_ten_times_a_second_with_a_running_counter);
  RUN_TEST(test_a_lost_camera_shows_on_the_bus_and_the_lamp_and_it_recovers);
  RUN_TEST(test_a_lost_bus_and_a_silent_vehicle_are_faults_that_end);
  RUN_TEST(test_heat_degrades_then_fails_and_leaves_with_hysteresis);
  RUN_TEST(test_a_warning_test_lights_sounds_is_marked_and_ends);
  RUN_TEST(test_a_sound_that_leaves_unused_degrades_and_it_recovers);
  RUN_TEST(test_a_moving_car_is_not_tested);
  RUN_TEST(test_the_watchdog_is_fed_while_threads_live_and_starved_when_one_is_stuck);
  RUN_TEST(test_a_stuck_capture_thread_starves_the_watchdog_however_far_it_was_ahead);
  RUN_TEST(test_an_orderly_end_disarms_the_watchdog_and_leaves_only_the_status_lamp_on);
  return UNITY_END();
}
