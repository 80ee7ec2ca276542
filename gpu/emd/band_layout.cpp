// SPDX-License-Identifier: Apache-2.0
#include "gpu/emd/band_layout.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kerb::emd {
namespace {

constexpr double kThermal_nm = 3000;     // bands beyond are thermal,
constexpr double kThermalStep_nm = 200;  // and are placed this far beyond the longest other one
constexpr double kDarkCost = 0.75;       // between the dark and a bin, hundreds of nm

}  // namespace

BandLayout layout_of(const std::vector<double>& nanometres, int bands) {
  std::vector<double> nm = nanometres;
  if (nm.empty()) {
    nm.resize(static_cast<std::size_t>(bands));
    for (std::size_t i = 0; i < nm.size(); ++i) nm[i] = 100 * static_cast<double>(i);
  } else {
    double reddest = 0;
    for (const double x : nm)
      if (x < kThermal_nm) reddest = std::max(reddest, x);
    for (double& x : nm)
      if (x >= kThermal_nm) x = reddest + kThermalStep_nm;
  }
  std::vector<std::size_t> order(nm.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return nm[a] < nm[b]; });
  BandLayout out;
  out.bins = std::min(bands, BandLayout::kMostBins);
  out.bin_of.resize(nm.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const std::size_t bin = rank * static_cast<std::size_t>(out.bins) / order.size();
    out.bin_of[order[rank]] = static_cast<int>(bin);
    out.positions[bin] += nm[order[rank]] / 100;
    ++out.members[bin];
  }
  for (std::size_t bin = 0; bin < static_cast<std::size_t>(out.bins); ++bin)
    out.positions[bin] /= out.members[bin];
  return out;
}

Result<Ground> ground_of(const BandLayout& layout) {
  const auto side = static_cast<std::size_t>(layout.bins) + 1;
  const double spread = layout.positions[side - 2] - layout.positions[0];
  const double dark = std::clamp(spread / 2, 0.01, kDarkCost);
  std::vector<float> costs(side * side);
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t j = 0; j < side; ++j) {
      if (i == j) continue;
      const bool is_dark = i + 1 == side || j + 1 == side;
      costs[i * side + j] = static_cast<float>(
          is_dark ? dark : std::min(std::abs(layout.positions[i] - layout.positions[j]), 2 * dark));
    }
  return Ground::create(static_cast<int>(side), costs.data(), costs.size());
}

}  // namespace kerb::emd
