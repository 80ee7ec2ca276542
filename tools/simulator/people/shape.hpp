// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "tools/simulator/base/vec.hpp"

/// Solids as functions of space: about the distance to their surface, negative inside.
namespace kerb::sim::people {

using Field = std::function<double(const Vec3&)>;

/// A cross-section of a Loft at t along its axis: an ellipse of half width `side`, reaching `front`
/// and `back` of its middle, which lies `shift` ahead of the axis.
struct Section {
  double t = 0;
  double side = 0, front = 0, back = 0;
  double shift = 0;
};

/// A tube through cross-sections, as a tailor measures a body.
class Loft {
 public:
  /// axis and front are made perpendicular; sections in the order of t. exponent: 2 an ellipse,
  /// more is boxier. rounding: of the ends' edges, in metres.
  Loft(Vec3 origin, Vec3 axis, Vec3 front, const std::vector<Section>& sections,
       double exponent = 2, double rounding = 0.01);
  [[nodiscard]] double distance(const Vec3& p) const;
  [[nodiscard]] double along(const Vec3& p) const { return dot(p - origin_, axis_); }

 private:
  static constexpr int kSteps = 64;
  struct Row {
    double side, front, back, shift;
  };
  Vec3 origin_, axis_, front_, side_;
  double first_, last_, exponent_, rounding_;
  std::vector<Row> rows_;
};

/// An ellipsoid, turned about the y axis: pitch > 0 raises its front.
double ellipsoid(const Vec3& p, const Vec3& centre, const Vec3& radii, double pitch = 0);
/// A capsule that changes its radius along the way.
double cone(const Vec3& p, const Vec3& a, const Vec3& b, double ra, double rb);
/// Union with a fillet of size k; intersection likewise.
double join(double a, double b, double k);
double meet(double a, double b, double k);
/// Smooth noise, about -1..1, changing over a length of 1.
double noise(const Vec3& p, std::uint32_t seed);
double smooth_step(double from, double to, double x);
/// Through points, without overshoot; x rising.
struct Key {
  double x, y;
};
double curve(const std::vector<Key>& keys, double x);
Vec3 gradient(const Field& field, const Vec3& p, double step);

}  // namespace kerb::sim::people
