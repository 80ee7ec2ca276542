// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gpu/image/gradient_math.hpp"
#include "gpu/image/grid_histogram.hpp"
#include "gpu/image/pack_gradients.hpp"
#include "gpu/image/simd.hpp"

namespace kerb::cpu {
namespace {

using namespace simd;

constexpr int kChunk = 32;  // pixels; rows of scratch memory are whole chunks

int round_up(int n, int to) { return (n + to - 1) / to * to; }

}  // namespace

GridHistogram::GridHistogram(const GridSettings& settings, int max_width, NodeLayout layout)
    : settings_{settings},
      layout_{layout},
      pack_{gradient_packer(settings)},
      lanes_{round_up(settings.channels(), 4)},
      packed_stride_{round_up(max_width, kChunk)},
      cell_stride_{round_up(packed_stride_ / settings.grid, 8)},
      packed_(static_cast<std::size_t>(packed_stride_) * static_cast<std::size_t>(settings.grid)),
      // Whole eights of channels, so that the transposition may read them all.
      sums_(static_cast<std::size_t>(cell_stride_) *
            static_cast<std::size_t>(round_up(settings.channels(), 8))) {}

void GridHistogram::pack_row(const Level& level, const std::uint8_t* const* planes, int y,
                             std::uint16_t* out) const {
  GradientRow row{{}, level.row_stride, level.width};
  for (int p = 0; p < settings_.planes(); ++p)
    row.planes[p] = planes[p] + static_cast<std::ptrdiff_t>(y + 1) * level.row_stride + 1;
  pack_(row, out);
}

/// Eight cells of two by two or four by four pixels at a time; at most 16 * 2885, which 16 bits
/// hold.
template <int kGrid>
KERB_WIDER void GridHistogram::sum_cells(const std::uint16_t* packed, int cells) {
  static_assert(kGrid == 2 || kGrid == 4);
  for (int cell = 0; cell < cells; cell += 8) {
    U16x8 bin[kGrid][kGrid], magnitude[kGrid][kGrid];  // of eight pixels; [beside][below]
    for (int i = 0; i < kGrid; ++i) {
      for (int row = 0; row < kGrid; ++row) {
        const U16x8 v = load<U16x8>(packed + row * packed_stride_ + kGrid * cell + 8 * i);
        bin[i][row] = v & 15;
        magnitude[i][row] = v >> gradient::kBinBits;
      }
    }
    const auto across = [](const U16x8(&sum)[kGrid]) {
      if constexpr (kGrid == 2)
        return pair_sums(sum[0], sum[1]);
      else
        return pair_sums(pair_sums(sum[0], sum[1]), pair_sums(sum[2], sum[3]));
    };
    std::uint16_t* out = sums_.data() + cell;
    for (int b = 0; b < settings_.bins; ++b) {
      U16x8 sum[kGrid];
      const U16x8 wanted = U16x8{} + static_cast<std::uint16_t>(b);
      for (int i = 0; i < kGrid; ++i) {
        sum[i] = magnitude[i][0] & bits<U16x8>(bin[i][0] == wanted);
        for (int row = 1; row < kGrid; ++row)
          sum[i] += magnitude[i][row] & bits<U16x8>(bin[i][row] == wanted);
      }
      store(out + b * cell_stride_, across(sum));
    }
    if (!settings_.magnitude) continue;
    U16x8 all[kGrid];
    for (int i = 0; i < kGrid; ++i) {
      all[i] = magnitude[i][0];
      for (int row = 1; row < kGrid; ++row) all[i] += magnitude[i][row];
    }
    store(out + settings_.bins * cell_stride_, across(all));
  }
}

/// A cell for every pixel.
void GridHistogram::sum_pixels(const std::uint16_t* packed, int cells) {
  for (int c = 0; c < settings_.bins; ++c) {
    std::uint16_t* out = sums_.data() + c * cell_stride_;
    for (int x = 0; x < cells; ++x)
      out[x] =
          gradient::bin_of(packed[x]) == c ? gradient::magnitude_of(packed[x]) : std::uint16_t{0};
  }
  if (!settings_.magnitude) return;
  std::uint16_t* out = sums_.data() + settings_.bins * cell_stride_;
  for (int x = 0; x < cells; ++x) out[x] = gradient::magnitude_of(packed[x]);
}

/// Eight cells at a time; at most 16 * 255.
template <int kGrid>
void GridHistogram::sum_colour(const Level& level, const std::uint8_t* const* planes, int y,
                               int cells) {
  const int first = settings_.bins + (settings_.magnitude ? 1 : 0);
  for (int p = 0; p < 3; ++p) {
    std::uint16_t* sums = sums_.data() + (first + p) * cell_stride_;
    const std::uint8_t* rows =
        planes[p] + static_cast<std::ptrdiff_t>(y + 1) * level.row_stride + 1;
    for (int cell = 0; cell < cells; cell += 8) {
      if constexpr (kGrid == 1) {
        store(sums + cell, widen(load<U8x8>(rows + cell)));
      } else {
        U16x8 sum[kGrid / 2] = {};  // of pairs of pixels
        for (int row = 0; row < kGrid; ++row)
          for (int i = 0; i < kGrid / 2; ++i) {
            const U16x8 pair = load<U16x8>(rows + row * level.row_stride + kGrid * cell + 16 * i);
            sum[i] += (pair & 255) + (pair >> 8);
          }
        if constexpr (kGrid == 2)
          store(sums + cell, sum[0]);
        else
          store(sums + cell, pair_sums(sum[0], sum[1]));
      }
    }
  }
}

/// A row of cells' sums onto the row of nodes above it.
void GridHistogram::add_records(int cells, const std::uint32_t* above, std::uint32_t* below) {
  const int channels = settings_.channels(), groups = (channels + 7) / 8;
  std::fill_n(below, lanes_, 0U);  // the first column of nodes
  U32x4 left[4] = {};
  for (int cell = 0; cell < cells; cell += 8) {
    U16x8 m[2][8] = {};
    for (int g = 0; g < groups; ++g) {
      if (8 * g + 1 == channels) continue;  // the ninth bin alone, below
      for (int c = 0; c < 8 && 8 * g + c < channels; ++c)
        m[g][c] = load<U16x8>(sums_.data() + (8 * g + c) * cell_stride_ + cell);
      simd::transpose(m[g]);
    }
    const std::uint16_t* ninth = sums_.data() + 8 * cell_stride_ + cell;
    const int count = std::min(8, cells - cell);
    for (int i = 0; i < count; ++i) {
      const std::size_t node =
          static_cast<std::size_t>(cell + i + 1) * static_cast<std::size_t>(lanes_);
      const U32x8 eight = widen(m[0][i]), rest = widen(m[1][i]);
      left[0] += eight.low;
      left[1] += eight.high;
      store(below + node, load<U32x4>(above + node) + left[0]);
      store(below + node + 4, load<U32x4>(above + node + 4) + left[1]);
      if (lanes_ <= 8) continue;
      left[2] += channels == 9 ? U32x4{ninth[i], 0, 0, 0} : rest.low;
      store(below + node + 8, load<U32x4>(above + node + 8) + left[2]);
      if (lanes_ <= 12) continue;
      left[3] += rest.high;
      store(below + node + 12, load<U32x4>(above + node + 12) + left[3]);
    }
  }
}

/// a0, a0 + a1, a0 + a1 + a2, ...
KERB_INLINE U32x4 prefix_sums(U32x4 v) {
  const U32x4 none{};
  v += __builtin_shufflevector(none, v, 0, 4, 5, 6);
  return v + __builtin_shufflevector(none, v, 0, 1, 4, 5);
}
KERB_INLINE U32x4 last_of(U32x4 v) { return __builtin_shufflevector(v, v, 3, 3, 3, 3); }

KERB_WIDER void GridHistogram::add_planes(int cells, const std::uint32_t* above,
                                          std::uint32_t* below) {
  // Two channels at a time: while one waits for its sum so far, the other goes on.
  const int channels = settings_.channels();
  for (int c = 0; c < channels; c += 2) {
    const int second = std::min(c + 1, channels - 1);  // the last one alone: twice the same
    const std::uint16_t* sums[2] = {sums_.data() + c * cell_stride_,
                                    sums_.data() + second * cell_stride_};
    const std::ptrdiff_t at[2] = {std::ptrdiff_t{c} * plane(), std::ptrdiff_t{second} * plane()};
    for (const std::ptrdiff_t first : at) below[first] = 0;
    U32x4 left[2] = {};
    for (int cell = 0; cell < cells; cell += 8)
      for (int k = 0; k < 2; ++k) {
        const U32x8 wide = widen(load<U16x8>(sums[k] + cell));
        const U32x4 low = prefix_sums(wide.low) + left[k];
        const U32x4 high = prefix_sums(wide.high) + last_of(low);
        left[k] = last_of(high);
        const std::uint32_t* up = above + at[k] + cell + 1;
        std::uint32_t* down = below + at[k] + cell + 1;
        store(down, load<U32x4>(up) + low);
        store(down + 4, load<U32x4>(up + 4) + high);
      }
  }
}

void GridHistogram::build_rows(const Level& level, const std::uint8_t* const* planes,
                               std::uint32_t* nodes, int ring, int from, int to) {
  const int across = cells(level.width), grid = settings_.grid;
  const auto row_of = [&](int j) {
    return nodes + static_cast<std::size_t>(j % ring) * pitch(level);
  };
  if (from == 0) std::fill_n(nodes, pitch(level), 0U);
  for (int j = from; j < to; ++j) {
    for (int row = 0; row < grid; ++row)
      pack_row(level, planes, j * grid + row, packed_.data() + row * packed_stride_);
    if (grid == 4) sum_cells<4>(packed_.data(), across);
    if (grid == 2) sum_cells<2>(packed_.data(), across);
    if (grid == 1) sum_pixels(packed_.data(), across);
    if (settings_.colour) {
      if (grid == 4) sum_colour<4>(level, planes, j * grid, across);
      if (grid == 2) sum_colour<2>(level, planes, j * grid, across);
      if (grid == 1) sum_colour<1>(level, planes, j * grid, across);
    }
    if (layout_ == NodeLayout::planes)
      add_planes(across, row_of(j), row_of(j + 1));
    else
      add_records(across, row_of(j), row_of(j + 1));
  }
}

}  // namespace kerb::cpu
