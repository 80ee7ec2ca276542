// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstdint>

#include "hal/base/splitmix.hpp"
#include "tools/simulator/render/vecf.hpp"

/// Chance that is the same on every machine: hashes, and smooth noise made of them.
namespace kerb::sim {

constexpr std::uint64_t mix64(std::uint64_t x) noexcept { return splitmix64(x); }
constexpr std::uint64_t mix64(std::uint64_t a, std::uint64_t b) noexcept {
  return mix64(mix64(a) ^ b);
}
constexpr std::uint32_t hash32(std::uint32_t x) noexcept {
  x ^= x >> 16;
  x *= 0x7FEB352DU;
  x ^= x >> 15;
  x *= 0x846CA68BU;
  return x ^ (x >> 16);
}
constexpr std::uint32_t hash32(int x, int y, std::uint32_t seed) noexcept {
  return hash32(static_cast<std::uint32_t>(x) * 0x9E3779B1U ^
                hash32(static_cast<std::uint32_t>(y) + seed * 0x85EBCA77U));
}
constexpr float unit_of(std::uint32_t h) noexcept { return f32(h >> 8) * (1.0F / 16777216.0F); }

/// A stream of chance.
class Dice {
 public:
  explicit constexpr Dice(std::uint64_t seed) noexcept : state_{mix64(seed)} {}
  constexpr std::uint32_t bits() noexcept {
    state_ += kSplitMixStep;
    return static_cast<std::uint32_t>(mix64(state_) >> 32);
  }
  constexpr float unit() noexcept { return unit_of(bits()); }  ///< 0 <= x < 1
  constexpr float between(float a, float b) noexcept { return a + (b - a) * unit(); }
  constexpr int below(int n) noexcept {
    return static_cast<int>((std::uint64_t{bits()} * static_cast<std::uint64_t>(n)) >> 32);
  }
  constexpr bool chance(float p) noexcept { return unit() < p; }
  /// About normal, of sigma 1: four uniform ones.
  constexpr float bell() noexcept {
    return (unit() + unit() + unit() + unit() - 2.0F) * 1.7320508F;
  }

 private:
  std::uint64_t state_;
};

/// Value noise, 0..1, that repeats every `period` cells (0: never).
float value_noise(float x, float y, std::uint32_t seed, int period = 0);
/// Octaves of it, each half as strong: 0..1.
float cloud_noise(float x, float y, std::uint32_t seed, int octaves, int period = 0);
/// Distance to the nearest and second nearest of random points, one a cell; and that point's hash.
struct Cell {
  float first = 0, second = 0;
  std::uint32_t id = 0;
};
Cell cell_noise(float x, float y, std::uint32_t seed, int period);

}  // namespace kerb::sim
