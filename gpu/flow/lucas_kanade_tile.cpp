// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/lucas_kanade_tile.hpp"

#include <algorithm>
#include <cstring>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "gpu/flow/lucas_kanade_median.hpp"

namespace kerb::flow::lk {
namespace {

struct CubicTable {
  alignas(16) CubicWeights of[kUnit];
  CubicTable() {
    for (int t = 0; t < kUnit; ++t) of[t] = cubic_weights(t);
  }
};
const CubicTable& cubic_table() {
  static const CubicTable table;
  return table;
}

int clamped(int v, int low, int high) { return std::min(std::max(v, low), high); }

template <typename T>
void repeat_edges(T* row, int x0, int width, int radius, int from, int to) {
  // row[0] is column x0 - kMargin. Columns [from, to) are there; beyond the picture's edge they
  // are repeated.
  const int origin = x0 - kMargin;
  if (from == 0)
    for (int i = 1; i <= radius; ++i) row[-i - origin] = row[-origin];
  if (to == width)
    for (int i = 0; i < radius; ++i) row[width + i - origin] = row[width - 1 - origin];
}

/// Warped samples, 4096 times, at the places and 64ths given.
void interpolate(const Sample* base, std::ptrdiff_t stride, const CubicTable& table,
                 const std::int32_t* __restrict__ place, const std::int32_t* __restrict__ tx,
                 const std::int32_t* __restrict__ ty, int count, std::int32_t* __restrict__ out) {
  int i = 0;
#if defined(__aarch64__)
  const auto one = [&](int k) {
    const Sample* p = base + place[k];
    const int16x4_t wy = vld1_s16(table.of[ty[k]].of);
    int32x4_t sum = vmull_lane_s16(vld1_s16(p - stride), wy, 0);
    sum = vmlal_lane_s16(sum, vld1_s16(p), wy, 1);
    sum = vmlal_lane_s16(sum, vld1_s16(p + stride), wy, 2);
    sum = vmlal_lane_s16(sum, vld1_s16(p + 2 * stride), wy, 3);
    return vmull_s16(vrshrn_n_s32(sum, 8), vld1_s16(table.of[tx[k]].of));
  };
  for (; i + 4 <= count; i += 4) {
    const int32x4_t a = vpaddq_s32(one(i), one(i + 1)), b = vpaddq_s32(one(i + 2), one(i + 3));
    vst1q_s32(out + i, vpaddq_s32(a, b));
  }
#endif
  for (; i < count; ++i) {
    const Sample* p = base + place[i];
    const CubicWeights &wx = table.of[tx[i]], &wy = table.of[ty[i]];
    int column[4];
    for (int k = 0; k < 4; ++k)
      column[k] = cubic_column(p[k - stride], p[k], p[k + stride], p[k + 2 * stride], wy);
    out[i] = cubic_row(column[0], column[1], column[2], column[3], wx);
  }
}

class TilePass {
 public:
  TilePass(Scratch& scratch, const TileJob& job)
      : s_{scratch},
        level_{job.level},
        first_{job.first + level_.samples},
        second_{job.second + level_.samples},
        in_{job.in},
        out_{job.out},
        prior_{job.prior},
        table_{cubic_table()},
        field_{job.judged},
        texture_{job.texture} {}

  void run(const Rect& tile) {
    tile_ = tile;
    next_warped_ = std::max(tile.y0 - kHalo, 0);
    next_terms_ = std::max(tile.y0 - kMedianRadius - kWindowRadius, 0);
    next_raw_ = std::max(tile.y0 - kMedianRadius, 0);
    const int bottom = level_.height - 1;
    for (int y = tile.y0; y < tile.y1; ++y) {
      for (; next_raw_ <= std::min(y + kMedianRadius, bottom); ++next_raw_) raw(next_raw_);
      const std::int16_t *rows_u[5], *rows_v[5];
      for (int j = 0; j < 5; ++j) {
        const int row = clamped(y - kMedianRadius + j, 0, bottom) % kDeep;
        rows_u[j] = s_.raw_u[row];
        rows_v[j] = s_.raw_v[row];
      }
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(y) * out_.stride + tile.x0;
      const int count = tile.x1 - tile.x0;
      median_row(rows_u, s_.sorted, kMargin, count, out_.u + at);
      median_row(rows_v, s_.sorted, kMargin, count, out_.v + at);
    }
  }

