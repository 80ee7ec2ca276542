// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "gpu/image/resize.hpp"
#include "gpu/image/resize_math.hpp"
#include "gpu/image/shapes.hpp"
#include "gpu/memory/upload.hpp"

namespace kerb {
namespace {

using Byte = std::uint8_t;
using Sum = std::uint32_t;
using In = ImageView<Space::host, const Byte>;
using Out = ImageView<Space::host, Byte>;

constexpr int kMaxTapSide = 65535;  // Tap and Cover count in 16 bits

/// Appends what each of `out` pixels covers of `in` <= 65535; returns the parts of a whole pixel.
std::uint16_t append_covers(int in, int out, std::vector<Resizer::Cover>& covers) {
  const int shared = std::gcd(in, out);
  const int step = in / shared, whole = out / shared;  // parts of an output and of an input pixel
  for (int i = 0; i < out; ++i) {
    const std::int64_t begin = std::int64_t{i} * step, end = begin + step;
    const auto first = begin / whole, last = (end - 1) / whole;
    Resizer::Cover cover;
    cover.first = static_cast<std::uint16_t>(first);
    cover.last = static_cast<std::uint16_t>(last);
    cover.first_parts = static_cast<std::uint16_t>(std::min(end, (first + 1) * whole) - begin);
    cover.last_parts = static_cast<std::uint16_t>(last == first ? 0 : end - last * whole);
    covers.push_back(cover);
  }
  return static_cast<std::uint16_t>(whole);
}

// Rows are mixed first, by the vectoriser and within 16 or 32 bits; then columns, from the first
// cache. In integers the order does not matter.
void mix_rows(const Byte* __restrict upper, const Byte* __restrict lower, Sum* __restrict to,
              int width, Sum weight) {
  for (int x = 0; x < width; ++x) to[x] = resizing::mix(upper[x], lower[x], weight);
}
void mix_columns(const Sum* __restrict row, const Tap* __restrict taps, Byte* __restrict to,
                 int width) {
  for (int x = 0; x < width; ++x) {
    const Tap tap = taps[x];  // the row has one column more than the picture
    to[x] = resizing::rounded(resizing::mix(row[tap.index], row[tap.index + 1], tap.weight));
  }
}
void set_row(const Byte* __restrict from, Sum* __restrict to, int width, Sum parts) {
  for (int x = 0; x < width; ++x) to[x] = parts * from[x];
}
void add_row(const Byte* __restrict from, Sum* __restrict to, int width, Sum parts) {
  for (int x = 0; x < width; ++x) to[x] += parts * from[x];
}

}  // namespace

Result<Resizer> Resizer::create(const Context& context, Size in, Size out, ResizeMethod method) {
  const auto refuse = [](const char* what) {
    return Error{Errc::invalid_argument, 0, "resize", what};
  };
  for (int side : {in.width, in.height, out.width, out.height})
    if (side < 1 || side > kMaxTapSide) return refuse("sides must be 1..65535");
  Resizer made;
  made.in_ = in;
  made.out_ = out;
  made.method_ = method;
  made.row_.resize(static_cast<std::size_t>(in.width) + 1);
  if (method == ResizeMethod::area && (out.width > in.width || out.height > in.height))
    return refuse("area is for shrinking");
  const Status ok =
      method == ResizeMethod::area ? made.make_area(context) : made.make_bilinear(context);
  if (!ok) return ok.error();
  return made;
}

Status Resizer::make_bilinear(const Context& context) {
  append_taps(in_.width, out_.width, 0, out_.width, 0, taps_);
  append_taps(in_.height, out_.height, 0, out_.height, 0, taps_);
  if (context.backend() != Backend::cuda) return Done{};
  return upload(context, taps_, device_taps_);
}

Status Resizer::make_area(const Context& context) {
  whole_x_ = append_covers(in_.width, out_.width, covers_);
  whole_y_ = append_covers(in_.height, out_.height, covers_);
  const int shared_x = std::gcd(in_.width, out_.width),
            shared_y = std::gcd(in_.height, out_.height);
  // An output pixel has n parts, under 2^32; their sum s is under 2^40, so both are exact. Wanted
  // is the whole part of (s + n/2) / n, half of n rounded down. With 1/2 more on top it keeps the
  // quotient at least 1/2n from the next integer either way; product and reciprocal err by less
  // than 2^-44 together.
  const auto parts = static_cast<std::uint64_t>(in_.width / shared_x) *
                     static_cast<std::uint64_t>(in_.height / shared_y);
  const std::uint64_t half = parts / 2;  // rounded down
  half_ = static_cast<double>(half) + 0.5;
  reciprocal_ = 1 / static_cast<double>(parts);
  if (context.backend() != Backend::cuda) return Done{};
  return upload(context, covers_, device_covers_);
}

template <Space S>
Status Resizer::check(const ImageView<S, const Byte>& in, const ImageView<S, Byte>& out) const {
  if (!shapes::is_whole(in) || !shapes::is_whole(out) || in.width != in_.width ||
      in.height != in_.height || out.width != out_.width || out.height != out_.height)
    return Error{Errc::invalid_argument, 0, "resize", "not the sizes it was made for"};
  return Done{};
}
template Status Resizer::check(const ImageView<Space::device, const Byte>&,
                               const ImageView<Space::device, Byte>&) const;

Status Resizer::run(const In& in, const Out& out) {
  if (Status ok = check(in, out); !ok) return ok;
  method_ == ResizeMethod::area ? area(in, out) : bilinear(in, out);
  return Done{};
}

void Resizer::bilinear(const In& in, const Out& out) {
  const Tap* columns = taps_.data();
  const Tap* rows = columns + out.width;
  for (int y = 0; y < out.height; ++y) {
    const Tap tap = rows[y];
    const Byte* upper = in.data + tap.index * in.row_stride;
    const Byte* lower = tap.weight == 0 ? upper : upper + in.row_stride;
    mix_rows(upper, lower, row_.data(), in.width, tap.weight);
    mix_columns(row_.data(), columns, out.data + y * out.row_stride, out.width);
  }
}

void Resizer::area(const In& in, const Out& out) {
  const Cover* columns = covers_.data();
  const Cover* rows = columns + out.width;
  for (int y = 0; y < out.height; ++y) {
    const Cover& row = rows[y];
    const Byte* from = in.data + row.first * in.row_stride;
    set_row(from, row_.data(), in.width, row.first_parts);
    for (int j = row.first + 1; j <= row.last; ++j) {
      from += in.row_stride;
      add_row(from, row_.data(), in.width, j < row.last ? whole_y_ : row.last_parts);
    }
    Byte* to = out.data + y * out.row_stride;
    for (int x = 0; x < out.width; ++x) {
      const Cover& cover = columns[x];
      std::uint64_t sum = std::uint64_t{cover.first_parts} * row_[cover.first] +
                          std::uint64_t{cover.last_parts} * row_[cover.last];
      std::uint64_t whole = 0;
      for (int i = cover.first + 1; i < cover.last; ++i) whole += row_[static_cast<std::size_t>(i)];
      sum += whole * whole_x_;
      to[x] = resizing::mean(sum, half_, reciprocal_);
    }
  }
}

}  // namespace kerb
