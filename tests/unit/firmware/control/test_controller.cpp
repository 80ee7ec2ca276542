// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/controller.hpp"

#include <algorithm>
#include <functional>
#include <thread>

#include "hal/fake/can_bus.hpp"
#include "hal/fake/frame_source.hpp"
#include "hal/fake/log.hpp"
#include "hal/fake/output_line.hpp"
#include "hal/fake/thermal.hpp"
#include "hal/fake/tone.hpp"
#include "hal/fake/watchdog.hpp"
#include "tests/support/unity.hpp"
#include "tests/unit/firmware/control/listener.hpp"
#include "tests/unit/firmware/control/road.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Crowd;
using test::Walker;

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

/// One camera, as the test sees it.
struct Eye {
  FakeFrameSource* camera = nullptr;
  PlainPreparer* preparer = nullptr;
  Crowd* detector = nullptr;  // null: it has none
  std::unique_ptr<CameraPipeline> pipeline;
};

enum class Detectors { none, one, two, one_of_two, broken };

/// The whole product on fakes, in real time: a camera (or two) at about 50 Hz and a car that talks.
struct Car : test::Listener {
  SystemClock clock;
  FakeLog log;
  Config config;
  FakeCanWire wire;
  FakeCanBus ours{wire, clock}, theirs{wire, clock};
  FakeOutputLine warning_lamp, status_lamp;
  FakeTone tone;
  FakeThermal thermal;
  FakeWatchdogTimer timer{clock, seconds{4}};  // the machine may stand still for a while
  FakeWatchdog watchdog{timer};
  std::atomic<bool> opening_hangs{false};
  std::vector<Eye> eyes;
  std::unique_ptr<Controller> controller;
  bool filming = true, talking = true;
  double speed = 0;
  int slots = 0;  // tenths of a second in which there was a tick
  Nanos last_slot{-1};
  Nanos start, next_motion, next_frame;
  std::uint8_t counter = 0;
  int pictures = 0;

  void add_camera(bool with_detector) {
    Eye eye;
    auto source = std::make_unique<FakeFrameSource>(clock);
    eye.camera = source.get();
    auto preparing = std::make_unique<PlainPreparer>();
    eye.preparer = preparing.get();
    std::unique_ptr<Crowd> detecting;
    if (with_detector) detecting = std::make_unique<Crowd>();
    eye.detector = detecting.get();
    std::unique_ptr<PeopleWatch> watch;
    if (with_detector) watch = test::road_watch(config.car);
    const SourceOpener never = [this]() -> Result<std::unique_ptr<FrameSource>> {
      while (opening_hangs) std::this_thread::sleep_for(milliseconds{5});
      return Error{Errc::not_found, 0, "open"};
    };
    eye.pipeline = std::make_unique<CameraPipeline>(
        std::make_unique<ReopeningSource>(std::move(source), FrameSourceInfo{}, never, clock, log),
        std::move(preparing), std::move(detecting), StageBudgets{}, HandOver::newest, clock,
        nullptr, std::move(watch));
    eyes.push_back(std::move(eye));
  }

  explicit Car(Detectors detectors = Detectors::none) {
    config.health.recover = milliseconds{200};
    config.service_enabled = true;
    add_camera(detectors != Detectors::none && detectors != Detectors::broken);
    if (detectors == Detectors::two || detectors == Detectors::one_of_two)
      add_camera(detectors == Detectors::two);
    std::vector<ControlledCamera> cameras;
    for (const Eye& eye : eyes) {
      cameras.push_back({"front", eye.pipeline.get()});
      if (detectors == Detectors::broken)
        cameras.back().detector_error = Error{Errc::damaged, 0, "load model", "x.kwm"};
    }
    ControlDevices devices;
    devices.bus = &ours;
    devices.warning_lamp = &warning_lamp;
    devices.status_lamp = &status_lamp;
    devices.tone = &tone;
    devices.thermal = &thermal;
    devices.watchdog = &watchdog;
    start = clock.now();
    controller = std::make_unique<Controller>(config, devices, std::move(cameras), clock, log);
    next_motion = next_frame = clock.now();
    for (const Eye& eye : eyes) eye.pipeline->start();
  }
  ~Car() {
    opening_hangs = false;
    for (const Eye& eye : eyes) eye.preparer->stuck = false;
  }

