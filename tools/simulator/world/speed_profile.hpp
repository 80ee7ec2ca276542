// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tools/simulator/base/scenario.hpp"

namespace kerb::sim {

/// How far and how fast something that drives is: pieces of constant acceleration, so exact at any
/// time. Before 0 s it drives as at 0 s. The first speed is there from the start.
class SpeedProfile {
 public:
  explicit SpeedProfile(const std::vector<SpeedPoint>& speeds);
  struct Now {
    double metres = 0, mps = 0, mps2 = 0;
  };
  [[nodiscard]] Now at(double t) const;
  [[nodiscard]] double fastest() const;  ///< the greatest speed, as a positive number

 private:
  struct Piece {
    double t, metres, mps, mps2;
  };
  std::vector<Piece> pieces_;  // at least one
};

}  // namespace kerb::sim
