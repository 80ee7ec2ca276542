// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/flow/lucas_kanade_median.cuh"
#include "gpu/flow/lucas_kanade_pyramid.cuh"
#include "gpu/flow/median25.hpp"

/// One iteration of Lucas-Kanade over a level, on CUDA. For lucas_kanade_cuda.cu alone.
namespace kerb::flow::lk {
namespace {

/// How a block goes through its tile: `Run` rows of a column are solved by one thread, one after
/// the other.
template <int Tile, int Run, int Threads>
struct Shape {
  static constexpr int kTile = Tile;
  static constexpr int kWarped = kTile + 2 * kHalo;                            // columns and rows
  static constexpr int kTermed = kTile + 2 * (kMedianRadius + kWindowRadius);  // ...
  static constexpr int kSolved = kTile + 2 * kMedianRadius;                    // ...
  static constexpr int kRun = Run, kThreads = Threads;
  static_assert(kSolved % kRun == 0 && kSolved * (kSolved / kRun) <= kThreads);
  static constexpr std::size_t shared_bytes(int planes) {
    return sizeof(float) *
           (3 * kWarped * kWarped + static_cast<std::size_t>(planes) * kTermed * kTermed);
  }
};
/// Large tiles do the least twice, at their borders. A level with too few of them for the device
/// takes smaller ones, whose every step is one pass of the block: there latency is what counts.
using Large = Shape<32, 3, 512>;
using Medium = Shape<16, 2, 352>;
using Small = Shape<8, 1, 352>;

struct Cells {
  const std::uint8_t* data;  // nullptr: all wanted
  int columns, rows;
};

struct Iteration {
  int width, height, stride, shift, radius, reach;
  const Sample *first, *second;  // of both pictures, at (0, 0)
  const Packed* in;
  int in_stride, in_width, in_height;  // of `in`
  enum { start, level_above, same_level } from;
  Packed* out;
  float prior;
  Cells cells;
};
struct Judgement {
  float texture;
  FieldView<Space::device> out;
  Mask<Space::device> mask;
  const Packed* back;  // nullptr: not checked
  float back_limit;
};

__device__ __forceinline__ Packed vector_in(const Iteration& it, int x, int y) {
  if (it.from == Iteration::start) return 0;
  if (it.from == Iteration::same_level)
    return it.in[static_cast<std::ptrdiff_t>(y) * it.in_stride + x];
  const int near_x = x / 2, near_y = y / 2;
  const int far_x = clamped(x % 2 == 0 ? near_x - 1 : near_x + 1, it.in_width - 1);
  const int far_y = clamped(y % 2 == 0 ? near_y - 1 : near_y + 1, it.in_height - 1);
  const Packed* n = it.in + static_cast<std::ptrdiff_t>(near_y) * it.in_stride;
  const Packed* f = it.in + static_cast<std::ptrdiff_t>(far_y) * it.in_stride;
  const Packed near = n[near_x], beside = n[far_x], over = f[near_x], across = f[far_x];
  return packed(reached(doubled(u_of(near), u_of(beside), u_of(over), u_of(across)), it.reach),
                reached(doubled(v_of(near), v_of(beside), v_of(over), v_of(across)), it.reach));
}

__device__ __forceinline__ int warped_at(const Iteration& it, int px, int py) {
  const CubicWeights wx = cubic_weights(px & (kUnit - 1)), wy = cubic_weights(py & (kUnit - 1));
  const Sample* p = it.second + static_cast<std::ptrdiff_t>(py >> kUnitShift) * it.stride +
                    (px >> kUnitShift) - 1;
  int column[4];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    column[k] = cubic_column(p[k - it.stride], p[k], p[k + it.stride], p[k + 2 * it.stride], wy);
  return cubic_row(column[0], column[1], column[2], column[3], wx);
}

template <typename S>
__device__ __forceinline__ void write_none(const Iteration& it, const Judgement& judge, int x0,
                                           int y0) {
  constexpr int kTile = S::kTile, kThreads = S::kThreads;
  for (int k = static_cast<int>(threadIdx.x); k < kTile * kTile; k += kThreads) {
    const int x = x0 + k % kTile, y = y0 + k / kTile;
    if (x >= it.width || y >= it.height) continue;
    const std::ptrdiff_t at = y * judge.out.row_stride + x;
    judge.out.u[at] = judge.out.v[at] = 0.0F;
    if (judge.out.quality != nullptr) judge.out.quality[at] = 0;
    if (judge.out.flags != nullptr) judge.out.flags[at] = kMaskedOut;
  }
}

template <bool kJudge, typename S>
__global__ void __launch_bounds__(S::kThreads, 3) iterate_kernel(Iteration it, Judgement judge) {
  constexpr int kTile = S::kTile, kWarped = S::kWarped, kTermed = S::kTermed;
  constexpr int kSolved = S::kSolved, kRun = S::kRun, kThreads = S::kThreads;
  constexpr int kPlanes = kJudge ? 6 : 5;
  extern __shared__ float shared[];
  Packed* const vectors = reinterpret_cast<Packed*>(shared);
  float* const differences = shared + kWarped * kWarped;
  float* const sums = differences + kWarped * kWarped;
  float* const terms = sums + kWarped * kWarped;
  Packed* const raw = reinterpret_cast<Packed*>(differences);              // these are done by then
  std::uint16_t* const verdicts = reinterpret_cast<std::uint16_t*>(sums);  // ...
  const int x0 = static_cast<int>(blockIdx.x) * kTile, y0 = static_cast<int>(blockIdx.y) * kTile;
  const int thread = static_cast<int>(threadIdx.x);
  const int last_x = it.width - 1, last_y = it.height - 1;

  if (it.cells.data != nullptr) {
    const CellRange near = cells_near(x0, y0, min(x0 + kTile, it.width), min(y0 + kTile, it.height),
                                      it.radius, it.shift, it.cells.columns, it.cells.rows);
    const int columns = near.x1 - near.x0, count = columns * (near.y1 - near.y0);
    bool any = false;
    for (int k = thread; k < count && !any; k += kThreads)
      any = it.cells.data[(near.y0 + k / columns) * it.cells.columns + near.x0 + k % columns] != 0;
    if (__syncthreads_or(any ? 1 : 0) == 0) {
      if constexpr (kJudge) write_none<S>(it, judge, x0, y0);
      return;
    }
  }

  // Vectors in, and the pictures' difference and sum along them. Beyond the picture: its edge's.
  for (int k = thread; k < kWarped * kWarped; k += kThreads) {
    const int x = clamped(x0 - kHalo + k % kWarped, last_x);
    const int y = clamped(y0 - kHalo + k / kWarped, last_y);
    const Packed vector = vector_in(it, x, y);
    vectors[k] = vector;
    const int px = clamped(x * kUnit + u_of(vector), last_x * kUnit);
    const int py = clamped(y * kUnit + v_of(vector), last_y * kUnit);
    const int warped = warped_at(it, px, py);
    const int here = it.first[static_cast<std::ptrdiff_t>(y) * it.stride + x];
    differences[k] = difference(warped, here);
    sums[k] = sum(warped, here);
  }
  __syncthreads();

  // What each pixel adds to windows.
  for (int k = thread; k < kTermed * kTermed; k += kThreads) {
    const int x = clamped(x0 - kMedianRadius - kWindowRadius + k % kTermed, last_x);
    const int y = clamped(y0 - kMedianRadius - kWindowRadius + k / kTermed, last_y);
    const int at = (y - y0 + kHalo) * kWarped + (x - x0 + kHalo);
    const float* d = differences + at;
    const float* m = sums + at;
    const float rx = gradient(d[-2], d[-1], d[1], d[2]);
    const float ry = gradient(d[-2 * kWarped], d[-kWarped], d[kWarped], d[2 * kWarped]);
    const float a = second(m[-1], m[0], m[1]);
    const float c = second(m[-kWarped], m[0], m[kWarped]);
    const float b = mixed(m[-kWarped - 1], m[-kWarped + 1], m[kWarped - 1], m[kWarped + 1]);
    const Packed vector = vectors[at];
    const bool outside = is_outside(x, y, u_of(vector), v_of(vector), it.width, it.height);
    const Terms t = lk::terms(rx, ry, a, b, c, outside ? 0.0F : 1.0F);
    terms[k] = t.a11;
    terms[k + kTermed * kTermed] = t.a12;
    terms[k + 2 * kTermed * kTermed] = t.a22;
    terms[k + 3 * kTermed * kTermed] = t.b1;
    terms[k + 4 * kTermed * kTermed] = t.b2;
    if (kJudge) terms[k + 5 * kTermed * kTermed] = t.misfit;
  }
  __syncthreads();

  // Windows and solutions: a thread for kRun rows of a column. What lies beyond the picture is
  // made from its edge, below.
  if (thread < kSolved * (kSolved / kRun)) {
    const int column = thread % kSolved, begin = thread / kSolved * kRun;
    const int x = clamped(x0 - kMedianRadius + column, last_x);
    const float* const left = terms + (x - x0 + kMedianRadius);  // of the window, in a row
    float above[kPlanes], here[kPlanes], below[kPlanes];
    const auto row_sum = [&](int y, float(&out)[kPlanes]) {
      const float* p = left + (clamped(y, last_y) - y0 + kMedianRadius + kWindowRadius) * kTermed;
#pragma unroll
      for (int i = 0; i < kPlanes; ++i)
        out[i] = window3(p[i * kTermed * kTermed], p[i * kTermed * kTermed + 1],
                         p[i * kTermed * kTermed + 2]);
    };
    const int top = y0 - kMedianRadius + begin;
    int before = clamped(top, last_y);
    row_sum(before - 1, above);
    row_sum(before, here);
    row_sum(before + 1, below);
#pragma unroll
    for (int j = 0; j < kRun; ++j) {
      const int y = clamped(top + j, last_y);
      if (y != before) {  // one further down
#pragma unroll
        for (int i = 0; i < kPlanes; ++i) {
          above[i] = here[i];
          here[i] = below[i];
        }
        row_sum(y + 1, below);
        before = y;
      }
      Terms t;
      t.a11 = window3(above[0], here[0], below[0]);
      t.a12 = window3(above[1], here[1], below[1]);
      t.a22 = window3(above[2], here[2], below[2]);
      t.b1 = window3(above[3], here[3], below[3]);
      t.b2 = window3(above[4], here[4], below[4]);
      t.misfit = kJudge ? window3(above[kPlanes - 1], here[kPlanes - 1], below[kPlanes - 1]) : 0.0F;
      const Packed* const v = vectors + (y - y0 + kHalo) * kWarped + (x - x0 + kHalo);
      int sum_u = 0, sum_v = 0;
#pragma unroll
      for (int n = 0; n < 9; ++n) {
        if (n == 4) continue;
        const Packed one = v[(n / 3 - 1) * kWarped + n % 3 - 1];
        sum_u += u_of(one);
        sum_v += v_of(one);
      }
      const Vector out =
          solved(t, u_of(v[0]), v_of(v[0]), sum_u, sum_v, it.prior, static_cast<float>(it.reach));
      raw[(begin + j) * kSolved + column] = packed(out.u, out.v);
      if (kJudge) {
        const Verdict said = verdict(t, judge.texture);
        verdicts[(begin + j) * kSolved + column] =
            static_cast<std::uint16_t>(said.quality | (said.flags << 8));
      }
    }
  }
  __syncthreads();

  // Medians of u and of v, both at once.
  const auto write = [&](int column, int row, Packed vector) {
    const int x = x0 + column, y = y0 + row;
    if (x > last_x || y > last_y) return;
    if (!kJudge) {
      it.out[static_cast<std::ptrdiff_t>(y) * it.stride + x] = vector;
      return;
    }
    const std::ptrdiff_t at = y * judge.out.row_stride + x;
    const bool wanted =
        judge.mask.data == nullptr || judge.mask.data[y * judge.mask.row_stride + x] != 0;
    const Vector one = made_whole(it.first, it.second, it.stride, x, y, u_of(vector), v_of(vector),
                                  it.width, it.height);
    const int u = one.u, v = one.v;
    const unsigned said = verdicts[(row + kMedianRadius) * kSolved + column + kMedianRadius];
    unsigned doubts = said >> 8;
    if (is_outside(x, y, u, v, it.width, it.height)) {
      doubts |= kOutOfView;
    } else if (judge.back != nullptr) {
      const Packed back = judge.back[static_cast<std::ptrdiff_t>(nearest_pixel(y, v)) * it.stride +
                                     nearest_pixel(x, u)];
      if (!leads_back(u, v, u_of(back), v_of(back), judge.back_limit)) doubts |= kInconsistent;
    }
    constexpr float kScale = 1.0F / kUnit;
    judge.out.u[at] = wanted ? static_cast<float>(u) * kScale : 0.0F;
    judge.out.v[at] = wanted ? static_cast<float>(v) * kScale : 0.0F;
    if (judge.out.quality != nullptr)
      judge.out.quality[at] = static_cast<std::uint8_t>(wanted ? said & 0xFFU : 0U);
    if (judge.out.flags != nullptr)
      judge.out.flags[at] =
          static_cast<std::uint8_t>(wanted ? (doubts == 0 ? static_cast<unsigned>(kValid) : doubts)
                                           : static_cast<unsigned>(kMaskedOut));
  };
  // Two pixels at once where there are enough for all threads; else latency is what counts.
  if constexpr (kTile * kTile / 2 >= kThreads) {
    for (int k = thread; k < kTile * kTile / 2; k += kThreads) {
      const int column = k % kTile, row = k / kTile * 2;
      const Packed* const near = raw + row * kSolved + column;
      Packed upper = 0, lower = 0;
      median_pair([&](int i) { return near[i / 5 * kSolved + i % 5]; }, upper, lower);
      write(column, row, upper);
      write(column, row + 1, lower);
    }
  } else {
    for (int k = thread; k < kTile * kTile; k += kThreads) {
      const int column = k % kTile, row = k / kTile;
      const Packed* const near = raw + row * kSolved + column;
      write(column, row,
            median25<Packed>([&](int i) { return near[i / 5 * kSolved + i % 5]; },
                             [](Packed& a, Packed& b) { in_order(a, b); }));
    }
  }
}

}  // namespace
}  // namespace kerb::flow::lk
