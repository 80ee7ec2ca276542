// SPDX-License-Identifier: Apache-2.0
#include "drivers/replay/swatch.hpp"

#include <cstring>
#include <numeric>

namespace kerb::replay {
namespace {

// BT.601: full range for grey, studio range (16..235) for YUV formats, as cameras have it.
int grey(Rgb c) { return (77 * c.r + 150 * c.g + 29 * c.b) >> 8; }
int luma(Rgb c) { return 16 + ((66 * c.r + 129 * c.g + 25 * c.b + 128) >> 8); }
int chroma_u(Rgb c) { return 128 + ((-38 * c.r - 74 * c.g + 112 * c.b + 128) >> 8); }
int chroma_v(Rgb c) { return 128 + ((112 * c.r - 94 * c.g - 18 * c.b + 128) >> 8); }

/// What the filter at (x, y) of an N x N mosaic lets through.
int band_value(Rgb c, int x, int y, int mosaic) {
  const int last = mosaic * mosaic - 1;
  const int place = (y % mosaic) * mosaic + x % mosaic;
  const int t = 2 * place;  // 0: blue, last: green, 2 * last: red
  return t <= last ? (c.b * (last - t) + c.g * t) / last
                   : (c.g * (2 * last - t) + c.r * (t - last)) / last;
}

int bayer_value(Rgb c, int x, int y) {  // rggb
  if (x % 2 != y % 2) return c.g;
  return y % 2 == 0 ? c.r : c.b;
}

bool is_bayer(PixelFormat format) {
  return format == PixelFormat::bayer8 || format == PixelFormat::bayer10 ||
         format == PixelFormat::bayer12;
}

std::uint8_t byte(int value) { return static_cast<std::uint8_t>(value); }

}  // namespace

int Swatch::grid(const PictureLayout& layout) noexcept {
  return layout.mosaic == 0 ? 2 : std::lcm(2, layout.mosaic);
}

Result<Swatch> Swatch::create(PixelFormat format, int width, int height, int mosaic) {
  const Result<PictureLayout> layout = make_layout(format, width, height, mosaic);
  if (!layout) return layout.error();
  return Swatch{*layout};
}

Result<Swatch> Swatch::solid(const PictureLayout& like, Rgb colour) {
  Result<Swatch> swatch = create(like.format, like.width, grid(like), like.mosaic);
  if (!swatch) return swatch;
  for (int y = 0; y < swatch->layout().height; ++y)
    for (int x = 0; x < like.width; ++x) swatch->paint(x, y, colour);
  return swatch;
}

void Swatch::paint(int x, int y, Rgb colour) noexcept {
  std::uint8_t* row = bytes_.data() + y * layout_.row_stride;
  switch (layout_.format) {
    case PixelFormat::yuyv:
    case PixelFormat::uyvy: {
      const int y_at = layout_.format == PixelFormat::yuyv ? 0 : 1;
      row[2 * x + y_at] = byte(luma(colour));
      if (x % 2 == 0) {
        row[2 * x + 1 - y_at] = byte(chroma_u(colour));
        row[2 * x + 3 - y_at] = byte(chroma_v(colour));
      }
      return;
    }
    case PixelFormat::nv12: {
      row[x] = byte(luma(colour));
      if (x % 2 == 0 && y % 2 == 0) {
        std::uint8_t* uv = bytes_.data() + layout_.chroma_offset + y / 2 * layout_.row_stride + x;
        uv[0] = byte(chroma_u(colour));
        uv[1] = byte(chroma_v(colour));
      }
      return;
    }
    case PixelFormat::rgb24:
    case PixelFormat::bgr24: {
      const int r_at = layout_.format == PixelFormat::rgb24 ? 0 : 2;
      row[3 * x + r_at] = byte(colour.r);
      row[3 * x + 1] = byte(colour.g);
      row[3 * x + 2 - r_at] = byte(colour.b);
      return;
    }
    default:
      break;
  }
  const int value = layout_.mosaic != 0        ? band_value(colour, x, y, layout_.mosaic)
                    : is_bayer(layout_.format) ? bayer_value(colour, x, y)
                                               : grey(colour);
  const int bits = bit_depth(layout_.format);
  if (bits == 8) {
    row[x] = byte(value);
  } else {
    const auto sample = static_cast<std::uint16_t>(value * ((1 << bits) - 1) / 255);
    std::memcpy(row + std::ptrdiff_t{2} * x, &sample, sizeof sample);
  }
}

void Swatch::copy_span(int from_x, int from_y, int count, const PictureLayout& to,
                       std::uint8_t* picture, int x, int y) const noexcept {
  const int pixel = min_row_bytes(layout_.format, 1);
  std::memcpy(picture + y * to.row_stride + std::ptrdiff_t{x} * pixel,
              bytes_.data() + from_y * layout_.row_stride + std::ptrdiff_t{from_x} * pixel,
              static_cast<std::size_t>(count) * static_cast<std::size_t>(pixel));
  if (layout_.chroma_offset == 0 || y % 2 != 0) return;
  std::memcpy(picture + to.chroma_offset + y / 2 * to.row_stride + x,
              bytes_.data() + layout_.chroma_offset + from_y / 2 * layout_.row_stride + from_x,
              static_cast<std::size_t>(count));
}

}  // namespace kerb::replay
