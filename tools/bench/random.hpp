// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hal/base/splitmix.hpp"

namespace kerb::bench {

/// Random numbers as benchmarks want them.
class Random : public SplitMix64 {
 public:
  using SplitMix64::SplitMix64;
  /// 0 <= result < limit; the bias is far below what a benchmark could notice.
  int below(int limit) noexcept {
    return static_cast<int>((next() >> 32) % static_cast<std::uint64_t>(limit));
  }
  /// 0 <= result < 1
  float unit() noexcept { return static_cast<float>(next() >> 40) * 0x1p-24F; }
};

}  // namespace kerb::bench
