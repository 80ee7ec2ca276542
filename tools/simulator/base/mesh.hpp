// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace kerb::sim {

struct Vertex {
  std::array<float, 3> position{};  ///< metres
  std::array<float, 3> normal{};
  std::array<float, 2> uv{};  ///< in metres on the surface, or 0..1 for a texture of its own
  float open = 1;             ///< how much of the sky its own object leaves it, 0..1
};
struct Triangle {
  std::array<std::uint32_t, 3> corner{};
  std::uint16_t material = 0;  ///< index into the object's materials
};
/// Closed or not; front faces turn anti-clockwise.
struct Mesh {
  std::vector<Vertex> vertices;
  std::vector<Triangle> triangles;
};

}  // namespace kerb::sim
