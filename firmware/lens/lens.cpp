// SPDX-License-Identifier: Apache-2.0
#include "firmware/lens/lens.hpp"

namespace kerb {
namespace {

constexpr int kMostRounds = 20;
constexpr double kSmallStep2 = 1e-24;    // in focal lengths, squared
constexpr double kLeastStretch = 0.01;   // of an area: less is a fold
constexpr double kFarthest = 20;         // focal lengths from the axis: 87 degrees
constexpr double kGoodPixels2 = 1e-6;    // a thousandth of a pixel, squared
constexpr int kGridRows = 24, kWay = 8;  // of is_one_to_one(): places, and steps to each

/// A distorted point, in focal lengths, with its derivatives.
struct Bent {
  double x, y;
  double xx, xy, yx, yy;
  [[nodiscard]] double stretch() const noexcept { return xx * yy - xy * yx; }
};

Bent bend(const Lens& lens, double x, double y) noexcept {
  const double r2 = x * x + y * y;
  const double radial = 1 + r2 * (lens.k1 + r2 * (lens.k2 + r2 * lens.k3));
  const double slope = lens.k1 + r2 * (2 * lens.k2 + r2 * (3 * lens.k3));  // of radial, over r^2
  Bent out{};
  out.x = x * radial + 2 * lens.p1 * x * y + lens.p2 * (r2 + 2 * x * x);
  out.y = y * radial + lens.p1 * (r2 + 2 * y * y) + 2 * lens.p2 * x * y;
  out.xx = radial + 2 * x * x * slope + 2 * lens.p1 * y + 6 * lens.p2 * x;
  out.xy = 2 * x * y * slope + 2 * lens.p1 * x + 2 * lens.p2 * y;
  out.yx = out.xy;
  out.yy = radial + 2 * y * y * slope + 6 * lens.p1 * y + 2 * lens.p2 * x;
  return out;
}

}  // namespace

PicturePoint distort(const Lens& lens, PicturePoint straight) noexcept {
  if (lens.straight()) return straight;
  const double x = (straight.x - lens.center_x) / lens.focal_px;
  const double y = (straight.y - lens.center_y) / lens.focal_px;
  const Bent bent = bend(lens, x, y);
  return {lens.center_x + lens.focal_px * bent.x, lens.center_y + lens.focal_px * bent.y};
}

PicturePoint undistort(const Lens& lens, PicturePoint seen) noexcept {
  if (lens.straight()) return seen;
  const double to_x = (seen.x - lens.center_x) / lens.focal_px;
  const double to_y = (seen.y - lens.center_y) / lens.focal_px;
  double x = to_x, y = to_y;
  for (int round = 0; round < kMostRounds; ++round) {  // Newton's
    const Bent bent = bend(lens, x, y);
    const double stretch = bent.stretch();
    if (!(stretch > kLeastStretch)) {  // past the fold: back towards the axis
      x *= 0.5;
      y *= 0.5;
      continue;
    }
    const double ex = to_x - bent.x, ey = to_y - bent.y;
    const double dx = (ex * bent.yy - ey * bent.xy) / stretch;
    const double dy = (ey * bent.xx - ex * bent.yx) / stretch;
    const double next_x = x + dx, next_y = y + dy;
    if (!(next_x * next_x + next_y * next_y < kFarthest * kFarthest)) break;
    x = next_x;
    y = next_y;
    if (dx * dx + dy * dy < kSmallStep2) break;
  }
  return {lens.center_x + lens.focal_px * x, lens.center_y + lens.focal_px * y};
}

bool is_one_to_one(const Lens& lens, int width, int height) noexcept {
  if (lens.straight()) return true;
  for (int row = 0; row <= kGridRows; ++row)
    for (int column = 0; column <= kGridRows; ++column) {
      const PicturePoint seen{static_cast<double>(column) / kGridRows * (width - 1),
                              static_cast<double>(row) / kGridRows * (height - 1)};
      const PicturePoint straight = undistort(lens, seen);
      const PicturePoint back = distort(lens, straight);
      const double ex = back.x - seen.x, ey = back.y - seen.y;
      if (!(ex * ex + ey * ey < kGoodPixels2)) return false;
      // And no fold on the way there from the axis.
      const double x = (straight.x - lens.center_x) / lens.focal_px;
      const double y = (straight.y - lens.center_y) / lens.focal_px;
      for (int step = 1; step <= kWay; ++step) {
        const double share = static_cast<double>(step) / kWay;
        const Bent bent = bend(lens, share * x, share * y);
        if (!(bent.stretch() > kLeastStretch) || !(bent.xx > 0)) return false;
      }
    }
  return true;
}

}  // namespace kerb
