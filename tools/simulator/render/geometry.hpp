// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "tools/simulator/render/vecf.hpp"

namespace kerb::sim {

struct Corner {
  V3 p, n;
  float u = 0, v = 0;  ///< metres, or 0..1 for a texture of its own
  float shade = 1;     ///< how much of the sky it sees, against what its normal says
};
struct Face {
  std::array<std::uint32_t, 3> corner{};
  std::uint16_t material = 0;
  std::uint16_t two_sided = 0;
};
struct Ball {
  V3 centre;
  float radius = 0;
};
/// Triangles in space, and the ball they are in.
struct Geometry {
  std::vector<Corner> corners;
  std::vector<Face> faces;
  Ball ball;
  void bound();
};

/// Puts shapes together, in a frame of its own: x ahead, y left, z up of where it stands.
class Builder {
 public:
  /// With `mirror`, what comes out is the mirror image across the x axis of what is built, for
  /// left-hand traffic; only what is written on a picture() still reads from left to right.
  explicit Builder(Geometry& out, bool mirror = false) : out_{out}, hand_{mirror ? -1.0F : 1.0F} {}
  /// Everything from here on stands there.
  void stand(V3 at, float heading) {
    at_ = at;
    c_ = std::cos(heading);
    s_ = std::sin(heading);
  }
  void stand(const Place& place, double z = 0) {
    stand({f32(place.at.x), f32(place.at.y), f32(z)}, f32(place.heading));
  }
  [[nodiscard]] V3 world(V3 p) const noexcept {
    return {at_.x + c_ * p.x - s_ * p.y, hand_ * (at_.y + s_ * p.x + c_ * p.y), at_.z + p.z};
  }
  [[nodiscard]] V3 turned(V3 p) const noexcept {
    return {c_ * p.x - s_ * p.y, hand_ * (s_ * p.x + c_ * p.y), p.z};
  }

  float shade = 1;         ///< of corners to come
  bool two_sided = false;  ///< of faces to come
  float u0 = 0, v0 = 0;    ///< where textures begin

  std::uint32_t corner(V3 p, V3 n, float u, float v);
  std::uint32_t corner(V3 p, V3 n, float u, float v, float shade_here);
  void face(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint16_t material);
  /// Anti-clockwise from outside; u runs from a to b, v from a to d, in metres.
  void quad(V3 a, V3 b, V3 c, V3 d, std::uint16_t material);
  /// The same with shades at a b and at c d, and all of a texture on it.
  void quad_shaded(V3 a, V3 b, V3 c, V3 d, std::uint16_t material, float low, float high);
  void picture(V3 a, V3 b, V3 c, V3 d, std::uint16_t material, float u_from = 0, float u_to = 1);
  void triangle(V3 a, V3 b, V3 c, std::uint16_t material);
  /// Without its bottom unless asked for.
  void box(V3 low, V3 high, std::uint16_t material, bool bottom = false);
  /// From a to b, thick r0 and r1, with rounded normals; closed at b where asked.
  void tube(V3 a, V3 b, float r0, float r1, int sides, std::uint16_t material, bool cap = false);
  void ball(V3 centre, V3 radii, int rings, std::uint16_t material);
  [[nodiscard]] std::uint32_t corners() const noexcept {
    return static_cast<std::uint32_t>(out_.corners.size());
  }
  /// Another geometry in this frame, moved by `offset`.
  void add(const Geometry& part, V3 offset);

 private:
  Geometry& out_;
  V3 at_{};
  float c_ = 1, s_ = 0;
  float hand_;  // -1: mirrored
};

}  // namespace kerb::sim
