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

double square(double v) noexcept { return v * v; }

/// Of one part of the velocity.
struct Prior {
  double mean = 0, sigma = 1;
};

/// Gives a person's velocity another prior in one direction than the one it was estimated with,
/// which had the mean 0 and `used` as its standard deviation. The quotient of both has the shape of
/// a measurement: so this is a Kalman filter's update, which moves the place along with the
/// velocity. Returns how much more likely what was seen is with the other prior.
double change_prior(track::Person& person, const Direction& d, double used, Prior other) noexcept {
  constexpr double kNarrower = 0.98;  // than the used prior: else the quotient is no measurement
  const double variance = square(std::min(other.sigma, kNarrower * used));
  const double noise = 1 / (1 / variance - 1 / square(used));
  const double measured = noise * other.mean / variance;
  std::array<double, 16>& p = person.covariance;
  std::array<double, 4> with{};  // covariance with that part of the velocity
  for (std::size_t i = 0; i < 4; ++i) with[i] = p[4 * i + 2] * d.cos + p[4 * i + 3] * d.sin;
  const double now = std::max(with[2] * d.cos + with[3] * d.sin, kLeastVariance);
  const double off = measured - (person.vx_mps * d.cos + person.vy_mps * d.sin);
  const double exponent =
      square(measured) / noise - square(other.mean) / variance - square(off) / (noise + now);
  const double ratio = std::sqrt(square(used) / variance * noise / (noise + now)) *
                       exact::exp(std::clamp(0.5 * exponent, -40.0, 40.0));
  const double share = 1 / (noise + now);
  person.x_m += with[0] * share * off;
  person.y_m += with[1] * share * off;
  person.vx_mps += with[2] * share * off;
  person.vy_mps += with[3] * share * off;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 4; ++k) p[4 * i + k] -= with[i] * with[k] * share;
  return ratio;
}

}  // namespace

AlongRoad along_road(const PaceSettings& s, const track::Person& person,
                     const CarWay& way) noexcept {
  AlongRoad out;
  if (!(s.along_share > 0)) return out;
  const Direction road = direction_at(way, person.x_m, person.y_m);
  const double along = road.cos * person.vx_mps + road.sin * person.vy_mps;
  out.person = person;
  // Of the two directions along the road, the one that they seem to walk in. The other is too
  // unlikely to count, unless nothing is known of the velocity.
  const double ratio =
      s.along_share / (1 - std::min(s.along_share, 0.99)) / 2 *
      change_prior(out.person, {-road.sin, road.cos}, s.any_way_mps, {0, s.across_sigma_mps}) *
      change_prior(out.person, road, s.any_way_mps,
                   {std::copysign(s.usual_mps, along), s.along_sigma_mps});
  out.probability = ratio / (1 + ratio);
  return out;
}

}  // namespace kerb::risk
