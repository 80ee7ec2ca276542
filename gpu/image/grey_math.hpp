// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/image/both.hpp"
#include "hal/base/pixel_format.hpp"

/// The arithmetic of to_grey(), once for both backends. For gpu/image alone.
namespace kerb::grey {

/// BT.601 in 1/32768; they sum to exactly 1, so white stays white and grey stays grey.
inline constexpr std::uint32_t kRed = 9798, kGreen = 19235, kBlue = 3735;
static_assert(kRed + kGreen + kBlue == 32768);

KERB_BOTH std::uint8_t from_rgb(std::uint32_t r, std::uint32_t g, std::uint32_t b) {
  return static_cast<std::uint8_t>((kRed * r + kGreen * g + kBlue * b + 16384u) >> 15);
}

/// The top 8 of `8 + shift` bits; what stands above them is ignored.
KERB_BOTH std::uint8_t top8(std::uint32_t sample, int shift) {
  return static_cast<std::uint8_t>(sample >> shift);
}

/// What a Bayer sample at (x, y) counts in the luma of any 2 x 2 window that holds it, in 1/65536:
/// green is there twice, so that it counts half. Red stands at (red_x, red_y) of each 2 x 2 tile.
KERB_BOTH std::uint32_t bayer_weight(int x, int y, int red_x, int red_y) {
  const bool red_column = ((x ^ red_x) & 1) == 0, red_row = ((y ^ red_y) & 1) == 0;
  if (red_column != red_row) return kGreen;
  return red_row ? 2 * kRed : 2 * kBlue;
}
/// From the window's weighted sum.
KERB_BOTH std::uint8_t from_bayer(std::uint32_t sum, int shift) {
  return top8((sum + 32768u) >> 16, shift);
}
KERB_BOTH int red_x(BayerOrder order) {
  return order == BayerOrder::bggr || order == BayerOrder::grbg ? 1 : 0;
}
KERB_BOTH int red_y(BayerOrder order) {
  return order == BayerOrder::bggr || order == BayerOrder::gbrg ? 1 : 0;
}

/// The top 8 bits of (sum + n*n/2) / n*n, which is the whole part of (sum + n*n/2) / d with d = n*n
/// << shift, by one multiplication in float, exactly: adding 1/2 more keeps the quotient, under
/// 256, at least 1/2d from the next integer either way. Sums are under 2^22, so the sum is exact,
/// and reciprocal and product err by 2^-24 each: 2^-15 of the quotient at most, which is less than
/// 1/2d for d up to 49 << 8, and for 64 << 8 the reciprocal is exact.
struct Mean {
  float offset, reciprocal;
};
KERB_BOTH Mean mean_of(int n, int shift) {
  const int half = n * n / 2;  // rounded down, as an integer mean would have it
  return {static_cast<float>(half) + 0.5f, 1.0f / static_cast<float>(n * n << shift)};
}
KERB_BOTH std::uint8_t from_sum(const Mean& mean, std::uint32_t sum) {
  // By way of int, which every vector unit converts to and from.
  const float exact = static_cast<float>(static_cast<std::int32_t>(sum)) + mean.offset;
  return static_cast<std::uint8_t>(static_cast<std::int32_t>(exact * mean.reciprocal));
}
/// Where the n-wide window of pixel `x` starts in a side of `size`.
KERB_BOTH int window_start(int x, int n, int size) {
  const int start = x - (n - 1) / 2;
  return start < 0 ? 0 : (start > size - n ? size - n : start);
}

}  // namespace kerb::grey
