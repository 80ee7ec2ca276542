// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/sim/follow_sheet.hpp"

#include <fmt/format.h>

#include <opencv2/imgproc.hpp>

namespace kerb::lab {
namespace {

constexpr int kColumnWidth = 380;  // of the colours, and of the likeness
const cv::Scalar kTruthColour{255, 255, 255}, kBandsColour{60, 220, 60},
    kColoursColour{60, 60, 255};

void draw_followed(cv::Mat& bgr, const Detection& b, const cv::Scalar& colour, int thick) {
  cv::rectangle(bgr, cv::Point2f{b.x, b.y}, cv::Point2f{b.x + b.w, b.y + b.h}, colour, thick);
}

}  // namespace

void FollowSheet::add(const cv::Mat& bgr, const cv::Mat& likeness, int number,
                      const FollowedBoxes& boxes) {
  cv::Mat left = bgr.clone(), right;
  cv::resize(likeness, right, left.size(), 0, 0, cv::INTER_NEAREST);
  cv::applyColorMap(right, right, cv::COLORMAP_INFERNO);
  for (cv::Mat* side : {&left, &right}) {
    draw_followed(*side, boxes.truth, kTruthColour, 2);
    draw_followed(*side, boxes.colours, kColoursColour, 4);
    draw_followed(*side, boxes.bands, kBandsColour, 4);
  }
  const int top = bgr.rows / 5, high = bgr.rows * 3 / 5;  // sky and bonnet say nothing
  cv::Mat both;
  cv::hconcat(left.rowRange(top, top + high), right.rowRange(top, top + high), both);
  cv::resize(both, both, {2 * kColumnWidth, 2 * kColumnWidth * both.rows / both.cols}, 0, 0,
             cv::INTER_AREA);
  cv::putText(both, fmt::format("{}", number), {6, 18}, cv::FONT_HERSHEY_SIMPLEX, 0.5, kTruthColour,
              1, cv::LINE_AA);
  tiles_.push_back(both);
}

cv::Mat FollowSheet::picture() const {
  if (tiles_.empty()) return {};
  const cv::Size one = tiles_.front().size();
  const int columns = 2, rows = (static_cast<int>(tiles_.size()) + 1) / columns;
  cv::Mat out{rows * (one.height + 4) - 4, columns * (one.width + 8) - 8, CV_8UC3,
              cv::Scalar::all(40)};
  for (int i = 0; i < static_cast<int>(tiles_.size()); ++i)
    tiles_[static_cast<std::size_t>(i)].copyTo(out(cv::Rect{
        i % columns * (one.width + 8), i / columns * (one.height + 4), one.width, one.height}));
  return out;
}

}  // namespace kerb::lab
