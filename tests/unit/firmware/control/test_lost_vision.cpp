// SPDX-License-Identifier: Apache-2.0
// A GPU that fails until the process ends: when is the process given up?
#include <chrono>

#include "firmware/control/lost_vision.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/control/drive.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Drive;

namespace {

constexpr Nanos kLimit = seconds{3};

/// Frames at 30 Hz, until `lost` or the end of `duration`; the time until then.
Nanos drive(LostVision& vision, Nanos& now, Nanos duration, bool works) {
  const Nanos from = now, end = now + duration;
  for (; now < end && !vision.lost(); now += Drive::kFrame) vision.step(now, works, !works);
  return now - from;
}

TEST(a_gpu_that_worked_and_fails_without_a_break_is_lost_after_the_limit) {
  LostVision vision{kLimit};
  Nanos now = seconds{1};
  drive(vision, now, LostVision::kWorked + seconds{1}, true);
  const Nanos taken = drive(vision, now, seconds{60}, false);
  TEST_ASSERT_TRUE(vision.lost());
  TEST_ASSERT_TRUE(taken >= kLimit && taken <= kLimit + milliseconds{100});
  vision.step(now, true, false);  // it was no error that stays
  TEST_ASSERT_FALSE(vision.lost());
}

TEST(a_gpu_that_never_worked_for_long_is_not_given_up) {
  LostVision vision{kLimit};
  Nanos now = seconds{1};
  drive(vision, now, seconds{60}, false);
  TEST_ASSERT_FALSE(vision.lost());
  drive(vision, now, LostVision::kWorked - seconds{1}, true);
  drive(vision, now, seconds{60}, false);
  TEST_ASSERT_FALSE(vision.lost());
}

TEST(failures_with_a_frame_between_them_are_no_lost_gpu) {
  LostVision vision{kLimit};
  Nanos now = seconds{1};
  drive(vision, now, LostVision::kWorked + seconds{1}, true);
  for (int i = 0; i < 20; ++i) {
    drive(vision, now, kLimit - milliseconds{200}, false);
    TEST_ASSERT_FALSE(vision.lost());
    vision.step(now += Drive::kFrame, true, false);
  }
}

TEST(without_frames_nothing_is_known) {
  LostVision vision{kLimit};
  Nanos now = seconds{1};
  drive(vision, now, LostVision::kWorked + seconds{1}, true);
  vision.step(now, false, true);
  for (const Nanos end = now + seconds{60}; now < end; now += Controller::kTick)
    vision.step(now, false, false);
  TEST_ASSERT_FALSE(vision.lost());
}

TEST(zero_is_never) {
  LostVision vision{Nanos::zero()};
  Nanos now = seconds{1};
  drive(vision, now, LostVision::kWorked + seconds{1}, true);
  drive(vision, now, seconds{600}, false);
  TEST_ASSERT_FALSE(vision.lost());
}

TEST(a_detector_whose_gpu_has_gone_ends_the_process_with_the_amber_lamp_lit) {
  Drive car;
  TEST_ASSERT_TRUE(car.becomes_ready());
  car.run(LostVision::kWorked);
  car.eye().crowd->broken = true;  // with a device error
  const Nanos from = car.clock.now();
  TEST_ASSERT_TRUE(car.until([&] { return car.controller->vision_lost(); }));
  const Nanos taken = car.clock.now() - from;
  TEST_ASSERT_TRUE(taken >= kLimit && taken <= kLimit + milliseconds{100});
  TEST_ASSERT_TRUE(car.amber.on());
  const int kicks = car.watchdog.kicks;
  TEST_ASSERT_TRUE(car.until([&] { return car.watchdog.kicks > kicks; }));
  car.controller->give_up(car.clock.now());
  TEST_ASSERT_TRUE(car.amber.on());
  TEST_ASSERT_FALSE(car.lamp.on());
  TEST_ASSERT_FALSE(car.timer.expired());
  car.clock.advance(car.timer.timeout * test::StepClock::kRate * 2);
  TEST_ASSERT_TRUE(car.timer.expired());  // nobody else has started it again
}

TEST(a_detector_that_never_worked_stays_failed_and_ends_nothing) {
  Drive car;
  car.eye().crowd->broken = true;
  TEST_ASSERT_TRUE(car.heard(HealthState::failed, Cause::vision_failed));
  TEST_ASSERT_FALSE(car.until([&] { return car.controller->vision_lost(); }, seconds{30}));
  TEST_ASSERT_TRUE(car.heard(HealthState::failed, Cause::vision_failed));
  car.eye().crowd->broken = false;
  TEST_ASSERT_TRUE(car.becomes_ready());
}

TEST(one_camera_that_fails_ends_nothing_while_the_other_sees) {
  Drive car{{.cameras = 2}};
  TEST_ASSERT_TRUE(car.becomes_ready());
  car.run(LostVision::kWorked);
  car.eye(1).crowd->broken = true;
  TEST_ASSERT_FALSE(car.until([&] { return car.controller->vision_lost(); }, seconds{10}));
  car.eye(0).crowd->broken = true;
  TEST_ASSERT_TRUE(car.until([&] { return car.controller->vision_lost(); }));
}

TEST(a_collision_warning_is_given_to_its_end_first) {
  Drive car{{.health = {.vision_restart = milliseconds{500}, .recover = milliseconds{200}}}};
  car.speed = 10;
  TEST_ASSERT_TRUE(car.becomes_ready());
  car.run(LostVision::kWorked);
  car.people = {{.x_m = 45}};
  TEST_ASSERT_TRUE(car.until([&] { return car.level() == WarningLevel::collision; }));
  car.eye().crowd->broken = true;
  const Nanos from = car.clock.now();
  bool lost_during_warning = false;
  TEST_ASSERT_TRUE(car.until([&] {
    const bool lost = car.controller->vision_lost();
    lost_during_warning = lost_during_warning || (lost && car.lamp.on());
    return lost;
  }));
  TEST_ASSERT_FALSE(lost_during_warning);
  TEST_ASSERT_TRUE(car.clock.now() - from > seconds{1});
}

}  // namespace
