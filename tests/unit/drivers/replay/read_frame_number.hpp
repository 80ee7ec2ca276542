// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "drivers/replay/frame_number.hpp"
#include "hal/base/view.hpp"

namespace kerb::test {

/// Brightness of one pixel, 0..255 of the format's full scale.
inline int brightness(const RawImageView<Space::host>& image, int x, int y) noexcept {
  const std::uint8_t* row = image.data + y * image.row_stride;
  switch (image.format) {
    case PixelFormat::grey8:
    case PixelFormat::bayer8:
    case PixelFormat::nv12:
      return row[x];
    case PixelFormat::yuyv:
      return row[2 * x];
    case PixelFormat::uyvy:
      return row[2 * x + 1];
    case PixelFormat::rgb24:
    case PixelFormat::bgr24:
      return (row[3 * x] + 2 * row[3 * x + 1] + row[3 * x + 2]) / 4;
    case PixelFormat::grey10:
    case PixelFormat::grey12:
    case PixelFormat::grey14:
    case PixelFormat::grey16:
    case PixelFormat::bayer10:
    case PixelFormat::bayer12: {
      std::uint16_t sample = 0;
      std::memcpy(&sample, row + std::ptrdiff_t{2} * x, sizeof sample);
      return std::min(sample >> (bit_depth(image.format) - 8), 255);
    }
  }
  return 0;
}

/// The mean of the four pixels around a cell's middle.
inline int cell_brightness(const RawImageView<Space::host>& image, int x, int y) noexcept {
  return (brightness(image, x - 1, y - 1) + brightness(image, x, y - 1) +
          brightness(image, x - 1, y) + brightness(image, x, y)) /
         4;
}

/// The number in a test picture of any format, from the brightness in the middle of each cell:
/// survives conversion between formats and lossy compression. Nothing when the picture is too small
/// or a cell and its inverse do not differ clearly, as in a picture that carries no number or was
/// torn.
inline std::optional<std::uint32_t> read_frame_number(
    const RawImageView<Space::host>& image) noexcept {
  if (image.data == nullptr || image.width < FrameNumberBand::kMinWidth ||
      image.height < FrameNumberBand::kMinHeight)
    return std::nullopt;
  const FrameNumberBand band = frame_number_band(image.width, image.height);
  constexpr int kClear = 64;  // as drawn they differ by 219 or more
  std::uint32_t number = 0;
  for (int bit = 0; bit < FrameNumberBand::kBits; ++bit) {
    const int x = bit * band.cell_width + band.cell_width / 2;
    const int set = cell_brightness(image, x, band.rows / 2);
    const int clear = cell_brightness(image, x, band.rows + band.rows / 2);
    if (set - clear < kClear && clear - set < kClear) return std::nullopt;
    number = number << 1U | (set > clear ? 1U : 0U);
  }
  return number;
}

}  // namespace kerb::test
