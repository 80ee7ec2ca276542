// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "tools/simulator/render/vecf.hpp"

namespace kerb::sim {

struct ScreenTriangle {
  std::array<std::int32_t, 3> x{}, y{};  ///< 1/32 pixel; turns so that its area is positive
  /// At (x[0], y[0]), and by pixel: the inverse of the depth, and two barycentric weights (of the
  /// corners 1 and 2) times it.
  float w = 0, wx = 0, wy = 0;
  float b1 = 0, b1x = 0, b1y = 0;
  float b2 = 0, b2x = 0, b2y = 0;
  std::array<std::uint32_t, 3> corner{};
  std::uint32_t item = 0;
  std::uint16_t material = 0;
  bool cut = false, back = false;
};

inline constexpr int kTile = 64;
inline constexpr int kSubpixel = 32;
inline constexpr std::uint32_t kNothing = 0xFFFFFFFFU;
/// Triangles are numbered by group: the group in the upper bits, the place in it below.
inline constexpr int kTriangleGroups = 16, kGroupShift = 27;

/// A place in a triangle.
struct Hit {
  float w = 0, b1 = 0, b2 = 0;
};
[[nodiscard]] KERB_BOTH inline Hit hit_at(const ScreenTriangle& t, float x, float y) noexcept {
  const float dx = x - f32(t.x[0]) * (1.0F / kSubpixel);
  const float dy = y - f32(t.y[0]) * (1.0F / kSubpixel);
  const float w = t.w + t.wx * dx + t.wy * dy, z = 1 / w;
  return {w, (t.b1 + t.b1x * dx + t.b1y * dy) * z, (t.b2 + t.b2x * dx + t.b2y * dy) * z};
}

}  // namespace kerb::sim
