// SPDX-License-Identifier: Apache-2.0
#include "firmware/lens/lens.hpp"

#include <algorithm>
#include <cmath>

namespace kerb {
namespace {

constexpr double kMinSlope = 0.1;      // of the polynomial: where it grows slower, its range ends
constexpr double kWidest = 8;          // focal lengths: 83 degrees from the axis
constexpr double kStepLimit2 = 1e-26;  // of Newton's method, focal lengths squared
constexpr double kPixelError2 = 1e-6;  // a thousandth of a pixel, squared
constexpr double kMinStretch = 0.01;   // of an area: less is a fold
constexpr int kGrid = 24, kSteps = 8;  // of is_one_to_one(): points per side, steps to each

}  // namespace

struct LensMap::Bent {
  double x, y;
  double xx, xy, yy;  // the derivatives; that of y by x is that of x by y
  [[nodiscard]] double stretch() const noexcept { return xx * yy - xy * xy; }
};

LensMap::LensMap(const Lens& lens) noexcept : lens_{lens}, end_{kWidest} {
  if (lens.k1 >= 0 && lens.k2 >= 0 && lens.k3 >= 0) return;
  constexpr int kIntervals = 128;
  for (int i = 1; i <= kIntervals; ++i) {
    double high = kWidest * i / kIntervals;
    if (slope(high) >= kMinSlope) continue;
    double low = kWidest * (i - 1) / kIntervals;
    for (int k = 0; k < 40; ++k) {
      const double middle = (low + high) / 2;
      (slope(middle) < kMinSlope ? high : low) = middle;
    }
    end_ = low;
    return;
  }
}

double LensMap::slope(double r) const noexcept {
  const double q = r * r;
  return 1 + q * (3 * lens_.k1 + q * (5 * lens_.k2 + q * 7 * lens_.k3));
}

double LensMap::polynomial(double r) const noexcept {
  const double q = r * r;
  return r * (1 + q * (lens_.k1 + q * (lens_.k2 + q * lens_.k3)));
}

LensMap::Bent LensMap::bend(double x, double y) const noexcept {
  const double q = x * x + y * y;
  const double radial = 1 + q * (lens_.k1 + q * (lens_.k2 + q * lens_.k3));
  const double grows = lens_.k1 + q * (2 * lens_.k2 + q * (3 * lens_.k3));
  Bent out{};
  out.x = x * radial + 2 * lens_.p1 * x * y + lens_.p2 * (q + 2 * x * x);
  out.y = y * radial + lens_.p1 * (q + 2 * y * y) + 2 * lens_.p2 * x * y;
  out.xx = radial + 2 * x * x * grows + 2 * lens_.p1 * y + 6 * lens_.p2 * x;
  out.xy = 2 * x * y * grows + 2 * lens_.p1 * x + 2 * lens_.p2 * y;
  out.yy = radial + 2 * y * y * grows + 6 * lens_.p1 * y + 2 * lens_.p2 * x;
  return out;
}

/// The distorted distance from the axis.
double LensMap::outward(double r) const noexcept {
  return r <= end_ ? polynomial(r) : polynomial(end_) + kMinSlope * (r - end_);
}

/// The inverse: Newton's method within a shrinking bracket.
double LensMap::inward(double shown) const noexcept {
  const double at_end = polynomial(end_);
  if (shown >= at_end) return end_ + (shown - at_end) / kMinSlope;
  double low = 0, high = end_, r = std::min(shown, end_);
  for (int i = 0; i < 60; ++i) {
    const double off = polynomial(r) - shown;
    if (off == 0) break;
    (off > 0 ? high : low) = r;
    double next = r - off / slope(r);
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (std::abs(next - r) < 1e-15) break;
    r = next;
  }
  return r;
}

/// Tangential part; outside the range, that of the range's end in the same direction.
Pixel LensMap::tangential(Pixel at, double r) const noexcept {
  if (lens_.p1 == 0 && lens_.p2 == 0) return {};
  if (r > end_) {
    at = {at.x * end_ / r, at.y * end_ / r};
    r = end_;
  }
  const double q = r * r;
  return {2 * lens_.p1 * at.x * at.y + lens_.p2 * (q + 2 * at.x * at.x),
          lens_.p1 * (q + 2 * at.y * at.y) + 2 * lens_.p2 * at.x * at.y};
}

Pixel LensMap::distort(Pixel straight) const noexcept {
  if (lens_.straight()) return straight;
  const double f = lens_.focal_px;
  const double x = (straight.x - lens_.center_x) / f, y = (straight.y - lens_.center_y) / f;
  const double r = std::sqrt(x * x + y * y);
  const double scale = r > 0 ? outward(r) / r : 1;
  const Pixel aside = tangential({x, y}, r);
  return {lens_.center_x + f * (x * scale + aside.x), lens_.center_y + f * (y * scale + aside.y)};
}

Pixel LensMap::undistort(Pixel seen) const noexcept {
  if (lens_.straight()) return seen;
  const double f = lens_.focal_px;
  const Pixel to{(seen.x - lens_.center_x) / f, (seen.y - lens_.center_y) / f};
  // Newton's method, which converges in two or three rounds within the view of a real lens.
  double x = to.x, y = to.y;
  for (int round = 0; round < 12; ++round) {
    const Bent bent = bend(x, y);
    const double stretch = bent.stretch();
    if (!(stretch > kMinStretch) || !(x * x + y * y <= end_ * end_)) break;
    const double ex = to.x - bent.x, ey = to.y - bent.y;
    const double dx = (ex * bent.yy - ey * bent.xy) / stretch;
    const double dy = (ey * bent.xx - ex * bent.xy) / stretch;
    x += dx;
    y += dy;
    if (!(dx * dx + dy * dy < kStepLimit2)) continue;
    if (!(x * x + y * y <= end_ * end_)) break;
    return {lens_.center_x + f * x, lens_.center_y + f * y};
  }
  const Pixel found = follow_back(to);
  return {lens_.center_x + f * found.x, lens_.center_y + f * found.y};
}

/// Fixed-point iteration: slower, and also for points outside the range.
Pixel LensMap::follow_back(Pixel to) const noexcept {
  Pixel guess = to;
  for (int i = 0; i < 30; ++i) {
    const Pixel aside = tangential(guess, std::sqrt(guess.x * guess.x + guess.y * guess.y));
    const Pixel radial{to.x - aside.x, to.y - aside.y};
    const double out = std::sqrt(radial.x * radial.x + radial.y * radial.y);
    const double scale = out > 0 ? inward(out) / out : 1;
    const Pixel next{radial.x * scale, radial.y * scale};
    const double change = std::abs(next.x - guess.x) + std::abs(next.y - guess.y);
    guess = next;
    if (change < 1e-13) break;
  }
  return guess;
}

bool LensMap::is_one_to_one(int width, int height) const noexcept {
  if (lens_.straight()) return true;
  for (int row = 0; row <= kGrid; ++row)
    for (int column = 0; column <= kGrid; ++column) {
      const Pixel seen{static_cast<double>(column) / kGrid * (width - 1),
                       static_cast<double>(row) / kGrid * (height - 1)};
      const Pixel straight = undistort(seen);
      const Pixel back = distort(straight);
      const double ex = back.x - seen.x, ey = back.y - seen.y;
      if (!(ex * ex + ey * ey < kPixelError2)) return false;
      // Within the polynomial's range, and without a fold between the axis and the point.
      const double x = (straight.x - lens_.center_x) / lens_.focal_px;
      const double y = (straight.y - lens_.center_y) / lens_.focal_px;
      if (!(x * x + y * y <= end_ * end_)) return false;
      for (int step = 1; step <= kSteps; ++step) {
        const double share = static_cast<double>(step) / kSteps;
        const Bent bent = bend(share * x, share * y);
        if (!(bent.stretch() > kMinStretch) || !(bent.xx > 0)) return false;
      }
    }
  return true;
}

}  // namespace kerb
