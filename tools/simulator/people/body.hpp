// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/simulator/render/mesh.hpp"
#include "tools/simulator/scenario/scenario.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim {

/// What a body's triangles are made of: Triangle::material.
enum class BodyPart : std::uint16_t { skin, hair, top, bottom, shoes, thing, thing_dark, count };

/// A person: skin, clothes and what they carry, as one mesh that walks. Made once for each
/// PersonSpec; posing allocates nothing after the first time.
class Body {
 public:
  explicit Body(const PersonSpec& person);
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
