// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace kerb::train {

/// A number that looks random for every different `x`: splitmix64's last step.
[[nodiscard]] inline std::uint64_t scramble(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// One for a list of numbers: what is drawn for an item then does not depend on who asks first.
[[nodiscard]] inline std::uint64_t key_of(std::initializer_list<std::uint64_t> parts) noexcept {
  std::uint64_t key = 0;
  for (const std::uint64_t part : parts) key = scramble(key ^ part);
  return key;
}

/// splitmix64: the same numbers on every machine, unlike the standard library's distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_{seed} {}
  std::uint64_t next() noexcept {
    const std::uint64_t value = scramble(state_);
    state_ += 0x9e3779b97f4a7c15U;
    return value;
  }
  /// 0 <= result < limit, without bias. `limit` > 0.
  std::size_t below(std::size_t limit) noexcept {
    const std::uint64_t rest = (0 - static_cast<std::uint64_t>(limit)) % limit;
    std::uint64_t value = next();
    while (value < rest) value = next();
    return static_cast<std::size_t>(value % limit);
  }

 private:
  std::uint64_t state_;
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
