// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "gpu/image/pyramid.hpp"
#include "gpu/image/simd.hpp"

namespace kerb::cpu {
namespace {

using namespace simd;

constexpr int kRows = 8;  // made at once: a lane each

std::size_t whole_eights(int n) { return (static_cast<std::size_t>(n) + 7) / 8 * 8; }

/// Two rows of the picture as one, 8.8: exact.
KERB_WIDER void blend_rows(const std::uint8_t* __restrict__ upper,
                           const std::uint8_t* __restrict__ lower, unsigned weight, int count,
                           std::uint16_t* __restrict__ out) {
  const std::uint16_t below = static_cast<std::uint16_t>(weight);
  const std::uint16_t above = static_cast<std::uint16_t>(256 - weight);
  for (int x = 0; x < count; ++x)
    out[x] = static_cast<std::uint16_t>(upper[x] * above + lower[x] * below);
}

/// Eight rows of sums, `stride` apart, as one row of eights.
KERB_WIDER void interleave(const std::uint16_t* rows, std::size_t stride, int count,
                           std::uint16_t* out) {
  for (int x = 0; x < count; x += 8) {
    U16x8 m[8];
    for (std::size_t r = 0; r < 8; ++r) m[r] = load<U16x8>(rows + r * stride + x);
    simd::transpose(m);
    for (int i = 0; i < 8; ++i) store(out + 8 * (x + i), m[i]);
  }
}

/// Columns 0 and 2 of four, and 1 and 3.
struct FourColumns {
  U8x16 even, odd;
};

KERB_INLINE U16x8 column(const std::uint16_t* eights, const Tap& tap) {
  const std::uint16_t* at = eights + 8 * std::ptrdiff_t{tap.index};
  return blend(load<U16x8>(at), load<U16x8>(at + 8), tap.weight);
}
KERB_INLINE FourColumns four_columns(const std::uint16_t* eights, const Tap* taps) {
  return {join(column(eights, taps[0]), column(eights, taps[2])),
          join(column(eights, taps[1]), column(eights, taps[3]))};
}

/// a0 b0 a1 b1 ..., of the lower or the upper halves.
KERB_INLINE U8x16 zip_low(U8x16 a, U8x16 b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
KERB_INLINE U8x16 zip_high(U8x16 a, U8x16 b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
}
KERB_INLINE U32x4 zip_pairs_low(U8x16 a, U8x16 b) {
  return bits<U32x4>(
      __builtin_shufflevector(bits<U16x8>(a), bits<U16x8>(b), 0, 8, 1, 9, 2, 10, 3, 11));
}
KERB_INLINE U32x4 zip_pairs_high(U8x16 a, U8x16 b) {
  return bits<U32x4>(
      __builtin_shufflevector(bits<U16x8>(a), bits<U16x8>(b), 4, 12, 5, 13, 6, 14, 7, 15));
}

/// Four columns of rows 0..3 and 4..7, a row's samples together.
struct EightRows {
  U32x4 upper, lower;
};
KERB_INLINE EightRows rows_of(const FourColumns& c) {
  const U8x16 left = zip_low(c.even, c.odd), right = zip_high(c.even, c.odd);
  return {zip_pairs_low(left, right), zip_pairs_high(left, right)};
}

/// The columns of eight rows at once. Columns come in eights: those beyond `count` repeat the last,
/// and fall into the space between the rows.
KERB_WIDER void blend_columns(const std::uint16_t* eights, const Tap* taps, int count,
                              std::uint8_t* out, int stride, int rows) {
  const std::ptrdiff_t step = stride;
  Tap last[8];
  for (int x = 0; x < count; x += 8) {
    const Tap* some = taps + x;
    if (x + 8 > count) {
      for (int i = 0; i < 8; ++i) last[i] = taps[x + i < count ? x + i : count - 1];
      some = last;
    }
    const EightRows left = rows_of(four_columns(eights, some));
    const EightRows right = rows_of(four_columns(eights, some + 4));
    const U32x4 pairs[4] = {
        __builtin_shufflevector(left.upper, right.upper, 0, 4, 1, 5),
        __builtin_shufflevector(left.upper, right.upper, 2, 6, 3, 7),
        __builtin_shufflevector(left.lower, right.lower, 0, 4, 1, 5),
        __builtin_shufflevector(left.lower, right.lower, 2, 6, 3, 7),
    };
    using U64x2 = std::uint64_t __attribute__((vector_size(16)));
    const auto put = [&](int r) { store(out + r * step + x, bits<U64x2>(pairs[r / 2])[r % 2]); };
    if (rows == kRows)  // as it almost always is: unrolled
      for (int r = 0; r < kRows; ++r) put(r);
    else
      for (int r = 0; r < rows; ++r) put(r);
  }
}

/// One row of an octave, from 2^kShift rows of the picture. The sum of a column of them fits 16
/// bits, and so does a block's.
template <int kShift>
void average_row(const std::uint8_t* in, std::ptrdiff_t stride, int count, std::uint8_t* out) {
  constexpr int kSide = 1 << kShift, kColumns = 256;
  std::uint16_t sums[kColumns];
  for (int x = 0; x < count; x += kColumns / kSide) {
    const int some = std::min(kColumns / kSide, count - x);
    const std::uint8_t* block = in + static_cast<std::ptrdiff_t>(x) * kSide;
    for (int i = 0; i < some * kSide; ++i) sums[i] = block[i];
    for (int r = 1; r < kSide; ++r) {
      const std::uint8_t* row = block + r * stride;
      for (int i = 0; i < some * kSide; ++i) sums[i] = static_cast<std::uint16_t>(sums[i] + row[i]);
    }
    for (int i = 0; i < some; ++i) {
      unsigned sum = 1U << (2 * kShift - 1);
      for (int k = 0; k < kSide; ++k) sum += sums[i * kSide + k];
      out[x + i] = static_cast<std::uint8_t>(sum >> (2 * kShift));
    }
  }
}

using AverageRow = void (*)(const std::uint8_t*, std::ptrdiff_t, int, std::uint8_t*);
constexpr AverageRow kAverageRow[kMaxOctave] = {average_row<1>, average_row<2>, average_row<3>,
                                                average_row<4>};

}  // namespace

void pyramid_octaves(Workers& workers, const PyramidPlan& plan,
                     const ImageView<Space::host, const std::uint8_t>& in, std::uint8_t* out) {
  constexpr int kBand = 64;  // rows of the picture: a whole number of blocks of any octave
  if (plan.octaves.empty()) return;
  workers.run((plan.height + kBand - 1) / kBand, [&](int band, int) {
    for (const Octave& o : plan.octaves) {
      std::uint8_t* first = out + (o.offset - plan.octaves_at());
      const int from = (band * kBand) >> o.shift;
      const int to = std::min(((band + 1) * kBand) >> o.shift, o.height);
      for (int y = from; y < to; ++y)
        kAverageRow[o.shift - 1](
            in.data + (static_cast<std::ptrdiff_t>(y) << o.shift) * in.row_stride, in.row_stride,
            o.width, first + static_cast<std::ptrdiff_t>(y) * o.row_stride);
    }
  });
}

ImageView<Space::host, const std::uint8_t> pyramid_source(
    const PyramidPlan& plan, const Level& level,
    const ImageView<Space::host, const std::uint8_t>& in, const std::uint8_t* octaves) noexcept {
  if (level.octave == 0) return in;
  const Octave& o = plan.octaves[static_cast<std::size_t>(level.octave) - 1];
  return {octaves + (o.offset - plan.octaves_at()), o.width, o.height, o.row_stride};
}

std::size_t pyramid_scratch(const PyramidPlan& plan) noexcept {
  const std::size_t columns = whole_eights(plan.width + 2);
  return 2 * kRows * columns;
}

void pyramid_level(const PyramidPlan& plan, const Level& level,
                   const ImageView<Space::host, const std::uint8_t>& in, std::uint8_t* first,
                   std::uint16_t* scratch) {
  const Tap* x_taps = plan.taps.data() + level.x_taps;
  const Tap* y_taps = plan.taps.data() + level.y_taps;
  const int columns = level.width + 2, rows = level.height + 2;
  const std::size_t stride = whole_eights(plan.width + 2);
  std::uint16_t* eights = scratch + kRows * stride;
  // Only the columns of the picture that are looked at.
  const auto [lowest, highest] = std::minmax_element(
      x_taps, x_taps + columns, [](const Tap& a, const Tap& b) { return a.index < b.index; });
  const int from = lowest->index / 8 * 8, to = std::min(highest->index + 2, in.width);
  const bool whole = std::all_of(x_taps, x_taps + columns, [](Tap t) { return t.weight == 0; }) &&
                     std::all_of(y_taps, y_taps + rows, [](Tap t) { return t.weight == 0; });
  for (int y = 0; y < rows; y += kRows) {
    const int count = std::min(kRows, rows - y);
    std::uint8_t* out = first + static_cast<std::ptrdiff_t>(y) * level.row_stride;
    for (int r = 0; r < count; ++r) {
      const Tap tap = y_taps[y + r];
      const std::uint8_t* upper = in.data + tap.index * in.row_stride;
      if (whole) {
        std::uint8_t* row = out + static_cast<std::ptrdiff_t>(r) * level.row_stride;
        for (int x = 0; x < columns; ++x) row[x] = upper[x_taps[x].index];
        continue;
      }
      const std::uint8_t* lower = tap.weight == 0 ? upper : upper + in.row_stride;
      blend_rows(upper + from, lower + from, tap.weight, to - from,
                 scratch + static_cast<std::size_t>(r) * stride + from);
    }
    if (whole) continue;
    interleave(scratch + from, stride, to - from, eights + 8 * static_cast<std::size_t>(from));
    blend_columns(eights, x_taps, columns, out, level.row_stride, count);
  }
}

Status pyramid(Workers& workers, const PyramidPlan& plan,
               const ImageView<Space::host, const std::uint8_t>& in, std::uint8_t* out) {
  if (in.data == nullptr || out == nullptr || in.width != plan.width || in.height != plan.height ||
      in.row_stride < in.width)
    return Error{Errc::invalid_argument, 0, "pyramid", "the picture is not of the plan's size"};
  pyramid_octaves(workers, plan, in, out + plan.octaves_at());
  const std::size_t room = pyramid_scratch(plan);
  std::vector<std::uint16_t> sums(room * static_cast<std::size_t>(workers.count()));
  workers.run(static_cast<int>(plan.levels.size()), [&](int task, int worker) {
    const Level& level = plan.levels[static_cast<std::size_t>(task)];
    pyramid_level(plan, level, pyramid_source(plan, level, in, out + plan.octaves_at()),
                  out + level.offset, sums.data() + room * static_cast<std::size_t>(worker));
  });
  return Done{};
}

}  // namespace kerb::cpu
