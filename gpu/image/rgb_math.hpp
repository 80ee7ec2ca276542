// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/image/both.hpp"

/// The arithmetic of to_rgb(), once for both backends. For gpu/image alone.
namespace kerb::rgb {

struct Rgb {
  std::uint8_t r, g, b;
};

KERB_BOTH std::uint8_t clamp8(std::int32_t v) {
  return static_cast<std::uint8_t>(v < 0 ? 0 : (v > 255 ? 255 : v));
}

KERB_BOTH Rgb from_yuv(std::int32_t y, std::int32_t u, std::int32_t v) {
  constexpr std::int32_t kHalf = 1 << 19;
  const std::int32_t light = 1220542 * (y < 16 ? 0 : y - 16) + kHalf;
  const std::int32_t cb = u - 128, cr = v - 128;
  return {clamp8((light + 1673527 * cr) >> 20), clamp8((light - 852492 * cr - 409993 * cb) >> 20),
          clamp8((light + 2116026 * cb) >> 20)};
}

/// Of a Bayer sample and its neighbours: the row's own colour (R or B), green and the other colour.
struct Demosaiced {
  std::uint32_t own, green, other;
};
/// All ones where a row's sample at x is of the row's own colour, zeros where it is green; `first`
/// is the first column of that colour. A mask rather than a bool, for the vectoriser.
KERB_BOTH std::uint32_t is_coloured(int x, int first) {
  return 0u - static_cast<std::uint32_t>((x ^ first ^ 1) & 1);
}
/// beside, above: sums of the 2 samples left and right, above and below; corners: of the 4 there.
KERB_BOTH Demosaiced demosaic(std::uint32_t coloured, std::uint32_t sample, std::uint32_t beside,
                              std::uint32_t above, std::uint32_t corners) {
  const std::uint32_t cross = (beside + above + 2) >> 2, diagonal = (corners + 2) >> 2;
  return {(sample & coloured) | ((beside + 1) >> 1 & ~coloured),
          (cross & coloured) | (sample & ~coloured),
          (diagonal & coloured) | ((above + 1) >> 1 & ~coloured)};
}

/// Where the pixel before the first, or behind the last, is: the picture is mirrored there.
KERB_BOTH int before(int i) { return i == 0 ? 1 : i - 1; }
KERB_BOTH int after(int i, int size) { return i == size - 1 ? size - 2 : i + 1; }

}  // namespace kerb::rgb
