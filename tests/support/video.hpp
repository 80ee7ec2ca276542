// SPDX-License-Identifier: Apache-2.0
#pragma once
// Only for tests built with OpenCV (KERB_OPENCV).
#include <opencv2/core.hpp>
#include <opencv2/videoio.hpp>
#include <string>

namespace kerb::test {

/// Writes a Motion-JPEG video: frame i is grey of brightness 20 * i. OpenCV's own writer, so that
/// no codec need be installed.
inline bool write_video(const std::string& path, double rate_hz, int frames, int width,
                        int height) {
  cv::VideoWriter writer{path, cv::CAP_OPENCV_MJPEG, cv::VideoWriter::fourcc('M', 'J', 'P', 'G'),
                         rate_hz, cv::Size{width, height}};
  if (!writer.isOpened()) return false;
  for (int i = 0; i < frames; ++i)
    writer.write(cv::Mat(height, width, CV_8UC3, cv::Scalar::all(20.0 * i)));
  return true;
}

}  // namespace kerb::test
