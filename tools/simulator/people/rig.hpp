// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "tools/simulator/people/layers.hpp"

namespace kerb::sim::people {

/// A vertex at rest and the bones that move it.
struct Bound {
  std::array<float, 3> position{}, normal{};
  std::array<float, 2> uv{};
  float open = 1;
  std::array<float, 4> weight{};  ///< sum to 1, largest first
  std::array<std::uint8_t, 4> bone{};
};

/// Which bones move a place on a layer.
class Rig {
 public:
  /// hem: of what hangs over the trousers, if it ends at the hips.
  Rig(const Figure& figure, double hem);
  void bind(const Vec3& p, const Layer& layer, Bound& out) const;
  /// A place on the cloth: which piece it is cut from, the angle round it, and along.
  struct Cloth {
    int piece = 0;
    double angle = 0, along = 0, radius = 0.1;
  };
  [[nodiscard]] Cloth cloth(const Vec3& p, const Bound& bound) const;

 private:
  Figure f_;
  double hem_;
  Loft trunk_;
  std::array<Loft, 2> arms_;
};

}  // namespace kerb::sim::people
