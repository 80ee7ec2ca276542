// SPDX-License-Identifier: Apache-2.0
// The camera and the rasteriser, against hand calculation and brute force.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "tests/support/test.hpp"
#include "tools/simulator/render/noise.hpp"
#include "tools/simulator/render/raster.hpp"
#if KERB_TEST_CALIB3D
#include <opencv2/calib3d.hpp>
#endif

using namespace kerb;
using namespace kerb::sim;

namespace {

CameraSpec small_camera() {
  CameraSpec c;
  c.width = 200;
  c.height = 120;
  return c;
}

/// What the rasteriser sees at each pixel's middle: the triangle's number in the geometry, or -1.
struct Drawn {
  std::vector<int> face;
  std::vector<double> depth;
};
Drawn draw(const CameraSpec& camera, const CameraPose& pose, Geometry& geometry) {
  geometry.bound();
  const Lens lens{camera};
  const Canvas canvas{camera, lens};
  static const Materials materials;
  Workers workers{1};
  Raster raster{canvas};
  const std::vector<Item> items{{&geometry, nullptr, 1}};
  raster.bin(workers, pose, items, materials);
  const auto samples = std::make_unique<TileSamples>();
  Drawn out{std::vector<int>(static_cast<std::size_t>(canvas.width * canvas.height), -1),
            std::vector<double>(static_cast<std::size_t>(canvas.width * canvas.height), 0)};
  for (int tile = 0; tile < raster.tiles(); ++tile) {
    raster.draw_middles(tile, *samples, materials, items);
    const int left = tile % raster.tiles_x() * kTile, top = tile / raster.tiles_x() * kTile;
    for (int y = 0; y < kTile && top + y < canvas.height; ++y)
      for (int x = 0; x < kTile && left + x < canvas.width; ++x) {
        const std::size_t i = at((y * kTile + x) / 4);
        if (samples->id[i][x % 4] == -1) continue;
        const ScreenTriangle& t =
            raster.triangle(static_cast<std::uint32_t>(samples->id[i][x % 4]));
        const std::size_t o = at((top + y) * canvas.width + left + x);
        for (std::size_t f = 0; f < geometry.faces.size(); ++f)
          if (geometry.faces[f].corner == t.corner) out.face[o] = static_cast<int>(f);
        out.depth[o] = 1.0 / hit_at(t, f32(left + x), f32(top + y)).w;
      }
  }
  return out;
}

void add_triangle(Geometry& g, V3 a, V3 b, V3 c) {
  const auto i = static_cast<std::uint32_t>(g.corners.size());
  for (const V3 p : {a, b, c}) g.corners.push_back({p, {0, 0, 1}, 0, 0, 1});
  g.faces.push_back({{i, i + 1, i + 2}, 0, 1});
}

TEST(a_point_lands_where_a_pencil_says) {
  CameraSpec camera;  // 1280 x 720, 60 degrees: f = 640 / tan 30 = 1108.5125
  const Lens lens{camera};
  TEST_ASSERT_DOUBLE_WITHIN(1e-4, 1108.5125, lens.focal);
  const CameraPose pose = pose_of(camera, {{100, 50}, 0});
  // The camera is 1.7 m behind (100, 50), 1.3 m high. 20 m ahead of it, 2 m left, on the ground:
  const Vec3 seen = pose.seen({118.3, 52, 0});
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -2, seen.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.3, seen.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 20, seen.z);
  const Vec2 pixel = lens.pixel({seen.x / seen.z, seen.y / seen.z});
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 639.5 - 110.8513, pixel.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 359.5 + 72.0533, pixel.y);
}

TEST(pitch_is_down_yaw_left_and_roll_clockwise) {
  CameraSpec camera;
  camera.behind_m = 0;
  camera.pitch_deg = 10;
  // Looking down, what is level ahead moves up in the picture: a smaller row.
  TEST_ASSERT_TRUE(pose_of(camera, {}).seen({10, 0, 1.3}).y < -1);
  camera.pitch_deg = 0;
  camera.yaw_deg = 10;
  TEST_ASSERT_TRUE(pose_of(camera, {}).seen({10, 0, 1.3}).x > 1);
  camera.yaw_deg = 0;
  camera.roll_deg = 10;
  // Turned clockwise, what is to the right moves up.
  TEST_ASSERT_TRUE(pose_of(camera, {}).seen({10, -5, 1.3}).y < -0.5);
}

TEST(the_lens_turns_back_what_it_bends) {
  CameraSpec camera;
  camera.k1 = -0.28;
  camera.k2 = 0.07;
  const Lens lens{camera};
  for (int y = 0; y < camera.height; y += 90)
    for (int x = 0; x < camera.width; x += 80) {
      bool ok = false;
      const Vec2 back = lens.pixel(lens.ray({double(x), double(y)}, ok));
      TEST_ASSERT_TRUE(ok);
      TEST_ASSERT_DOUBLE_WITHIN(1e-6, x, back.x);
      TEST_ASSERT_DOUBLE_WITHIN(1e-6, y, back.y);
    }
}

TEST(the_lens_bends_as_opencv_has_it) {
#if KERB_TEST_CALIB3D
  CameraSpec camera;
  camera.k1 = -0.31;
  camera.k2 = 0.09;
  const Lens lens{camera};
  std::vector<cv::Point3d> points;
  points.reserve(60);
  for (int i = 0; i < 60; ++i)
    points.emplace_back(-4 + 0.13 * i, -2 + 0.07 * ((i * 7) % 60), 7 + 0.2 * (i % 11));
  std::vector<cv::Point2d> pixels;
  const cv::Matx33d k{lens.focal, 0, lens.centre_x, 0, lens.focal, lens.centre_y, 0, 0, 1};
  cv::projectPoints(points, cv::Vec3d{}, cv::Vec3d{}, k,
                    std::vector<double>{camera.k1, camera.k2, 0, 0}, pixels);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 p = lens.pixel({points[i].x / points[i].z, points[i].y / points[i].z});
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, pixels[i].x, p.x);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, pixels[i].y, p.y);
  }
