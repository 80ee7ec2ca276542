// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace kerb::spectral {

/// How well distances separate a target's pixels from others: at one threshold, which part of the
/// target lies within it and which part of the background does.
struct RocPoint {
  double false_rate = 0, hit_rate = 0;
};

/// Receiver operating characteristic, by rising distance from (0, 0) to (1, 1). Equal distances
/// come together. Points on a straight line between their neighbours are left out.
struct Roc {
  std::vector<RocPoint> points;
  double area = 0;  ///< under it: how often a pixel of the target is nearer than one of the
                    ///< background; ties count half. 0.5 is guessing.

  /// The hit rate at a false rate, between points by a straight line.
  [[nodiscard]] double hits_at(double false_rate) const noexcept;
};

/// Smaller distances mean the target; infinite ones are the farthest of all. Neither may be empty.
[[nodiscard]] Roc roc_of(std::vector<float> target, std::vector<float> background);

}  // namespace kerb::spectral
