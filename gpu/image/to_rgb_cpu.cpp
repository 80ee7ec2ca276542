// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "gpu/image/grey_math.hpp"
#include "gpu/image/rgb_math.hpp"
#include "gpu/image/shapes.hpp"
#include "gpu/image/to_rgb.hpp"

// Plain loops over rows with nothing carried from pixel to pixel: the compiler vectorises them.
namespace kerb::cpu {
namespace {

using Byte = std::uint8_t;
using In = RawImageView<Space::host>;
using Out = PlanesView<Space::host, Byte>;

struct RowsOut {
  Byte *r, *g, *b;
};
template <typename RowFn>
void each_row(const In& in, const Out& out, RowFn&& fn) {
  for (int y = 0; y < in.height; ++y) {
    Byte* r = out.data + y * out.row_stride;
    fn(y, in.data + y * in.row_stride, RowsOut{r, r + out.plane_stride, r + 2 * out.plane_stride});
  }
}

void repeat(const RowsOut& to, int width) {
  std::memcpy(to.g, to.r, static_cast<std::size_t>(width));
  std::memcpy(to.b, to.r, static_cast<std::size_t>(width));
}
void drop_low_bits(const std::uint16_t* __restrict from, Byte* __restrict to, int width,
                   int shift) {
  for (int x = 0; x < width; ++x) to[x] = grey::top8(from[x], shift);
}

/// Pairs of pixels share U and V. Y at `luma` + `Step` i, U and V at `chroma` + `ChromaStep` pair.
template <int Step, int ChromaStep>
void yuv_row(const Byte* __restrict luma, const Byte* __restrict u, const Byte* __restrict v,
             Byte* __restrict r, Byte* __restrict g, Byte* __restrict b, int width) {
  for (int pair = 0; pair < width / 2; ++pair) {
    const int cb = u[ChromaStep * pair], cr = v[ChromaStep * pair];
    const rgb::Rgb first = rgb::from_yuv(luma[2 * Step * pair], cb, cr);
    const rgb::Rgb second = rgb::from_yuv(luma[2 * Step * pair + Step], cb, cr);
    r[2 * pair] = first.r;
    g[2 * pair] = first.g;
    b[2 * pair] = first.b;
    r[2 * pair + 1] = second.r;
    g[2 * pair + 1] = second.g;
    b[2 * pair + 1] = second.b;
  }
}

template <int Red, int Blue>
void split_row(const Byte* __restrict from, Byte* __restrict r, Byte* __restrict g,
               Byte* __restrict b, int width) {
  for (int x = 0; x < width; ++x) {
    r[x] = from[3 * x + Red];
    g[x] = from[3 * x + 1];
    b[x] = from[3 * x + Blue];
  }
}

/// Pixel x of a row; its neighbours' columns are given, since they differ at the ends.
template <typename Sample>
rgb::Demosaiced bayer_pixel(const Sample* up, const Sample* here, const Sample* down, int left,
                            int x, int right, std::uint32_t coloured, std::uint32_t mask) {
  const std::uint32_t beside = (here[left] & mask) + (here[right] & mask);
  const std::uint32_t above = (up[x] & mask) + (down[x] & mask);
  const std::uint32_t corners =
      (up[left] & mask) + (up[right] & mask) + (down[left] & mask) + (down[right] & mask);
  return rgb::demosaic(coloured, here[x] & mask, beside, above, corners);
}

/// `first` is the first column that is of the row's own colour: 0 or 1.
template <typename Sample>
void bayer_row(const Sample* __restrict up, const Sample* __restrict here,
               const Sample* __restrict down, Byte* __restrict own, Byte* __restrict green,
               Byte* __restrict other, int width, int first, std::uint32_t mask, int shift) {
  for (int x = 1; x < width - 1; ++x) {
    const rgb::Demosaiced d =
        bayer_pixel(up, here, down, x - 1, x, x + 1, rgb::is_coloured(x, first), mask);
    own[x] = grey::top8(d.own, shift);
    green[x] = grey::top8(d.green, shift);
    other[x] = grey::top8(d.other, shift);
  }
  for (int x : {0, width - 1}) {
    const int beside = x == 0 ? 1 : width - 2;
    const rgb::Demosaiced d =
        bayer_pixel(up, here, down, beside, x, beside, rgb::is_coloured(x, first), mask);
    own[x] = grey::top8(d.own, shift);
    green[x] = grey::top8(d.green, shift);
    other[x] = grey::top8(d.other, shift);
  }
}

template <typename Sample>
void bayer(const In& in, const Out& out) {
  const int bits = bit_depth(in.format);
  const std::uint32_t mask = (1u << bits) - 1;
  const int red_x = grey::red_x(in.bayer), red_y = grey::red_y(in.bayer);
  each_row(in, out, [&](int y, const Byte*, const RowsOut& to) {
    const auto row = [&](int j) {  // even for words: check_input()
      return reinterpret_cast<const Sample*>(in.data + j * in.row_stride);
    };
    const bool red_row = (y & 1) == red_y;
    bayer_row(row(rgb::before(y)), row(y), row(rgb::after(y, in.height)), red_row ? to.r : to.b,
              to.g, red_row ? to.b : to.r, in.width, red_row ? red_x : 1 - red_x, mask, bits - 8);
  });
}

}  // namespace

Status to_rgb(const In& in, const Out& out) {
  if (Status ok = shapes::check(in, out); !ok) return ok;
  switch (in.format) {
    case PixelFormat::grey8:
      each_row(in, out, [&](int, const Byte* from, const RowsOut& to) {
        std::memcpy(to.r, from, static_cast<std::size_t>(in.width));
        repeat(to, in.width);
      });
      break;
    case PixelFormat::grey10:
    case PixelFormat::grey12:
    case PixelFormat::grey14:
    case PixelFormat::grey16:
      each_row(in, out, [&](int, const Byte* from, const RowsOut& to) {
        drop_low_bits(reinterpret_cast<const std::uint16_t*>(from), to.r, in.width,
                      bit_depth(in.format) - 8);
        repeat(to, in.width);
      });
      break;
    case PixelFormat::yuyv:
      each_row(in, out, [&](int, const Byte* from, const RowsOut& to) {
        yuv_row<2, 4>(from, from + 1, from + 3, to.r, to.g, to.b, in.width);
      });
      break;
    case PixelFormat::uyvy:
      each_row(in, out, [&](int, const Byte* from, const RowsOut& to) {
        yuv_row<2, 4>(from + 1, from, from + 2, to.r, to.g, to.b, in.width);
      });
      break;
    case PixelFormat::nv12:
      each_row(in, out, [&](int y, const Byte* from, const RowsOut& to) {
        const Byte* chroma = in.chroma + y / 2 * in.chroma_stride;
        yuv_row<1, 2>(from, chroma, chroma + 1, to.r, to.g, to.b, in.width);
      });
      break;
    case PixelFormat::rgb24:
      each_row(in, out, [&](int, const Byte* from, const RowsOut& to) {
        split_row<0, 2>(from, to.r, to.g, to.b, in.width);
      });
      break;
    case PixelFormat::bgr24:
      each_row(in, out, [&](int, const Byte* from, const RowsOut& to) {
        split_row<2, 0>(from, to.r, to.g, to.b, in.width);
      });
      break;
    case PixelFormat::bayer8:
      bayer<Byte>(in, out);
      break;
    case PixelFormat::bayer10:
    case PixelFormat::bayer12:
      bayer<std::uint16_t>(in, out);
      break;
  }
  return Done{};
}

}  // namespace kerb::cpu
