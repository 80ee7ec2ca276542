// SPDX-License-Identifier: Apache-2.0
#include "drivers/v4l2/format_table.hpp"

#include <linux/videodev2.h>

#include <limits>

namespace kerb::v4l2 {
namespace {

constexpr FormatEntry plain(std::uint32_t fourcc, PixelFormat pixels) {
  return {fourcc, pixels, BayerOrder::rggb, false};
}
constexpr FormatEntry raw(std::uint32_t fourcc, PixelFormat pixels, BayerOrder order) {
  return {fourcc, pixels, order, false};
}

using enum PixelFormat;
using enum BayerOrder;

constexpr FormatEntry kKnown[] = {
    plain(V4L2_PIX_FMT_NV12, nv12),           plain(V4L2_PIX_FMT_YUYV, yuyv),
    plain(V4L2_PIX_FMT_UYVY, uyvy),           plain(V4L2_PIX_FMT_GREY, grey8),
    plain(V4L2_PIX_FMT_Y10, grey10),          plain(V4L2_PIX_FMT_Y12, grey12),
    plain(V4L2_PIX_FMT_Y14, grey14),          plain(V4L2_PIX_FMT_Y16, grey16),
    raw(V4L2_PIX_FMT_SRGGB8, bayer8, rggb),   raw(V4L2_PIX_FMT_SBGGR8, bayer8, bggr),
    raw(V4L2_PIX_FMT_SGRBG8, bayer8, grbg),   raw(V4L2_PIX_FMT_SGBRG8, bayer8, gbrg),
    raw(V4L2_PIX_FMT_SRGGB10, bayer10, rggb), raw(V4L2_PIX_FMT_SBGGR10, bayer10, bggr),
    raw(V4L2_PIX_FMT_SGRBG10, bayer10, grbg), raw(V4L2_PIX_FMT_SGBRG10, bayer10, gbrg),
    raw(V4L2_PIX_FMT_SRGGB12, bayer12, rggb), raw(V4L2_PIX_FMT_SBGGR12, bayer12, bggr),
    raw(V4L2_PIX_FMT_SGRBG12, bayer12, grbg), raw(V4L2_PIX_FMT_SGBRG12, bayer12, gbrg),
    plain(V4L2_PIX_FMT_RGB24, rgb24),         plain(V4L2_PIX_FMT_BGR24, bgr24),
    {V4L2_PIX_FMT_MJPEG, rgb24, rggb, true},  {V4L2_PIX_FMT_JPEG, rgb24, rggb, true},
};

constexpr FormatEntry kMosaic[] = {
    plain(V4L2_PIX_FMT_Y16, grey16),          plain(V4L2_PIX_FMT_Y14, grey14),
    plain(V4L2_PIX_FMT_Y12, grey12),          raw(V4L2_PIX_FMT_SRGGB12, bayer12, rggb),
    raw(V4L2_PIX_FMT_SBGGR12, bayer12, bggr), raw(V4L2_PIX_FMT_SGRBG12, bayer12, grbg),
    raw(V4L2_PIX_FMT_SGBRG12, bayer12, gbrg), plain(V4L2_PIX_FMT_Y10, grey10),
    raw(V4L2_PIX_FMT_SRGGB10, bayer10, rggb), raw(V4L2_PIX_FMT_SBGGR10, bayer10, bggr),
    raw(V4L2_PIX_FMT_SGRBG10, bayer10, grbg), raw(V4L2_PIX_FMT_SGBRG10, bayer10, gbrg),
    plain(V4L2_PIX_FMT_GREY, grey8),          raw(V4L2_PIX_FMT_SRGGB8, bayer8, rggb),
    raw(V4L2_PIX_FMT_SBGGR8, bayer8, bggr),   raw(V4L2_PIX_FMT_SGRBG8, bayer8, grbg),
    raw(V4L2_PIX_FMT_SGBRG8, bayer8, gbrg),
};

constexpr FormatEntry kThermal[] = {
    plain(V4L2_PIX_FMT_Y16, grey16), plain(V4L2_PIX_FMT_Y14, grey14),
    plain(V4L2_PIX_FMT_Y12, grey12), plain(V4L2_PIX_FMT_Y10, grey10),
    plain(V4L2_PIX_FMT_GREY, grey8), plain(V4L2_PIX_FMT_NV12, nv12),
    plain(V4L2_PIX_FMT_YUYV, yuyv),  plain(V4L2_PIX_FMT_UYVY, uyvy),
};

}  // namespace

std::span<const FormatEntry> known_formats() noexcept { return kKnown; }
std::span<const FormatEntry> mosaic_formats() noexcept { return kMosaic; }
std::span<const FormatEntry> thermal_formats() noexcept { return kThermal; }

const FormatEntry* find_format(std::uint32_t fourcc) noexcept {
  for (const FormatEntry& entry : kKnown)
    if (entry.fourcc == fourcc) return &entry;
  return nullptr;
}

bool is_format_name(std::string_view name) noexcept {
  if (name == "auto") return true;
  for (const FormatEntry& entry : kKnown)
    if (name == entry.name()) return true;
  return false;
}

Text<8> format_label(std::uint32_t fourcc) noexcept {
  if (const FormatEntry* entry = find_format(fourcc)) return entry->name();
  char letters[4];
  std::size_t size = 0;
  for (int i = 0; i < 4; ++i) {  // bit 31 marks a big-endian variant: no letter
    const char letter = static_cast<char>((fourcc >> (8 * i)) & 0x7f);
    if (letter > ' ' && letter < 0x7f) letters[size++] = letter;
  }
  return size == 0 ? Text<8>{"?"} : Text<8>{std::string_view{letters, size}};
}

bool layout_of(const KernelFormat& format, PixelFormat pixels, PictureLayout& layout) noexcept {
  constexpr std::uint32_t kMost = std::numeric_limits<int>::max() / 2;
  if (format.width > 32768 || format.height > 32768 || format.bytes_per_line > kMost) return false;
  const std::size_t row =
      static_cast<std::size_t>(min_row_bytes(pixels, static_cast<int>(format.width)));
  // Zero is how a few drivers say "no padding".
  const std::size_t stride = format.bytes_per_line == 0 ? row : format.bytes_per_line;
  if (stride < row || format.height == 0) return false;
  layout.row_stride = static_cast<int>(stride);
  layout.chroma_at = pixels == PixelFormat::nv12 ? stride * format.height : 0;
  const std::size_t rows = pixels == PixelFormat::nv12 ? format.height * 3 / 2 : format.height;
  layout.bytes = stride * (rows - 1) + row;
  return layout.bytes <= format.size_image;
}

PixelFormat without_bayer(PixelFormat format) noexcept {
  switch (format) {
    case bayer8:
      return grey8;
    case bayer10:
      return grey10;
    case bayer12:
      return grey12;
    default:
      return format;
  }
}

}  // namespace kerb::v4l2
