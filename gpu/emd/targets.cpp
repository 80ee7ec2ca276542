// SPDX-License-Identifier: Apache-2.0
#include "gpu/emd/targets.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/emd/distances_check.hpp"
#include "gpu/emd/targets_math.hpp"

namespace kerb::emd {
namespace {

/// out[k] = values[k] * whole / their sum, by largest remainders, the first of equals first.
void share(const std::array<std::uint64_t, kMaxBins>& values, std::uint64_t whole,
           std::array<std::uint64_t, kMaxBins>& out) noexcept {
  std::uint64_t sum = 0;
  for (const std::uint64_t v : values) sum += v;
  out = {};
  if (sum == 0) return;
  std::array<std::uint64_t, kMaxBins> rest{};
  std::uint64_t missing = whole;
  for (std::size_t k = 0; k < kMaxBins; ++k) {
    out[k] = values[k] * whole / sum;
    rest[k] = values[k] * whole % sum + 1;  // 0: has got its one
    missing -= out[k];
  }
  for (; missing > 0; --missing) {
    const auto most =
        static_cast<std::size_t>(std::max_element(rest.begin(), rest.end()) - rest.begin());
    ++out[most];
    rest[most] = 0;
  }
}

}  // namespace

Result<TargetModel> TargetModel::learn(const ImageView<Space::host, const Signature>& picture,
                                       const Box& box, int bins, int mass) {
  if (bins < kMinBins || bins > kMaxBins) return bad_targets("bins: 2..16");
  if (mass < 1 || mass > kMaxMass) return bad_targets("mass: 1..255");
  if (picture.data == nullptr || picture.width < 1 || picture.height < 1 ||
      picture.row_stride < picture.width)
    return bad_targets("not a picture");
  if (box.width < 1 || box.height < 1 || box.width > kMaxBoxSide || box.height > kMaxBoxSide)
    return bad_targets("box: sides of 1..4096");
  const std::int64_t right = std::int64_t{box.x} + box.width;
  const std::int64_t bottom = std::int64_t{box.y} + box.height;
  std::array<std::uint64_t, kMaxBins> sums{};
  std::uint64_t all = 0;
  for (std::int64_t y = std::max(box.y, 0); y < std::min<std::int64_t>(bottom, picture.height); ++y)
    for (std::int64_t x = std::max(box.x, 0); x < std::min<std::int64_t>(right, picture.width);
         ++x) {
      const Signature& signature = picture.data[y * picture.row_stride + x];
      if (!is_good(signature, bins, mass)) continue;
      const std::int64_t weight =
          std::min(x - box.x + 1, right - x) * std::min(y - box.y + 1, bottom - y);
      for (std::size_t k = 0; k < kMaxBins; ++k)
        sums[k] += static_cast<std::uint64_t>(weight) * signature.bins[k];
      all += static_cast<std::uint64_t>(weight);
    }
  if (all == 0) return bad_targets("no signature in the box");
  // Below 2^39 each, so that times kWhole they fit.
  while (all >= std::uint64_t{1} << 31) {
    all /= 2;
    for (std::uint64_t& s : sums) s /= 2;
  }
  TargetModel made;
  made.bins_ = bins;
  made.mass_ = mass;
  std::array<std::uint64_t, kMaxBins> shares{};
  share(sums, kWhole, shares);
  for (std::size_t k = 0; k < kMaxBins; ++k)
    made.shares_[k] = static_cast<std::uint32_t>(shares[k]);
  return made;
}

void TargetModel::update(const TargetModel& seen, int part) noexcept {
  part = std::clamp(part, 0, 256);
  std::array<std::uint64_t, kMaxBins> mixed{}, shares{};
  for (std::size_t k = 0; k < kMaxBins; ++k)
    mixed[k] = std::uint64_t{shares_[k]} * static_cast<std::uint64_t>(256 - part) +
               std::uint64_t{seen.shares_[k]} * static_cast<std::uint64_t>(part);
  share(mixed, kWhole, shares);
  for (std::size_t k = 0; k < kMaxBins; ++k) shares_[k] = static_cast<std::uint32_t>(shares[k]);
}

Signature TargetModel::signature() const noexcept {
  std::array<std::uint64_t, kMaxBins> values{}, bins{};
  std::copy(shares_.begin(), shares_.end(), values.begin());
  share(values, static_cast<std::uint64_t>(mass_), bins);
  Signature made;
  for (std::size_t k = 0; k < kMaxBins; ++k) made.bins[k] = static_cast<std::uint8_t>(bins[k]);
  return made;
}

std::uint32_t cost_of_distance(const Ground& ground, int mass, double distance) noexcept {
  const double cost = std::floor(distance * mass / ground.unit() + 0.5);
  if (!(cost > 0)) return 0;
  return cost < static_cast<double>(kNoDistance) ? static_cast<std::uint32_t>(cost)
                                                 : kNoDistance - 1;
}

}  // namespace kerb::emd
