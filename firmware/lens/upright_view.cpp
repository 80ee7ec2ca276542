// SPDX-License-Identifier: Apache-2.0
#include "firmware/lens/upright_view.hpp"

#include <algorithm>
#include <cmath>

#include "firmware/exact/exact_math.hpp"
#include "firmware/lens/camera_geometry.hpp"

namespace kerb {
namespace {

constexpr double kScaleShare = 0.6;   // of the focal length: the picture is magnified nowhere much
constexpr double kMargin = 0.1;       // above the tallest head, as a tangent
constexpr double kMostPixels = 1.25;  // of the picture's
constexpr int kSamplesPerEdge = 48;   // a side of the picture is looked at in
constexpr double kLevelAtLeast = 1e-3;

double dot(const Vec3& a, const Vec3& b) noexcept { return a.x * b.x + a.y * b.y + a.z * b.z; }

}  // namespace

/// Level forward, and to the right, of the camera's direction of view.
std::optional<UprightView::Direction> UprightView::direction_of(Pixel picture) const noexcept {
  const Pixel straight = undistort(camera_, picture);
  const double x = (straight.x - axes_.center_x) / axes_.focal_px;
  const double y = (straight.y - axes_.center_y) / axes_.focal_px;
  const auto along = [&](double right, double down, double forward) {
    return x * right + y * down + forward;
  };
  const Vec3 d{along(axes_.right.x, axes_.down.x, axes_.forward.x),
               along(axes_.right.y, axes_.down.y, axes_.forward.y),
               along(axes_.right.z, axes_.down.z, axes_.forward.z)};
  const double right = dot(d, axes_.level_right);
  const double ahead = -d.x * axes_.level_right.y + d.y * axes_.level_right.x;
  const double level = std::sqrt(right * right + ahead * ahead);
  if (!(level > kLevelAtLeast)) return std::nullopt;
  return Direction{exact::atan2(right, ahead), d.z / level};
}

UprightView::UprightView(const Camera& camera) noexcept
    : camera_{camera}, axes_{axes_of(camera, 0)} {
  const double height = std::max(camera.height_m, 0.1);
  const double lowest = -height / kNearest;
  const double highest = std::max((kTallest - height) / kNearest, 0.0) + kMargin;
  double left = kWidest, right = -kWidest, top = lowest, bottom = highest;
  for (int row = 0; row <= kSamplesPerEdge; ++row)
    for (int column = 0; column <= kSamplesPerEdge; ++column) {
      const Pixel at{static_cast<double>(column) / kSamplesPerEdge * (camera.width - 1),
                     static_cast<double>(row) / kSamplesPerEdge * (camera.height - 1)};
      const std::optional<Direction> to = direction_of(at);
      if (!to || std::abs(to->side) > kWidest) continue;
      top = std::max(top, to->up);
      bottom = std::min(bottom, to->up);
      if (to->up < lowest || to->up > highest) continue;
      left = std::min(left, to->side);
      right = std::max(right, to->side);
    }
  top = std::min(top, highest);
  bottom = std::max(bottom, lowest);
  if (!(right > left) || !(top > bottom)) return;
  left_ = -left;
  top_ = top;
  scale_ = kScaleShare * camera.focal_px;
  const double most = kMostPixels * camera.width * camera.height;
  const double area = (right - left) * (top - bottom);
  if (area * scale_ * scale_ > most) scale_ = std::sqrt(most / area);
  width_ = static_cast<int>(std::floor((right - left) * scale_));
  height_ = static_cast<int>(std::floor((top - bottom) * scale_));
}

std::optional<Pixel> UprightView::in_picture(Pixel upright) const noexcept {
  const double side = (upright.x + 0.5) / scale_ - left_;
  const double up = top_ - (upright.y + 0.5) / scale_;
  const double c = exact::cos(side), s = exact::sin(side);
  const Vec3 &right = axes_.level_right, ahead{-right.y, right.x, 0};
  const Vec3 d{c * ahead.x + s * right.x, c * ahead.y + s * right.y, up};
  const Vec3 seen{dot(d, axes_.right), dot(d, axes_.down), dot(d, axes_.forward)};
  if (!(seen.z > kLevelAtLeast)) return std::nullopt;
  return distort(camera_, axes_.pixel_of(seen));
}

std::optional<Pixel> UprightView::in_view(Pixel picture) const noexcept {
  const std::optional<Direction> to = direction_of(picture);
  if (!to) return std::nullopt;
  return Pixel{(to->side + left_) * scale_ - 0.5, (top_ - to->up) * scale_ - 0.5};
}

std::optional<Detection> UprightView::in_picture(const Detection& upright) const noexcept {
  // A box's edges lie between pixels, half a pixel before the middle of the first one inside.
  const double middle = static_cast<double>(upright.x) + static_cast<double>(upright.w) / 2 - 0.5;
  const double top = static_cast<double>(upright.y) - 0.5;
  const std::optional<Pixel> head = in_picture(Pixel{middle, top});
  const std::optional<Pixel> foot = in_picture(Pixel{middle, top + static_cast<double>(upright.h)});
  if (!head || !foot || !(foot->y - head->y > 1)) return std::nullopt;
  const double height = foot->y - head->y;
  const double width =
      height * static_cast<double>(upright.w) / std::max(static_cast<double>(upright.h), 1.0);
  return Detection{static_cast<float>((head->x + foot->x - width) / 2 + 0.5),
                   static_cast<float>(head->y + 0.5), static_cast<float>(width),
                   static_cast<float>(height), upright.score};
}

}  // namespace kerb
