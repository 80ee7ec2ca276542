// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "hal/base/result.hpp"
#include "tools/eval/plot.hpp"

namespace kerb::lab {

/// The drawing in pixels, `scale` for each of its own (CV_8UC3). OpenCV's letters are ASCII's:
/// others become question marks.
[[nodiscard]] cv::Mat draw_plot(const eval::Drawing& drawing, double scale = 2);

/// That a plot can be written there: a name that ends in .svg or .png. Fails: invalid_argument, and
/// as check_output().
Status check_plot_name(const std::string& path);
/// That a report can be written: its plots, and the files that are named (an empty name is none),
/// no two of them the same. Gives all of them. Fails: as check_plot_name(), check_output() and
/// check_distinct().
Result<std::vector<std::string>> check_report(const std::vector<std::string>& plots,
                                              const std::vector<std::string>& files);
/// As the name ends. Fails: io.
Status write_plot(const std::string& path, const eval::Plot& plot);

}  // namespace kerb::lab
