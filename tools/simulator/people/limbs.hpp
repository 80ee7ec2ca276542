// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>

#include "tools/simulator/people/posture.hpp"

/// Turns, and limbs of two bones.
namespace kerb::sim::people {

inline Turn3 about_z(double a) {  // to the left
  return {{std::cos(a), std::sin(a), 0}, {-std::sin(a), std::cos(a), 0}, {0, 0, 1}};
}
inline Turn3 about_y(double a) {  // forward
  return {{std::cos(a), 0, -std::sin(a)}, {0, 1, 0}, {std::sin(a), 0, std::cos(a)}};
}
inline Turn3 about_x(double a) {  // left side up
  return {{1, 0, 0}, {0, std::cos(a), std::sin(a)}, {0, -std::sin(a), std::cos(a)}};
}
inline Vec3 across(const Vec3& v, const Vec3& axis) { return unit(v - dot(v, axis) * axis); }

/// The turn that takes one direction and its front to another.
inline Turn3 between(const Vec3& d0, const Vec3& f0, const Vec3& d1, const Vec3& f1) {
  const Vec3 front0 = across(f0, d0), front1 = across(f1, d1);
  const Vec3 g0 = cross(d0, front0), g1 = cross(d1, front1);
  const auto image = [&](const Vec3& v) {
    return dot(v, d0) * d1 + (dot(v, front0) * front1 + dot(v, g0) * g1);
  };
  return {image({1, 0, 0}), image({0, 1, 0}), image({0, 0, 1})};
}

inline double mix(double a, double b, double w) { return a + w * (b - a); }

/// Two bones from `from` towards `to`, bending towards `pole`: both directions.
struct Limb {
  Vec3 upper, lower, front;
};
inline Limb reach(const Vec3& from, const Vec3& to, double l1, double l2, const Vec3& pole) {
  const Vec3 d = to - from;
  const double far = std::clamp(length(d), std::abs(l1 - l2) * 1.05 + 1e-3, 0.9995 * (l1 + l2));
  const Vec3 along = unit(d), side = across(pole, along);
  const double c = std::clamp((l1 * l1 + far * far - l2 * l2) / (2 * l1 * far), -1.0, 1.0);
  Limb out;
  out.upper = unit(c * along + std::sqrt(1 - c * c) * side);
  const Vec3 joint = from + l1 * out.upper;
  out.lower = unit(from + far * along - joint);
  out.front = side;
  return out;
}

}  // namespace kerb::sim::people