 private:
  [[nodiscard]] int left(int radius) const { return std::max(tile_.x0 - radius, 0); }
  [[nodiscard]] int right(int radius) const { return std::min(tile_.x1 + radius, level_.width); }

  void warp(int y) {
    const int from = left(kHalo), to = right(kHalo), count = to - from;
    const int at = from - tile_.x0 + kMargin;
    const std::int16_t* u = in_.u + static_cast<std::ptrdiff_t>(y) * in_.stride + from;
    const std::int16_t* v = in_.v + static_cast<std::ptrdiff_t>(y) * in_.stride + from;
    const int last_x = (level_.width - 1) * kUnit, last_y = (level_.height - 1) * kUnit;
    float* seen = s_.seen[y % kDeep] + at;
    const int stride = level_.stride;
    for (int i = 0; i < count; ++i) {
      const int px = (from + i) * kUnit + u[i], py = y * kUnit + v[i];
      const int cx = clamped(px, 0, last_x), cy = clamped(py, 0, last_y);
      seen[i] = (cx == px && cy == py) ? 1.0F : 0.0F;
      s_.tx[i] = cx & (kUnit - 1);
      s_.ty[i] = cy & (kUnit - 1);
      s_.place[i] = (cy >> kUnitShift) * stride + (cx >> kUnitShift) - 1;
    }
    interpolate(second_, stride, table_, s_.place, s_.tx, s_.ty, count, s_.warped);
    const Sample* here = first_ + static_cast<std::ptrdiff_t>(y) * stride + from;
    float* difference = s_.difference[y % kDeep] + at;
    float* sum = s_.sum[y % kDeep] + at;
    for (int i = 0; i < count; ++i) {
      difference[i] = lk::difference(s_.warped[i], here[i]);
      sum[i] = lk::sum(s_.warped[i], here[i]);
    }
    repeat_edges(s_.difference[y % kDeep], tile_.x0, level_.width, 2, from, to);
    repeat_edges(s_.sum[y % kDeep], tile_.x0, level_.width, 2, from, to);
  }

  void make_terms(int y) {
    const int bottom = level_.height - 1;
    for (; next_warped_ <= std::min(y + kStencilRadius, bottom); ++next_warped_) warp(next_warped_);
    const int from = left(kMedianRadius + kWindowRadius), to = right(kMedianRadius + kWindowRadius);
    const int begin = from - tile_.x0 + kMargin, end = to - tile_.x0 + kMargin;
    const float* d[5];
    const float* m[3];
    for (int j = 0; j < 5; ++j) d[j] = s_.difference[clamped(y - 2 + j, 0, bottom) % kDeep];
    for (int j = 0; j < 3; ++j) m[j] = s_.sum[clamped(y - 1 + j, 0, bottom) % kDeep];
    const float *d0 = d[0], *d1 = d[1], *d2 = d[2], *d3 = d[3], *d4 = d[4];
    const float *m0 = m[0], *m1 = m[1], *m2 = m[2];
    const float* seen = s_.seen[y % kDeep];
    float(*t)[kRow] = s_.row;
#pragma GCC ivdep
    for (int i = begin; i < end; ++i) {
      const float rx = gradient(d2[i - 2], d2[i - 1], d2[i + 1], d2[i + 2]);
      const float ry = gradient(d0[i], d1[i], d3[i], d4[i]);
      const float a = second(m1[i - 1], m1[i], m1[i + 1]);
      const float c = second(m0[i], m1[i], m2[i]);
      const float b = mixed(m0[i - 1], m0[i + 1], m2[i - 1], m2[i + 1]);
      const Terms one = terms(rx, ry, a, b, c, seen[i]);
      t[0][i] = one.a11;
      t[1][i] = one.a12;
      t[2][i] = one.a22;
      t[3][i] = one.b1;
      t[4][i] = one.b2;
      t[5][i] = one.misfit;
    }
    const int inner_begin = left(kMedianRadius) - tile_.x0 + kMargin;
    const int inner_end = right(kMedianRadius) - tile_.x0 + kMargin;
    const int planes = field_ != nullptr ? 6 : 5;
    for (int p = 0; p < planes; ++p) {
      float* row = s_.row[p];
      repeat_edges(row, tile_.x0, level_.width, 1, from, to);
      float* out = s_.terms[y % kShallow][p];
      for (int i = inner_begin; i < inner_end; ++i)
        out[i] = window3(row[i - 1], row[i], row[i + 1]);
    }
  }

