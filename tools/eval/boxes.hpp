// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

namespace kerb::eval {

/// In pixels of the picture; (x, y) is the top left corner.
struct Box {
  double x = 0, y = 0, w = 0, h = 0;
};

/// The width of a person's box for its height: the mean of Dollar et al. for people who walk.
inline constexpr double kAspect = 0.41;

/// The same height and middle, and kAspect of the height wide: how much of a person's arms and legs
/// a box takes in should not decide whether it is theirs.
[[nodiscard]] constexpr Box standardised(const Box& b) noexcept {
  const double w = kAspect * b.h;
  return {b.x + (b.w - w) / 2, b.y, w, b.h};
}

[[nodiscard]] constexpr double intersection(const Box& a, const Box& b) noexcept {
  const double w = std::min(a.x + a.w, b.x + b.w) - std::max(a.x, b.x);
  const double h = std::min(a.y + a.h, b.y + b.h) - std::max(a.y, b.y);
  return w <= 0 || h <= 0 ? 0 : w * h;
}

/// Intersection over union; 0 where both are empty.
[[nodiscard]] constexpr double overlap(const Box& a, const Box& b) noexcept {
  const double both = intersection(a, b), all = a.w * a.h + b.w * b.h - both;
  return all > 0 ? both / all : 0;
}

/// How much of `a` lies in `b`, 0..1.
[[nodiscard]] constexpr double covered(const Box& a, const Box& b) noexcept {
  const double area = a.w * a.h;
  return area > 0 ? intersection(a, b) / area : 0;
}

}  // namespace kerb::eval
