// SPDX-License-Identifier: Apache-2.0
#include "firmware/lens/upright_view.hpp"

#include <cmath>
#include <cstdio>

#include "firmware/lens/camera_geometry.hpp"
#include "tests/support/test.hpp"

using namespace kerb;

namespace {

constexpr double kDegree = 3.14159265358979323846 / 180;

Camera truck() {
  Camera camera;
  camera.focal_px = 640 / std::tan(60 * kDegree);
  camera.height_m = 2.2;
  camera.pitch_rad = -30 * kDegree;
  camera.ahead_m = 3;
  return camera;
}

/// Straight from the definition: direction and elevation of a place, seen from the camera.
Pixel defined(const UprightView& view, const Camera& camera, double x, double y, double up) {
  const double dx = x - camera.ahead_m, dy = y - camera.left_m;
  const double ahead = dx * std::cos(camera.yaw_rad) + dy * std::sin(camera.yaw_rad);
  const double right = dx * std::sin(camera.yaw_rad) - dy * std::cos(camera.yaw_rad);
  return {view.middle_column() + view.scale_px() * std::atan2(right, ahead),
          view.horizon_row() - view.scale_px() * (up - camera.height_m) / std::hypot(dx, dy)};
}

/// Through the camera's own picture, as firmware/lens/camera_geometry.hpp projects, and on into the
/// view; and the way back.
void check_places(const Camera& camera) {
  const UprightView view{camera};
  TEST_ASSERT_TRUE(view.shows_people());
  int seen = 0;
  for (double far : {1.0, 1.6, 3.0, 8.0, 20.0})
    for (double side : {-0.9, -0.3, 0.0, 0.4, 0.8})
      for (double up : {0.0, 0.9, 1.8}) {
        const double angle = camera.yaw_rad + side;
        const double x = camera.ahead_m + far * std::cos(angle);
        const double y = camera.left_m + far * std::sin(angle);
        const std::optional<Pixel> picture = project(camera, {x, y}, up);
        if (!picture || picture->x < 0 || picture->y < 0 || picture->x > camera.width - 1 ||
            picture->y > camera.height - 1)
          continue;
        ++seen;
        const Pixel expected = defined(view, camera, x, y, up);
        const std::optional<Pixel> there = view.in_view(*picture);
        TEST_ASSERT_TRUE(there.has_value());
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, expected.x, there->x);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, expected.y, there->y);
        const std::optional<Pixel> back = view.in_picture(*there);
        TEST_ASSERT_TRUE(back.has_value());
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, picture->x, back->x);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, picture->y, back->y);
      }
  TEST_ASSERT_GREATER_THAN(20, seen);
}

TEST(what_the_camera_shows_is_where_the_definition_puts_it) {
  check_places(truck());
  Camera other = truck();
  other.yaw_rad = 0.4;
  other.left_m = -0.7;
  check_places(other);
  other.roll_rad = 0.2;
  check_places(other);
  other.k1 = -0.05;
  other.k2 = 0.01;
  other.p1 = 0.002;
  check_places(other);
  Camera level;
  level.height_m = 1.3;
  check_places(level);
}

/// Whoever stands is upright, and as high as they are near, wherever they stand.
TEST(people_stand_upright_and_keep_their_proportions) {
  const Camera camera = truck();
  const UprightView view{camera};
  for (double far : {1.0, 2.0, 5.0})
    for (double side : {-0.9, 0.0, 0.7}) {
      const double x = camera.ahead_m + far * std::cos(side), y = far * std::sin(side);
      Pixel at[3];
      for (int i = 0; i < 3; ++i) {
        const std::optional<Pixel> seen = project(camera, {x, y}, 0.8 * i);
        TEST_ASSERT_TRUE(seen.has_value());
        at[i] = *view.in_view(*seen);
      }
      TEST_ASSERT_DOUBLE_WITHIN(1e-6, at[0].x, at[2].x);
      TEST_ASSERT_DOUBLE_WITHIN(1e-6, at[0].y - at[1].y, at[1].y - at[2].y);
      TEST_ASSERT_DOUBLE_WITHIN(1e-6, view.scale_px() * 1.6 / far, at[0].y - at[2].y);
    }
}

/// Found in the view, told in the picture: where the tracker expects somebody who stands there.
TEST(a_box_of_the_view_is_the_box_the_tracker_expects) {
  const Camera camera = truck();
  const UprightView view{camera};
  const double x = camera.ahead_m + 1.2, y = 0.9, height = 1.75;
  const Pixel foot = *view.in_view(*project(camera, {x, y}, 0));
  const Pixel head = *view.in_view(*project(camera, {x, y}, height));
  const double tall = foot.y - head.y, wide = 0.4 * tall;
  const Detection in_view{static_cast<float>(foot.x - wide / 2 + 0.5),
                          static_cast<float>(head.y + 0.5), static_cast<float>(wide),
                          static_cast<float>(tall), 7};
  const std::optional<Detection> told = view.in_picture(in_view);
  TEST_ASSERT_TRUE(told.has_value());
  const Pixel low = *project(camera, {x, y}, 0), high = *project(camera, {x, y}, height);
  TEST_ASSERT_FLOAT_WITHIN(0.02F, static_cast<float>(high.y + 0.5), told->y);
  TEST_ASSERT_FLOAT_WITHIN(0.02F, static_cast<float>(low.y + 0.5), told->y + told->h);
  TEST_ASSERT_FLOAT_WITHIN(0.02F, static_cast<float>((low.x + high.x) / 2 + 0.5),
                           told->x + told->w / 2);
  TEST_ASSERT_FLOAT_WITHIN(0.001F, 0.4F, told->w / told->h);
  TEST_ASSERT_EQUAL_FLOAT(7, told->score);
}

TEST(it_holds_what_the_picture_shows_of_people_and_no_more) {
  const Camera camera = truck();
  const UprightView view{camera};
  char line[96];
  std::snprintf(line, sizeof line, "the truck's view: %dx%d, %.0f pixels a unit", view.width(),
                view.height(), view.scale_px());
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE(view.width() * view.height() <= 1.25 * camera.width * camera.height);
  // The feet of whoever stands nearest, straight ahead, and a tall head far away.
  const Pixel near = defined(view, camera, camera.ahead_m + 0.85, 0, 0);
  const Pixel far = defined(view, camera, camera.ahead_m + 30, 0, 2.1);
  TEST_ASSERT_TRUE(near.y <= view.height() - 1 && near.y > view.height() * 0.9);
  TEST_ASSERT_TRUE(far.y >= 0 && far.y < view.height() * 0.1);
  Camera up = camera;  // nothing but the sky
  up.pitch_rad = 80 * kDegree;
  TEST_ASSERT_FALSE(UprightView{up}.shows_people());
  Camera down = camera;  // straight down: all around
  down.pitch_rad = -90 * kDegree;
  const UprightView below{down};
  TEST_ASSERT_TRUE(below.width() <= 2 * UprightView::kWidest * below.scale_px());
}

}  // namespace
