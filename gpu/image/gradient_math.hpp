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

/// What channels of a colour picture are compared by.
KERB_BOTH std::int32_t squared_norm(std::int32_t dx, std::int32_t dy) { return dx * dx + dy * dy; }

/// 8 * sqrt(squared_norm), rounded to the nearest integer, in float: the root's argument is an
/// integer under 2^24, so exact, and root and sum are rounded once each as IEEE 754 says. The same
/// bits everywhere. (A root a hair below a half rounds to that half, and then up.)
KERB_BOTH std::uint16_t eighths(std::int32_t squared_norm) {
  const float root = sqrtf(static_cast<float>(kMagnitudeScale * kMagnitudeScale * squared_norm));
  return static_cast<std::uint16_t>(static_cast<std::int32_t>(root + 0.5f));
}

/// Whether the direction (ax, ay) of the first quadrant is as steep as den : num or steeper. Both
/// products are at most 255 * 127: 16-bit lanes do.
KERB_BOTH bool reaches(std::int16_t ax, std::int16_t ay, int num, int den) {
  return static_cast<std::int16_t>(ay * den) >= static_cast<std::int16_t>(ax * num);
}

/// Which of `bins` (9 or 6) equal parts of 0..180 degrees the direction falls into. Bin b is
///   [b, b + 1) * 180 / bins, or half shifted [b + 1/2, b + 3/2) * 180 / bins,
/// where the last one of the half-shifted bins goes on at 0 degrees. No arctangent: the tangents of
/// the bounds are fractions, which puts each bound within 0.02 degrees of its place. A direction
/// exactly on a bound goes to the steeper bin; 90 degrees, where it is a bound, to the bin above,
/// as OpenCV's cascades have it: level edges are too common for this not to matter.
KERB_BOTH std::uint16_t bin_of(std::int32_t dx, std::int32_t dy, int bins, bool half_shifted) {
  const auto ax = static_cast<std::int16_t>(dx < 0 ? -dx : dx);
  const auto ay = static_cast<std::int16_t>(dy < 0 ? -dy : dy);
  int index = 0;  // bounds passed between 0 degrees and the folded direction
  if (bins == 9 && !half_shifted) {
    index = reaches(ax, ay, 4, 11)     // 20 degrees
            + reaches(ax, ay, 47, 56)  // 40
            + reaches(ax, ay, 97, 56)  // 60
            + reaches(ax, ay, 17, 3);  // 80
  } else if (bins == 9) {
    index = reaches(ax, ay, 3, 17)     // 10
            + reaches(ax, ay, 56, 97)  // 30
            + reaches(ax, ay, 56, 47)  // 50
            + reaches(ax, ay, 11, 4);  // 70
  } else if (!half_shifted) {
    index = reaches(ax, ay, 56, 97)     // 30
            + reaches(ax, ay, 97, 56);  // 60
  } else {
    index = reaches(ax, ay, 15, 56)     // 15
            + reaches(ax, ay, 1, 1)     // 45
            + reaches(ax, ay, 56, 15);  // 75
  }
  const bool falling = dx == 0 || ((dx < 0) != (dy < 0) && dy != 0);
  const int rising_bin = !half_shifted ? index : (index == 0 ? bins - 1 : index - 1);
  const int bin = falling ? bins - 1 - index : rising_bin;
  return static_cast<std::uint16_t>((ax | ay) == 0 ? 0 : bin);
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
