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

template <typename Sample>
void weigh_bayer_row(const Sample* __restrict top, const Sample* __restrict bottom,
                     Byte* __restrict to, int width, const grey::BayerWeights& even,
                     const grey::BayerWeights& odd, std::uint32_t mask, int shift) {
  const auto pixel = [&](const grey::BayerWeights& w, int x) {
    return grey::from_bayer(w, top[x] & mask, top[x + 1] & mask, bottom[x] & mask,
                            bottom[x + 1] & mask, shift);
  };
  for (int x = 0; x + 2 < width; x += 2) {
    to[x] = pixel(even, x);
    to[x + 1] = pixel(odd, x + 1);
  }
  to[width - 2] = to[width - 1] =
      pixel(even, width - 2);  // width is even; the last two share a window
}

template <typename Sample>
void weigh_bayer(const In& in, const Out& out) {
  const int bits = bit_depth(in.format), shift = bits - 8;
  const std::uint32_t mask = (1u << bits) - 1;
  const int rx = grey::red_x(in.bayer), ry = grey::red_y(in.bayer);
  each_row(in, out, [&](int y, Byte* to) {
    const int y0 = std::min(y, in.height - 2);
    weigh_bayer_row(samples<Sample>(in, y0), samples<Sample>(in, y0 + 1), to, in.width,
                    grey::bayer_weights(0, y0, rx, ry), grey::bayer_weights(1, y0, rx, ry), mask,
                    shift);
  });
}

/// Sums columns first, then the columns' sums: 2N additions a pixel rather than N*N. In strips, so
/// that the sums fit on the stack and in the first cache.
template <typename Sample>
void average_mosaic(const In& in, const Out& out) {
  constexpr int kStrip = 1024;
  std::uint32_t columns[kStrip + shapes::kMaxMosaic];  // sums of N samples, one above the other
  std::uint32_t windows[kStrip + shapes::kMaxMosaic];  // sums of N columns, side by side
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
      for (int j = 0; j < n; ++j) {
        const Sample* from = samples<Sample>(in, y0 + j) + first;
        for (int i = 0; i < starts + n - 1; ++i) columns[i] += from[i] & mask;
      }
      std::copy_n(columns, starts, windows);
      for (int j = 1; j < n; ++j)
        for (int i = 0; i < starts; ++i) windows[i] += columns[i + j];
      // The window moves with the pixel, but for the rims, where several pixels share the outermost
      // one.
      const int inner = std::clamp((n - 1) / 2, left, right);
      const int outer = std::min(inner + starts, right);
      const Byte leftmost = grey::from_sum(mean, windows[0]);
      for (int x = left; x < inner; ++x) to[x] = leftmost;
      for (int i = 0; i < outer - inner; ++i) to[inner + i] = grey::from_sum(mean, windows[i]);
      const Byte rightmost = grey::from_sum(mean, windows[starts - 1]);
      for (int x = outer; x < right; ++x) to[x] = rightmost;
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
