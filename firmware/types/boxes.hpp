// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>

#include "hal/vision.hpp"

/// Helpers for boxes.
namespace kerb::track {

/// Whether all numbers are finite and the size is plausible.
[[nodiscard]] inline bool is_sane(const Detection& b) noexcept {
  constexpr float kMost = 1e5F;
  return std::isfinite(b.score) && std::abs(b.x) < kMost && std::abs(b.y) < kMost && b.w >= 1 &&
         b.w < kMost && b.h >= 2 && b.h < kMost;
}

[[nodiscard]] inline double area(const Detection& b) noexcept {
  return static_cast<double>(b.w) * static_cast<double>(b.h);
}

[[nodiscard]] inline double common_area(const Detection& a, const Detection& b) noexcept {
  const double w = static_cast<double>(std::min(a.x + a.w, b.x + b.w) - std::max(a.x, b.x));
  const double h = static_cast<double>(std::min(a.y + a.h, b.y + b.h) - std::max(a.y, b.y));
  return w > 0 && h > 0 ? w * h : 0;
}

/// Intersection over union.
[[nodiscard]] inline double overlap(const Detection& a, const Detection& b) noexcept {
  const double common = common_area(a, b), both = area(a) + area(b) - common;
  return both > 0 ? common / both : 0;
}

/// The share of `a` that `b` covers.
[[nodiscard]] inline double covered(const Detection& a, const Detection& b) noexcept {
  const double own = area(a);
  return own > 0 ? common_area(a, b) / own : 0;
}

[[nodiscard]] inline Detection picture_box(int width, int height) noexcept {
  return {0, 0, static_cast<float>(width), static_cast<float>(height), 0};
}

}  // namespace kerb::track
