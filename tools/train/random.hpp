// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "hal/base/splitmix.hpp"

namespace kerb::train {

/// A seed from a list of numbers, so that the random numbers of an item do not depend on the order
/// of calls.
[[nodiscard]] inline std::uint64_t key_of(std::initializer_list<std::uint64_t> parts) noexcept {
  std::uint64_t key = 0;
  for (const std::uint64_t part : parts) key = splitmix64(key ^ part);
  return key;
}

/// Random numbers as trainers want them.
class Random : public SplitMix64 {
 public:
  using SplitMix64::SplitMix64;
  /// 0 <= result < limit, without bias. `limit` > 0.
  std::size_t below(std::size_t limit) noexcept {
    const std::uint64_t rest = (0 - static_cast<std::uint64_t>(limit)) % limit;
    std::uint64_t value = next();
    while (value < rest) value = next();
    return static_cast<std::size_t>(value % limit);
  }
};

/// `count` different numbers below `limit` (all of them when there are no more), in the order they
/// were drawn.
[[nodiscard]] inline std::vector<std::size_t> draw(Random& random, std::size_t limit,
                                                   std::size_t count) {
  std::vector<std::size_t> all(limit);
  for (std::size_t i = 0; i < limit; ++i) all[i] = i;
  if (count > limit) count = limit;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = i + random.below(limit - i);
    const std::size_t kept = all[i];
    all[i] = all[j];
    all[j] = kept;
  }
  all.resize(count);
  return all;
}

}  // namespace kerb::train
