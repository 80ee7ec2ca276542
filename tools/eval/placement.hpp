// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "tools/eval/matching.hpp"

namespace kerb::eval {

/// A camera over a flat road, without roll and lens distortion.
struct RoadCamera {
  double focal_px = 0;
  double height_m = 0;     ///< above the road
  double horizon_row = 0;  ///< from the picture's upper edge, as boxes are measured

  // What each may be.
  static constexpr double kLeastFocal_px = 1, kGreatestFocal_px = 100000;
  static constexpr double kLeastHeight_m = 0.05, kGreatestHeight_m = 100;
  static constexpr double kFarthestHorizon = 65535;  ///< up and down
};

/// How far ahead a point of the road at this row is: focal length * height / rows below the
/// horizon. Infinite at the horizon and above.
[[nodiscard]] double distance_m(const RoadCamera& camera, double row) noexcept;

/// A picture's boxes as they were given to judge(), and what it made of them.
struct PictureBoxes {
  const std::vector<TruthBox>* truth = nullptr;
  const std::vector<ScoredBox>* detections = nullptr;
  const Judged* judged = nullptr;
  int height = 0;  ///< of the picture, pixels
};

/// The box of somebody who was found: detection minus truth, both in their original shape. The foot
/// point is the middle of a box's lower side.
struct BoxError {
  double height = 0;  ///< of the truth, pixels
  double score = 0;   ///< of the detection
  /// The truth's box ends within a pixel of the picture's lower edge, so its lower side is not
  /// where the person stands.
  bool cut_off = false;
  double foot_right_px = 0;
  std::optional<double> foot_down_px;  ///< none where cut off
  /// Height of the detection relative to the truth's: 100 * (ratio - 1). None where the truth is
  /// cut off, or begins within a pixel of the picture's upper edge.
  std::optional<double> height_percent;
  /// On the road of a camera; percent of the truth's distance. None without a camera, where cut
  /// off, and where the truth's foot point is not below the horizon. Infinite where only that of
  /// the detection is not.
  std::optional<double> distance_m, distance_percent;
};

/// Of everybody who was found, at any score.
[[nodiscard]] std::vector<BoxError> box_errors(const std::vector<PictureBoxes>& pictures,
                                               const std::optional<RoadCamera>& camera);

/// Errors in numbers: all 0 where there are none.
struct ErrorSummary {
  int people = 0;
  double mean = 0, median = 0;         ///< with their sign
  double abs_median = 0, abs_p90 = 0;  ///< without: the 50 % and 90 % quantiles
};
/// Quantiles are interpolated linearly between the two nearest errors, as NumPy does by default.
[[nodiscard]] ErrorSummary summarise(const std::vector<double>& errors);

/// How well the boxes of those who are found are placed at a threshold and in one range of heights.
struct PlacementBin {
  double from = 0, to = 0;  ///< pixels of the truth; from <= height < to
  int found = 0;
  int cut_off = 0;        ///< of them, at the picture's lower edge
  int above_horizon = 0;  ///< of distance_m.people, those whose detection has no distance
  ErrorSummary foot_down_px, foot_right_px, height_percent, distance_m, distance_percent;
};

/// For the ranges between `edges` (rising) and outside of them; the last bin is of all heights.
[[nodiscard]] std::vector<PlacementBin> placement_by_height(const std::vector<BoxError>& errors,
                                                            const std::vector<double>& edges,
                                                            double threshold);

}  // namespace kerb::eval
