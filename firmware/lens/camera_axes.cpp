// SPDX-License-Identifier: Apache-2.0
#include "firmware/lens/camera_axes.hpp"

#include "firmware/exact/exact_math.hpp"

namespace kerb {

Vec3 CameraAxes::seen(double x, double y, double up) const noexcept {
  const Vec3 d{x - place.x, y - place.y, up - place.z};
  return {right.x * d.x + right.y * d.y + right.z * d.z, down.x * d.x + down.y * d.y + down.z * d.z,
          forward.x * d.x + forward.y * d.y + forward.z * d.z};
}

CameraAxes axes_of(const Camera& camera, double pitch_more) noexcept {
  const double pitch = camera.pitch_rad + pitch_more;
  const double cp = exact::cos(pitch), sp = exact::sin(pitch);
  const double cy = exact::cos(camera.yaw_rad), sy = exact::sin(camera.yaw_rad);
  const double cr = exact::cos(camera.roll_rad), sr = exact::sin(camera.roll_rad);
  CameraAxes axes;
  axes.forward = {cp * cy, cp * sy, sp};
  axes.level_right = {sy, -cy, 0};
  axes.level_down = {sp * cy, sp * sy, -cp};
  const Vec3 &r = axes.level_right, &d = axes.level_down;
  axes.right = {cr * r.x + sr * d.x, cr * r.y + sr * d.y, cr * r.z + sr * d.z};
  axes.down = {cr * d.x - sr * r.x, cr * d.y - sr * r.y, cr * d.z - sr * r.z};
  axes.place = {camera.ahead_m, camera.left_m, camera.height_m};
  axes.focal_px = camera.focal_px;
  axes.center_x = camera.center_x;
  axes.center_y = camera.center_y;
  return axes;
}

}  // namespace kerb