  /// Sums of the eight neighbours, clamped at the edges.
  void means(int y, int from, int to) {
    const int bottom = level_.height - 1, origin = tile_.x0 - kMargin;
    for (int plane = 0; plane < 2; ++plane) {
      const std::int16_t* in = plane == 0 ? in_.u : in_.v;
      const std::int16_t* above = in + static_cast<std::ptrdiff_t>(std::max(y - 1, 0)) * in_.stride;
      const std::int16_t* here = in + static_cast<std::ptrdiff_t>(y) * in_.stride;
      const std::int16_t* below =
          in + static_cast<std::ptrdiff_t>(std::min(y + 1, bottom)) * in_.stride;
      std::int32_t* const column = s_.place;  // free between warps
      const int first = std::max(from - 1, 0), last = std::min(to + 1, level_.width);
      for (int x = first; x < last; ++x) column[x - origin] = above[x] + here[x] + below[x];
      if (from == 0) column[-1 - origin] = column[-origin];
      if (to == level_.width) column[to - origin] = column[to - 1 - origin];
      std::int32_t* const out = plane == 0 ? s_.mean_u : s_.mean_v;
      for (int x = from; x < to; ++x)
        out[x - origin] =
            column[x - 1 - origin] + column[x - origin] + column[x + 1 - origin] - here[x];
    }
  }

  /// Three rows of all terms, already summed along each.
  struct Window {
    const float (*above)[kRow];
    const float (*here)[kRow];
    const float (*below)[kRow];
    [[nodiscard]] float sum(int term, int i) const {
      return window3(above[term][i], here[term][i], below[term][i]);
    }
  };
  [[nodiscard]] Window window(int y) const {
    return {s_.terms[std::max(y - 1, 0) % kShallow], s_.terms[y % kShallow],
            s_.terms[std::min(y + 1, level_.height - 1) % kShallow]};
  }

  void raw(int y) {
    const int bottom = level_.height - 1;
    for (; next_terms_ <= std::min(y + kWindowRadius, bottom); ++next_terms_)
      make_terms(next_terms_);
    const int from = left(kMedianRadius), to = right(kMedianRadius);
    const int begin = from - tile_.x0 + kMargin, end = to - tile_.x0 + kMargin;
    means(y, from, to);
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(y) * in_.stride + tile_.x0;
    const std::int16_t *u = in_.u + at, *v = in_.v + at;
    std::int16_t *raw_u = s_.raw_u[y % kDeep], *raw_v = s_.raw_v[y % kDeep];
    const Window w = window(y);
    const std::int32_t *mean_u = s_.mean_u, *mean_v = s_.mean_v;
    const float prior = prior_, reach = static_cast<float>(level_.reach);
#pragma GCC ivdep
    for (int i = begin; i < end; ++i) {
      Terms t;
      t.a11 = w.sum(0, i);
      t.a12 = w.sum(1, i);
      t.a22 = w.sum(2, i);
      t.b1 = w.sum(3, i);
      t.b2 = w.sum(4, i);
      const Vector out =
          solved(t, u[i - kMargin], v[i - kMargin], mean_u[i], mean_v[i], prior, reach);
      raw_u[i] = static_cast<std::int16_t>(out.u);
      raw_v[i] = static_cast<std::int16_t>(out.v);
    }
    repeat_edges(raw_u, tile_.x0, level_.width, 2, from, to);
    repeat_edges(raw_v, tile_.x0, level_.width, 2, from, to);
    if (field_ != nullptr && y >= tile_.y0 && y < tile_.y1) judge_row(y);
  }

