// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/world/outline.hpp"

#include <algorithm>
#include <cmath>

namespace kerb::sim {

Vec2 seen_from(Place car, Vec2 point) noexcept {
  const Vec2 ahead = direction(car.heading), to = point - car.at;
  return {dot(to, ahead), dot(to, left_of(ahead))};
}

double outline_distance(double length_m, double width_m, Vec2 seen) noexcept {
  const double x = std::abs(seen.x + length_m / 2) - length_m / 2;
  const double y = std::abs(seen.y) - width_m / 2;
  if (x <= 0 && y <= 0) return std::max(x, y);
  return std::hypot(std::max(x, 0.0), std::max(y, 0.0));
}

std::optional<double> first_touch(const std::function<double(double)>& distance, double fastest,
                                  double begin, double end) {
  constexpr double kLeastStep = 1e-4;  // seconds: walking along at a hair's breadth ends, too
  constexpr double kExact = 1e-9;      // seconds
  double d = distance(begin);
  if (d <= 0) return begin;
  if (!(fastest > 0)) return std::nullopt;
  for (double t = begin; t < end;) {
    const double next = std::min(t + std::max(d / fastest, kLeastStep), end);
    d = distance(next);
    if (d <= 0) {
      double apart = t, touching = next;
      while (touching - apart > kExact) {
        const double middle = (apart + touching) / 2;
        (distance(middle) <= 0 ? touching : apart) = middle;
      }
      return touching;
    }
    t = next;
  }
  return std::nullopt;
}

}  // namespace kerb::sim
