// SPDX-License-Identifier: Apache-2.0
#include "firmware/lens/camera_geometry.hpp"

#include "firmware/lens/camera_axes.hpp"

namespace kerb {

Camera camera_of(const CameraSettings& settings, int width, int height, double (*tangent)(double)) {
  Camera m;
  m.width = width;
  m.height = height;
  m.focal_px = settings.focal_px.value_or(width / 2.0 / tangent(radians(settings.fov_deg) / 2));
  m.center_x = settings.center_x.value_or((width - 1) / 2.0);
  m.center_y = settings.center_y.value_or((height - 1) / 2.0);
  m.k1 = settings.k1;
  m.k2 = settings.k2;
  m.k3 = settings.k3;
  m.p1 = settings.p1;
  m.p2 = settings.p2;
  m.height_m = settings.height_m;
  m.pitch_rad = radians(settings.pitch_deg);
  m.yaw_rad = radians(settings.yaw_deg);
  m.roll_rad = radians(settings.roll_deg);
  m.ahead_m = settings.ahead_m;
  m.left_m = settings.left_m;
  m.pitch_sigma_rad = radians(settings.pitch_sigma_deg);
  return m;
}

Pixel distort(const Camera& camera, Pixel pixel) noexcept {
  const Lens lens = lens_of(camera);
  if (lens.straight()) return pixel;  // most are: no map to make then
  return LensMap{lens}.distort(pixel);
}

Pixel undistort(const Camera& camera, Pixel pixel) noexcept {
  const Lens lens = lens_of(camera);
  if (lens.straight()) return pixel;  // most are: no map to make then
  return LensMap{lens}.undistort(pixel);
}

std::optional<Pixel> project(const Camera& camera, Ground at, double up,
                             double pitch_more) noexcept {
  const CameraAxes axes = axes_of(camera, pitch_more);
  const Vec3 seen = axes.seen(at.x, at.y, up);
  if (!(seen.z > kNearestDepth)) return std::nullopt;
  return distort(camera, axes.pixel_of(seen));
}

}  // namespace kerb
