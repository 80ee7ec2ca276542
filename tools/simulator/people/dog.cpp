// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/people/dog.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kerb::sim::people {
namespace {

// A dog of 0.56 m at the shoulders, metres; scaled to any size afterwards.
constexpr Vec3 kLow{-0.58, -0.14, 0}, kHigh{0.64, 0.16, 0.79};
constexpr Vec3 kPivots[] = {
    {0.15, 0.085, 0.43}, {0.15, -0.085, 0.43}, {-0.25, 0.085, 0.43}, {-0.25, -0.085, 0.43}};

Vec3 scaled(Vec3 size, Vec3 p) {
  return {(p.x - (kLow.x + kHigh.x) / 2) * size.x / (kHigh.x - kLow.x),
          p.y * size.y / (kHigh.y - kLow.y), (p.z - kLow.z) * size.z / (kHigh.z - kLow.z)};
}

double trunk(const Vec3& p) {
  const Vec3 q{p.x, std::abs(p.y), p.z};
  double d = cone(q, {-0.26, 0, 0.47}, {0.16, 0, 0.46}, 0.105, 0.130);
  d = join(d, cone(q, {0.20, 0, 0.52}, {0.34, 0, 0.64}, 0.105, 0.085), 0.06);
  d = join(d, ellipsoid(q, {0.39, 0, 0.685}, {0.115, 0.088, 0.092}), 0.03);
  d = join(d, cone(q, {0.44, 0, 0.665}, {0.585, 0, 0.640}, 0.064, 0.046), 0.025);
  d = join(d, cone(q, {0.350, 0.075, 0.745}, {0.355, 0.108, 0.655}, 0.034, 0.026), 0.008);
  return join(d, cone(q, {-0.34, 0, 0.53}, {-0.565, 0, 0.66}, 0.030, 0.013), 0.03);
}
double leg(const Vec3& p, bool hind, double y) {
  const Vec3 q{p.x, p.y - y, p.z};
  if (!hind) {
    double d = cone(q, {0.15, 0, 0.43}, {0.14, 0, 0.24}, 0.060, 0.034);
    d = join(d, cone(q, {0.14, 0, 0.24}, {0.15, 0, 0.04}, 0.032, 0.027), 0.02);
    return join(d, ellipsoid(q, {0.172, 0, 0.026}, {0.052, 0.036, 0.026}), 0.015);
  }
  double d = cone(q, {-0.25, 0, 0.43}, {-0.19, 0, 0.28}, 0.082, 0.050);
  d = join(d, cone(q, {-0.19, 0, 0.28}, {-0.30, 0, 0.16}, 0.042, 0.028), 0.02);
  d = join(d, cone(q, {-0.30, 0, 0.16}, {-0.275, 0, 0.04}, 0.026, 0.026), 0.015);
  return join(d, ellipsoid(q, {-0.25, 0, 0.026}, {0.052, 0.036, 0.026}), 0.015);
}

}  // namespace

std::vector<DogPart> dog_parts(Vec3 size) {
  std::vector<DogPart> out;
  const auto add = [&](const Field& field, Vec3 low, Vec3 high, double cell) -> DogPart& {
    DogPart& part = out.emplace_back();
    part.skin = polygonise(field, low, high, cell);
    return part;
  };
  add(trunk, {-0.66, -0.2, 0.28}, {0.70, 0.2, 0.90}, 0.028);
  for (int i = 0; i < 4; ++i) {
    const Vec3 pivot = kPivots[i];
    const bool hind = i >= 2;
    const double y = pivot.y;
    DogPart& part = add([hind, y](const Vec3& p) { return leg(p, hind, y); },
                        {pivot.x - 0.16, y - 0.11, -0.03}, {pivot.x + 0.16, y + 0.11, 0.56}, 0.024);
    part.leg = i;
    part.pivot = pivot;
  }
  add(
      [](const Vec3& p) {
        return ellipsoid(p, {0.618, 0, 0.658}, {0.020, 0.024, 0.020});
      },
      {0.57, -0.05, 0.61}, {0.66, 0.05, 0.70}, 0.012)
      .dark = true;
  for (const double side : {-1.0, 1.0})
    add(
        [side](const Vec3& p) {
          return ellipsoid(p, {0.476, side * 0.052, 0.728}, {0.014, 0.010, 0.014});
        },
        {0.46, side * 0.05 - 0.03, 0.69}, {0.52, side * 0.05 + 0.03, 0.77}, 0.008)
        .dark = true;
  add(
      [](const Vec3& p) {  // the collar
        const double along = dot(p - Vec3{0.27, 0, 0.59}, unit({0.16, 0, 0.16}));
        return std::max(trunk(p) - 0.006, std::abs(along) - 0.012);
      },
      {0.13, -0.13, 0.46}, {0.41, 0.13, 0.74}, 0.016)
      .dark = true;
  // To the size that was asked for: of the whole.
  Vec3 low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
  for (const DogPart& part : out)
    for (const Vec3& p : part.skin.points) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
  const Vec3 k{size.x / (high.x - low.x), size.y / (high.y - low.y), size.z / (high.z - low.z)};
  for (DogPart& part : out) {
    for (Vec3& p : part.skin.points)
      p = {(p.x - (low.x + high.x) / 2) * k.x, (p.y - (low.y + high.y) / 2) * k.y,
           (p.z - low.z) * k.z};
    for (Vec3& n : part.skin.normals) n = unit({n.x / k.x, n.y / k.y, n.z / k.z});
    if (part.leg >= 0) part.pivot = scaled(size, part.pivot);
  }
  return out;
}

DogLeg dog_leg(Vec3 size, int leg, double stride_m, double metres) {
  const bool first = leg == 0 || leg == 3;
  const double phase = 2 * std::numbers::pi * metres / stride_m + (first ? 0 : std::numbers::pi);
  return {0.42 * std::sin(phase), scaled(size, kPivots[leg])};
}

Vec3 dog_beside(const Figure& f, const Manner& manner) {
  const double ahead = manner.dog ? 0.5 * manner.dog->x : 0;
  return {0.22 * f.height + ahead, manner.side * 0.32 * f.height, 0};
}

}  // namespace kerb::sim::people
