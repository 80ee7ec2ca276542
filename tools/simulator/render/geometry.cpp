// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/geometry.hpp"

#include <utility>

namespace kerb::sim {

void Geometry::bound() {
  if (corners.empty()) {
    ball = {};
    return;
  }
  V3 low = corners.front().p, high = low;
  for (const Corner& c : corners) {
    low = {std::min(low.x, c.p.x), std::min(low.y, c.p.y), std::min(low.z, c.p.z)};
    high = {std::max(high.x, c.p.x), std::max(high.y, c.p.y), std::max(high.z, c.p.z)};
  }
  ball.centre = 0.5F * (low + high);
  float most = 0;
  for (const Corner& c : corners) {
    const V3 d = c.p - ball.centre;
    most = std::max(most, dot(d, d));
  }
  ball.radius = std::sqrt(most);
}

std::uint32_t Builder::corner(V3 p, V3 n, float u, float v) { return corner(p, n, u, v, shade); }

std::uint32_t Builder::corner(V3 p, V3 n, float u, float v, float shade_here) {
  out_.corners.push_back({world(p), turned(n), u, v, shade_here});
  return static_cast<std::uint32_t>(out_.corners.size() - 1);
}

void Builder::face(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint16_t material) {
  if (hand_ < 0) std::swap(b, c);  // still anti-clockwise from outside
  out_.faces.push_back({{a, b, c}, material, two_sided ? std::uint16_t{1} : std::uint16_t{0}});
}

void Builder::quad(V3 a, V3 b, V3 c, V3 d, std::uint16_t material) {
  quad_shaded(a, b, c, d, material, shade, shade);
}

void Builder::quad_shaded(V3 a, V3 b, V3 c, V3 d, std::uint16_t material, float low, float high) {
  const V3 n = unit(cross(b - a, d - a));
  const float lu = length(b - a), lv = length(d - a), lc = length(c - d);
  const std::uint32_t i = corner(a, n, u0, v0, low);
  corner(b, n, u0 + lu, v0, low);
  corner(c, n, u0 + lc, v0 + lv, high);
  corner(d, n, u0, v0 + lv, high);
  face(i, i + 1, i + 2, material);
  face(i, i + 2, i + 3, material);
}

void Builder::picture(V3 a, V3 b, V3 c, V3 d, std::uint16_t material, float u_from, float u_to) {
  const V3 n = unit(cross(b - a, d - a));
  if (hand_ < 0) std::swap(u_from, u_to);
  const std::uint32_t i = corner(a, n, u_from, 0);
  corner(b, n, u_to, 0);
  corner(c, n, u_to, 1);
  corner(d, n, u_from, 1);
  face(i, i + 1, i + 2, material);
  face(i, i + 2, i + 3, material);
}

void Builder::triangle(V3 a, V3 b, V3 c, std::uint16_t material) {
  const V3 n = unit(cross(b - a, c - a));
  const V3 along = unit(b - a), across = cross(n, along);
  const std::uint32_t i = corner(a, n, u0, v0);
  corner(b, n, u0 + length(b - a), v0);
  corner(c, n, u0 + dot(c - a, along), v0 + dot(c - a, across));
  face(i, i + 1, i + 2, material);
}

void Builder::box(V3 l, V3 h, std::uint16_t m, bool bottom) {
  quad({l.x, h.y, l.z}, {l.x, l.y, l.z}, {l.x, l.y, h.z}, {l.x, h.y, h.z}, m);  // behind
  quad({h.x, l.y, l.z}, {h.x, h.y, l.z}, {h.x, h.y, h.z}, {h.x, l.y, h.z}, m);  // ahead
  quad({l.x, l.y, l.z}, {h.x, l.y, l.z}, {h.x, l.y, h.z}, {l.x, l.y, h.z}, m);  // right
  quad({h.x, h.y, l.z}, {l.x, h.y, l.z}, {l.x, h.y, h.z}, {h.x, h.y, h.z}, m);  // left
  quad({l.x, l.y, h.z}, {h.x, l.y, h.z}, {h.x, h.y, h.z}, {l.x, h.y, h.z}, m);
  if (bottom) quad({l.x, h.y, l.z}, {h.x, h.y, l.z}, {h.x, l.y, l.z}, {l.x, l.y, l.z}, m);
}

void Builder::tube(V3 a, V3 b, float r0, float r1, int sides, std::uint16_t m, bool cap) {
  const V3 axis = unit(b - a);
  const V3 x = unit(cross(std::abs(axis.z) > 0.9F ? V3{1, 0, 0} : V3{0, 0, 1}, axis));
  const V3 y = cross(axis, x);
  const float l = length(b - a);
  std::uint32_t first = 0;
  for (int i = 0; i <= sides; ++i) {
    const float w = 6.2831853F * f32(i) / f32(sides);
    const V3 n = std::cos(w) * x + std::sin(w) * y;
    const float u = u0 + w * std::max(r0, r1);
    const std::uint32_t c = corner(a + r0 * n, n, u, v0);
    corner(b + r1 * n, n, u, v0 + l);
    if (i == 0) first = c;
  }
  for (int i = 0; i < sides; ++i) {
    const std::uint32_t c = first + 2 * static_cast<std::uint32_t>(i);
    face(c, c + 2, c + 3, m);
    face(c, c + 3, c + 1, m);
  }
  if (!cap || r1 <= 0) return;
  const std::uint32_t middle = corner(b, axis, u0, v0);
  for (int i = 0; i <= sides; ++i) {
    const float w = 6.2831853F * f32(i) / f32(sides);
    const V3 n = std::cos(w) * x + std::sin(w) * y;
    const std::uint32_t c = corner(b + r1 * n, axis, u0 + r1 * std::cos(w), v0 + r1 * std::sin(w));
    if (i > 0) face(middle, c - 1, c, m);
  }
}

void Builder::add(const Geometry& part, V3 offset) {
  const auto first = static_cast<std::uint32_t>(out_.corners.size());
  for (const Corner& c : part.corners)
    out_.corners.push_back({world(c.p + offset), turned(c.n), c.u, c.v, c.shade});
  for (Face f : part.faces) {
    for (std::uint32_t& c : f.corner) c += first;
    if (hand_ < 0) std::swap(f.corner[1], f.corner[2]);
    out_.faces.push_back(f);
  }
}

void Builder::ball(V3 centre, V3 radii, int rings, std::uint16_t m) {
  const int sides = 2 * rings;
  std::uint32_t first = 0;
  for (int j = 0; j <= rings; ++j)
    for (int i = 0; i <= sides; ++i) {
      const float a = 3.14159265F * f32(j) / f32(rings), w = 6.2831853F * f32(i) / f32(sides);
      const V3 d{std::sin(a) * std::cos(w), std::sin(a) * std::sin(w), std::cos(a)};
      const V3 n = unit(V3{d.x / radii.x, d.y / radii.y, d.z / radii.z});
      const std::uint32_t c = corner(centre + radii * d, n, u0 + w * radii.x, v0 + a * radii.z);
      if (i == 0 && j == 0) first = c;
    }
  const auto at_ring = [&](int j, int i) {
    return first + static_cast<std::uint32_t>(j * (sides + 1) + i);
  };
  for (int j = 0; j < rings; ++j)
    for (int i = 0; i < sides; ++i) {
      face(at_ring(j, i), at_ring(j + 1, i), at_ring(j + 1, i + 1), m);
      face(at_ring(j, i), at_ring(j + 1, i + 1), at_ring(j, i + 1), m);
    }
}

}  // namespace kerb::sim
