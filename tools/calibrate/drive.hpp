// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "firmware/ego/ego_estimator.hpp"
#include "hal/base/result.hpp"
#include "hal/camera_settings.hpp"
#include "hal/motion.hpp"

namespace kerb::calibrate {

/// The mounting of a camera, with standard deviations. Angles as in CameraSettings.
struct DriveCalibration {
  double pitch_deg = 0, yaw_deg = 0;
  double pitch_sigma_deg = 0, yaw_sigma_deg = 0;  ///< standard deviation of these from one drive
  double pitch_spread_deg = 0,
         yaw_spread_deg = 0;  ///< variation from frame to frame, as the car pitches
  std::optional<double>
      roll_deg;  ///< of the road relative to the picture; unset: cannot be estimated
  double roll_sigma_deg = 0;
  std::optional<double> height_m;  ///< from the car's speed; unset: no speed known
  double height_sigma_m = 0;
  int frames = 0, found = 0;  ///< total; those with ego-motion found
  int straight = 0;           ///< of those, straight ahead with a clear focus of expansion: used
  int road = 0;               ///< and with a road below it
  std::vector<std::string> notes;
};

struct DriveSettings {
  double straight_radps = 0.03;     ///< a faster turn is a bend
  double least_inlier_share = 0.4;  ///< with less, the estimate may follow other objects
  double most_foe_sigma_deg = 1.5;
  double tolerance_deg = 10;  ///< largest error of the mounting given by the caller
  int fewest_frames = 15;
};

/// Estimates the mounting from the motion fields of a drive: a car that travels straight ahead
/// travels towards the vanishing point of its road.
class Drive {
 public:
  /// The field that leads to the next frame, from the one `interval` before; `vehicle` is the
  /// motion that the car reported, if any. Where each frame is compared with the fourth before it,
  /// say, there are four threads of frames, each a drive of its own: `thread` counts from 0.
  void add(const MotionField& field, Nanos interval, const ego::VehicleMotion& vehicle,
           std::size_t thread = 0);

  /// `camera` as it is known so far: its lens, its height, and roughly where it looks. Goes over
  /// the drive three times, each with what the one before found. Fails: invalid_argument (too few
  /// frames of straight driving).
  [[nodiscard]] Result<DriveCalibration> solve(const Camera& camera,
                                               const DriveSettings& settings) const;

 private:
  struct Frame {
    std::vector<FlowVector> items;
    bool has_previous = false;
    Nanos interval{};
    ego::VehicleMotion vehicle;
  };
  struct Sums;
  void go_over(const std::vector<Frame>& frames, const Camera& camera, double tolerance_deg,
               const DriveSettings& settings, Sums& out) const;

  std::vector<std::vector<Frame>> threads_;
};

/// Where a camera shows a place on the road: metres ahead of it, to its left, above the road.
[[nodiscard]] std::optional<cv::Point2d> shown(const Camera& camera, double ahead_m, double left_m,
                                               double up_m);

/// The horizon, the vanishing point and the road's distances (5, 10, 20, 40 m from the camera) in
/// one of the drive's pictures.
void draw_drive(const DriveCalibration& calibration, const Camera& camera, cv::Mat& bgr);

/// `camera` with what was found of it.
[[nodiscard]] CameraSettings merged(CameraSettings camera, const DriveCalibration& calibration);
/// It as a table [[camera]] of the configuration, for pictures of this size.
[[nodiscard]] std::string snippet_of(const DriveCalibration& calibration,
                                     const CameraSettings& camera, int width, int height);

}  // namespace kerb::calibrate
