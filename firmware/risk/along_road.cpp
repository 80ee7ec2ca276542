// SPDX-License-Identifier: Apache-2.0
#include "firmware/risk/along_road.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "firmware/exact/exact_math.hpp"

namespace kerb::risk {
namespace {

constexpr double kLeastVariance = 1e-4;  // (m/s)^2, of a velocity

struct Direction {
  double cos = 1, sin = 0;
};

/// Of the way where it is nearest to the place.
Direction direction_at(const CarWay& way, double x, double y) noexcept {
  double nearest = std::numeric_limits<double>::infinity();
  Direction out;
  for (const PathKnot& knot : way.knots) {
    const double dx = x - knot.x, dy = y - knot.y, off = dx * dx + dy * dy;
    if (off >= nearest) continue;
    nearest = off;
    out = {knot.cos, knot.sin};
  }
  return out;
}

/// A normal distribution of one part of the velocity.
struct Normal {
  double mean = 0, variance = 1;
};

/// How much more likely what was seen is under the prior `other` than under the prior `used`, with
/// which it gave `now`: the integral of now * other / used.
double evidence(const Normal& now, const Normal& used, const Normal& other) noexcept {
  // Below the prior's variance always; not quite, where a filter has widened it.
  const double b = 1 / std::clamp(now.variance, kLeastVariance, 0.98 * used.variance);
  const double a = 1 / other.variance, c = 1 / used.variance;
  const double sum = a + b - c;
  const double weighed = a * other.mean + b * now.mean - c * used.mean;
  const double exponent = a * other.mean * other.mean + b * now.mean * now.mean -
                          c * used.mean * used.mean - weighed * weighed / sum;
  return std::sqrt(a * b / (c * sum)) * exact::exp(std::clamp(-0.5 * exponent, -40.0, 40.0));
}

double square(double v) noexcept { return v * v; }

}  // namespace

AlongRoad along_road(const PaceSettings& s, const track::Person& person,
                     const CarWay& way) noexcept {
  AlongRoad out;
  if (!(s.along_share > 0)) return out;
  const Direction d = direction_at(way, person.x_m, person.y_m);
  const auto& p = person.covariance;
  const double vv[3] = {p[10], p[11], p[15]};  // of vx, of both, of vy
  const double along = d.cos * person.vx_mps + d.sin * person.vy_mps;
  const double across = d.cos * person.vy_mps - d.sin * person.vx_mps;
  const double along_variance =
      d.cos * d.cos * vv[0] + 2 * d.cos * d.sin * vv[1] + d.sin * d.sin * vv[2];
  const double across_variance =
      d.sin * d.sin * vv[0] - 2 * d.cos * d.sin * vv[1] + d.cos * d.cos * vv[2];
  const Normal used{0, square(s.any_way_mps)};
  const Normal walks{std::copysign(s.usual_mps, along), square(s.along_sigma_mps)};
  // Of the two directions along the road, the one that they seem to walk in. The other is too
  // unlikely to count, unless nothing is known of the velocity.
  const double ratio = s.along_share / (1 - std::min(s.along_share, 0.99)) / 2 *
                       evidence({along, along_variance}, used, walks) *
                       evidence({across, across_variance}, used, {0, square(s.across_sigma_mps)});
  out.probability = ratio / (1 + ratio);

  // The part of the velocity along the road is left; across it, the prior's.
  out.person = person;
  out.person.vx_mps = d.cos * along;
  out.person.vy_mps = d.sin * along;
  std::array<double, 16>& q = out.person.covariance;
  for (std::size_t row = 0; row < 2; ++row) {  // place with velocity
    const double with = d.cos * p[4 * row + 2] + d.sin * p[4 * row + 3];
    q[4 * row + 2] = q[8 + row] = d.cos * with;
    q[4 * row + 3] = q[12 + row] = d.sin * with;
  }
  const double rest = square(s.across_sigma_mps);
  q[10] = d.cos * d.cos * along_variance + d.sin * d.sin * rest;
  q[11] = q[14] = d.cos * d.sin * (along_variance - rest);
  q[15] = d.sin * d.sin * along_variance + d.cos * d.cos * rest;
  return out;
}

}  // namespace kerb::risk
