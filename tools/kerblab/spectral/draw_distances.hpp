// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "gpu/emd/targets.hpp"

namespace kerb::lab {

/// A picture with a line of text above it.
struct Panel {
  std::string title;
  cv::Mat picture;  ///< CV_8UC3
};

/// Distances as colours: none is bright yellow, the 95th hundredth of them and beyond is black. So
/// that pictures of different measures can be compared: each by its own distances' spread.
[[nodiscard]] cv::Mat draw_distances(const std::vector<float>& distances, int width, int height);

/// Where the target was learned.
void draw_target_box(cv::Mat& bgr, const emd::Box& box);

/// Side by side, small pictures enlarged by whole numbers to about 300 pixels; all of one size.
[[nodiscard]] cv::Mat draw_panels(const std::vector<Panel>& panels, const emd::Box& box);

}  // namespace kerb::lab
