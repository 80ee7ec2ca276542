// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <numbers>

#include "firmware/config/config.hpp"
#include "firmware/ego/ego_estimator.hpp"
#include "hal/camera_settings.hpp"

/// Turns the configuration of a camera and of ego-motion into what EgoEstimator takes. Used by
/// firmware/vision and kerblab.
namespace kerb::ego {

[[nodiscard]] inline double radians(double degrees) noexcept {
  return degrees * std::numbers::pi / 180;
}

/// The lens and the mounting, for the size of the camera's pictures.
[[nodiscard]] inline Camera camera_of(const CameraSettings& settings, int width, int height) {
  Camera camera;
  camera.focal_px =
      settings.focal_px.value_or(width / 2.0 / std::tan(radians(settings.fov_deg) / 2));
  camera.center_x = settings.center_x.value_or((width - 1) / 2.0);
  camera.center_y = settings.center_y.value_or((height - 1) / 2.0);
  camera.height_m = settings.height_m;
  camera.pitch_rad = radians(settings.pitch_deg);
  camera.yaw_rad = radians(settings.yaw_deg);
  camera.ahead_m = settings.ahead_m;
  camera.roll_rad = radians(settings.roll_deg);
  camera.k1 = settings.k1;
  camera.k2 = settings.k2;
  camera.k3 = settings.k3;
  camera.p1 = settings.p1;
  camera.p2 = settings.p2;
  return camera;
}

[[nodiscard]] inline EgoSettings settings_of(const EgoMotionSettings& settings) {
  EgoSettings ego;
  ego.noise_px = settings.noise_px;
  ego.aim_tolerance_rad = radians(settings.aim_tolerance_deg);
  ego.nearest_m = settings.nearest_m;
  ego.slope_rad = radians(settings.slope_deg);
  ego.significance = settings.significance;
  ego.walking_mps = settings.walking_mps;
  return ego;
}

}  // namespace kerb::ego
