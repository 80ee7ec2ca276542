// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <opencv2/core.hpp>
#include <vector>

#include "hal/vision.hpp"

namespace kerb::lab {

/// True position of a person, and the positions estimated by bands and by colours.
struct FollowedBoxes {
  Detection truth, bands, colours;
};

/// Pictures of somebody who is followed, on one sheet of two columns: colours beside the likeness
/// by bands, bright is like; white the truth, green bands, red colours.
class FollowSheet {
 public:
  /// `likeness` is of one byte a place, of any size; `number` is written on it.
  void add(const cv::Mat& bgr, const cv::Mat& likeness, int number, const FollowedBoxes& boxes);
  /// All of them; empty without any.
  [[nodiscard]] cv::Mat picture() const;

 private:
  std::vector<cv::Mat> tiles_;
};

}  // namespace kerb::lab
