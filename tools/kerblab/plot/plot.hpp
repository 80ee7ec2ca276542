// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "hal/base/result.hpp"
#include "tools/eval/plot.hpp"

namespace kerb::lab {

/// Checks that a plot can be written there: a name that ends in .svg, or in .png where the build
/// has OpenCV. Fails: invalid_argument, unsupported, and as check_output().
Status check_plot_name(const std::string& path);
/// Checks that a report can be written: its plots and other files (an empty name is none), all
/// different. Returns all of them. Fails: as check_plot_name(), check_output() and
/// check_distinct().
Result<std::vector<std::string>> check_report(const std::vector<std::string>& plots,
                                              const std::vector<std::string>& files);
/// As the name ends. Fails: io.
Status write_plot(const std::string& path, const eval::Plot& plot);

}  // namespace kerb::lab
