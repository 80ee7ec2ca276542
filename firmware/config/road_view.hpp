// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/camera_settings.hpp"

namespace kerb::config {

/// How much of a flat road a camera can see, from what is said of its lens and its mounting.
struct RoadView {
  double fov_deg = 0;     ///< from the left edge to the right, without distortion
  bool folds = false;     ///< two pixels show the same direction: no lens does that
  double lowest_deg = 0;  ///< of all directions in the picture, against the horizon
  double highest_deg = 0;
  double farthest_road_m = 0;  ///< from the camera; without end where the horizon is in view
};

/// For pictures of the size the settings say.
[[nodiscard]] RoadView road_view(const CameraSettings& camera) noexcept;

}  // namespace kerb::config
