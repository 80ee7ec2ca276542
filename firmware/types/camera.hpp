// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The one description of a camera: made from the configuration by camera_of() (firmware/lens),
/// read by ego-motion, the tracker, the upright view and the records.
namespace kerb {

/// A place in a picture, pixels. The middle of the upper left pixel is (0, 0).
struct Pixel {
  double x = 0, y = 0;
};

/// A place on the road, metres in the car's frame: its origin is on the road below the middle of
/// the rear axle, x is forward, y to the left, z up.
struct Ground {
  double x = 0, y = 0;
};

/// A camera with its lens and how it is mounted in the car. Distortion as in OpenCV: k1 k2 p1 p2 k3
/// (firmware/lens/lens.hpp).
struct Camera {
  int width = 1280, height = 720;  ///< of its pictures, pixels
  double focal_px = 1100;
  double center_x = 639.5, center_y = 359.5;  ///< where the optical axis meets the picture
  double k1 = 0, k2 = 0, k3 = 0, p1 = 0, p2 = 0;
  double height_m = 1.4;          ///< above the road
  double pitch_rad = 0;           ///< of the optical axis above the road; upwards is positive
  double yaw_rad = 0;             ///< of the optical axis; to the left is positive
  double roll_rad = 0;            ///< about the optical axis; right side down is positive
  double ahead_m = 1.5;           ///< of the rear axle, which does not slip sideways
  double left_m = 0;              ///< of the car's middle
  double pitch_sigma_rad = 0.01;  ///< standard deviation of pitch_rad before anything is measured
};

}  // namespace kerb
