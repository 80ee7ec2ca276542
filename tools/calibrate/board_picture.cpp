// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "tools/calibrate/board.hpp"

namespace kerb::calibrate {
namespace {

/// A straight grid as the lens shows it.
void draw_grid(cv::Mat& bgr, const Lens& lens) {
  const LensMap map{lens};
  const double step = bgr.cols / 12.0;
  const auto line = [&](double x0, double y0, double x1, double y1) {
    std::vector<cv::Point> points;
    for (int i = 0; i <= 60; ++i) {
      const double t = i / 60.0;
      const Pixel p = map.distort({x0 + t * (x1 - x0), y0 + t * (y1 - y0)});
      points.emplace_back(static_cast<int>(std::lround(p.x)), static_cast<int>(std::lround(p.y)));
    }
    cv::polylines(bgr, points, false, {110, 80, 40}, 1, cv::LINE_AA);
  };
  for (int i = -8; i <= 8; ++i) {
    const double x = lens.center_x + i * step, y = lens.center_y + i * step;
    line(x, -step, x, bgr.rows + step);
    line(-step, y, bgr.cols + step, y);
  }
}

}  // namespace

cv::Mat draw_board(const BoardCalibration& c, const cv::Mat& background) {
  cv::Mat bgr = 0.35 * background;
  draw_grid(bgr, c.lens);
  // So that a usual error is as long as a square of the picture's fortieth part.
  const double times =
      std::clamp(std::round(bgr.cols / 80.0 / std::max(c.rms_px, 1e-3)), 1.0, 500.0);
  for (const BoardView& view : c.views) {
    const cv::Scalar dot = view.used ? cv::Scalar{90, 200, 90} : cv::Scalar{120, 120, 120};
    for (std::size_t i = 0; i < view.found.size(); ++i) {
      cv::circle(bgr, view.found[i], 2, dot, cv::FILLED, cv::LINE_AA);
      if (!view.used) continue;
      const cv::Point2f error = view.reprojected[i] - view.found[i];
      cv::line(bgr, view.found[i], view.found[i] + static_cast<float>(times) * error, {60, 80, 255},
               1, cv::LINE_AA);
    }
  }
  cv::drawMarker(bgr, cv::Point2d{c.lens.center_x, c.lens.center_y}, {255, 0, 255},
                 cv::MARKER_CROSS, 30, 2);
  const double scale = std::max(0.4, bgr.cols / 1600.0);
  const auto write = [&](int line, const std::string& text) {
    const cv::Point at{8, static_cast<int>(28 * scale * (line + 1))};
    cv::putText(bgr, text, at, cv::FONT_HERSHEY_SIMPLEX, 0.8 * scale, {0, 0, 0}, 4, cv::LINE_AA);
    cv::putText(bgr, text, at, cv::FONT_HERSHEY_SIMPLEX, 0.8 * scale, {255, 255, 255}, 1,
                cv::LINE_AA);
  };
  write(0, fmt::format("{} views, RMS {:.3f} px; errors {:.0f} times as long", c.views_used,
                       c.rms_px, times));
  write(1, fmt::format("focal {:.1f} +- {:.1f} px, centre {:.1f} {:.1f}, k1 {:.4f} k2 {:.4f}",
                       c.lens.focal_px, c.focal_sigma_px, c.lens.center_x, c.lens.center_y,
                       c.lens.k1, c.lens.k2));
  write(2, fmt::format("corners in {:.0f} % of the picture", 100 * c.coverage));
  return bgr;
}

}  // namespace kerb::calibrate
