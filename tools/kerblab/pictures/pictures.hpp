// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "gpu/hog/engine.hpp"
#include "hal/base/result.hpp"

namespace kerb::lab {

/// A picture file, decoded: upright (as its EXIF tag says), 8 bits, without alpha.
struct LoadedPicture {
  cv::Mat bgr;                       ///< CV_8UC3
  std::vector<std::uint8_t> grey;    ///< as the product's to_grey() makes it; rows without gaps
  std::vector<std::uint8_t> planes;  ///< R, G, B; empty unless asked for

  [[nodiscard]] hog::Picture<Space::host> view() const noexcept;
};

/// That a file, where there is one, is a plain one: a pipe or a device may never end. Fails, naming
/// the path: invalid_argument.
Status check_plain(const std::string& path);

/// Fails, naming the path: not_found, invalid_argument (not a plain file), damaged (cut short, no
/// picture at all, over 65535 a side).
Result<LoadedPicture> load_picture(const std::string& path, bool colour);

/// A decoded picture (CV_8UC3) with its grey one; shares its pixels. Fails: invalid_argument.
Result<LoadedPicture> picture_of(const cv::Mat& bgr);

/// The paths of a command line in which "@FILE" stands for the lines of FILE. Each must be a file
/// that can be opened, and so must the list. Fails: not_found, io, invalid_argument (no picture at
/// all, not a plain file).
Result<std::vector<std::string>> expand_list(const std::vector<std::string>& words);

}  // namespace kerb::lab
