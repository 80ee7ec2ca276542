// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "gpu/hog/engine.hpp"
#include "hal/base/result.hpp"

namespace kerb::lab {

/// A picture file, decoded: upright (as its EXIF tag says), 8 bits, without alpha. 16-bit grey
/// samples are counts of a thermal camera, and come in the range of the product's first picture.
struct LoadedPicture {
  cv::Mat bgr;                       ///< CV_8UC3
  std::vector<std::uint8_t> grey;    ///< as the product's to_grey() makes it; rows without gaps
  std::vector<std::uint8_t> planes;  ///< R, G, B; empty unless asked for

  [[nodiscard]] hog::Picture<Space::host> view() const noexcept;
};

/// Fails, naming the path: not_found, invalid_argument (not a regular file), damaged (truncated,
/// not a picture, over 65535 pixels wide or high).
Result<LoadedPicture> load_picture(const std::string& path, bool colour);

/// A decoded picture (CV_8UC3) with its grey one; shares its pixels. Fails: invalid_argument.
Result<LoadedPicture> picture_of(const cv::Mat& bgr);

}  // namespace kerb::lab
