// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "firmware/lens/camera_geometry.hpp"
#include "firmware/lens/lens.hpp"
#include "firmware/lens/pair_geometry.hpp"
#include "tools/calibrate/pair.hpp"

namespace kerb::calibrate {
namespace {

constexpr double kFar_m = 1000;  // of a plane for points that are all too far to tell
constexpr double kOwnShare = 0.55, kOtherShare = 0.6;
const cv::Scalar kOwnColour{90, 220, 90}, kOtherColour{255, 60, 255}, kOutlineColour{60, 220, 255};

/// Where normal * place = offset, in the first camera's axes.
struct Plane {
  Vec3 normal{0, 0, 1};
  double offset_m = kFar_m;
};

Plane plane_of(const PairCalibration& c, std::size_t view) {
  if (c.points.empty()) return {c.views[view].normal, c.views[view].offset_m};
  std::vector<double> depths;
  for (const PairPoint& point : c.points)
    if (point.used) depths.push_back(std::min(point.depth_m, kFar_m));
  if (depths.empty()) return {};
  const auto middle = depths.begin() + static_cast<std::ptrdiff_t>(depths.size() / 2);
  std::nth_element(depths.begin(), middle, depths.end());
  return {{0, 0, 1}, *middle};
}

/// Moves pixels between the two cameras' pictures by way of a plane. Uses what the product uses to
/// read the result: PairGeometry.
class Mover {
 public:
  Mover(const CameraPair& pair, const Camera& first, const Camera& second)
      : pair_{pair}, first_{lens_of(first)}, second_{lens_of(second)} {}

  [[nodiscard]] std::optional<Pixel> to_second(Pixel at, const Plane& plane) const {
    const Vec3 ray = ray_of(first_, at);
    const double along = dot(plane.normal, ray);
    const double times = plane.offset_m / along;
    if (along == 0 || !(times > 0)) return std::nullopt;
    return shown(second_, pair_.in_second({times * ray.x, times * ray.y, times * ray.z}));
  }
  [[nodiscard]] std::optional<Pixel> to_first(Pixel at, const Plane& plane) const {
    const Vec3 ray = ray_of(second_, at);
    const Vec3 from = pair_.in_first({0, 0, 0}), to = pair_.in_first(ray);
    const Vec3 along{to.x - from.x, to.y - from.y, to.z - from.z};
    const double times = (plane.offset_m - dot(plane.normal, from)) / dot(plane.normal, along);
    if (!(times > 0) || !std::isfinite(times)) return std::nullopt;
    return shown(first_,
                 {from.x + times * along.x, from.y + times * along.y, from.z + times * along.z});
  }

 private:
  static double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  static Vec3 ray_of(const LensMap& map, Pixel at) {
    const Pixel p = map.undistort(at);
    const Lens& lens = map.lens();
    return {(p.x - lens.center_x) / lens.focal_px, (p.y - lens.center_y) / lens.focal_px, 1};
  }
  static std::optional<Pixel> shown(const LensMap& map, const Vec3& at) {
    if (!(at.z > 1e-3)) return std::nullopt;
    const Lens& lens = map.lens();
    return map.distort(
        {lens.center_x + lens.focal_px * at.x / at.z, lens.center_y + lens.focal_px * at.y / at.z});
  }

  PairGeometry pair_;
  LensMap first_, second_;
};

/// The second picture in warm colours over the darkened first one.
void lay_over(cv::Mat& bgr, const cv::Mat& second_bgr, const Mover& mover, const Plane& plane) {
  cv::Mat map{bgr.size(), CV_32FC2}, grey, moved;
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      const std::optional<Pixel> p =
          mover.to_second({static_cast<double>(x), static_cast<double>(y)}, plane);
      map.at<cv::Vec2f>(y, x) =
          p ? cv::Vec2f{static_cast<float>(p->x), static_cast<float>(p->y)} : cv::Vec2f{-9, -9};
    }
  cv::cvtColor(second_bgr, grey, cv::COLOR_BGR2GRAY);
  cv::remap(grey, moved, map, cv::noArray(), cv::INTER_LINEAR, cv::BORDER_CONSTANT, 0);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      const double warm = kOtherShare * moved.at<std::uint8_t>(y, x);
      cv::Vec3b& pixel = bgr.at<cv::Vec3b>(y, x);
      const double share[3] = {0.1, 0.5, 1};
      for (int k = 0; k < 3; ++k)
        pixel[k] = cv::saturate_cast<std::uint8_t>(kOwnShare * pixel[k] + share[k] * warm);
    }
}

