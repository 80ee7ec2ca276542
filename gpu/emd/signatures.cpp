// SPDX-License-Identifier: Apache-2.0
#include "gpu/emd/signatures.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/emd/signatures_math.hpp"

namespace kerb::emd {

GreyBins even_bins(int bins) noexcept {
  GreyBins made{};
  for (int g = 0; g < 256; ++g)
    made[static_cast<std::size_t>(g)] = static_cast<std::uint8_t>(g * bins / 256);
  return made;
}

GreyBins equalised_bins(const std::array<std::uint32_t, 256>& histogram, int bins) noexcept {
  std::uint64_t all = 0, below = 0;
  for (const std::uint32_t n : histogram) all += n;
  if (all == 0) return even_bins(bins);
  GreyBins made{};
  for (std::size_t g = 0; g < 256; ++g) {
    // The middle of this level's ranks is below + n / 2.
    const std::uint64_t twice_middle = 2 * below + histogram[g];
    const std::uint64_t bin = twice_middle * static_cast<std::uint64_t>(bins) / (2 * all);
    made[g] = static_cast<std::uint8_t>(
        std::min<std::uint64_t>(bin, static_cast<std::uint64_t>(bins) - 1));
    below += histogram[g];
  }
  return made;
}

Status count_levels(const ImageView<Space::host, const std::uint8_t>& in,
                    std::array<std::uint32_t, 256>& histogram) {
  if (in.data == nullptr || in.width < 1 || in.height < 1 || in.row_stride < in.width)
    return bad_signatures("not a picture");
  histogram = {};
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) ++histogram[in.data[y * in.row_stride + x]];
  return Done{};
}

std::array<std::uint16_t, kMaxBins> white_gains(const std::array<std::uint32_t, kMaxBins>& means,
                                                int bands) noexcept {
  std::array<std::uint16_t, kMaxBins> gains = BandSettings::even_gains();
  std::uint64_t brightest = 0;
  for (int k = 0; k < bands; ++k)
    brightest = std::max<std::uint64_t>(brightest, means[static_cast<std::size_t>(k)]);
  for (int k = 0; k < bands; ++k) {
    const std::uint64_t mean = means[static_cast<std::size_t>(k)];
    if (mean > 0)
      gains[static_cast<std::size_t>(k)] = static_cast<std::uint16_t>(
          std::min<std::uint64_t>((256 * brightest + mean / 2) / mean, kMaxGain));
  }
  return gains;
}

Result<Signature> quantise(const float* weights, int bins, int mass) {
  if (weights == nullptr || bins < kMinBins || bins > kMaxBins)
    return bad_signatures("bins: 2..16");
  if (mass < 1 || mass > kMaxMass) return bad_signatures("mass: 1..255");
  double sum = 0;
  for (int k = 0; k < bins; ++k) {
    if (!(weights[k] >= 0) || !std::isfinite(weights[k]))
      return bad_signatures("weights must be numbers >= 0");
    sum += static_cast<double>(weights[k]);
  }
  if (!(sum > 0)) return bad_signatures("an empty signature");
  Signature made;
  std::array<double, kMaxBins> rest{};
  int missing = mass;
  for (int k = 0; k < bins; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const double share = static_cast<double>(weights[k]) / sum * mass;
    made.bins[i] = static_cast<std::uint8_t>(std::min(std::floor(share), double{kMaxMass}));
    rest[i] = share - std::floor(share);
    missing -= made.bins[i];
  }
  for (; missing > 0; --missing) {
    const auto most = static_cast<std::size_t>(std::max_element(rest.begin(), rest.begin() + bins) -
                                               rest.begin());
    ++made.bins[most];
    rest[most] = -1;
  }
  return made;
}

}  // namespace kerb::emd
