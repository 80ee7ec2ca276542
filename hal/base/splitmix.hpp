// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace kerb {

/// What splitmix64 adds to its state for each number.
inline constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15U;

/// A number that looks random for every different `x`: the one splitmix64 gives when its state is
/// `x`.
[[nodiscard]] constexpr std::uint64_t splitmix64(std::uint64_t x) noexcept {
  x += kSplitMixStep;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// splitmix64: the same numbers on every machine, unlike the standard library's distributions.
class SplitMix64 {
 public:
  explicit constexpr SplitMix64(std::uint64_t seed) noexcept : state_{seed} {}
  constexpr std::uint64_t next() noexcept {
    const std::uint64_t value = splitmix64(state_);
    state_ += kSplitMixStep;
    return value;
  }

 private:
  std::uint64_t state_;
};

}  // namespace kerb
