// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/emd/distances.hpp"
#include "gpu/image/both.hpp"

/// Hashing and look-up of signatures, the same on both backends. For gpu/emd alone.
namespace kerb::emd {

inline constexpr int kWays = 4;         ///< entries of the cache a signature may be in
inline constexpr int kMostProbes = 64;  ///< of the table of duplicates

/// The 16 bytes of a signature, as words.
struct KeyWords {
  std::uint32_t a, b, c, d;
};

KERB_BOTH std::uint32_t hash_of(const KeyWords& key) noexcept {
  std::uint32_t h = key.a * 0x9E3779B1U;
  h = ((h ^ h >> 16) + key.b) * 0x85EBCA6BU;
  h = ((h ^ h >> 13) + key.c) * 0xC2B2AE35U;
  h = ((h ^ h >> 16) + key.d) * 0x27D4EB2FU;
  return h ^ h >> 15;
}
/// For the table of duplicates: independent of the low bits that choose a place in the cache.
KERB_BOTH std::uint32_t second_hash(std::uint32_t h) noexcept {
  h *= 0x7FEB352DU;
  return h ^ h >> 15;
}

/// One key in 16 shows how many of all could be found again (frame.cuh). By the whole hash, also
/// where tests let fewer of its bits count.
KERB_BOTH bool in_sample(std::uint32_t h) noexcept { return h * 0x9E3779B1U < 1U << 28; }

[[nodiscard]] inline std::uint32_t hash_mask(int bits) noexcept {
  return bits >= 32 ? 0xFFFFFFFFU : (1U << bits) - 1U;
}

/// Sets of kWays the cache is made of: a power of two; 0: no cache. With four places for each
/// signature of a frame hardly one of a full frame finds its set taken.
[[nodiscard]] inline std::uint32_t cache_sets(const DistanceSettings& settings, std::size_t most,
                                              Backend backend) noexcept {
  const std::uint64_t limit = std::uint64_t{1} << (backend == Backend::cuda ? 23 : 21);
  std::uint64_t entries = static_cast<std::uint64_t>(settings.cache_entries);
  if (settings.cache_entries < 0) entries = 4 * std::uint64_t{most} < limit ? 4 * most : limit;
  if (entries < kWays) return 0;
  std::uint64_t sets = 1;
  while (2 * sets * kWays <= entries) sets *= 2;
  return static_cast<std::uint32_t>(sets);
}

/// Places in the table of duplicates: a power of two, at least twice the signatures.
[[nodiscard]] inline std::size_t table_places(std::size_t most) noexcept {
  std::size_t places = 1024;
  while (places < 2 * most) places *= 2;
  return places;
}

}  // namespace kerb::emd