#else
  TEST_IGNORE_MESSAGE("without OpenCV's calib3d");
#endif
}

TEST(the_ground_is_as_far_as_geometry_says) {
  CameraSpec camera = small_camera();
  camera.pitch_deg = 6;
  const CameraPose pose = pose_of(camera, {{3, -2}, 0.4});
  Geometry ground;  // in two triangles that reach behind the camera: they are cut
  add_triangle(ground, {-400, -400, 0}, {400, -400, 0}, {400, 400, 0});
  add_triangle(ground, {-400, -400, 0}, {400, 400, 0}, {-400, 400, 0});
  const Drawn drawn = draw(camera, pose, ground);
  const Lens lens{camera};
  int seen = 0;
  for (int y = 0; y < camera.height; ++y)
    for (int x = 0; x < camera.width; ++x) {
      const double rx = (x - lens.centre_x) / lens.focal, ry = (y - lens.centre_y) / lens.focal;
      const double fall = -(rx * pose.axes[0].z + ry * pose.axes[1].z + pose.axes[2].z);
      const std::size_t i = at(y * camera.width + x);
      const double z = camera.height_m / fall;  // along the axis
      if (fall <= 0 || z > 250) continue;
      TEST_ASSERT_TRUE(drawn.face[i] >= 0);
      TEST_ASSERT_DOUBLE_WITHIN(2e-5 * z, z, drawn.depth[i]);
      ++seen;
    }
  TEST_ASSERT_TRUE(seen > 10000);
}

TEST(triangles_are_seen_as_rays_see_them) {
  const CameraSpec camera = small_camera();
  const CameraPose pose = pose_of(camera, {{0, 0}, 0});
  const Lens lens{camera};
  Dice dice{5};
  Geometry g;
  for (int i = 0; i < 60; ++i) {
    const V3 m{dice.between(2, 40), dice.between(-12, 12), dice.between(-3, 6)};
    const auto near = [&] {
      return m + V3{dice.between(-3, 3), dice.between(-3, 3), dice.between(-3, 3)};
    };
    const V3 a = near(), b = near(), c = near();
    add_triangle(g, a, b, c);
  }
  const Drawn drawn = draw(camera, pose, g);
  int wrong = 0, covered = 0;
  for (int y = 0; y < camera.height; ++y)
    for (int x = 0; x < camera.width; ++x) {
      const double rx = (x - lens.centre_x) / lens.focal, ry = (y - lens.centre_y) / lens.focal;
      double nearest = 1e30;
      int face = -1;
      bool close_call = false;  // a pixel's middle within 1/16 pixel of an edge
      for (std::size_t f = 0; f < g.faces.size(); ++f) {
        Vec3 p[3];
        for (std::size_t k = 0; k < 3; ++k) {
          const V3 c = g.corners[g.faces[f].corner[k]].p;
          p[k] = pose.seen({c.x, c.y, c.z});
        }
        const Vec3 ray{rx, ry, 1}, n = cross(p[1] - p[0], p[2] - p[0]);
        const double slope = dot(n, ray);
        if (std::abs(slope) < 1e-12) continue;
        const double z = dot(n, p[0]) / slope;
        if (z < 0.15) continue;
        const Vec3 q = z * ray;
        double least = 1e30, size = length(n);
        for (int k = 0; k < 3; ++k) {
          const Vec3 edge = p[(k + 1) % 3] - p[k];
          const double off = dot(cross(edge, q - p[k]), n) / (size * length(edge));  // metres
          least = std::min(least, off);
        }
        const double slack = z / lens.focal / std::max(std::abs(slope) / size, 0.02) / 16;
        if (std::abs(least) < slack) close_call = true;
        if (least >= 0 && z < nearest) {
          nearest = z;
          face = static_cast<int>(f);
        }
      }
      const std::size_t i = at(y * camera.width + x);
      if (face >= 0) ++covered;
      if (close_call) continue;
      if (drawn.face[i] != face && std::abs(drawn.depth[i] - nearest) > 1e-3 * nearest) ++wrong;
    }
  TEST_ASSERT_TRUE(covered > 5000);
  TEST_ASSERT_EQUAL_INT(0, wrong);
}

TEST(neighbours_leave_no_gap) {
  const CameraSpec camera = small_camera();
  const CameraPose pose = pose_of(camera, {{0, 0}, 0});
  Geometry g;  // a wall of 30 x 30 crooked patches that share their corners
  Dice dice{9};
  const int n = 30;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i)
      g.corners.push_back({{20 + dice.unit(), 15 - 30 * f32(i) / n + 0.3F * dice.unit(),
                            -9 + 20 * f32(j) / n + 0.3F * dice.unit()},
                           {-1, 0, 0},
                           0,
                           0,
                           1});
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::uint32_t>(j * (n + 1) + i),
                 up = static_cast<std::uint32_t>(n + 1);
      g.faces.push_back({{k, k + 1, k + up + 1}, 0, 1});
      g.faces.push_back({{k, k + up + 1, k + up}, 0, 1});
    }
  const Drawn drawn = draw(camera, pose, g);
  TEST_ASSERT_EQUAL_INT(0, std::count(drawn.face.begin(), drawn.face.end(), -1));
}

}  // namespace
