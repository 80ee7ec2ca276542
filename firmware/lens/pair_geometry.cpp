// SPDX-License-Identifier: Apache-2.0
#include "firmware/lens/pair_geometry.hpp"

#include <cmath>

#include "firmware/lens/camera_geometry.hpp"

namespace kerb {
namespace {

CameraAxes second_axes(const CameraPair& pair) noexcept {
  Camera second;
  second.pitch_rad = radians(pair.pitch_deg);
  second.yaw_rad = radians(pair.yaw_deg);
  second.roll_rad = radians(pair.roll_deg);
  second.ahead_m = pair.ahead_m;
  second.left_m = pair.left_m;
  second.height_m = pair.up_m;
  return axes_of(second, 0);
}

}  // namespace

PairGeometry::PairGeometry(const CameraPair& pair) noexcept : axes_{second_axes(pair)} {}

Vec3 PairGeometry::in_second(const Vec3& in_first) const noexcept {
  return axes_.seen(in_first.z, -in_first.x, -in_first.y);
}

Vec3 PairGeometry::in_first(const Vec3& s) const noexcept {
  const CameraAxes& a = axes_;
  const double ahead = a.place.x + a.right.x * s.x + a.down.x * s.y + a.forward.x * s.z;
  const double left = a.place.y + a.right.y * s.x + a.down.y * s.y + a.forward.y * s.z;
  const double up = a.place.z + a.right.z * s.x + a.down.z * s.y + a.forward.z * s.z;
  return {-left, -up, ahead};
}

std::optional<Pixel> PairGeometry::shown_by_second(const Camera& first, const Camera& second,
                                                   Pixel pixel, double distance_m) const noexcept {
  const Pixel straight = undistort(first, pixel);
  const double x = (straight.x - first.center_x) / first.focal_px;
  const double y = (straight.y - first.center_y) / first.focal_px;
  const double length = std::sqrt(x * x + y * y + 1);
  // Its direction, less the second camera's position in units of the distance: 0 at infinity.
  const double nearness = 1 / distance_m;
  const Vec3 ahead{1 / length - nearness * axes_.place.x, -x / length - nearness * axes_.place.y,
                   -y / length - nearness * axes_.place.z};
  const Vec3& p = axes_.place;
  const Vec3 seen = axes_.seen(p.x + ahead.x, p.y + ahead.y, p.z + ahead.z);
  if (!(seen.z > 0) || seen.z < nearness * kNearestDepth) return std::nullopt;
  return distort(second, {second.center_x + second.focal_px * seen.x / seen.z,
                          second.center_y + second.focal_px * seen.y / seen.z});
}

}  // namespace kerb
