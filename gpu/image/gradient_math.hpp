// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>

#include "gpu/image/both.hpp"

/// The arithmetic of gradients, once for both backends. For gpu/ alone.
///
/// A gradient (dx, dy), each -255..255 with dy downwards, has a magnitude in eighths and a bin of
/// its direction atan2(dy, dx), taken modulo 180 degrees; both fit into 16 bits:
///   packed = magnitude << 4 | bin
/// No gradient, dx = dy = 0, is 0.
namespace kerb::gradient {

inline constexpr int kBinBits = 4;
inline constexpr int kMagnitudeScale = 8;
inline constexpr int kMaxMagnitude = 2885;  ///< of (255, 255)

/// The measure by which channels of a colour picture are compared.
KERB_BOTH std::int32_t squared_norm(std::int32_t dx, std::int32_t dy) { return dx * dx + dy * dy; }

/// 8 * sqrt(squared_norm), rounded to the nearest integer, in float: the root's argument is an
/// integer under 2^24, so exact, and root and sum are rounded once each as IEEE 754 says. The same
/// bits everywhere. (A root a hair below a half rounds to that half, and then up.)
KERB_BOTH std::uint16_t eighths(std::int32_t squared_norm) {
  constexpr float kHalf = 0.5f;
  const float root = sqrtf(static_cast<float>(kMagnitudeScale * kMagnitudeScale * squared_norm));
  return static_cast<std::uint16_t>(static_cast<std::int32_t>(kHalf + root));
}

/// 1 when the direction (ax, ay) of the first quadrant is as steep as den : num or steeper, else 0.
/// Both products are at most 255 * 127. As everything below, it is kept within 16 bits at every
/// step, so that the vectoriser has twice the lanes.
KERB_BOTH std::int16_t reaches(std::int16_t ax, std::int16_t ay, std::int16_t num,
                               std::int16_t den) {
  const auto rise = static_cast<std::int16_t>(ay * den), run = static_cast<std::int16_t>(ax * num);
  return rise >= run ? std::int16_t{1} : std::int16_t{0};
}
KERB_BOTH std::int16_t sum(std::int16_t a, std::int16_t b) {
  return static_cast<std::int16_t>(a + b);
}

/// Which of `bins` (9 or 6) equal parts of 0..180 degrees the direction falls into. Bin b is
///   [b, b + 1) * 180 / bins, or half shifted [b + 1/2, b + 3/2) * 180 / bins,
/// where the last half-shifted bin continues at 0 degrees. No arctangent: the tangents of the
/// bounds are fractions, which puts each bound within 0.02 degrees of its place. A direction
/// exactly on a bound goes to the steeper bin; 90 degrees, where it is a bound, to the bin above,
/// as in OpenCV's cascades: level edges are common, so this matters.
KERB_BOTH std::uint16_t bin_of(std::int32_t dx, std::int32_t dy, int bins, bool half_shifted) {
  using Short = std::int16_t;
  constexpr Short kNone = 0;
  const auto x = static_cast<Short>(dx), y = static_cast<Short>(dy);
  const Short ax = x < 0 ? static_cast<Short>(-x) : x, ay = y < 0 ? static_cast<Short>(-y) : y;
  Short index = 0;  // bounds passed between 0 degrees and the folded direction
  if (bins == 9 && !half_shifted) {
    const Short low = sum(reaches(ax, ay, 4, 11), reaches(ax, ay, 47, 56));  // 20, 40 degrees
    index = sum(low, sum(reaches(ax, ay, 97, 56), reaches(ax, ay, 17, 3)));  // 60, 80
  } else if (bins == 9) {
    const Short low = sum(reaches(ax, ay, 3, 17), reaches(ax, ay, 56, 97));  // 10, 30
    index = sum(low, sum(reaches(ax, ay, 56, 47), reaches(ax, ay, 11, 4)));  // 50, 70
  } else if (!half_shifted) {
    index = sum(reaches(ax, ay, 56, 97), reaches(ax, ay, 97, 56));  // 30, 60
  } else {
    const Short low = sum(reaches(ax, ay, 15, 56), reaches(ax, ay, 1, 1));  // 15, 45
    index = sum(low, reaches(ax, ay, 56, 15));                              // 75
  }
  const auto last = static_cast<Short>(bins - 1);
  const Short before = index == 0 ? last : static_cast<Short>(index - 1);
  const Short rising = half_shifted ? before : index;
  const auto falling = static_cast<Short>(last - index);
  const Short smaller = ax < ay ? ax : ay, larger = ax < ay ? ay : ax;
  // Opposite signs, and neither is 0; or straight up or down.
  const Short product = static_cast<Short>(x ^ y) < 0 ? smaller : kNone;
  const Short slanted = product > 0 ? falling : rising;
  const Short bin = ax == 0 ? falling : slanted;
  return static_cast<std::uint16_t>(larger == 0 ? kNone : bin);
}

KERB_BOTH std::uint16_t pack(std::uint16_t magnitude, std::uint16_t bin) {
  return static_cast<std::uint16_t>(magnitude << kBinBits | bin);
}
KERB_BOTH std::uint16_t magnitude_of(std::uint16_t packed) {
  return static_cast<std::uint16_t>(packed >> kBinBits);
}
KERB_BOTH std::uint16_t bin_of(std::uint16_t packed) {
  return static_cast<std::uint16_t>(packed & ((1u << kBinBits) - 1));
}

/// Both halves at once.
KERB_BOTH std::uint16_t packed_of(std::int32_t dx, std::int32_t dy, int bins, bool half_shifted) {
  return pack(eighths(squared_norm(dx, dy)), bin_of(dx, dy, bins, half_shifted));
}

}  // namespace kerb::gradient
