// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/track/road_speed.hpp"

#include <memory>

#include "tests/support/test.hpp"
#include "tests/unit/firmware/ego/scene.hpp"

using namespace kerb;

namespace {

/// The speed after half a second of a drive through an empty street.
std::optional<double> seen(const ego::test::Drive& drive, double assumed_height_m = 1.4,
                           int background = 1800) {
  ego::test::Street street;
  street.camera.height_m = 1.4;
  street.background = background;
  Camera assumed = street.camera;
  assumed.height_m = assumed_height_m;
  ego::EgoEstimator ego{assumed, {}};
  lab::RoadSpeed speed;
  const auto field = std::make_unique<MotionField>();
  const Nanos interval{std::llround(drive.dt * 1e9)};
  std::optional<double> last;
  for (std::uint64_t frame = 1; frame <= 15; ++frame) {
    ego::test::fill(street, drive, frame, *field);
    ego.update(*field, interval, {});
    last = speed.update(ego, interval);
  }
  return last;
}

TEST(the_road_tells_the_speed) {
  for (const double mps : {3.0, 8.0, 14.0}) {
    ego::test::Drive drive;
    drive.speed = mps;
    const std::optional<double> told = seen(drive);
    TEST_ASSERT_TRUE(told.has_value());
    TEST_ASSERT_DOUBLE_WITHIN(0.08 * mps, mps, *told);
  }
}

TEST(a_bend_changes_little) {
  ego::test::Drive drive;
  drive.speed = 8;
  drive.yaw_rate = 0.2;
  TEST_ASSERT_DOUBLE_WITHIN(0.8, 8, seen(drive).value_or(0));
}

TEST(who_stands_is_seen_to_stand) {
  ego::test::Drive drive;
  drive.speed = 0;
  TEST_ASSERT_DOUBLE_WITHIN(0.1, 0, seen(drive).value_or(99));
}

TEST(it_is_as_wrong_as_the_height) {
  ego::test::Drive drive;
  drive.speed = 8;
  TEST_ASSERT_DOUBLE_WITHIN(0.4, 4, seen(drive, 0.7).value_or(0));
}

TEST(without_a_road_there_is_no_speed) { TEST_ASSERT_FALSE(seen({}, 1.4, 0).has_value()); }

}  // namespace
