// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/plot/png.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

namespace kerb::lab {
namespace {

using Drawing = eval::Drawing;

constexpr int kShift = 4;  // OpenCV draws to 1/16 of a pixel
constexpr int kPlotFont = cv::FONT_HERSHEY_SIMPLEX;

cv::Scalar bgr(eval::Colour c) { return {double(c.b), double(c.g), double(c.r)}; }

void draw(cv::Mat& out, const Drawing::Line& line, double scale) {
  constexpr double kDash = 8, kGap = 5;  // as the SVG's
  const int width = std::max(1, static_cast<int>(std::lround(line.width * scale)));
  const auto segment = [&](cv::Point2d a, cv::Point2d b) {
    const auto fixed = [&](cv::Point2d p) {
      return cv::Point{static_cast<int>(std::lround(p.x * scale * (1 << kShift))),
                       static_cast<int>(std::lround(p.y * scale * (1 << kShift)))};
    };
    cv::line(out, fixed(a), fixed(b), bgr(line.colour), width, cv::LINE_AA, kShift);
  };
  double gone = 0;  // along the line so far
  for (std::size_t i = 1; i < line.points.size(); ++i) {
    const cv::Point2d a{line.points[i - 1].first, line.points[i - 1].second};
    const cv::Point2d b{line.points[i].first, line.points[i].second};
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (!line.dashed) {
      segment(a, b);
      continue;
    }
    for (double at = 0; at < length;) {
      const double phase = std::fmod(gone + at, kDash + kGap);
      const double run =
          std::min(length - at, phase < kDash ? kDash - phase : kDash + kGap - phase);
      if (phase < kDash) segment(a + (b - a) * (at / length), a + (b - a) * ((at + run) / length));
      at += std::max(run, 1e-3);
    }
    gone += length;
  }
}

/// One character for each of UTF-8's.
std::string ascii(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F)
      out.push_back(c);
    else if (byte < 0x80 || byte >= 0xC0)
      out.push_back('?');
  }
  return out;
}

void draw(cv::Mat& out, const Drawing::Text& text, double scale) {
  const std::string letters = ascii(text.text);
  if (letters.empty()) return;
  const double size = text.size * scale / 30;  // Hershey's capitals are 21 high, its lines 30
  const int width = std::max(1, static_cast<int>(std::lround(scale * text.size / 15)));
  int below = 0;
  const cv::Size box = cv::getTextSize(letters, kPlotFont, size, width, &below);
  const int back = text.anchor == Drawing::Anchor::start    ? 0
                   : text.anchor == Drawing::Anchor::middle ? box.width / 2
                                                            : box.width;
  const cv::Point at{static_cast<int>(std::lround(text.x * scale)),
                     static_cast<int>(std::lround(text.y * scale))};
  if (!text.upright) {
    cv::putText(out, letters, {at.x - back, at.y}, kPlotFont, size, bgr(text.colour), width,
                cv::LINE_AA);
    return;
  }
  cv::Mat flat{box.height + below + 4, box.width + 4, CV_8UC3, cv::Scalar::all(255)};
  cv::putText(flat, letters, {2, box.height + 2}, kPlotFont, size, bgr(text.colour), width,
              cv::LINE_AA);
  cv::Mat turned;
  cv::rotate(flat, turned, cv::ROTATE_90_COUNTERCLOCKWISE);
  const cv::Rect place{at.x - box.height - 2, at.y + back - turned.rows + 2, turned.cols,
                       turned.rows};
  const cv::Rect seen = place & cv::Rect{0, 0, out.cols, out.rows};
  if (seen.empty()) return;
  turned(cv::Rect{seen.x - place.x, seen.y - place.y, seen.width, seen.height}).copyTo(out(seen));
}

}  // namespace

std::vector<unsigned char> to_png(const Drawing& drawing) {
  constexpr double kScale = 2;  // pixels for each of the drawing's own
  cv::Mat out{static_cast<int>(drawing.height * kScale), static_cast<int>(drawing.width * kScale),
              CV_8UC3, cv::Scalar::all(255)};
  for (const Drawing::Item& item : drawing.items) {
    if (item.is_line)
      draw(out, item.line, kScale);
    else
      draw(out, item.text, kScale);
  }
  std::vector<unsigned char> png;
  if (!cv::imencode(".png", out, png)) png.clear();
  return png;
}

}  // namespace kerb::lab
