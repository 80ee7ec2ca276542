// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tools/train/random.hpp"

namespace kerb::bench {

/// The trainers' numbers, as benchmarks want them.
class Random {
 public:
  explicit Random(std::uint64_t seed) : source_{seed} {}
  std::uint64_t next() noexcept { return source_.next(); }
  /// 0 <= result < limit; the bias is far below what a benchmark could notice.
  int below(int limit) noexcept {
    return static_cast<int>((next() >> 32) % static_cast<std::uint64_t>(limit));
  }
  /// 0 <= result < 1
  float unit() noexcept { return static_cast<float>(next() >> 40) * 0x1p-24F; }

 private:
  train::Random source_;
};

}  // namespace kerb::bench
