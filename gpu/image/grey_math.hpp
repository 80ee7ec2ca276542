// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hal/base/pixel_format.hpp"

#ifdef __CUDACC__
#define KERB_BOTH __host__ __device__ inline
#else
#define KERB_BOTH inline
#endif

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

/// The weights of a 2 x 2 Bayer window's samples: a b over c d. Twice 1/32768, since green is there
/// twice.
struct BayerWeights {
  std::uint32_t a, b, c, d;
};
/// For the window at (x, y) of a pattern whose red stands at (red_x, red_y) of each 2 x 2 tile.
KERB_BOTH BayerWeights bayer_weights(int x, int y, int red_x, int red_y) {
  const bool right = ((x ^ red_x) & 1) != 0, below = ((y ^ red_y) & 1) != 0;  // red, in this window
  const std::uint32_t r = 2 * kRed, g = kGreen, b = 2 * kBlue;
  if (right == below) return right ? BayerWeights{b, g, g, r} : BayerWeights{r, g, g, b};
  return right ? BayerWeights{g, r, b, g} : BayerWeights{g, b, r, g};
}
KERB_BOTH std::uint8_t from_bayer(const BayerWeights& w, std::uint32_t a, std::uint32_t b,
                                  std::uint32_t c, std::uint32_t d, int shift) {
  return top8((w.a * a + w.b * b + w.c * c + w.d * d + 32768u) >> 16, shift);
}
KERB_BOTH int red_x(BayerOrder order) {
  return order == BayerOrder::bggr || order == BayerOrder::grbg ? 1 : 0;
}
KERB_BOTH int red_y(BayerOrder order) {
  return order == BayerOrder::bggr || order == BayerOrder::gbrg ? 1 : 0;
}

/// Division by n*n as a multiplication: exact, since sums stay under 2^22 + 32 and n*n under 65
/// (the reciprocal's error, under n*n / 2^32, then cannot reach the next integer).
struct Mean {
  std::uint32_t half, reciprocal;
  int shift;
};
KERB_BOTH Mean mean_of(int n, int shift) {
  const std::uint32_t count = static_cast<std::uint32_t>(n * n);
  const std::uint64_t whole = std::uint64_t{1} << 32;
  return {count / 2, static_cast<std::uint32_t>((whole + count - 1) / count), shift};
}
KERB_BOTH std::uint8_t from_sum(const Mean& mean, std::uint32_t sum) {
  const std::uint64_t scaled = std::uint64_t{sum + mean.half} * mean.reciprocal;
  return top8(static_cast<std::uint32_t>(scaled >> 32), mean.shift);
}
/// Where the n-wide window of pixel `x` starts in a side of `size`.
KERB_BOTH int window_start(int x, int n, int size) {
  const int start = x - (n - 1) / 2;
  return start < 0 ? 0 : (start > size - n ? size - n : start);
}

}  // namespace kerb::grey
