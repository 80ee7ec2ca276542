// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "tools/simulator/people/shape.hpp"

namespace kerb::sim::people {

struct Skin {
  std::vector<Vec3> points;
  std::vector<Vec3> normals;                            ///< of the field, outwards
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< anti-clockwise from outside
};
/// The surface of a solid between two corners, as a closed net with a vertex in each cell that the
/// surface passes, moved onto it (naive surface nets, then Newton's steps along the gradient).
Skin polygonise(const Field& field, const Vec3& low, const Vec3& high, double cell);

}  // namespace kerb::sim::people
