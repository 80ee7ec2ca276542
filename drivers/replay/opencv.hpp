// SPDX-License-Identifier: Apache-2.0
#pragma once
// Only for sources built with OpenCV (KERB_OPENCV).
#include <cstdint>
#include <cstdlib>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgproc.hpp>

#include "drivers/replay/picture.hpp"

namespace kerb::replay {

/// The picture in a buffer, to be written in place. Single-plane formats only.
inline cv::Mat mat_of(const PictureLayout& layout, std::uint8_t* data) {
  const bool is_colour = layout.format == PixelFormat::bgr24 || layout.format == PixelFormat::rgb24;
  const int type = is_colour ? CV_8UC3 : bit_depth(layout.format) == 8 ? CV_8UC1 : CV_16UC1;
  return {layout.height, layout.width, type, data, static_cast<std::size_t>(layout.row_stride)};
}

/// Silences OpenCV's own messages on stderr: errors go to the caller, in one line. Set
/// OPENCV_LOG_LEVEL to see them.
inline void quieten_opencv() {
  if (std::getenv("OPENCV_LOG_LEVEL") == nullptr)
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
}

}  // namespace kerb::replay