  /// Neither dark nor blinding, and never the same twice running, but so nearly that nobody looks
  /// like somebody else: a picture nobody complains about.
  FakeFrame daylight() {
    FakeFrame frame;
    frame.fill = static_cast<std::uint8_t>(120 + pictures++ % 3);
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
      for (const Eye& eye : eyes)
        if (eye.camera->waiting() < 2) eye.camera->push(daylight());
      next_frame = now + milliseconds{20};
    }
    if (const Nanos slot = (now - start) / milliseconds{100} * Nanos{1}; slot != last_slot) {
      last_slot = slot;
      ++slots;
    }
    controller->tick(now);
    hear(theirs);
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
  /// Asks for a test and, should it be refused because the machine stood still and the speed is
  /// stale, again, until the lamp is lit.
  bool light_up(const can::ServiceMessage& request) {
    Nanos next_try = clock.now();
    return until([&] {
      if (warning_lamp.on()) return true;
      if (clock.now() < next_try || statuses.empty() || !statuses.back().speed_valid) return false;
      next_try = clock.now() + milliseconds{500};
      static_cast<void>(theirs.send(can::encode(request)));
      return false;
    });
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
  TEST_ASSERT_TRUE(car.until([&] { return !car.status_lamp.on(); }));
  TEST_ASSERT_TRUE(car.until([&] { return car.statuses.back().speed_valid; }));
  TEST_ASSERT_FALSE(car.statuses.back().detector_present);
  TEST_ASSERT_EQUAL_INT(0, car.lists.size());  // nobody looks
}

void test_the_status_comes_ten_times_a_second_with_a_running_counter() {
  Car car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.statuses.clear();
  car.slots = 0;
  const std::uint64_t changes = car.controller->totals().state_changes;
  car.run(seconds{2});
  // One for each tenth of a second there was a tick in, however long the machine stood still
  // between two; and at once when the state changed because it did.
  const auto more = static_cast<double>(car.controller->totals().state_changes - changes);
  TEST_ASSERT_DOUBLE_WITHIN(2 + more, car.slots, static_cast<double>(car.statuses.size()));
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

void test_a_warning_test_lights_sounds_is_marked_and_ends() {
  Car car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.light_up(warning_test(0.5)));
  TEST_ASSERT_TRUE(car.tone.sounding().has_value());
  const auto is_collision = [](const can::WarningMessage& warning) {
    return warning.level == WarningLevel::collision;
  };
  TEST_ASSERT_TRUE(car.until([&] { return std::ranges::any_of(car.warnings, is_collision); }));
  for (const can::WarningMessage& warning : car.warnings)
    TEST_ASSERT_EQUAL(is_collision(warning), warning.test);
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

void test_people_are_told_ten_times_a_second_and_nobody_is_an_empty_list() {
  Car car{Detectors::one};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.statuses.back().detector_present);
  TEST_ASSERT_TRUE(car.until([&] { return !car.lists.empty(); }));
  TEST_ASSERT_EQUAL_INT(0, car.lists.back().people.size());
  const Walker far{.x_m = 25, .y_m = -3, .height_m = 1.6}, near{.x_m = 14, .y_m = 2};
  TEST_ASSERT_EQUAL_INT(2, car.eyes[0].detector->show({far, near}));
  TEST_ASSERT_TRUE(car.until([&] { return car.lists.back().people.size() == 2; }));
  car.lists.clear();
  car.slots = 0;
  const std::uint64_t changes = car.controller->totals().state_changes;
  const std::uint64_t sent = car.controller->totals().lists_sent;
  car.run(seconds{2});
  // Fewer where the machine stood still and the camera with it.
  const std::uint64_t stops = car.controller->totals().state_changes - changes;
  TEST_ASSERT_LESS_OR_EQUAL_INT(car.slots + 2, car.lists.size());
  if (stops == 0) TEST_ASSERT_GREATER_OR_EQUAL_INT(car.slots - 2, car.lists.size());
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
  if (stops == 0) {  // who is followed keeps their number and grows older
    for (const test::HeardList& list : car.lists)
      for (const can::ObjectMessage& person : people) TEST_ASSERT_TRUE(list.has(person.id));
    TEST_ASSERT_TRUE(*people[0].age_s >= 1.7);
    TEST_ASSERT_TRUE(*people[0].age_s > *car.lists.front().people[0].age_s);
  }
  TEST_ASSERT_TRUE(people[0].id != people[1].id);
  TEST_ASSERT_EQUAL_INT(0, car.bad_frames + car.stray_frames);
  car.eyes[0].detector->show({});
  TEST_ASSERT_TRUE(car.until([&] { return car.lists.back().people.empty(); }));
}

void test_a_list_has_the_nearest_of_all_cameras_and_no_more_than_fit() {
  Car car{Detectors::two};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.statuses.back().detector_present);
  car.eyes[0].detector->show({{.x_m = 12, .y_m = 2}, {.x_m = 20, .y_m = 2}, {.x_m = 28, .y_m = 2}});
  car.eyes[1].detector->show({{.x_m = 16, .y_m = -2}, {.x_m = 24, .y_m = -2}});
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
  std::vector<Walker> rows;  // ten each: five abreast, twice, nobody behind another
  for (int i = 0; i < 10; ++i) {
    const double x = 12.0 + 8 * (i % 2);
    rows.push_back({.x_m = x, .y_m = x * 0.08 * (i - 4.5)});
  }
  TEST_ASSERT_EQUAL_INT(10, car.eyes[0].detector->show(rows));
  TEST_ASSERT_EQUAL_INT(10, car.eyes[1].detector->show(rows));
  // Once those who were there before are given up: all ten of the first rows, five of the second.
  const double between = 16 - car.config.car.axle_to_bumper_m;
  const auto is_full = [&] {
    return are(can::kMaxObjects) &&
           *car.lists.back().people[9].x_m<between&& * car.lists.back().people[10].x_m> between;
  };
  TEST_ASSERT_TRUE(car.until(is_full));
  TEST_ASSERT_EQUAL_INT(0, car.bad_frames + car.stray_frames);
}

