// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

namespace kerb {

/// Memory layout of a frame's pixels. 10, 12, 14 and 16 bit samples are in little-endian 16-bit
/// words, the value in the low bits, as in V4L2's Y10, Y12, Y14 and unpacked Bayer formats.
enum class PixelFormat : std::uint8_t {
  grey8,
  grey10,
  grey12,
  grey14,
  grey16,
  yuyv,   ///< Y0 U Y1 V: two pixels in four bytes
  uyvy,   ///< U Y0 V Y1
  nv12,   ///< a plane of Y, then a plane of U V at half size
  rgb24,  ///< R G B
  bgr24,  ///< B G R
  bayer8,
  bayer10,
  bayer12
};

/// The colours of the first two rows of a Bayer picture, row by row.
enum class BayerOrder : std::uint8_t { rggb, bggr, grbg, gbrg };

/// "yuyv", "bayer10"; the spelling of the configuration file.
[[nodiscard]] const char* name_of(PixelFormat format) noexcept;
[[nodiscard]] const char* name_of(BayerOrder order) noexcept;
/// The inverse. False for an unknown name; `format` is then unchanged.
bool parse(std::string_view name, PixelFormat& format) noexcept;

/// Significant bits of a sample: 8, 10, 12, 14 or 16.
[[nodiscard]] int bit_depth(PixelFormat format) noexcept;
/// One sample per pixel (grey or Bayer): a filter mosaic needs such a format.
[[nodiscard]] bool is_single_sample(PixelFormat format) noexcept;
/// Whether pixels have a colour. Not with a spectral mosaic over a Bayer format.
[[nodiscard]] bool has_colour(PixelFormat format) noexcept;
/// Least bytes of a row of `width` pixels, in the first plane.
[[nodiscard]] int min_row_bytes(PixelFormat format, int width) noexcept;
/// Whether a picture may have this size in this format (chroma pairs need even sides).
[[nodiscard]] bool size_fits(PixelFormat format, int width, int height) noexcept;

}  // namespace kerb
