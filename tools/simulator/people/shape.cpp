// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/people/shape.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kerb::sim::people {
namespace {

double ellipse_distance(double u, double v, double a, double b, double n) {
  u = std::abs(u) / a;
  v = std::abs(v) / b;
  if (u + v < 1e-9) return -std::min(a, b);
  double q = 0, gu = 0, gv = 0;
  if (n == 2) {
    q = std::sqrt(u * u + v * v);
    gu = u / (q * a);
    gv = v / (q * b);
  } else {
    q = std::pow(std::pow(u, n) + std::pow(v, n), 1 / n);
    gu = std::pow(u / q, n - 1) / a;
    gv = std::pow(v / q, n - 1) / b;
  }
  return (q - 1) / std::sqrt(gu * gu + gv * gv);
}

std::uint32_t hash(std::int32_t x, std::int32_t y, std::int32_t z, std::uint32_t seed) {
  std::uint32_t h = seed * 0x9e3779b1u;
  h = (h ^ static_cast<std::uint32_t>(x)) * 0x85ebca6bu;
  h = (h ^ (h >> 13) ^ static_cast<std::uint32_t>(y)) * 0xc2b2ae35u;
  h = (h ^ (h >> 15) ^ static_cast<std::uint32_t>(z)) * 0x27d4eb2fu;
  return h ^ (h >> 14);
}

}  // namespace

Loft::Loft(Vec3 origin, Vec3 axis, Vec3 front, const std::vector<Section>& sections,
           double exponent, double rounding)
    : origin_{origin},
      axis_{unit(axis)},
      front_{unit(front - dot(front, axis_) * axis_)},
      side_{cross(axis_, front_)},
      first_{sections.front().t},
      last_{sections.back().t},
      exponent_{exponent},
      rounding_{rounding} {
  std::vector<Key> side, ahead, behind, shift;
  for (const Section& s : sections) {
    side.push_back({s.t, s.side});
    ahead.push_back({s.t, s.front});
    behind.push_back({s.t, s.back});
    shift.push_back({s.t, s.shift});
  }
  for (int i = 0; i <= kSteps; ++i) {
    const double t = first_ + (last_ - first_) * i / kSteps;
    rows_.push_back({curve(side, t), curve(ahead, t), curve(behind, t), curve(shift, t)});
  }
}

double Loft::distance(const Vec3& p) const {
  const Vec3 d = p - origin_;
  const double t = dot(d, axis_);
  const double x = std::clamp((t - first_) / (last_ - first_), 0.0, 1.0) * kSteps;
  const auto i = std::min(static_cast<std::size_t>(x), std::size_t{kSteps - 1});
  const double f = x - static_cast<double>(i);
  const Row &a = rows_[i], &b = rows_[i + 1];
  const auto mix = [f](double p0, double p1) { return p0 + f * (p1 - p0); };
  const double v = dot(d, front_) - mix(a.shift, b.shift);
  const double across =
      ellipse_distance(dot(d, side_), v, mix(a.side, b.side),
                       v > 0 ? mix(a.front, b.front) : mix(a.back, b.back), exponent_) +
      rounding_;
  const double beyond = std::max(first_ - t, t - last_) + rounding_;
  return std::min(std::max(across, beyond), 0.0) +
         std::hypot(std::max(across, 0.0), std::max(beyond, 0.0)) - rounding_;
}

double ellipsoid(const Vec3& p, const Vec3& centre, const Vec3& radii, double pitch) {
  const Vec3 d = p - centre;
  const double c = std::cos(pitch), s = std::sin(pitch);
  const Vec3 q{c * d.x + s * d.z, d.y, c * d.z - s * d.x};
  const Vec3 n{q.x / radii.x, q.y / radii.y, q.z / radii.z};
  const Vec3 g{n.x / radii.x, n.y / radii.y, n.z / radii.z};
  const double k0 = length(n), k1 = length(g);
  return k1 < 1e-9 ? -std::min({radii.x, radii.y, radii.z}) : k0 * (k0 - 1) / k1;
}

double cone(const Vec3& p, const Vec3& a, const Vec3& b, double ra, double rb) {
  const Vec3 ab = b - a;
  const double t = std::clamp(dot(p - a, ab) / dot(ab, ab), 0.0, 1.0);
  return length(p - a - t * ab) - (ra + t * (rb - ra));
}

double join(double a, double b, double k) {
  const double h = std::max(k - std::abs(a - b), 0.0) / k;
  return std::min(a, b) - h * h * k / 4;
}
double meet(double a, double b, double k) { return -join(-a, -b, k); }

double noise(const Vec3& p, std::uint32_t seed) {
  const double fx = std::floor(p.x), fy = std::floor(p.y), fz = std::floor(p.z);
  const auto x = static_cast<std::int32_t>(fx), y = static_cast<std::int32_t>(fy),
             z = static_cast<std::int32_t>(fz);
  const auto ease = [](double t) { return t * t * (3 - 2 * t); };
  const double u = ease(p.x - fx), v = ease(p.y - fy), w = ease(p.z - fz);
  double sum = 0;
  for (int i = 0; i < 8; ++i) {
    const int dx = i & 1, dy = (i >> 1) & 1, dz = i >> 2;
    const double value = hash(x + dx, y + dy, z + dz, seed) * (2.0 / 4294967295.0) - 1;
    sum += value * (dx != 0 ? u : 1 - u) * (dy != 0 ? v : 1 - v) * (dz != 0 ? w : 1 - w);
  }
  return sum;
}

double smooth_step(double from, double to, double x) {
  const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

double curve(const std::vector<Key>& keys, double x) {
  if (x <= keys.front().x) return keys.front().y;
  if (x >= keys.back().x) return keys.back().y;
  std::size_t i = 0;
  while (keys[i + 1].x < x) ++i;
  const auto slope = [&keys](std::size_t k) {
    return (keys[k + 1].y - keys[k].y) / (keys[k + 1].x - keys[k].x);
  };
  const auto tangent = [&](std::size_t k) {  // zero at peaks, else the harmonic mean: no overshoot
    if (k == 0) return slope(0);
    if (k + 1 == keys.size()) return slope(k - 1);
    const double a = slope(k - 1), b = slope(k);
    return a * b <= 0 ? 0.0 : 2 * a * b / (a + b);
  };
  const double h = keys[i + 1].x - keys[i].x, t = (x - keys[i].x) / h;
  const double t2 = t * t, t3 = t2 * t;
  return (2 * t3 - 3 * t2 + 1) * keys[i].y + (t3 - 2 * t2 + t) * h * tangent(i) +
         (3 * t2 - 2 * t3) * keys[i + 1].y + (t3 - t2) * h * tangent(i + 1);
}

Vec3 gradient(const Field& field, const Vec3& p, double step) {
  return (0.5 / step) * Vec3{field({p.x + step, p.y, p.z}) - field({p.x - step, p.y, p.z}),
                             field({p.x, p.y + step, p.z}) - field({p.x, p.y - step, p.z}),
                             field({p.x, p.y, p.z + step}) - field({p.x, p.y, p.z - step})};
}

}  // namespace kerb::sim::people
