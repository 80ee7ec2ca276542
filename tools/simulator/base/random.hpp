// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>

namespace kerb::sim {

/// Random numbers that are the same on every machine (splitmix64).
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_{seed} {}
  constexpr std::uint64_t next() noexcept {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
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

 private:
  std::uint64_t state_;
};

}  // namespace kerb::sim
