// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>

#include "hal/camera_settings.hpp"

/// Following people on the road in metres. The car's frame: on the road below the middle of the
/// rear axle, x forward, y to the left, z up.
namespace kerb::track {

struct Pixel {
  double x = 0, y = 0;
};
struct Ground {
  double x = 0, y = 0;  ///< metres in the car's frame
};

/// A camera with its lens and how it sits in the car. Distortion as OpenCV's: k1 k2 p1 p2 k3.
struct CameraModel {
  int width = 1280, height = 720;
  double focal_px = 1100;
  double center_x = 639.5, center_y = 359.5;
  double k1 = 0, k2 = 0, k3 = 0, p1 = 0, p2 = 0;
  double height_m = 1.4;          ///< above the road
  double pitch_rad = 0;           ///< looks upwards by so much
  double yaw_rad = 0;             ///< to the left
  double roll_rad = 0;            ///< right side down
  double ahead_m = 1.5;           ///< of the rear axle
  double left_m = 0;              ///< of the car's middle
  double pitch_sigma_rad = 0.01;  ///< how well the pitch is known before anything is measured
};

/// From the configuration, for pictures of the size the camera delivers.
[[nodiscard]] CameraModel model_of(const CameraSettings& settings, int width, int height);

/// Where the picture shows a place `up` metres above a place on the road; nothing for what lies
/// behind the camera. `pitch_more` is added to the mounting's pitch, as a car nods.
[[nodiscard]] std::optional<Pixel> project(const CameraModel& camera, Ground at, double up,
                                           double pitch_more = 0) noexcept;
/// The place on the road a pixel shows; nothing at or above the horizon.
[[nodiscard]] std::optional<Ground> ground_of(const CameraModel& camera, Pixel pixel,
                                              double pitch_more = 0) noexcept;
/// The picture without its lens's distortion: where a lens without would show this pixel, and back.
[[nodiscard]] Pixel undistort(const CameraModel& camera, Pixel pixel) noexcept;
[[nodiscard]] Pixel distort(const CameraModel& camera, Pixel pixel) noexcept;

}  // namespace kerb::track