void test_whether_it_is_ready_is_told_twice_a_second() {
  Car without;
  TEST_ASSERT_TRUE(without.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(without.until([&] { return without.readiness() == Readiness::no_detector; }));

  Car car{Detectors::one};
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

void test_there_is_no_list_unless_every_camera_is_looked_through() {
  Car without{Detectors::one_of_two};
  TEST_ASSERT_TRUE(without.heard(HealthState::active, Cause::none));
  without.run(milliseconds{400});
  TEST_ASSERT_FALSE(without.statuses.back().detector_present);
  TEST_ASSERT_EQUAL_INT(0, without.lists.size());

  Car car{Detectors::one};
  TEST_ASSERT_TRUE(car.until([&] { return !car.lists.empty(); }));
  car.filming = false;  // what was seen last is soon not true any more, and nobody looks
  TEST_ASSERT_TRUE(car.heard(HealthState::failed, Cause::camera_silent));
  car.lists.clear();
  car.run(milliseconds{400});
  TEST_ASSERT_EQUAL_INT(0, car.lists.size());
  car.filming = true;
  TEST_ASSERT_TRUE(car.until([&] { return !car.lists.empty(); }));
}

void test_a_failing_detector_is_failed_vision_and_it_recovers() {
  Car car{Detectors::one};
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.eyes[0].detector->broken = true;
  TEST_ASSERT_TRUE(car.heard(HealthState::failed, Cause::vision_failed));
  TEST_ASSERT_DOUBLE_WITHIN(0.1, static_cast<double>(Errc::device),
                            car.statuses.back().health.number);
  TEST_ASSERT_TRUE(car.status_lamp.on());
  car.run(milliseconds{300});
  car.lists.clear();
  car.run(milliseconds{300});
  TEST_ASSERT_EQUAL_INT(0, car.lists.size());
  car.eyes[0].detector->broken = false;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.until([&] { return !car.lists.empty(); }));
}

void test_a_detector_that_could_not_be_made_is_failed_vision() {
  Car car{Detectors::broken};
  TEST_ASSERT_TRUE(car.heard(HealthState::failed, Cause::vision_failed));
  TEST_ASSERT_DOUBLE_WITHIN(0.1, static_cast<double>(Errc::damaged),
                            car.statuses.back().health.number);
  TEST_ASSERT_TRUE(car.status_lamp.on());
  car.statuses.clear();
  car.run(milliseconds{500});
  for (const can::StatusMessage& status : car.statuses) {
    TEST_ASSERT_EQUAL_STRING("FAILED", name_of(status.health.state));
    TEST_ASSERT_FALSE(status.detector_present);
  }
  TEST_ASSERT_EQUAL_INT(0, car.lists.size());
}

void test_the_watchdog_is_fed_while_threads_live_and_starved_when_one_is_stuck() {
  Car car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.until([&] { return car.watchdog.kicks > 3; }));
  TEST_ASSERT_FALSE(car.timer.expired());
  car.eyes[0].preparer->stuck = true;
  TEST_ASSERT_TRUE(car.until([&] { return car.timer.expired(); }, seconds{20}));
  TEST_ASSERT_TRUE(car.log.has("stuck"));
}

