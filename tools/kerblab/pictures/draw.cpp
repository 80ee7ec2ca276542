// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/pictures/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "drivers/replay/picture.hpp"

namespace kerb::lab {
namespace {

constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;

}  // namespace

void draw_label(cv::Mat& bgr, const cv::Rect& box, const std::string& text,
                const cv::Scalar& colour) {
  const double size = std::clamp(box.height / 260.0, 0.38, 0.8);
  int below = 0;
  const cv::Size text_size = cv::getTextSize(text, kFont, size, 1, &below);
  cv::Rect plate{box.x - 1, box.y - text_size.height - 7, text_size.width + 6,
                 text_size.height + 7};
  if (plate.y < 0) plate.y = std::max(0, box.y);
  plate.x = std::clamp(plate.x, 0, std::max(0, bgr.cols - plate.width));
  cv::rectangle(bgr, plate, colour, cv::FILLED);
  cv::putText(bgr, text, {plate.x + 3, plate.y + plate.height - 4}, kFont, size, {0, 0, 0}, 1,
              cv::LINE_AA);
}

cv::Scalar colour_of(float score, float threshold) {
  // Blue, green, red. Told apart by the colour-blind, and by everybody on grey streets.
  static const cv::Scalar steps[] = {{0, 200, 255}, {40, 110, 255}, {190, 70, 255}};
  const double above = std::max(0.0F, score - threshold);
  const double place = 2 * above / (above + 1);  // 0..2: half way at 1 above the threshold
  const int step = place < 1 ? 0 : 1;
  return steps[step] * (1 + step - place) + steps[step + 1] * (place - step);
}

void draw_detections(cv::Mat& bgr, const DetectionList& people, float threshold) {
  const int thickness = std::max(bgr.cols, bgr.rows) > 1000 ? 2 : 1;
  for (int i = people.count; i-- > 0;) {
    const Detection& person = people.items[i];
    const cv::Rect box{
        static_cast<int>(std::lround(person.x)), static_cast<int>(std::lround(person.y)),
        static_cast<int>(std::lround(person.w)), static_cast<int>(std::lround(person.h))};
    const cv::Scalar colour = colour_of(person.score, threshold);
    cv::rectangle(bgr, box, {0, 0, 0}, thickness + 2, cv::LINE_AA);  // seen on any ground
    cv::rectangle(bgr, box, colour, thickness, cv::LINE_AA);
    draw_label(bgr, box, fmt::format("{:.2f}", person.score), colour);
  }
}

Status write_png(const std::string& path, const cv::Mat& picture) {
  try {
    if (cv::imwrite(path, picture)) return Done{};
  } catch (const std::exception&) {  // said below
  }
  return replay::failure(Errc::io, "write picture", path);
}

}  // namespace kerb::lab
