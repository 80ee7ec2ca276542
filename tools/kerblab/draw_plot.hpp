// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <opencv2/core.hpp>
#include <string>

#include "hal/base/result.hpp"
#include "tools/eval/plot.hpp"

namespace kerb::lab {

/// The drawing in pixels, `scale` for each of its own (CV_8UC3). OpenCV's letters are ASCII's:
/// others become question marks.
[[nodiscard]] cv::Mat draw_plot(const eval::Drawing& drawing, double scale = 2);

/// That a plot can be written there: a name that ends in .svg or .png. Fails: invalid_argument, and
/// as check_output().
Status check_plot_name(const std::string& path);
/// As the name ends. Fails: io.
Status write_plot(const std::string& path, const eval::Plot& plot);

}  // namespace kerb::lab
