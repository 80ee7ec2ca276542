// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <vector>

#include "gpu/emd/ground.hpp"

namespace kerb::emd {

/// The bins that a camera's bands are grouped into, and their positions.
struct BandLayout {
  static constexpr int kMostBins = 10;  ///< with the dark eleven, which the atlas solves

  std::vector<int> bin_of;                   ///< of each band
  std::array<int, kMaxBins> members{};       ///< bands of each bin
  std::array<double, kMaxBins> positions{};  ///< of the bins, hundreds of nm, rising
  int bins = 0;                              ///< without the dark, which comes after them
};

/// Neighbours in wavelength share a bin where there are more bands than bins. Bands beyond 3000 nm
/// are thermal; they are placed 200 nm beyond the longest of the others.
///   nanometres   one a band; none: not known, and each is 100 from the next
[[nodiscard]] BandLayout layout_of(const std::vector<double>& nanometres, int bands);

/// Ground distance: bins at their wavelengths, but none farther apart than the way to the dark bin,
/// the last, and back. So it is a metric, and missing light costs no more than light of a very
/// different colour. Fails: as Ground::create().
Result<Ground> ground_of(const BandLayout& layout);

}  // namespace kerb::emd
