// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <opencv2/core.hpp>
#include <string>

#include "hal/base/result.hpp"
#include "tools/kerblab/app/command.hpp"

namespace kerb::lab {

/// To the group `calibrate`.
void add_calibrate_board(CLI::App& group, Action& action);
void add_calibrate_drive(CLI::App& group, Action& action);
void add_calibrate_pair(CLI::App& group, Action& action);

/// Writes a PNG, complete or not at all. Fails: io.
Status write_picture(const std::string& path, const cv::Mat& picture);

}  // namespace kerb::lab
