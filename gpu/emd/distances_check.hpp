// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/emd/distances.hpp"

/// Argument checks of Distances, the same on both backends. For gpu/emd alone.
namespace kerb::emd {

inline Error bad_distances(const char* what) {
  return Error{Errc::invalid_argument, 0, "earth mover's distance", what};
}

/// Whether its mass is what settings ask for and nothing is beyond the bins.
[[nodiscard]] inline bool is_good(const Signature& signature, int bins, int mass) noexcept {
  int sum = 0, beyond = 0;
  for (int k = 0; k < kMaxBins; ++k)
    (k < bins ? sum : beyond) += signature.bins[static_cast<std::size_t>(k)];
  return beyond == 0 && (mass > 0 ? sum == mass : sum >= 1 && sum <= kMaxMass);
}

inline Status check_targets(const Signature* targets, int count, int bins, int mass) {
  if (targets == nullptr || count < 1 || count > kMaxTargets) return bad_distances("targets: 1..8");
  for (int t = 0; t < count; ++t)
    if (!is_good(targets[t], bins, mass))
      return bad_distances("a target's mass is not what it must be");
  return Done{};
}

template <Space S>
Status check_frame(int targets, std::size_t most, const void* data, std::size_t count,
                   const CostsView<S>& costs) {
  if (targets == 0) return bad_distances("no targets yet");
  if (count > most) return bad_distances("more signatures than it was made for");
  if (count > 0 && (data == nullptr || costs.data == nullptr)) return bad_distances("no memory");
  if (targets > 1 && costs.stride < count) return bad_distances("costs of targets overlap");
  return Done{};
}

inline Status check_planes(const BytePlanes& planes, int bins, int mass) {
  if (planes.planes != bins && (mass == 0 || planes.planes != bins - 1))
    return bad_distances("planes: one a bin; the last may be missing where the mass is fixed");
  if (planes.planes > 1 && planes.stride < planes.count) return bad_distances("planes overlap");
  return Done{};
}

}  // namespace kerb::emd