void test_a_stuck_capture_thread_starves_the_watchdog_however_far_it_was_ahead() {
  Car car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  car.filming = false;  // the camera is about to be destroyed
  // Without a signal capture wakes every 20 ms, processing every 100 ms.
  for (int i = 0; i < 150; ++i) car.eyes[0].camera->fail_next({Errc::no_signal, 0, "no signal"});
  car.eyes[0].camera->fail_next({Errc::gone, 19, "unplugged"});
  car.opening_hangs = true;
  TEST_ASSERT_TRUE(
      car.until([&] { return car.eyes[0].pipeline->facts().condition == CameraCondition::gone; }));
  TEST_ASSERT_FALSE(car.timer.expired());
  TEST_ASSERT_TRUE(car.until([&] { return car.timer.expired(); }, seconds{20}));
}

void test_an_orderly_end_disarms_the_watchdog_and_leaves_only_the_status_lamp_on() {
  Car car;
  TEST_ASSERT_TRUE(car.heard(HealthState::active, Cause::none));
  TEST_ASSERT_TRUE(car.light_up(warning_test(25)));
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
  RUN_TEST(test_people_are_told_ten_times_a_second_and_nobody_is_an_empty_list);
  RUN_TEST(test_a_list_has_the_nearest_of_all_cameras_and_no_more_than_fit);
  RUN_TEST(test_whether_it_is_ready_is_told_twice_a_second);
  RUN_TEST(test_there_is_no_list_unless_every_camera_is_looked_through);
  RUN_TEST(test_a_failing_detector_is_failed_vision_and_it_recovers);
  RUN_TEST(test_a_detector_that_could_not_be_made_is_failed_vision);
  RUN_TEST(test_the_watchdog_is_fed_while_threads_live_and_starved_when_one_is_stuck);
  RUN_TEST(test_a_stuck_capture_thread_starves_the_watchdog_however_far_it_was_ahead);
  RUN_TEST(test_an_orderly_end_disarms_the_watchdog_and_leaves_only_the_status_lamp_on);
  return UNITY_END();
}
