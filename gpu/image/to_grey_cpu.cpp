// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "gpu/image/grey_math.hpp"
#include "gpu/image/shapes.hpp"
#include "gpu/image/to_grey.hpp"

// Plain loops over rows with nothing carried from pixel to pixel: the compiler vectorises them.
namespace kerb::cpu {
namespace {

using Byte = std::uint8_t;
using In = RawImageView<Space::host>;
using Out = ImageView<Space::host, Byte>;

const Byte* row_of(const In& in, int y) { return in.data + y * in.row_stride; }
template <typename Sample>
const Sample* samples(const In& in, int y) {
  return reinterpret_cast<const Sample*>(row_of(in, y));  // even for words: check_input()
}

template <typename RowFn>
void each_row(const In& in, const Out& out, RowFn&& fn) {
  for (int y = 0; y < in.height; ++y) fn(y, out.data + y * out.row_stride);
}

void pick_bytes(const Byte* __restrict from, Byte* __restrict to, int width, int offset) {
  for (int x = 0; x < width; ++x) to[x] = from[2 * x + offset];
}

void drop_low_bits(const std::uint16_t* __restrict from, Byte* __restrict to, int width,
                   int shift) {
  for (int x = 0; x < width; ++x) to[x] = grey::top8(from[x], shift);
}

template <int Red, int Blue>
void weigh_rgb(const Byte* __restrict from, Byte* __restrict to, int width) {
  for (int x = 0; x < width; ++x)
    to[x] = grey::from_rgb(from[3 * x + Red], from[3 * x + 1], from[3 * x + Blue]);
}

// Bayer and mosaic pictures: first sums of columns, then sums of neighbouring columns' sums. In
// strips, so that the sums stay on the stack and in the first cache; in functions of their own, so
// that nothing can overlap.
constexpr int kStrip = 1024;
using Sums = std::uint32_t[kStrip + shapes::kMaxMosaic];

template <typename Sample>
void add_row(const Sample* __restrict from, std::uint32_t* __restrict sums, int count,
             std::uint32_t mask) {
  for (int i = 0; i < count; ++i) sums[i] += from[i] & mask;
}
void add_shifted(const std::uint32_t* __restrict from, std::uint32_t* __restrict sums, int count) {
  for (int i = 0; i < count; ++i) sums[i] += from[i];
}
void take_means(const std::uint32_t* __restrict sums, Byte* __restrict to, int count,
                grey::Mean mean) {
  for (int i = 0; i < count; ++i) to[i] = grey::from_sum(mean, sums[i]);
}

template <typename Sample>
void weigh_columns(const Sample* __restrict top, const Sample* __restrict bottom,
                   const std::uint32_t* __restrict top_weights,
                   const std::uint32_t* __restrict bottom_weights, std::uint32_t* __restrict sums,
                   int count, std::uint32_t mask) {
  for (int i = 0; i < count; ++i)
    sums[i] = top_weights[i] * (top[i] & mask) + bottom_weights[i] * (bottom[i] & mask);
}
void add_pairs(const std::uint32_t* __restrict sums, Byte* __restrict to, int count, int shift) {
  for (int i = 0; i < count; ++i) to[i] = grey::from_bayer(sums[i] + sums[i + 1], shift);
}

template <typename Sample>
void weigh_bayer(const In& in, const Out& out) {
  const int bits = bit_depth(in.format), shift = bits - 8;
  const std::uint32_t mask = (1u << bits) - 1;
  const int rx = grey::red_x(in.bayer), ry = grey::red_y(in.bayer);
  Sums sums, weights[2];  // of even and of odd rows, column by column
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < kStrip + 1; ++x) weights[y][x] = grey::bayer_weight(x, y, rx, ry);
  each_row(in, out, [&](int y, Byte* to) {
    const int y0 = std::min(y, in.height - 2);
    for (int left = 0; left < in.width; left += kStrip) {
      const int columns = std::min(kStrip + 1, in.width - left);  // one more than pixels
      weigh_columns(samples<Sample>(in, y0) + left, samples<Sample>(in, y0 + 1) + left,
                    weights[y0 % 2], weights[(y0 + 1) % 2], sums, columns, mask);
      add_pairs(sums, to + left, columns - 1, shift);
    }
    to[in.width - 1] = to[in.width - 2];  // they share a window
  });
}

template <typename Sample>
void average_mosaic(const In& in, const Out& out) {
  Sums columns, windows;
  const int n = in.mosaic, bits = bit_depth(in.format);
  const std::uint32_t mask = (1u << bits) - 1;
  const grey::Mean mean = grey::mean_of(n, bits - 8);
  each_row(in, out, [&](int y, Byte* to) {
    const int y0 = grey::window_start(y, n, in.height);
    for (int left = 0; left < in.width; left += kStrip) {
      const int right = std::min(left + kStrip, in.width);
      const int first = grey::window_start(left, n, in.width);
      const int starts = grey::window_start(right - 1, n, in.width) + 1 - first;
      std::fill_n(columns, starts + n - 1, 0u);
      for (int j = 0; j < n; ++j)
        add_row(samples<Sample>(in, y0 + j) + first, columns, starts + n - 1, mask);
      std::copy_n(columns, starts, windows);
      for (int j = 1; j < n; ++j) add_shifted(columns + j, windows, starts);
      // The window moves with the pixel, but for the rims, where several pixels share the outermost
      // one.
      const int inner = std::clamp((n - 1) / 2, left, right);
      const int outer = std::min(inner + starts, right);
      std::fill(to + left, to + inner, grey::from_sum(mean, windows[0]));
      take_means(windows, to + inner, outer - inner, mean);
      std::fill(to + outer, to + right, grey::from_sum(mean, windows[starts - 1]));
    }
  });
}

}  // namespace

Status to_grey(const In& in, const Out& out) {
  if (Status ok = shapes::check(in, out); !ok) return ok;
  const bool words = bit_depth(in.format) > 8;
  if (in.mosaic != 0) {
    words ? average_mosaic<std::uint16_t>(in, out) : average_mosaic<Byte>(in, out);
    return Done{};
  }
  switch (in.format) {
    case PixelFormat::grey8:
    case PixelFormat::nv12:
      each_row(in, out, [&](int y, Byte* to) {
        std::memcpy(to, row_of(in, y), static_cast<std::size_t>(in.width));
      });
      break;
    case PixelFormat::grey10:
    case PixelFormat::grey12:
    case PixelFormat::grey14:
    case PixelFormat::grey16:
      each_row(in, out, [&](int y, Byte* to) {
        drop_low_bits(samples<std::uint16_t>(in, y), to, in.width, bit_depth(in.format) - 8);
      });
      break;
    case PixelFormat::yuyv:
    case PixelFormat::uyvy: {
      const int offset = in.format == PixelFormat::yuyv ? 0 : 1;
      each_row(in, out, [&](int y, Byte* to) { pick_bytes(row_of(in, y), to, in.width, offset); });
      break;
    }
    case PixelFormat::rgb24:
      each_row(in, out, [&](int y, Byte* to) { weigh_rgb<0, 2>(row_of(in, y), to, in.width); });
      break;
    case PixelFormat::bgr24:
      each_row(in, out, [&](int y, Byte* to) { weigh_rgb<2, 0>(row_of(in, y), to, in.width); });
      break;
    case PixelFormat::bayer8:
      weigh_bayer<Byte>(in, out);
      break;
    case PixelFormat::bayer10:
    case PixelFormat::bayer12:
      weigh_bayer<std::uint16_t>(in, out);
      break;
  }
  return Done{};
}

}  // namespace kerb::cpu
