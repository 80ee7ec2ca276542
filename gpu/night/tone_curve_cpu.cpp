// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "gpu/image/simd.hpp"
#include "gpu/night/planes_check.hpp"
#include "gpu/night/tone_curve.hpp"
#include "gpu/night/tone_curve_math.hpp"

namespace kerb::night {
namespace {

using Byte = std::uint8_t;
using Between = ToneCurve::Between;
using In = PlanesView<Space::host, const Byte>;

constexpr int kStrip = 512;  // pixels: luma and gains stay in the first cache
constexpr int kRowsATask = 16;

// Looking up cannot be vectorised, the rest can: in functions of their own, so that nothing can
// overlap.
KERB_WIDER void luma_of(const Byte* __restrict r, const Byte* __restrict g,
                        const Byte* __restrict b, Byte* __restrict out, int count) {
  for (int i = 0; i < count; ++i) out[i] = static_cast<Byte>(tone::luma(r[i], g[i], b[i]));
}

KERB_WIDER void brighten(const Byte* __restrict in, const std::uint16_t* __restrict gain,
                         Byte* __restrict out, int count) {
  for (int i = 0; i < count; ++i) out[i] = tone::brightened(in[i], gain[i]);
}

/// Y of `count` pixels from (x, y) on: in the picture itself, or in `room`.
const Byte* luma_at(const In& in, int x, int y, int count, Byte* room) {
  const Byte* first = in.data + y * in.row_stride + x;
  if (in.count == 1) return first;
  luma_of(first, first + in.plane_stride, first + 2 * in.plane_stride, room, count);
  return room;
}

void count_levels(const In& in, int tile_column, int tile_row, std::uint32_t* histogram) {
  const int x0 = tone::tile_begin(tile_column, ToneCurve::kColumns, in.width);
  const int x1 = tone::tile_begin(tile_column + 1, ToneCurve::kColumns, in.width);
  const int y0 = tone::tile_begin(tile_row, ToneCurve::kRows, in.height);
  const int y1 = tone::tile_begin(tile_row + 1, ToneCurve::kRows, in.height);
  Byte room[kStrip];
  for (int y = y0 + y0 % tone::kSampleStep; y < y1; y += tone::kSampleStep)
    for (int x = x0 + x0 % tone::kSampleStep; x < x1; x += kStrip) {
      const int count = std::min(kStrip, x1 - x);
      const Byte* luma = luma_at(in, x, y, count, room);
      for (int i = 0; i < count; i += tone::kSampleStep) ++histogram[luma[i]];
    }
}
static_assert(tone::kSampleStep == 2 && kStrip % tone::kSampleStep == 0);

void gains_of_one(const std::uint16_t* table, const Byte* luma, std::uint16_t* out, int count) {
  for (int i = 0; i < count; ++i) out[i] = table[luma[i]];
}

/// `upper` and `lower`: the tables of two rows of tiles.
void gains_between(const std::uint16_t* upper, const std::uint16_t* lower, unsigned weight_y,
                   const Between* columns, const Byte* luma, std::uint16_t* out, int count) {
  for (int i = 0; i < count; ++i) {
    const Between column = columns[i];
    const unsigned left = column.first * unsigned{tone::kLevels} + luma[i];
    const unsigned right = left + tone::kLevels;
    out[i] = static_cast<std::uint16_t>(tone::between(upper[left], upper[right], lower[left],
                                                      lower[right], column.weight, weight_y));
  }
}

}  // namespace

std::uint32_t ToneCurve::make_gains() {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < histograms_.size(); ++i)
    sum += std::uint64_t{histograms_[i]} *
           std::min(static_cast<std::uint32_t>(i % tone::kLevels), tone::kLampLevel);
  const auto samples = static_cast<std::uint64_t>(tone::sampled(0, fixed_.width)) *
                       static_cast<std::uint64_t>(tone::sampled(0, fixed_.height));
  const std::uint32_t k =
      tone::curvature(sum, samples, static_cast<std::uint32_t>(fixed_.target), fixed_.max_k);
  if (k == 0) return 0;
  const std::uint32_t share = tone::local_share(fixed_.share, k);
  const int tables = share == 0 ? 1 : kColumns * kRows;
  for (int t = 0; t < tables; ++t) {
    const std::uint32_t* histogram = histograms_.data() + t * tone::kLevels;
    std::uint16_t* gains = gains_.data() + t * tone::kLevels;
    std::uint32_t count = 0, excess = 0, up_to = 0;
    for (int i = 0; i < tone::kLevels; ++i) count += histogram[i];
    const std::uint32_t limit = tone::clip_limit(count, fixed_.max_slope);
    for (int i = 0; i < tone::kLevels; ++i) excess += histogram[i] - std::min(histogram[i], limit);
    for (std::uint32_t i = 0; i < tone::kLevels; ++i) {
      up_to += std::min(histogram[i], limit) + tone::spread(excess, i);
      if (i > 0)
        gains[i] = tone::gain(i, tone::global_curve(i, k), tone::local_curve(up_to, count), share);
    }
    gains[0] = gains[1];
  }
  return k;
}

Result<bool> ToneCurve::run(Workers& workers, const In& in,
                            const PlanesView<Space::host, Byte>& out) {
  if (Status ok = check_planes("tone curve", in, out, fixed_.width, fixed_.height, fixed_.planes);
      !ok)
    return ok.error();
  if (on_device_) return Error{Errc::unsupported, 0, "tone curve", "made with a CUDA context"};
  workers.run(kColumns * kRows, [&](int tile, int) {
    std::uint32_t* histogram = histograms_.data() + tile * tone::kLevels;
    std::memset(histogram, 0, tone::kLevels * sizeof *histogram);
    count_levels(in, tile % kColumns, tile / kColumns, histogram);
  });
  const std::uint32_t k = make_gains();
  last_gain_ = static_cast<int>(tone::kOne + k);
  if (k == 0) return false;
  const bool one = tone::local_share(fixed_.share, k) == 0;
  const std::uint16_t* gains = gains_.data();
  Byte direct[tone::kLevels];  // of a single plane, by one curve
  for (std::uint32_t i = 0; i < tone::kLevels; ++i) direct[i] = tone::brightened(i, gains[i]);
  constexpr int kRowOfTables = kColumns * tone::kLevels;
  workers.run((in.height + kRowsATask - 1) / kRowsATask, [&](int task, int) {
    Byte room[kStrip];
    std::uint16_t gain[kStrip];
    const int end = std::min((task + 1) * kRowsATask, in.height);
    for (int y = task * kRowsATask; y < end; ++y)
      for (int x = 0; x < in.width; x += kStrip) {
        const int count = std::min(kStrip, in.width - x);
        const Byte* luma = luma_at(in, x, y, count, room);
        Byte* to = out.data + y * out.row_stride + x;
        if (one && in.count == 1) {
          for (int i = 0; i < count; ++i) to[i] = direct[luma[i]];
          continue;
        }
        if (one) {
          gains_of_one(gains, luma, gain, count);
        } else {
          const Between row = rows_[static_cast<std::size_t>(y)];
          const std::uint16_t* upper = gains + row.first * kRowOfTables;
          gains_between(upper, upper + kRowOfTables, row.weight, columns_.data() + x, luma, gain,
                        count);
        }
        for (int plane = 0; plane < in.count; ++plane)
          brighten(in.data + plane * in.plane_stride + y * in.row_stride + x, gain,
                   to + plane * out.plane_stride, count);
      }
  });
  return true;
}

}  // namespace kerb::night
