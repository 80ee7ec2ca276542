// SPDX-License-Identifier: Apache-2.0
#include "firmware/lens/pair_geometry.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "firmware/lens/camera_geometry.hpp"
#include "tests/support/test.hpp"

using namespace kerb;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

CameraPair turned_pair() {
  CameraPair out;
  out.ahead_m = 0.1;
  out.left_m = -0.3;
  out.up_m = 0.2;
  out.pitch_deg = -7;
  out.yaw_deg = 11;
  out.roll_deg = 5;
  return out;
}

Camera lens(int width, int height, double focal) {
  Camera out;
  out.width = width;
  out.height = height;
  out.focal_px = focal;
  out.center_x = width / 2.0 + 3;
  out.center_y = height / 2.0 - 4;
  out.k1 = -0.2;
  out.k2 = 0.05;
  out.p1 = 0.0006;
  out.p2 = -0.0004;
  return out;
}

TEST(each_number_means_what_it_says) {
  const Vec3 ahead{0, 0, 10};  // right, down, forward
  struct Case {
    const char* name;
    double CameraPair::*field;
    double value;
    Vec3 expected;
  };
  const double one = std::tan(0.01);  // of a hundredth of a radian
  const double degree = 0.01 * 180 / std::numbers::pi;
  for (const Case& c : {
           Case{"ahead", &CameraPair::ahead_m, 1, {0, 0, 9}},
           Case{"left", &CameraPair::left_m, 1, {1, 0, 10}},
           Case{"up", &CameraPair::up_m, 1, {0, 1, 10}},
           Case{"turned up, it sees what is ahead lower",
                &CameraPair::pitch_deg,
                degree,
                {0, 10 * one, 10}},
           Case{"turned left, farther right", &CameraPair::yaw_deg, degree, {10 * one, 0, 10}},
       }) {
    CameraPair pair;
    pair.*c.field = c.value;
    const Vec3 seen = PairGeometry{pair}.in_second(ahead);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.001, c.expected.x, seen.x, c.name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.001, c.expected.y, seen.y, c.name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.001, c.expected.z, seen.z, c.name);
  }
  // With its right side down, what is on the right is higher in its picture.
  CameraPair rolled;
  rolled.roll_deg = 90;
  const Vec3 right = PairGeometry{rolled}.in_second({1, 0, 10});
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, right.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -1, right.y);
}

/// The first camera level in the car and the second mounted in it: the product's own projection of
/// places on the road must agree.
TEST(it_agrees_with_two_mounted_cameras) {
  const CameraPair pair = turned_pair();
  Camera first = lens(1280, 720, 1100), second = lens(640, 512, 620);
  first.height_m = 1.4;
  first.ahead_m = 1.5;
  first.left_m = 0.2;
  second.height_m = first.height_m + pair.up_m;
  second.ahead_m = first.ahead_m + pair.ahead_m;
  second.left_m = first.left_m + pair.left_m;
  second.pitch_rad = radians(pair.pitch_deg);
  second.yaw_rad = radians(pair.yaw_deg);
  second.roll_rad = radians(pair.roll_deg);
  const PairGeometry geometry{pair};
  for (const Ground at : {Ground{12, 1}, Ground{20, -2}, Ground{9, 2.5}, Ground{60, 5}}) {
    const auto one = project(first, at, 1.0), two = project(second, at, 1.0);
    TEST_ASSERT_TRUE(one && two);
    const double distance =
        std::sqrt(std::pow(at.x - first.ahead_m, 2) + std::pow(at.y - first.left_m, 2) +
                  std::pow(1.0 - first.height_m, 2));
    const auto moved = geometry.shown_by_second(first, second, *one, distance);
    TEST_ASSERT_TRUE(moved.has_value());
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, two->x, moved->x);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, two->y, moved->y);
  }
}

TEST(places_come_back) {
  const PairGeometry geometry{turned_pair()};
  for (const Vec3 at : {Vec3{0, 0, 5}, Vec3{-2, 1, 9}, Vec3{3, -2, -4}}) {
    const Vec3 back = geometry.in_first(geometry.in_second(at));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, at.x, back.x);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, at.y, back.y);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, at.z, back.z);
  }
}

TEST(far_away_the_position_does_not_matter) {
  const Camera first = lens(1280, 720, 1100), second = lens(640, 512, 620);
  CameraPair pair = turned_pair(), same_place = pair;
  same_place.ahead_m = same_place.left_m = same_place.up_m = 0;
  const auto far = PairGeometry{pair}.shown_by_second(first, second, {600, 300}, kInfinity);
  const auto near = PairGeometry{same_place}.shown_by_second(first, second, {600, 300}, 2);
  TEST_ASSERT_TRUE(far && near);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, near->x, far->x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, near->y, far->y);
}

TEST(two_cameras_in_one_place_show_the_same) {
  const Camera camera = lens(640, 480, 560);
  const auto same = PairGeometry{CameraPair{}}.shown_by_second(camera, camera, {100, 400}, 7);
  TEST_ASSERT_TRUE(same.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, 100, same->x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, 400, same->y);
}

TEST(what_is_behind_the_second_camera_is_not_shown) {
  const Camera camera = lens(640, 480, 560);
  CameraPair pair;
  pair.ahead_m = 3;
  const PairGeometry geometry{pair};
  TEST_ASSERT_FALSE(geometry.shown_by_second(camera, camera, {320, 240}, 2).has_value());
  TEST_ASSERT_TRUE(geometry.shown_by_second(camera, camera, {320, 240}, 4).has_value());
}

}  // namespace
