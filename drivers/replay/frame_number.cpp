// SPDX-License-Identifier: Apache-2.0
#include "drivers/replay/frame_number.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace kerb {
namespace {

/// Brightness of one pixel, 0..255 of the format's full scale.
int brightness(const RawImageView<Space::host>& image, int x, int y) noexcept {
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
int cell_brightness(const RawImageView<Space::host>& image, int x, int y) noexcept {
  return (brightness(image, x - 1, y - 1) + brightness(image, x, y - 1) +
          brightness(image, x - 1, y) + brightness(image, x, y)) /
         4;
}

}  // namespace

FrameNumberBand frame_number_band(int width, int height) noexcept {
  return {width / FrameNumberBand::kBits, std::max(2, height / 64 * 2)};  // 720 rows: 22 and 22
}

std::optional<std::uint32_t> read_frame_number(const RawImageView<Space::host>& image) noexcept {
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

}  // namespace kerb
