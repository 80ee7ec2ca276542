// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>

#include "hal/base/splitmix.hpp"

namespace kerb::sim {

/// Random numbers that are the same on every machine (splitmix64).
class Random : public SplitMix64 {
 public:
  using SplitMix64::SplitMix64;
  /// 0 <= x < 1
  constexpr double unit() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }
  constexpr double between(double low, double high) noexcept { return low + (high - low) * unit(); }
  /// 0 .. count - 1
  constexpr int below(int count) noexcept {
    return static_cast<int>(next() % static_cast<std::uint64_t>(count));
  }
  constexpr bool chance(double p) noexcept { return unit() < p; }
  /// Gaussian (Box-Muller).
  double normal(double mean, double sigma) noexcept {
    const double u = 1 - unit(), v = unit();
    return mean + sigma * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  }
};

}  // namespace kerb::sim
