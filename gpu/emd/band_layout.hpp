// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <vector>

#include "gpu/emd/ground.hpp"

namespace kerb::emd {

/// Which bins the bands of a camera make, and where these lie.
struct BandLayout {
  static constexpr int kMostBins = 10;  ///< with the dark eleven, which the atlas solves

  std::vector<int> bin_of;                   ///< of each band
  std::array<int, kMaxBins> members{};       ///< bands of each bin
  std::array<double, kMaxBins> positions{};  ///< of the bins, hundreds of nm, rising
  int bins = 0;                              ///< without the dark, which comes after them
};

/// Neighbours by their wavelength share a bin where there are more bands than bins. Beyond 3000 nm
/// it is heat, which lies a little beyond the reddest of the others.
///   nanometres   one a band; none: not known, and each is 100 from the next
[[nodiscard]] BandLayout layout_of(const std::vector<double>& nanometres, int bands);

/// Bins at their wavelengths, but none farther apart than is to the dark, the last, and back: so it
/// is a metric, and light that is missing is no worse than light of quite another colour. Fails: as
/// Ground::create().
Result<Ground> ground_of(const BandLayout& layout);

}  // namespace kerb::emd