  void judge_row(int y) {
    const Window w = window(y);
    std::uint8_t* quality = field_->quality;
    std::uint8_t* flags = field_->flags;
    if (quality != nullptr) quality += y * field_->row_stride + tile_.x0;
    if (flags != nullptr) flags += y * field_->row_stride + tile_.x0;
    const int count = tile_.x1 - tile_.x0;
    std::uint8_t* q = s_.quality;
    std::uint8_t* f = s_.flags;
    const float texture = texture_;
#pragma GCC ivdep
    for (int k = 0; k < count; ++k) {
      const int i = k + kMargin;
      Terms t{};
      t.a11 = w.sum(0, i);
      t.a12 = w.sum(1, i);
      t.a22 = w.sum(2, i);
      t.misfit = w.sum(5, i);
      const Verdict out = verdict(t, texture);
      q[k] = out.quality;
      f[k] = out.flags;
    }
    if (quality != nullptr) std::memcpy(quality, q, static_cast<std::size_t>(count));
    if (flags != nullptr) std::memcpy(flags, f, static_cast<std::size_t>(count));
  }

  Scratch& s_;
  const Level& level_;
  const Sample* first_;
  const Sample* second_;
  ConstFieldRows in_;
  FieldRows out_;
  float prior_;
  const CubicTable& table_;
  const FieldView<Space::host>* field_;
  float texture_;
  Rect tile_{};
  int next_warped_ = 0, next_terms_ = 0, next_raw_ = 0;
};

}  // namespace

void iterate(Scratch& scratch, const TileJob& job, const Rect& tile) {
  TilePass{scratch, job}.run(tile);
}

void double_vectors(const Level& coarse, const ConstFieldRows& from, const Level& fine,
                    const FieldRows& to, const Rect& part) {
  const int x0 = part.x0, x1 = part.x1;
  for (int y = part.y0; y < part.y1; ++y) {
    const int near_row = y / 2;
    const int far_row = clamped(y % 2 == 0 ? near_row - 1 : near_row + 1, 0, coarse.height - 1);
    for (int plane = 0; plane < 2; ++plane) {
      const std::int16_t* in = plane == 0 ? from.u : from.v;
      const std::int16_t* n = in + static_cast<std::ptrdiff_t>(near_row) * from.stride;
      const std::int16_t* f = in + static_cast<std::ptrdiff_t>(far_row) * from.stride;
      std::int16_t* out = (plane == 0 ? to.u : to.v) + static_cast<std::ptrdiff_t>(y) * to.stride;
      const auto one = [&](int x) {
        const int near = x / 2;
        const int far = clamped(x % 2 == 0 ? near - 1 : near + 1, 0, coarse.width - 1);
        out[x] = static_cast<std::int16_t>(
            reached(doubled(n[near], n[far], f[near], f[far]), fine.reach));
      };
      // Pairs of columns whose neighbours are all there, then the rest one by one.
      const int from_pair = std::max((x0 + 1) / 2, 1);
      const int to_pair = std::min(x1 / 2, coarse.width - 1);
      for (int x = x0; x < std::min(2 * from_pair, x1); ++x) one(x);
      for (int p = from_pair; p < to_pair; ++p) {
        const int left = doubled(n[p], n[p - 1], f[p], f[p - 1]);
        const int right = doubled(n[p], n[p + 1], f[p], f[p + 1]);
        out[2 * p] = static_cast<std::int16_t>(reached(left, fine.reach));
        out[2 * p + 1] = static_cast<std::int16_t>(reached(right, fine.reach));
      }
      for (int x = std::max(2 * std::max(to_pair, from_pair), x0); x < x1; ++x) one(x);
    }
  }
}

}  // namespace kerb::flow::lk
