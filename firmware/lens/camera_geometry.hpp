// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <numbers>
#include <optional>

#include "firmware/exact/exact_math.hpp"
#include "firmware/lens/lens.hpp"
#include "firmware/types/camera.hpp"
#include "hal/camera_settings.hpp"

/// Between pictures and the road, through a camera. Exact (see firmware/exact).
namespace kerb {

[[nodiscard]] constexpr double radians(double degrees) noexcept {
  return degrees * std::numbers::pi / 180;
}

/// From the configuration, for pictures of the size the camera delivers. `tangent` turns the angle
/// of view into the focal length; the exact one unless a caller needs the standard library's, which
/// differs in the last bit.
[[nodiscard]] Camera camera_of(const CameraSettings& settings, int width, int height,
                               double (*tangent)(double) = exact::tan);

[[nodiscard]] constexpr Lens lens_of(const Camera& c) noexcept {
  return {c.focal_px, c.center_x, c.center_y, c.k1, c.k2, c.k3, c.p1, c.p2};
}

/// Where the picture shows a place `up` metres above a place on the road; nothing for what lies
/// behind the camera. `pitch_more` is added to the mounting's pitch, as a car nods.
[[nodiscard]] std::optional<Pixel> project(const Camera& camera, Ground at, double up,
                                           double pitch_more = 0) noexcept;
/// The picture without its lens's distortion: where a lens without would show this pixel, and back.
[[nodiscard]] Pixel undistort(const Camera& camera, Pixel pixel) noexcept;
[[nodiscard]] Pixel distort(const Camera& camera, Pixel pixel) noexcept;

}  // namespace kerb
