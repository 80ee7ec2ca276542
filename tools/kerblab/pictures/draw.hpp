// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <opencv2/core.hpp>
#include <string>

#include "hal/base/result.hpp"
#include "hal/vision.hpp"

namespace kerb::lab {

/// The colour of a score: amber at the threshold, through red, to magenta far above it. The same
/// score has the same colour in every picture.
[[nodiscard]] cv::Scalar colour_of(float score, float threshold);

/// A text on a plate of the box's colour above it, or inside where there is no room; never over an
/// edge.
void draw_label(cv::Mat& bgr, const cv::Rect& box, const std::string& text,
                const cv::Scalar& colour);

/// Draws boxes and scores into the picture, the best on top.
void draw_detections(cv::Mat& bgr, const DetectionList& people, float threshold);

/// Fails: io.
Status write_png(const std::string& path, const cv::Mat& picture);

}  // namespace kerb::lab
