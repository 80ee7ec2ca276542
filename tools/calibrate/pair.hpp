// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/lens/camera_axes.hpp"
#include "firmware/types/camera.hpp"
#include "firmware/types/camera_pair.hpp"
#include "hal/base/result.hpp"
#include "tools/calibrate/board.hpp"

/// Two cameras of one car: how the second is placed relative to the first. Their lenses are known.
namespace kerb::calibrate {

/// A board that both cameras saw at the same time.
struct PairView {
  std::string name;
  std::vector<cv::Point2f> first, second;  ///< as find_board() has them; in any order of rows
  // What calibrate_pair() adds.
  bool used = true;                            ///< false: left out, because its error is too large
  double first_rms_px = 0, second_rms_px = 0;  ///< of the points' distances from where they belong
  double distance_m = 0;                       ///< of the board's middle from the first camera
  double tilt_deg = 0;                         ///< of the board against the first picture's plane
  Vec3 normal;                                 ///< of the board, in the first camera's axes
  double offset_m = 0;                         ///< the board is where normal * place = offset
};

/// One thing that was marked by hand in a picture of each camera.
struct PairPoint {
  cv::Point2d first, second;
  std::optional<double> distance_m;  ///< from the first camera
  // What calibrate_pair() adds.
  bool used = true;     ///< false: it contradicts the others
  double error_px = 0;  ///< of the second picture: from where the first camera's point belongs
  double depth_m = 0;   ///< estimated, along the first camera's axis; infinity: cannot be told
};

/// The second camera relative to the first, and how certain that is. The names are the caller's.
struct PairCalibration {
  CameraPair pair;
  double ahead_sigma_m = 0, left_sigma_m = 0, up_sigma_m = 0;
  double pitch_sigma_deg = 0, yaw_sigma_deg = 0, roll_sigma_deg = 0;
  double first_rms_px = 0, second_rms_px = 0;  ///< over all points used
  int used = 0;                                ///< views, or points
  std::vector<PairView> views;                 ///< from boards
  std::vector<PairPoint> points;               ///< from points
  std::vector<std::string> notes;              ///< remarks for the user
};

struct PairBoardSettings {
  int fewest_views = 4;
  double outlier_ratio = 2.5;  ///< times the median view's error ...
  double outlier_px = 0.5;     ///< ... and at least this: such a view is dropped
  double least_turn_deg = 10;  ///< between the two boards that are turned most unlike
  double least_range = 1.15;   ///< distance of the farthest board by that of the nearest
  double most_angle_sigma_deg = 0.5;
};

/// Fits both cameras' geometry to the views: all boards' poses and the second camera's at once,
/// with each camera's points weighted by its own noise. Fails: invalid_argument, with a line that
/// says what is missing (too few views; boards all in one direction or at one distance; cameras
/// that are turned against each other by more than 45 degrees).
Result<PairCalibration> calibrate_pair(std::vector<PairView> views, const Camera& first,
                                       const Camera& second, const Board& board,
                                       const PairBoardSettings& settings);

/// The lines "x1,y1,x2,y2" or "x1,y1,x2,y2,distance" of a file: pixels of the first and the second
/// picture, and metres from the first camera. A first line of words and lines that begin with # are
/// passed over. Fails, naming file and line: not_found, invalid_argument (not numbers, outside a
/// picture, a distance that is not 0.1..10000).
Result<std::vector<PairPoint>> read_pair_points(const std::string& path, const Camera& first,
                                                const Camera& second);
Result<std::vector<PairPoint>> parse_pair_points(std::string_view text, const std::string& name,
                                                 const Camera& first, const Camera& second);

struct PairPointSettings {
  /// Ahead, left and up of the first camera, measured by hand; unset: from the distances.
  std::optional<std::array<double, 3>> position_m;
  double position_sigma_m = 0.01;
  double distance_sigma = 0.02;  ///< of a distance, as a share of it
  double inlier_px = 3;          ///< a point that is farther off contradicts the others
  int fewest_points = 6;
  double least_agreement = 0.5;  ///< share of points that must agree
  double most_angle_sigma_deg = 1, most_position_sigma_m = 0.3;
};

/// The same from points. Points that contradict most others are left out (RANSAC with a fixed
/// seed), the rest is fitted. Without distances the points tell only the angles: the position must
/// be given. Fails: invalid_argument, with a line that says what is missing.
Result<PairCalibration> calibrate_pair(std::vector<PairPoint> points, const Camera& first,
                                       const Camera& second, const PairPointSettings& settings);

/// One view of a board, or all points, in a picture of the first camera (CV_8UC3): its own points
/// (circles), the second camera's moved into it (crosses), and the second picture laid over it with
/// its outline, as far away as the board or as the middle one of the points. `view`: which; unused
/// for points.
[[nodiscard]] cv::Mat draw_pair(const PairCalibration& calibration, const Camera& first,
                                const Camera& second, const cv::Mat& first_bgr,
                                const cv::Mat& second_bgr, std::size_t view);

/// It as a table [[camera_pair]] of the configuration.
[[nodiscard]] std::string snippet_of(const PairCalibration& calibration);

}  // namespace kerb::calibrate
