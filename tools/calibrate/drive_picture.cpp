// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "firmware/ego/rectifier.hpp"
#include "tools/calibrate/drive.hpp"

namespace kerb::calibrate {
namespace {

constexpr std::array kDistances = {5.0, 10.0, 20.0, 40.0};  // metres from the camera
constexpr double kHalfLane = 1.75;

cv::Point pixel(cv::Point2d p) {
  return {static_cast<int>(std::lround(p.x)), static_cast<int>(std::lround(p.y))};
}

void write(cv::Mat& bgr, cv::Point at, const std::string& text, const cv::Scalar& colour) {
  const double scale = std::max(0.4, bgr.cols / 1800.0);
  cv::putText(bgr, text, at, cv::FONT_HERSHEY_SIMPLEX, scale, {0, 0, 0}, 3, cv::LINE_AA);
  cv::putText(bgr, text, at, cv::FONT_HERSHEY_SIMPLEX, scale, colour, 1, cv::LINE_AA);
}

}  // namespace

std::optional<cv::Point2d> shown(const Camera& camera, double ahead_m, double left_m, double up_m) {
  const double cy = std::cos(camera.yaw_rad), sy = std::sin(camera.yaw_rad);
  const double forward = cy * ahead_m + sy * left_m, right = sy * ahead_m - cy * left_m;
  const double down = camera.height_m - up_m;
  const double cp = std::cos(camera.pitch_rad), sp = std::sin(camera.pitch_rad);
  const double depth = cp * forward - sp * down, below = sp * forward + cp * down;
  if (depth < 0.1) return std::nullopt;
  const ego::Rectifier straightener{camera};
  const ego::Vec2 at = straightener.seen({camera.center_x + camera.focal_px * right / depth,
                                          camera.center_y + camera.focal_px * below / depth});
  return cv::Point2d{at.x, at.y};
}

void draw_drive(const DriveCalibration& c, const Camera& camera, cv::Mat& bgr) {
  const auto curve = [&](auto place, int pieces, const cv::Scalar& colour, int thick) {
    std::optional<cv::Point2d> last;
    for (int i = 0; i <= pieces; ++i) {
      const std::optional<cv::Point2d> at = place(static_cast<double>(i) / pieces);
      if (at && last && cv::norm(*at) < 1e5 && cv::norm(*last) < 1e5)
        cv::line(bgr, pixel(*last), pixel(*at), colour, thick, cv::LINE_AA);
      last = at;
    }
  };
  // The road: across at each distance, along at the sides of a lane.
  for (const double distance : kDistances) {
    curve([&](double t) { return shown(camera, distance, 2 * kHalfLane * (1 - 2 * t), 0); }, 20,
          {80, 220, 80}, 1);
    if (const auto at = shown(camera, distance, -2 * kHalfLane, 0))
      write(bgr, pixel(*at) + cv::Point{4, 4}, fmt::format("{:.0f} m", distance), {80, 220, 80});
  }
  for (const double side : {-kHalfLane, kHalfLane})
    curve([&](double t) { return shown(camera, 3 * std::pow(30.0, t), side, 0); }, 60,
          {80, 220, 80}, 1);
  // The horizon: what is very far away, to both sides.
  curve([&](double t) { return shown(camera, 1e6, 1e6 * 3 * (1 - 2 * t), camera.height_m); }, 120,
        {255, 255, 0}, 1);
  if (const auto at = shown(camera, 1e6, 0, camera.height_m))
    cv::drawMarker(bgr, pixel(*at), {255, 0, 255}, cv::MARKER_CROSS, 30, 2);
  write(
      bgr, {8, bgr.rows - 8},
      fmt::format(
          "pitch {:+.2f} +- {:.2f}, yaw {:+.2f} +- {:.2f}, roll {} degrees; {} of {} frames",
          c.pitch_deg, c.pitch_sigma_deg, c.yaw_deg, c.yaw_sigma_deg,
          c.roll_deg ? fmt::format("{:+.2f} +- {:.2f}", *c.roll_deg, c.roll_sigma_deg) : "unknown",
          c.straight, c.frames),
      {255, 255, 255});
}

}  // namespace kerb::calibrate
