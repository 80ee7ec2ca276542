// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <opencv2/imgproc.hpp>

namespace kerb::bench {

/// OpenCV's, of one problem: EmdBench::rival.
inline double opencv_emd(int bins, const std::uint8_t* from, const std::uint8_t* to,
                         const float* costs) {
  cv::Mat a(bins, 1, CV_32F), b(bins, 1, CV_32F);  // braces would be a list of numbers
  for (int k = 0; k < bins; ++k) {
    a.at<float>(k) = from[k];
    b.at<float>(k) = to[k];
  }
  const cv::Mat cost(bins, bins, CV_32F, const_cast<float*>(costs));
  return static_cast<double>(cv::EMD(a, b, cv::DIST_USER, cost));
}

}  // namespace kerb::bench
