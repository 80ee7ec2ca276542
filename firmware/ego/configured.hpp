// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "firmware/config/config.hpp"
#include "firmware/ego/ego_estimator.hpp"
#include "firmware/lens/camera_geometry.hpp"
#include "hal/camera_settings.hpp"

/// Turns the configuration of a camera and of ego-motion into what EgoEstimator takes. Used by
/// firmware/vision and kerblab.
namespace kerb::ego {

/// As kerb::camera_of(), with the standard library's tangent: the focal length then differs in the
/// last bit from the tracker's, and all measured results of ego-motion are with this one.
[[nodiscard]] inline Camera camera_of(const CameraSettings& settings, int width, int height) {
  return kerb::camera_of(settings, width, height, [](double angle) { return std::tan(angle); });
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
