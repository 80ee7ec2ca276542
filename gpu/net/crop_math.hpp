// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>

#include "gpu/image/both.hpp"
#include "gpu/net/crop.hpp"

/// The arithmetic of crops and of values between layers, for both backends. See crop.hpp and
/// network.hpp. For gpu/net alone.
namespace kerb::net::math {

/// Rounded to the nearest integer, ties to even; of numbers that an int holds.
KERB_BOTH int nearest(float value) {
#ifdef __CUDA_ARCH__
  return __float2int_rn(value);
#else
  return static_cast<int>(std::lrintf(value));
#endif
}

/// Where sample `index` of a row is, counted over all pixels of the crop: pixel * taps + sample.
KERB_BOTH std::int64_t sample_at(std::int64_t origin, const CropPlace& place, int index) {
  return origin + (std::int64_t{2} * index + 1) * place.step / (2 * place.taps) - 32768;
}

/// Of a sample's place: the picture's column or row, and the next one's weight in 256ths.
KERB_BOTH std::int64_t whole(std::int64_t at) { return at >> 16; }
KERB_BOTH std::uint32_t part(std::int64_t at) { return static_cast<std::uint32_t>(at >> 8) & 255U; }

/// Division by the weights of a pixel, (256 taps)^2, rounded: first by 2^16, then by taps^2 as a
/// multiplication, which is exact for numbers under 2^16 and divisors up to 2^8.
struct Divisor {
  std::uint32_t half, reciprocal;
};
KERB_BOTH Divisor divisor_of(int taps) {
  const auto square = static_cast<std::uint32_t>(taps * taps);
  return {square << 15, (std::uint32_t{1} << 24) / square + 1};
}
KERB_BOTH std::uint8_t pixel_of(std::uint32_t sum, const Divisor& by) {
  return static_cast<std::uint8_t>(
      (static_cast<std::uint64_t>((sum + by.half) >> 16) * by.reciprocal) >> 24);
}

/// What a crop's samples are brought to the first layer's values with.
struct Contrast {
  float mean, gain;
};
KERB_BOTH Contrast contrast_of(std::int64_t sum, std::int64_t squares, int pixels, int planes) {
  const std::int64_t n = pixels;
  const float mean = static_cast<float>(sum) / static_cast<float>(n);
  const float variance = static_cast<float>(n * squares - sum * sum) / static_cast<float>(n * n);
  const float spread = sqrtf(variance), least = kLeastSpread * static_cast<float>(planes);
  return {mean, kSpread / (spread > least ? spread : least)};
}
KERB_BOTH std::uint8_t level_of(int sample, int planes, const Contrast& c) {
  const int level = nearest((static_cast<float>(planes * sample) - c.mean) * c.gain) + 64;
  return static_cast<std::uint8_t>(level < 0 ? 0 : level > kLevels ? kLevels : level);
}

/// A value between layers. Cut before it is rounded: the same, and an int holds it.
KERB_BOTH float product_of(std::int32_t sum, float factor) {
  return factor * static_cast<float>(sum);
}
KERB_BOTH std::uint8_t value_of(std::int32_t sum, float factor) {
  constexpr auto kMost = static_cast<float>(kLevels);
  const float product = product_of(sum, factor);
  return static_cast<std::uint8_t>(nearest(product < 0 ? 0 : product > kMost ? kMost : product));
}

}  // namespace kerb::net::math
