// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <opencv2/core.hpp>

#include "tools/eval/plot.hpp"

namespace kerb::lab {

/// The drawing in pixels, `scale` for each of its own (CV_8UC3). OpenCV's letters are ASCII's:
/// others become question marks.
[[nodiscard]] cv::Mat draw_plot(const eval::Drawing& drawing, double scale = 2);

}  // namespace kerb::lab
