// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace kerb::bench {

/// splitmix64: the same numbers on every machine, unlike the standard library's distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_{seed} {}
  std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// 0 <= result < limit; the bias is far below what a benchmark could notice.
  int below(int limit) noexcept {
    return static_cast<int>((next() >> 32) % static_cast<std::uint64_t>(limit));
  }
  /// 0 <= result < 1
  float unit() noexcept { return static_cast<float>(next() >> 40) * 0x1p-24F; }

 private:
  std::uint64_t state_;
};

}  // namespace kerb::bench