void draw_outline(cv::Mat& bgr, const Camera& second, const Mover& mover, const Plane& plane) {
  constexpr int kSteps = 60;
  const double right = second.width - 0.5, down = second.height - 0.5;
  const Pixel corners[] = {{-0.5, -0.5}, {right, -0.5}, {right, down}, {-0.5, down}, {-0.5, -0.5}};
  for (int side = 0; side < 4; ++side) {
    std::optional<cv::Point2d> before;
    for (int i = 0; i <= kSteps; ++i) {
      const double t = static_cast<double>(i) / kSteps;
      const Pixel &a = corners[side], &b = corners[side + 1];
      const std::optional<Pixel> p =
          mover.to_first({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}, plane);
      std::optional<cv::Point2d> now;
      if (p && std::abs(p->x) < 1e5 && std::abs(p->y) < 1e5) now = cv::Point2d{p->x, p->y};
      if (before && now) cv::line(bgr, *before, *now, kOutlineColour, 2, cv::LINE_AA);
      before = now;
    }
  }
}

/// What the first camera shows there, and the second's of the same, moved.
void draw_point(cv::Mat& bgr, const cv::Point2d& own, const std::optional<Pixel>& other,
                double scale) {
  cv::circle(bgr, own, static_cast<int>(6 * scale), kOwnColour, 1, cv::LINE_AA);
  if (other)
    cv::drawMarker(bgr, cv::Point2d{other->x, other->y}, kOtherColour, cv::MARKER_CROSS,
                   static_cast<int>(9 * scale), 1, cv::LINE_AA);
}

}  // namespace

cv::Mat draw_pair(const PairCalibration& c, const Camera& first, const Camera& second,
                  const cv::Mat& first_bgr, const cv::Mat& second_bgr, std::size_t view) {
  cv::Mat bgr = first_bgr.clone();
  const Mover mover{c.pair, first, second};
  const Plane plane = plane_of(c, view);
  lay_over(bgr, second_bgr, mover, plane);
  draw_outline(bgr, second, mover, plane);
  const double scale = std::max(1.0, bgr.cols / 1000.0);
  if (c.points.empty()) {
    const PairView& shown = c.views[view];
    for (std::size_t i = 0; i < shown.first.size(); ++i)
      draw_point(bgr, shown.first[i],
                 mover.to_first({double{shown.second[i].x}, double{shown.second[i].y}}, plane),
                 scale);
  }
  for (const PairPoint& point : c.points)
    if (point.used)
      draw_point(bgr, point.first,
                 mover.to_first({point.second.x, point.second.y},
                                {{0, 0, 1}, std::min(point.depth_m, kFar_m)}),
                 scale);
  const double size = std::max(0.4, bgr.cols / 1600.0);
  const auto write = [&](int line, const std::string& text) {
    const cv::Point at{8, static_cast<int>(28 * size * (line + 1))};
    cv::putText(bgr, text, at, cv::FONT_HERSHEY_SIMPLEX, 0.8 * size, {0, 0, 0}, 4, cv::LINE_AA);
    cv::putText(bgr, text, at, cv::FONT_HERSHEY_SIMPLEX, 0.8 * size, {255, 255, 255}, 1,
                cv::LINE_AA);
  };
  const CameraPair& p = c.pair;
  write(0, fmt::format("{} {}, RMS {:.3f} and {:.3f} px; laid over at {:.1f} m", c.used,
                       c.points.empty() ? "views" : "points", c.first_rms_px, c.second_rms_px,
                       c.points.empty() ? c.views[view].distance_m : plane.offset_m));
  write(1, fmt::format("ahead {:+.3f} left {:+.3f} up {:+.3f} m (+- {:.4f})", p.ahead_m, p.left_m,
                       p.up_m, p.position_sigma_m));
  write(2, fmt::format("pitch {:+.2f} yaw {:+.2f} roll {:+.2f} degrees (+- {:.3f})", p.pitch_deg,
                       p.yaw_deg, p.roll_deg, p.angle_sigma_deg));
  return bgr;
}

}  // namespace kerb::calibrate
