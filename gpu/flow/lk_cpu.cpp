// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "gpu/flow/lk_pyramid.hpp"
#include "gpu/memory/buffer.hpp"

namespace kerb::flow {
namespace {

using namespace lk;

// Pixels computed at once. A tile computes a rim that is not its own: large ones waste less, small
// ones keep all threads busy and follow a mask.
constexpr int kTileWidth = 128, kTileHeight = 64, kWideTile = 256, kHighTile = 96;
constexpr int kBandRows = 64;                  // for what goes by rows
constexpr int kMargin = 8;                     // columns left and right of a tile's rows
constexpr int kRow = kWideTile + 2 * kMargin;  // samples of a scratch row
constexpr int kDeep = 8, kShallow = 4;         // rows kept: at least 5, at least 3
static_assert(kHalo <= kMargin && kDeep >= 5 && kShallow >= 3);

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

/// What one thread needs for a tile: rows that are still looked at. Index 0 of a row is kMargin
/// left of the tile.
struct alignas(64) Scratch {
  float difference[kDeep][kRow], sum[kDeep][kRow], seen[kDeep][kRow];
  float terms[kShallow][6][kRow];
  float row[6][kRow];
  std::int32_t mean_u[kRow], mean_v[kRow];
  std::int32_t place[kRow];
  std::int32_t warped[kRow];
  std::int32_t tx[kRow], ty[kRow];
  std::uint8_t quality[kRow], flags[kRow];
  std::int16_t raw_u[kDeep][kRow], raw_v[kDeep][kRow];
  std::int16_t sorted[5][kRow];
};

struct Rect {
  int x0, y0, x1, y1;
};

struct FieldRows {
  std::int16_t* u;
  std::int16_t* v;
  int stride;
};
struct ConstFieldRows {
  ConstFieldRows(const FieldRows& rows) : u{rows.u}, v{rows.v}, stride{rows.stride} {}
  const std::int16_t* u;
  const std::int16_t* v;
  int stride;
};

int clamped(int v, int low, int high) { return std::min(std::max(v, low), high); }

// ---------------------------------------------------------------- vectors from the level above

void double_rows(const Level& coarse, ConstFieldRows from, const Level& fine, FieldRows to, int x0,
                 int x1, int y0, int y1) {
  for (int y = y0; y < y1; ++y) {
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

// ---------------------------------------------------------------- one iteration over a tile

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

KERB_BOTH void order(std::int16_t& a, std::int16_t& b) {
  const std::int16_t low = a < b ? a : b;
  b = a < b ? b : a;
  a = low;
}
/// The median of five columns that are each in order. With the rows put in order too, everything
/// left of and above the three middle diagonals is too small to be it, the rest beyond them too
/// large; so are, of the upper diagonal, all but its greatest, of the lower one all but its least.
inline std::int16_t median_of_sorted(const std::int16_t* r0, const std::int16_t* r1,
                                     const std::int16_t* r2, const std::int16_t* r3,
                                     const std::int16_t* r4) {
  const auto sort5 = [](std::int16_t(&v)[5]) {
    order(v[0], v[1]);
    order(v[3], v[4]);
    order(v[2], v[4]);
    order(v[2], v[3]);
    order(v[1], v[4]);
    order(v[0], v[3]);
    order(v[0], v[2]);
    order(v[1], v[3]);
    order(v[1], v[2]);
  };
  const auto lesser = [](std::int16_t x, std::int16_t y) { return x < y ? x : y; };
  const auto greater = [](std::int16_t x, std::int16_t y) { return x < y ? y : x; };
  std::int16_t b[5], c[5], d[5];
  for (int i = 0; i < 5; ++i) {
    b[i] = r1[i];
    c[i] = r2[i];
    d[i] = r3[i];
  }
  sort5(b);
  sort5(c);
  sort5(d);
  // Of the outer rows only two are asked for.
  std::int16_t a0 = r0[0], a1 = r0[1], a2 = r0[2], a3 = r0[3];
  order(a0, a1);
  order(a2, a3);
  const std::int16_t a_top = greater(a1, a3);
  const std::int16_t a_next = greater(lesser(a1, a3), greater(a0, a2));
  const std::int16_t a_greatest = greater(a_top, r0[4]);
  const std::int16_t a_second = greater(a_next, lesser(a_top, r0[4]));
  std::int16_t e0 = r4[0], e1 = r4[1], e2 = r4[2], e3 = r4[3];
  order(e0, e1);
  order(e2, e3);
  const std::int16_t e_low = lesser(e0, e2);
  const std::int16_t e_next = lesser(greater(e0, e2), lesser(e1, e3));
  const std::int16_t e_least = lesser(e_low, r4[4]);
  const std::int16_t e_second = lesser(e_next, greater(e_low, r4[4]));
  const std::int16_t low = greater(greater(a_second, b[2]), greater(c[1], d[0]));
  const std::int16_t high = lesser(lesser(b[4], c[3]), lesser(d[2], e_second));
  // The median of these two and the diagonal between.
  std::int16_t m[5] = {a_greatest, b[3], c[2], d[1], e_least};
  const auto ends = [](std::int16_t* v, int count) {  // least to the front, greatest to the end
    for (int i = 0; i < count / 2; ++i) order(v[i], v[count - 1 - i]);
    for (int i = 1; i < (count + 1) / 2; ++i) order(v[0], v[i]);
    for (int i = count / 2; i < count - 1; ++i) order(v[i], v[count - 1]);
  };
  ends(m, 5);
  std::int16_t n[4] = {m[1], m[2], m[3], low};
  ends(n, 4);
  std::int16_t o[3] = {n[1], n[2], high};
  ends(o, 3);
  return o[1];
}

void median_row(Scratch& s, std::int16_t (&raw)[kDeep][kRow], const int (&rows)[5], int first,
                int count, std::int16_t* out) {
  const std::int16_t *r0 = raw[rows[0]], *r1 = raw[rows[1]], *r2 = raw[rows[2]], *r3 = raw[rows[3]],
                     *r4 = raw[rows[4]];
  std::int16_t *s0 = s.sorted[0], *s1 = s.sorted[1], *s2 = s.sorted[2], *s3 = s.sorted[3],
               *s4 = s.sorted[4];
#pragma GCC ivdep
  for (int i = first - 2; i < first + count + 2; ++i) {
    std::int16_t a = r0[i], b = r1[i], c = r2[i], d = r3[i], e = r4[i];
    order(a, b);
    order(d, e);
    order(c, e);
    order(c, d);
    order(b, e);
    order(a, d);
    order(a, c);
    order(b, d);
    order(b, c);
    s0[i] = a;
    s1[i] = b;
    s2[i] = c;
    s3[i] = d;
    s4[i] = e;
  }
#pragma GCC ivdep
  for (int i = 0; i < count; ++i) {
    const int at = first + i - 2;
    out[i] = median_of_sorted(s0 + at, s1 + at, s2 + at, s3 + at, s4 + at);
  }
}

/// One iteration over the pixels of `tile`: vectors `in` to vectors `out`. With `judge`, also
/// qualities and flags into `field`.
class TilePass {
 public:
  TilePass(Scratch& scratch, const Level& level, const Sample* first, const Sample* second,
           ConstFieldRows in, FieldRows out, float prior)
      : s_{scratch},
        level_{level},
        first_{first + level.samples},
        second_{second + level.samples},
        in_{in},
        out_{out},
        prior_{prior},
        table_{cubic_table()} {}

  void judge(const FieldView<Space::host>& field, float texture) {
    field_ = &field;
    texture_ = texture;
  }

  void run(const Rect& tile) {
    tile_ = tile;
    next_warped_ = std::max(tile.y0 - kHalo, 0);
    next_terms_ = std::max(tile.y0 - kMedianRadius - kWindowRadius, 0);
    next_raw_ = std::max(tile.y0 - kMedianRadius, 0);
    const int bottom = level_.height - 1;
    for (int y = tile.y0; y < tile.y1; ++y) {
      for (; next_raw_ <= std::min(y + kMedianRadius, bottom); ++next_raw_) raw(next_raw_);
      int rows[5];
      for (int j = 0; j < 5; ++j) rows[j] = clamped(y - 2 + j, 0, bottom) % kDeep;
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(y) * out_.stride + tile.x0;
      const int count = tile.x1 - tile.x0;
      median_row(s_, s_.raw_u, rows, kMargin, count, out_.u + at);
      median_row(s_, s_.raw_v, rows, kMargin, count, out_.v + at);
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
      std::int32_t* column = s_.place - origin;  // free between warps
      const int first = std::max(from - 1, 0), last = std::min(to + 1, level_.width);
      for (int x = first; x < last; ++x) column[x] = above[x] + here[x] + below[x];
      if (from == 0) column[-1] = column[0];
      if (to == level_.width) column[to] = column[to - 1];
      std::int32_t* out = (plane == 0 ? s_.mean_u : s_.mean_v) - origin;
      for (int x = from; x < to; ++x) out[x] = column[x - 1] + column[x] + column[x + 1] - here[x];
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
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(y) * in_.stride + tile_.x0 - kMargin;
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
      const Vector out = solved(t, u[i], v[i], mean_u[i], mean_v[i], prior, reach);
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
  const FieldView<Space::host>* field_ = nullptr;
  float texture_ = 0;
  Rect tile_{};
  int next_warped_ = 0, next_terms_ = 0, next_raw_ = 0;
};

// ---------------------------------------------------------------- the estimator

class LucasKanadeCpu final : public Estimator {
 public:
  LucasKanadeCpu(Workers& workers, const LucasKanadeSettings& settings, int width, int height)
      : workers_{workers}, settings_{settings}, plan_{make_plan(settings, width, height)} {
    for (auto& picture : pictures_) picture.resize(plan_.samples);
    for (int i = 0; i < (settings.check_back ? 6 : 4); ++i) vectors_[i].resize(plan_.vectors);
    scratch_.resize(static_cast<std::size_t>(workers.count()));
    columns_.resize(pyramid_scratch(plan_, workers));
    for (const Level& level : plan_.levels)
      tiles_.resize(std::max(tiles_.size(), static_cast<std::size_t>(tiles_of(level))));
    cells_x_ = (width + kCell - 1) / kCell;
    cells_y_ = (height + kCell - 1) / kCell;
    cells_.resize(static_cast<std::size_t>(cells_x_) * cells_y_);
    (void)cubic_table();
  }

  using Estimator::run;
  Status run(const Picture<Space::host>& previous, const Picture<Space::host>& next,
             const Mask<Space::host>& mask, const FieldView<Space::host>& out) override {
    const Level& top = plan_.levels[0];
    if (Status ok = check_pair("Lucas-Kanade", top.width, top.height, previous, next, mask, out);
        !ok)
      return ok;
    make_pyramids(workers_, plan_, previous, next, pictures_, columns_);
    masked_ = false;
    if (settings_.check_back) {  // everywhere: where vectors lead is not known yet
      estimate(1, 0, nullptr);
      for (int p = 0; p < 2; ++p) std::swap(vectors_[2 * now_ + p], vectors_[4 + p]);
    }
    masked_ = mask.data != nullptr;
    if (masked_) find_cells(mask);
    estimate(0, 1, &out);
    finish(mask, out);
    return Done{};
  }
  Status run(const Picture<Space::device>&, const Picture<Space::device>&,
             const Mask<Space::device>&, const FieldView<Space::device>&) override {
    return Error{Errc::unsupported, 0, "Lucas-Kanade", "device pictures need the CUDA backend"};
  }
  [[nodiscard]] const char* name() const noexcept override { return "lk"; }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cpu; }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return 2 * sizeof(Sample) * plan_.samples +
           (settings_.check_back ? 6 : 4) * sizeof(std::int16_t) * plan_.vectors +
           scratch_.size() * sizeof(Scratch) + columns_.size() * 2 + tiles_.size() * sizeof(Rect);
  }

 private:
  static int tiles_of(const Level& level) {  // at most
    return ((level.width + kTileWidth - 1) / kTileWidth) * ((level.height + 15) / 16);
  }

  void find_cells(const Mask<Space::host>& mask) {
    workers_.run(cells_y_, [&](int cy, int) {
      std::uint8_t* row = cells_.data() + static_cast<std::ptrdiff_t>(cy) * cells_x_;
      std::fill(row, row + cells_x_, std::uint8_t{0});
      for (int y = cy * kCell; y < std::min((cy + 1) * kCell, mask.height); ++y) {
        const std::uint8_t* m = mask.data + y * mask.row_stride;
        for (int x = 0; x < mask.width; ++x) row[x / kCell] |= m[x];
      }
    });
  }

  /// Whether vectors of this tile are needed for any pixel that is wanted.
  [[nodiscard]] bool is_wanted(std::size_t index, const Rect& tile) const {
    const CellRange near =
        cells_near(tile.x0, tile.y0, tile.x1, tile.y1, plan_.levels[index].radius,
                   static_cast<int>(index), cells_x_, cells_y_);
    for (int y = near.y0; y < near.y1; ++y)
      for (int x = near.x0; x < near.x1; ++x)
        if (cells_[static_cast<std::size_t>(y) * cells_x_ + x] != 0) return true;
    return false;
  }

  int find_tiles(std::size_t index) {
    const Level& level = plan_.levels[index];
    const int enough = 4 * workers_.count() * kWideTile * kHighTile;
    const bool large = !masked_ && level.width * level.height >= enough;
    const int columns = large ? kWideTile : kTileWidth;
    const int rows = large ? kHighTile : std::min(kTileHeight, std::max(level.height / 4, 16));
    int count = 0;
    for (int y = 0; y < level.height; y += rows)
      for (int x = 0; x < level.width; x += columns) {
        const Rect tile{x, y, std::min(x + columns, level.width), std::min(y + rows, level.height)};
        if (!masked_ || is_wanted(index, tile)) tiles_[static_cast<std::size_t>(count++)] = tile;
      }
    return count;
  }

  /// Vectors from one picture to the other; they end up in now_.
  void estimate(int first, int second, const FieldView<Space::host>* out) {
    const Level& smallest = plan_.levels.back();
    now_ = 0;
    const std::size_t few = static_cast<std::size_t>(smallest.stride) * smallest.height;
    for (int p = 0; p < 2; ++p) std::fill_n(vectors_[p].data(), few, std::int16_t{0});
    for (std::size_t i = plan_.levels.size(); i-- > 0;) {
      const Level& level = plan_.levels[i];
      const int tiles = find_tiles(i);
      if (i + 1 < plan_.levels.size()) {
        const Level& coarse = plan_.levels[i + 1];
        const ConstFieldRows from = field(now_, coarse.stride);
        const FieldRows to = field(1 - now_, level.stride);
        // A margin around each tile, for what iterations read: written by more than one, alike,
        // would be a race; so the whole picture's rows, or what is near any tile.
        workers_.run((level.height + kBandRows - 1) / kBandRows, [&](int band, int) {
          const int y0 = band * kBandRows, y1 = std::min(y0 + kBandRows, level.height);
          double_rows(coarse, from, level, to, 0, level.width, y0, y1);
        });
        now_ = 1 - now_;
      }
      for (int k = 0; k < level.iterations; ++k) {
        const bool last = out != nullptr && i == 0 && k + 1 == level.iterations;
        const FieldRows from = field(now_, level.stride), to = field(1 - now_, level.stride);
        workers_.run(tiles, [&](int task, int worker) {
          TilePass pass{scratch_[static_cast<std::size_t>(worker)],
                        level,
                        pictures_[first].data(),
                        pictures_[second].data(),
                        from,
                        to,
                        16.0F * settings_.prior};
          if (last) pass.judge(*out, 16.0F * settings_.texture);
          pass.run(tiles_[static_cast<std::size_t>(task)]);
        });
        now_ = 1 - now_;
      }
    }
  }

  /// The vectors found to floats, with the flags that depend on them.
  void finish(const Mask<Space::host>& mask, const FieldView<Space::host>& out) {
    const Level& level = plan_.levels[0];
    const FieldRows found = field(now_, level.stride);
    const float tolerance = settings_.back_tolerance * static_cast<float>(kUnit);
    const float limit = tolerance * tolerance;
    const std::int16_t *back_u = vectors_[4].data(), *back_v = vectors_[5].data();
    const Sample* first = pictures_[0].data() + level.samples;
    const Sample* second = pictures_[1].data() + level.samples;
    workers_.run((level.height + 15) / 16, [&](int band, int) {
      for (int y = band * 16; y < std::min(band * 16 + 16, level.height); ++y) {
        std::int16_t* u = found.u + static_cast<std::ptrdiff_t>(y) * found.stride;
        std::int16_t* v = found.v + static_cast<std::ptrdiff_t>(y) * found.stride;
        for (int x = 0; x < level.width; ++x) {
          if (!is_near_whole(u[x]) || !is_near_whole(v[x])) continue;
          const Vector one =
              made_whole(first, second, level.stride, x, y, u[x], v[x], level.width, level.height);
          u[x] = static_cast<std::int16_t>(one.u);
          v[x] = static_cast<std::int16_t>(one.v);
        }
        float* fu = out.u + y * out.row_stride;
        float* fv = out.v + y * out.row_stride;
        constexpr float kScale = 1.0F / kUnit;
        for (int x = 0; x < level.width; ++x) fu[x] = static_cast<float>(u[x]) * kScale;
        for (int x = 0; x < level.width; ++x) fv[x] = static_cast<float>(v[x]) * kScale;
        std::uint8_t* flags = out.flags == nullptr ? nullptr : out.flags + y * out.row_stride;
        std::uint8_t* quality = out.quality == nullptr ? nullptr : out.quality + y * out.row_stride;
        if (flags != nullptr)
          for (int x = 0; x < level.width; ++x) {
            const bool outside = is_outside(x, y, u[x], v[x], level.width, level.height);
            int doubts = flags[x] | (outside ? kOutOfView : 0);
            if (settings_.check_back && !outside) {
              const std::ptrdiff_t at =
                  static_cast<std::ptrdiff_t>(nearest_pixel(y, v[x])) * found.stride +
                  nearest_pixel(x, u[x]);
              if (!leads_back(u[x], v[x], back_u[at], back_v[at], limit)) doubts |= kInconsistent;
            }
            flags[x] = static_cast<std::uint8_t>(doubts == 0 ? kValid : doubts);
          }
        if (mask.data == nullptr) continue;
        const std::uint8_t* m = mask.data + y * mask.row_stride;
        for (int x = 0; x < level.width; ++x) {
          if (m[x] != 0) continue;
          fu[x] = fv[x] = 0.0F;
          if (quality != nullptr) quality[x] = 0;
          if (flags != nullptr) flags[x] = kMaskedOut;
        }
      }
    });
  }

  FieldRows field(int which, int stride) {
    return {vectors_[2 * which].data(), vectors_[2 * which + 1].data(), stride};
  }

  Workers& workers_;
  LucasKanadeSettings settings_;
  Plan plan_;
  std::vector<Sample> pictures_[2];
  std::vector<std::int16_t> vectors_[6];  // u, v and u, v: by turns; then the way back's
  std::vector<Scratch> scratch_;
  std::vector<std::uint16_t> columns_;
  std::vector<Rect> tiles_;
  std::vector<std::uint8_t> cells_;
  int cells_x_ = 0, cells_y_ = 0;
  bool masked_ = false;
  int now_ = 0;  // which pair of vectors_ is the field
};

}  // namespace

Result<std::unique_ptr<Estimator>> make_lucas_kanade_cpu(const Context&, Workers& workers,
                                                         const LucasKanadeSettings& settings,
                                                         int width, int height) {
  try {
    return std::unique_ptr<Estimator>{
        std::make_unique<LucasKanadeCpu>(workers, settings, width, height)};
  } catch (const std::bad_alloc&) {
    return Error{Errc::io, 0, "Lucas-Kanade", "no memory left"};
  }
}

}  // namespace kerb::flow
