// SPDX-License-Identifier: Apache-2.0
#include "firmware/lens/camera_geometry.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "firmware/ego/configured.hpp"
#include "firmware/lens/camera_axes.hpp"
#include "tests/support/test.hpp"

#ifdef KERB_OPENCV_CALIB3D
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#endif

using namespace kerb;

namespace {

Camera plain() {
  Camera m;
  m.focal_px = 1000;
  m.center_x = 640;
  m.center_y = 360;
  m.height_m = 1.5;
  m.ahead_m = 2;
  return m;
}

Camera mounted_askew() {
  Camera m = plain();
  m.pitch_rad = -0.04;
  m.yaw_rad = 0.1;
  m.roll_rad = 0.03;
  m.left_m = 0.2;
  m.k1 = -0.28;
  m.k2 = 0.09;
  m.k3 = -0.012;
  m.p1 = 0.0008;
  m.p2 = -0.0011;
  return m;
}

void near(double expected, double actual, double within, const char* what) {
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(within, expected, actual, what);
}

/// The inverse of project(): the place on the road a pixel shows; nothing at or above the horizon.
std::optional<Ground> ground_of(const Camera& camera, Pixel pixel, double pitch_more = 0) {
  const CameraAxes axes = axes_of(camera, pitch_more);
  const Pixel plain = undistort(camera, pixel);
  const double x = (plain.x - camera.center_x) / camera.focal_px;
  const double y = (plain.y - camera.center_y) / camera.focal_px;
  const double fall = x * axes.right.z + y * axes.down.z + axes.forward.z;
  if (!(fall < -1e-9)) return std::nullopt;
  const double way = -camera.height_m / fall;
  return Ground{camera.ahead_m + way * (x * axes.right.x + y * axes.down.x + axes.forward.x),
                camera.left_m + way * (x * axes.right.y + y * axes.down.y + axes.forward.y)};
}

TEST(a_level_camera_shows_what_a_ruler_says) {
  const Camera m = plain();
  // 20 m ahead of the camera, 2 m to the left, on the road and 1.5 m above it.
  const auto foot = project(m, {22, 2}, 0), eye = project(m, {22, 2}, 1.5);
  TEST_ASSERT_TRUE(foot && eye);
  near(640 - 1000 * 2 / 20.0, foot->x, 1e-9, "foot column");
  near(360 + 1000 * 1.5 / 20.0, foot->y, 1e-9, "foot row");
  near(360, eye->y, 1e-9, "at the camera's height is the horizon");
  TEST_ASSERT_FALSE(project(m, {1, 0}, 0).has_value());     // behind the camera
  TEST_ASSERT_FALSE(ground_of(m, {640, 360}).has_value());  // at the horizon
  TEST_ASSERT_FALSE(ground_of(m, {100, 20}).has_value());
}

TEST(each_angle_turns_the_picture_its_way) {
  Camera m = plain();
  const Pixel level = *project(m, {102, 0}, 1.5);  // straight ahead, far
  m.pitch_rad = 0.02;
  near(360 + 1000 * std::tan(0.02), project(m, {102, 0}, 1.5)->y, 1e-9, "up: it sinks");
  near(project(m, {102, 0}, 1.5)->y, project(plain(), {102, 0}, 1.5, 0.02)->y, 1e-9,
       "a nod is pitch");
  m = plain();
  m.yaw_rad = 0.02;
  near(level.x + 1000 * std::tan(0.02), project(m, {102, 0}, 1.5)->x, 1e-9,
       "to the left: it moves to the right");
  m = plain();
  m.roll_rad = 0.02;  // right side down: what is at the right rises
  const Pixel right = *project(m, {12, -5}, 1.5);
  TEST_ASSERT_TRUE(right.x > 640 && right.y < 360);
  near(std::tan(0.02), (360 - right.y) / (right.x - 640), 1e-9, "by the angle");
}

TEST(places_on_the_road_go_there_and_back) {
  for (const Camera& m : {plain(), mounted_askew()}) {
    int seen = 0;
    for (double x = 5; x <= 80; x += 2.5)
      for (double y = -20; y <= 20; y += 1.25)
        for (const double nod : {-0.01, 0.0, 0.02}) {
          const auto pixel = project(m, {x, y}, 0, nod);
          if (!pixel || pixel->x < 0 || pixel->x > m.width || pixel->y < 0 || pixel->y > m.height)
            continue;
          const auto back = ground_of(m, *pixel, nod);
          TEST_ASSERT_TRUE(back.has_value());
          near(x, back->x, 1e-6 * x, "x");
          near(y, back->y, 1e-6 * x, "y");
          ++seen;
        }
    TEST_ASSERT_GREATER_THAN(1000, seen);
  }
}

TEST(every_pixel_has_one_origin_however_strong_the_lens) {
  std::vector<Camera> lenses(5, plain());
  lenses[1] = mounted_askew();
  lenses[2].k1 = -0.45;  // turns back at 0.86 focal lengths, within the picture's corners
  lenses[2].focal_px = 500;
  lenses[3].k1 = 0.4;
  lenses[3].k2 = 0.2;
  lenses[4].k1 = -0.6;
  lenses[4].k2 = 0.1;
  lenses[4].k3 = -0.2;
  lenses[4].p1 = 0.004;
  lenses[4].p2 = 0.003;
  for (std::size_t k = 0; k < lenses.size(); ++k)
    for (double y = -200; y <= 920; y += 40)
      for (double x = -300; x <= 1580; x += 40) {
        const Pixel plain_at = undistort(lenses[k], {x, y});
        TEST_ASSERT_TRUE(std::isfinite(plain_at.x) && std::isfinite(plain_at.y));
        const Pixel back = distort(lenses[k], plain_at);
        const double away = std::hypot(x - 640, y - 360) / 1000;
        const double within = k == 4 ? 0.5 : 1e-6;  // there tangential terms are past their range
        if (k == 4 && away > 0.6) continue;
        near(x, back.x, within, "x");
        near(y, back.y, within, "y");
      }
}

TEST(what_is_far_outside_is_never_shown_inside) {
  Camera m = plain();
  m.k1 = -0.45;
  double last = 0;
  for (double out = 0; out < 20000; out += 10) {
    const double shown = distort(m, {640 + out, 360}).x;
    TEST_ASSERT_TRUE(shown >= last);
    last = shown;
  }
}

TEST(the_model_agrees_with_the_one_of_ego_motion) {
  CameraSettings s;
  s.fov_deg = 71;
  s.height_m = 1.23;
  s.pitch_deg = -2;
  s.yaw_deg = 1.5;
  s.ahead_m = 1.9;
  for (const bool told : {false, true}) {
    if (told) {
      s.focal_px = 930;
      s.center_x = 652;
      s.center_y = 371;
    }
    const Camera m = camera_of(s, 1280, 720);
    const Camera e = ego::camera_of(s, 1280, 720);
    near(e.focal_px, m.focal_px, 1e-9, "focal");  // another tangent: the last bit
    near(e.center_x, m.center_x, 0, "center x");
    near(e.center_y, m.center_y, 0, "center y");
    near(e.height_m, m.height_m, 0, "height");
    near(e.pitch_rad, m.pitch_rad, 0, "pitch");
    near(e.yaw_rad, m.yaw_rad, 0, "yaw");
    near(e.ahead_m, m.ahead_m, 0, "ahead");
    const Pixel far = *project(m, {1e7, 0}, m.height_m);
    const ego::Vec2 aim = ego::aim(e);
    near(aim.x, far.x, 0.05, "aim x");  // theirs leaves out that a pitched camera turns a little
    near(aim.y, far.y, 1e-3, "aim y");
  }
}

#ifdef KERB_OPENCV_CALIB3D
TEST(opencv_projects_and_undistorts_alike) {
  const Camera m = mounted_askew();
  const cv::Matx33d k(m.focal_px, 0, m.center_x, 0, m.focal_px, m.center_y, 0, 0, 1);
  const std::vector<double> d{m.k1, m.k2, m.p1, m.p2, m.k3};
  // Our mounting as OpenCV's rotation: rows are the camera's axes in the car's frame.
  const double p = m.pitch_rad, y = m.yaw_rad, r = m.roll_rad;
  const cv::Matx33d level(0, -1, 0, 0, 0, -1, 1, 0, 0);  // car to camera, looking straight ahead
  const cv::Matx33d about_up(std::cos(y), std::sin(y), 0, -std::sin(y), std::cos(y), 0, 0, 0, 1);
  const cv::Matx33d nod(1, 0, 0, 0, std::cos(p), std::sin(p), 0, -std::sin(p), std::cos(p));
  const cv::Matx33d roll(std::cos(r), std::sin(r), 0, -std::sin(r), std::cos(r), 0, 0, 0, 1);
  const cv::Matx33d rotation = roll * nod * level * about_up;
  const cv::Vec3d place(m.ahead_m, m.left_m, m.height_m), t = -(rotation * place);
  cv::Vec3d turn;
  cv::Rodrigues(rotation, turn);
  std::vector<cv::Point3d> points;
  for (double x = 6; x < 60; x += 6)
    for (double side = -0.4; side <= 0.4; side += 0.2)
      for (const double up : {0.0, 1.0, 1.9}) points.emplace_back(x, side * x, up);
  std::vector<cv::Point2d> seen, back;
  cv::projectPoints(points, turn, t, k, d, seen);
  cv::undistortPoints(
      seen, back, k, d, cv::noArray(), k,
      cv::TermCriteria(cv::TermCriteria::COUNT | cv::TermCriteria::EPS, 200, 1e-12));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto ours = project(m, {points[i].x, points[i].y}, points[i].z);
    TEST_ASSERT_TRUE(ours.has_value());
    near(seen[i].x, ours->x, 1e-6, "projected x");
    near(seen[i].y, ours->y, 1e-6, "projected y");
    const Pixel undistorted = undistort(m, {seen[i].x, seen[i].y});
    near(back[i].x, undistorted.x, 1e-4, "undistorted x");
    near(back[i].y, undistorted.y, 1e-4, "undistorted y");
  }
}
#endif

}  // namespace
