// SPDX-License-Identifier: Apache-2.0
// Block matching on the CPU: medians of blocks, and from blocks to pixels.
#include <algorithm>

#include "gpu/flow/block_matching_cpu.hpp"
#include "gpu/flow/block_matching_simd.hpp"
#include "gpu/flow/median25.hpp"

namespace kerb::flow::bm {
namespace {

/// The median of one row of blocks, of one component. `room` has five rows.
void median_row(const float* from, int columns, int rows, int row, float* room,
                std::ptrdiff_t room_stride, float* to) {
  for (int j = 0; j < 5; ++j) {
    const float* const source =
        from + std::ptrdiff_t{between(row + j - kMedian, 0, rows - 1)} * columns;
    float* const line = room + j * room_stride;
    line[0] = line[1] = source[0];
    std::copy_n(source, columns, line + kMedian);
    for (int k = 0; k < kMedian + 4; ++k) line[columns + kMedian + k] = source[columns - 1];
  }
  for (int x = 0; x < columns; x += 4) {
    const auto middle = median25<F32x4>(
        [&](int k) { return simd::load<F32x4>(room + (k / 5) * room_stride + x + k % 5); },
        [](F32x4& a, F32x4& b) {
          const F32x4 low = smaller(a, b);
          b = larger(a, b);
          a = low;
        });
    const int count = std::min(4, columns - x);
    for (int k = 0; k < count; ++k) to[x + k] = middle[k];
  }
}

/// One cell's pixels. Two rows of four make a vector.
struct CellRows {
  U16x8 of[2];
};
KERB_INLINE U16x8 joined(U16x8 upper, U16x8 lower) {
  return __builtin_shufflevector(upper, lower, 0, 1, 2, 3, 8, 9, 10, 11);
}
KERB_INLINE CellRows cell_at(const Byte* at, std::ptrdiff_t stride, int part_x, int part_y) {
  U16x8 rows[kCell + 1];
  for (int i = 0; i <= kCell; ++i) rows[i] = across(at + i * stride, part_x);
  CellRows cell;
  for (int i = 0; i < 2; ++i)
    cell.of[i] = down(joined(rows[2 * i], rows[2 * i + 1]),
                      joined(rows[2 * i + 1], rows[2 * i + 2]), part_y);
  return cell;
}
KERB_INLINE S16x8 distance(S16x8 a, S16x8 b) {
  const S16x8 d = a - b;
  return d < 0 ? -d : d;
}

}  // namespace

void OnCpu::median(int i) {
  const Level& level = plan_.levels[index(i)];
  workers_.run(tasks_for(level.rows, kBlockRowsPerTask), [&](int task, int worker) {
    auto* const room = reinterpret_cast<float*>(scratch(worker, 0));
    const std::ptrdiff_t stride = level.columns + 2 * kMedian + 4;
    const int first = task * kBlockRowsPerTask;
    for (int row = first; row < std::min(first + kBlockRowsPerTask, level.rows); ++row) {
      const std::size_t at = level.block + index(row * level.columns);
      if (masked_ && !any(need_.data() + at, index(level.columns))) continue;
      median_row(raw_u_.data() + level.block, level.columns, level.rows, row, room, stride,
                 u_.data() + at);
      median_row(raw_v_.data() + level.block, level.columns, level.rows, row, room, stride,
                 v_.data() + at);
      if (i > 0) continue;
      for (std::size_t n = at; n < at + index(level.columns); ++n) {
        quality_[n] = quality_of(correlation_[n], u_[n] - raw_u_[n], v_[n] - raw_v_[n]);
        parts_x_[n] = nearest(u_[n] * kParts);
        parts_y_[n] = nearest(v_[n] * kParts);
      }
    }
  });
}

void OnCpu::spread(const Mask<Space::host>& mask, const FieldView<Space::host>& out) {
  const Level& level = plan_.levels[0];
  workers_.run(tasks_for(level.rows, kBlockRowsPerTask), [&](int task, int /*worker*/) {
    const int first = task * kBlockRowsPerTask;
    for (int row = first; row < std::min(first + kBlockRowsPerTask, level.rows); ++row)
      for (int column = 0; column < level.columns; ++column) spread_cell(column, row, mask, out);
  });
}

/// The vectors of a cell's pixels from those of the nine blocks around.
void OnCpu::vectors_of_cell(int column, int row, Cell& u, Cell& v) const {
  const Level& level = plan_.levels[0];
  const int left = column * kCell, top = row * kCell;
  const std::size_t own = index(row * level.columns + column);
  const std::ptrdiff_t stride = level.row_stride;
  const Byte* const first = pictures_[0].data() + level.image;
  const Byte* const second = pictures_[1].data() + level.image;
  // The pixels themselves, in grey levels: two rows of four to a vector.
  S16x8 grey[2];
  for (int i = 0; i < 2; ++i) {
    const Byte* const at = first + (top + 2 * i) * stride + left;
    grey[i] = simd::bits<S16x8>(
        joined(simd::bits<U16x8>(wide_at(at)), simd::bits<U16x8>(wide_at(at + stride))));
  }
  const float own_u = u_[own], own_v = v_[own];
  F32x4 weights[kCell] = {}, sum_u[kCell] = {}, sum_v[kCell] = {};
  for (int j = 0; j < 3; ++j)
    for (int k = 0; k < 3; ++k) {
      const int by = between(row + j - 1, 0, level.rows - 1);
      const int bx = between(column + k - 1, 0, level.columns - 1);
      const std::size_t number = index(by * level.columns + bx);
      const float their_u = u_[number], their_v = v_[number];
      const int qx = parts_x_[number], qy = parts_y_[number];
      const int x = between(left + (qx >> 4), -kRim, level.width + kRim - kCell - 1);
      const int y = between(top + (qy >> 4), -kRim, level.height + kRim - kCell - 1);
      const CellRows warped =
          cell_at(second + y * stride + x, stride, qx & (kParts - 1), qy & (kParts - 1));
      const auto middle =
          static_cast<std::int16_t>(first[(by * kCell + 1) * stride + bx * kCell + 1]);
      const float du = their_u - own_u, dv = their_v - own_v;
      F32x4 near;
      for (int p = 0; p < kCell; ++p) near[p] = nearness(p, k);
      for (int half = 0; half < 2; ++half) {
        const simd::S32x8 misfit =
            simd::widen(distance(grey[half] * kParts, simd::bits<S16x8>(warped.of[half])));
        const simd::S32x8 unlike = simd::widen(distance(grey[half], S16x8{} + middle));
        for (int r = 0; r < 2; ++r) {
          const int line = 2 * half + r;
          const S32x4 miss = r == 0 ? misfit.low : misfit.high;
          const S32x4 off = r == 0 ? unlike.low : unlike.high;
          // weight_of(), four at a time
          const F32x4 fit = __builtin_convertvector(miss < kParts ? S32x4{} + kParts : miss, F32x4);
          const F32x4 same = 1.0F + __builtin_convertvector(off * off, F32x4) * 0.01F;
          const F32x4 weight = near * nearness(line, j) / (fit * same);
          weights[line] += weight;
          sum_u[line] += weight * du;
          sum_v[line] += weight * dv;
        }
      }
    }
  for (int line = 0; line < kCell; ++line) {
    simd::store(u[line], own_u + sum_u[line] / weights[line]);
    simd::store(v[line], own_v + sum_v[line] / weights[line]);
  }
}

void OnCpu::spread_cell(int column, int row, const Mask<Space::host>& mask,
                        const FieldView<Space::host>& out) {
  const Level& level = plan_.levels[0];
  const int left = column * kCell, top = row * kCell;
  const int columns = std::min(kCell, level.width - left);
  const int rows = std::min(kCell, level.height - top);
  const std::size_t own = index(row * level.columns + column);
  if (masked_ && need_[own] == 0) {
    for (int line = 0; line < rows; ++line) {
      const std::ptrdiff_t to = (top + line) * out.row_stride + left;
      std::fill_n(out.u + to, columns, 0.0F);
      std::fill_n(out.v + to, columns, 0.0F);
      if (out.quality != nullptr) std::fill_n(out.quality + to, columns, Byte{0});
      if (out.flags != nullptr) std::fill_n(out.flags + to, columns, Byte{kMaskedOut});
    }
    return;
  }
  Cell u, v;
  vectors_of_cell(column, row, u, v);
  const auto right_edge = static_cast<float>(level.width - 1);
  const auto bottom_edge = static_cast<float>(level.height - 1);
  const float doubt = plan_.settings.doubt * 255.0F;
  const Byte quality = quality_[own];
  Byte doubts = 0;
  if (poor_[own] != 0) {
    doubts = kTexturePoor;
  } else if (static_cast<float>(quality) < doubt) {
    doubts = kInconsistent;
  }
  for (int line = 0; line < rows; ++line) {
    const std::ptrdiff_t to = (top + line) * out.row_stride + left;
    for (int p = 0; p < columns; ++p) {
      const bool asked = !masked_ || mask.data[(top + line) * mask.row_stride + left + p] != 0;
      const float x = static_cast<float>(left + p) + u[line][p];
      const float y = static_cast<float>(top + line) + v[line][p];
      Byte flags = doubts;
      if (!(x >= 0 && x <= right_edge && y >= 0 && y <= bottom_edge)) flags |= kOutOfView;
      if (flags == 0) flags = kValid;
      out.u[to + p] = asked ? u[line][p] : 0.0F;
      out.v[to + p] = asked ? v[line][p] : 0.0F;
      if (out.quality != nullptr) out.quality[to + p] = asked ? quality : Byte{0};
      if (out.flags != nullptr) out.flags[to + p] = asked ? flags : Byte{kMaskedOut};
    }
  }
}

}  // namespace kerb::flow::bm
