// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/spectral/draw_distances.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace kerb::lab {
namespace {

constexpr int kStrip = 24, kBetween = 4, kLeastSide = 300;

}  // namespace

cv::Mat draw_distances(const std::vector<float>& distances, int width, int height) {
  std::vector<float> sorted;
  for (const float d : distances)
    if (std::isfinite(d)) sorted.push_back(d);
  std::sort(sorted.begin(), sorted.end());
  const float far = sorted.empty() ? 1.0F : std::max(sorted[sorted.size() * 95 / 100], 1e-9F);
  cv::Mat near(height, width, CV_8UC1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const float d = distances[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                                static_cast<std::size_t>(x)];
      const float share = std::isfinite(d) ? std::clamp(1 - d / far, 0.0F, 1.0F) : 0.0F;
      near.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>(std::lround(255 * share));
    }
  cv::Mat out;
  cv::applyColorMap(near, out, cv::COLORMAP_INFERNO);
  return out;
}

void draw_target_box(cv::Mat& bgr, const emd::Box& box) {
  const cv::Rect rect{box.x, box.y, box.width, box.height};
  cv::rectangle(bgr, rect, {0, 0, 0}, 3);
  cv::rectangle(bgr, rect, {255, 220, 0}, 1);  // cyan: in no distance's colours
}

cv::Mat draw_panels(const std::vector<Panel>& panels, const emd::Box& box) {
  std::vector<cv::Mat> columns;
  for (const Panel& panel : panels) {
    const int times = std::max(1, kLeastSide / std::max(1, panel.picture.cols));
    cv::Mat large;
    cv::resize(panel.picture, large, {}, times, times, cv::INTER_NEAREST);
    draw_target_box(large, {box.x * times, box.y * times, box.width * times, box.height * times});
    cv::Mat column(large.rows + kStrip, large.cols + kBetween, CV_8UC3, cv::Scalar::all(255));
    large.copyTo(column(cv::Rect{0, kStrip, large.cols, large.rows}));
    cv::putText(column, panel.title, {4, kStrip - 7}, cv::FONT_HERSHEY_SIMPLEX, 0.5, {0, 0, 0}, 1,
                cv::LINE_AA);
    columns.push_back(column);
  }
  cv::Mat out;
  cv::hconcat(columns, out);
  return out;
}

}  // namespace kerb::lab
