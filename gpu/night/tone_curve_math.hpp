// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/image/both.hpp"

/// The arithmetic of ToneCurve, once for both backends. For gpu/night alone.
namespace kerb::night::tone {

inline constexpr int kLevels = 256;
inline constexpr int kSampleStep = 2;             // of rows and columns, for the histograms
inline constexpr std::uint32_t kLampLevel = 128;  // brighter pixels count as this for the mean
inline constexpr std::uint32_t kOne = 256;        // of fixed-point numbers

KERB_BOTH std::uint32_t luma(std::uint32_t r, std::uint32_t g, std::uint32_t b) {
  return (77 * r + 150 * g + 29 * b + 128) >> 8;
}

/// How many of `from <= i < to` are sampled: those divisible by kSampleStep.
KERB_BOTH int sampled(int from, int to) {
  return (to + kSampleStep - 1) / kSampleStep - (from + kSampleStep - 1) / kSampleStep;
}

/// k, in 256ths, of the global curve; 0: the picture is bright enough. `sum` is that of min(Y,
/// kLampLevel) over `count` pixels: under 2^28 * 128.
KERB_BOTH std::uint32_t curvature(std::uint64_t sum, std::uint64_t count, std::uint32_t target,
                                  std::uint32_t max_k) {
  const std::uint64_t mean = sum * kOne / count;  // 256ths of a grey value
  const std::uint64_t wanted = std::uint64_t{target} * kOne;
  if (mean >= wanted) return 0;
  if (mean == 0) return max_k;
  // mean (1 + k) / (1 + k mean) = wanted, of values 0..1
  const std::uint64_t k = kOne * 255 * (wanted - mean) / (mean * (255 - target));
  return k < max_k ? static_cast<std::uint32_t>(k) : max_k;
}

KERB_BOTH std::uint32_t global_curve(std::uint32_t level, std::uint32_t k) {
  const std::uint32_t divisor = 255 * kOne + k * level;
  return (255 * level * (kOne + k) + divisor / 2) / divisor;  // under 2^32: k is at most 16 * 256
}

/// The share of the local curve: less where there is little to brighten.
KERB_BOTH std::uint32_t local_share(std::uint32_t share, std::uint32_t k) {
  return share * (k < kOne ? k : kOne) / kOne;
}

/// The most that one level of a tile's histogram may hold.
KERB_BOTH std::uint32_t clip_limit(std::uint32_t samples, std::uint32_t max_slope) {
  const std::uint32_t limit =
      static_cast<std::uint32_t>(std::uint64_t{samples} * max_slope / (kLevels * kOne));
  return limit < 1 ? 1 : limit;
}

/// What each level gets of what was clipped; the first `excess % kLevels` levels one more.
KERB_BOTH std::uint32_t spread(std::uint32_t excess, std::uint32_t level) {
  return excess / kLevels + (level < excess % kLevels ? 1 : 0);
}

/// From the sum of the clipped histogram up to a level, that level included.
KERB_BOTH std::uint32_t local_curve(std::uint32_t sum, std::uint32_t samples) {
  return static_cast<std::uint32_t>((std::uint64_t{255} * sum + samples / 2) / samples);
}

/// curve(level) in 256ths of the level. The darkest has the gain of the next.
KERB_BOTH std::uint16_t gain(std::uint32_t level, std::uint32_t global, std::uint32_t local,
                             std::uint32_t share) {
  const std::uint32_t mixed = (global * (kOne - share) + local * share + kOne / 2) / kOne;
  const std::uint32_t curve = mixed > level ? mixed : level;
  return static_cast<std::uint16_t>((curve * kOne + level / 2) / level);
}

/// Of the four tiles around a pixel.
KERB_BOTH std::uint32_t between(std::uint32_t upper_left, std::uint32_t upper_right,
                                std::uint32_t lower_left, std::uint32_t lower_right,
                                std::uint32_t weight_x, std::uint32_t weight_y) {
  const std::uint32_t upper = upper_left * (kOne - weight_x) + upper_right * weight_x;
  const std::uint32_t lower = lower_left * (kOne - weight_x) + lower_right * weight_x;
  return (upper * (kOne - weight_y) + lower * weight_y + 32768) >> 16;  // 65280 * 65536 + 32768
}

KERB_BOTH std::uint8_t brightened(std::uint32_t value, std::uint32_t gain) {
  const std::uint32_t out = (value * gain + kOne / 2) / kOne;
  return static_cast<std::uint8_t>(out < 255 ? out : 255);
}

/// Where a tile begins (and the one before it ends).
KERB_BOTH int tile_begin(int tile, int tiles, int side) {
  return static_cast<int>(static_cast<std::int64_t>(side) * tile / tiles);
}

}  // namespace kerb::night::tone
