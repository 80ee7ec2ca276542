// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/types/camera.hpp"

namespace kerb {

struct Vec3 {
  double x = 0, y = 0, z = 0;
};

/// A camera's axes and place in the car's frame, with its sines and cosines taken once: for whoever
/// projects many points through one camera. Pictures without distortion.
struct CameraAxes {
  Vec3 right, down, forward, place;
  Vec3 level_right, level_down;  ///< as without roll
  double focal_px = 1, center_x = 0, center_y = 0;

  /// A place in the camera's own axes: x to the right, y down, z forward.
  [[nodiscard]] Vec3 seen(double x, double y, double up) const noexcept;
  [[nodiscard]] Pixel pixel_of(const Vec3& seen) const noexcept {
    return {center_x + focal_px * seen.x / seen.z, center_y + focal_px * seen.y / seen.z};
  }
};

[[nodiscard]] CameraAxes axes_of(const Camera& camera, double pitch_more) noexcept;

inline constexpr double kNearestDepth = 0.1;  ///< nothing is seen nearer than this, metres

}  // namespace kerb
