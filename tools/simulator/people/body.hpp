// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/simulator/base/mesh.hpp"
#include "tools/simulator/base/scenario.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim {

/// What a body's triangles are made of: Triangle::material.
enum class BodyPart : std::uint16_t {
  skin,
  hair,
  top,
  bottom,
  shoes,
  thing,       ///< what is carried
  thing_dark,  ///< its wheels, frame, grip
  trim,        ///< a shirt under an open jacket, a scarf, soles
  hat,
  eyes,
  lips,
  legwear,  ///< tights
  count
};
/// The surfaces of a person's parts: those the spec names, and what the seed decides.
std::array<Surface, static_cast<std::size_t>(BodyPart::count)> body_surfaces(
    const PersonSpec& person);
/// How much of a second colour a garment shows at a place on it (uv in metres): 0 plain .. 1. For
/// Clothing::pattern of the top; the second colour is body_surfaces' trim.
double pattern_share(int pattern, double u, double v, std::uint32_t seed);

/// A person: skin, clothes and what they carry, as one mesh that walks. Made once for each
/// PersonSpec; posing allocates nothing after the first time.
class Body {
 public:
  /// coarseness: of the net, 1: about 6000 vertices, for somebody near; 2: a quarter of them.
  explicit Body(const PersonSpec& person, double coarseness = 1);
  ~Body();
  Body(Body&&) noexcept;
  Body& operator=(Body&&) noexcept;
  /// The mesh in the world, as it is in this state at time t (standing people shift and breathe).
  /// The triangles never change, only the vertices do.
  void pose(const PersonState& state, double t, Mesh& out) const;
  /// Vertices that belong to the person, not to what is carried: the truth's box is theirs.
  [[nodiscard]] std::size_t own_vertices() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kerb::sim
