// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/flow/block_matching_levels.cuh"

/// The best shift of every block, refined, on CUDA. For block_matching_cuda.cu alone.
namespace kerb::flow::bm {
namespace {

/// A row of a matching block as two words, and what else belongs to a block's row.
constexpr int kLanes = 8;          // threads that share a block
constexpr int kBlocksInARow = 16;  // of blocks, to a block of threads
constexpr unsigned kWarp = 0xffffffffU;

/// Eight samples beginning anywhere: two words, earlier samples in lower bytes.
__device__ uint2 eight_at(const Byte* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const auto* const words = reinterpret_cast<const unsigned*>(address & ~std::uintptr_t{3});
  const auto shift = static_cast<unsigned>(address & 3U) * 8;
  const unsigned a = words[0], b = words[1], c = words[2];
  return {__funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift)};
}
/// Twelve, of which nine are wanted.
struct Nine {
  unsigned low, middle;
  int last;
};
__device__ Nine nine_at(const Byte* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const auto* const words = reinterpret_cast<const unsigned*>(address & ~std::uintptr_t{3});
  const auto shift = static_cast<unsigned>(address & 3U) * 8;
  const unsigned a = words[0], b = words[1], c = words[2];
  return {__funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift),
          static_cast<int>((c >> shift) & 255U)};
}
__device__ int sample(unsigned word, int i) { return static_cast<int>((word >> (8 * i)) & 255U); }
__device__ int sample(const uint2& words, int i) {
  return i < 4 ? sample(words.x, i) : sample(words.y, i - 4);
}
__device__ int sample(const Nine& n, int i) {
  return i < 4 ? sample(n.low, i) : i < 8 ? sample(n.middle, i - 4) : n.last;
}

/// Over the eight threads of a block.
__device__ int block_sum(int v) {
  v += __shfl_xor_sync(kWarp, v, 1);
  v += __shfl_xor_sync(kWarp, v, 2);
  return v + __shfl_xor_sync(kWarp, v, 4);
}

struct Found {
  float score;
  int order;  // of equals the first
  Shift shift;
};
__device__ Found better(const Found& a, const Found& b) {
  return b.score > a.score || (b.score == a.score && b.order < a.order) ? b : a;
}
__device__ Found best_of_block(Found mine) {
#pragma unroll
  for (int by = 1; by < kLanes; by *= 2) {
    const Found other{
        __shfl_xor_sync(kWarp, mine.score, by),
        __shfl_xor_sync(kWarp, mine.order, by),
        {__shfl_xor_sync(kWarp, mine.shift.x, by), __shfl_xor_sync(kWarp, mine.shift.y, by)}};
    mine = better(mine, other);
  }
  return mine;
}

struct MatchArguments {
  Level level, above;
  const Byte *first, *second;
  const int2* sums;
  const Shift* shifts;  // the smallest level's
  int shift_count;
  int steps;
  bool finest;
  float noise;         // the most variance a block without texture has
  const float *u, *v;  // the medians: of the level above
  float *raw_u, *raw_v, *correlation;
  Byte* poor;
  const Byte* need;  // null: all
};

template <Cost C>
__device__ float score_at(const uint2 (&rows)[kBlock], int sum, int variance, float inverse,
                          const MatchArguments& a, const Byte* at, const int2* sums, Shift shift) {
  const Byte* const place = at + shift.y * a.level.row_stride + shift.x;
  unsigned total = 0;
#pragma unroll
  for (int i = 0; i < kBlock; ++i) {
    const uint2 other = eight_at(place + i * a.level.row_stride);
    if (C == Cost::ncc) {
      total = __dp4a(rows[i].x, other.x, total);
      total = __dp4a(rows[i].y, other.y, total);
    } else {
      const unsigned low = __vabsdiffu4(rows[i].x, other.x);
      const unsigned high = __vabsdiffu4(rows[i].y, other.y);
      total = __dp4a(low, C == Cost::ssd ? low : 0x01010101U, total);
      total = __dp4a(high, C == Cost::ssd ? high : 0x01010101U, total);
    }
  }
  if (C != Cost::ncc) return -static_cast<float>(static_cast<int>(total));
  const int2 mine = sums[std::ptrdiff_t{shift.y} * a.level.sums_stride + shift.x];
  return ncc_score(sum, variance, inverse, static_cast<int>(total),
                   {mine.x, __int_as_float(mine.y)});
}

template <Cost C, bool Smallest>
__global__ void __launch_bounds__(kLanes* kBlocksInARow) match_kernel(MatchArguments a) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int wanted_column =
      static_cast<int>(blockIdx.x) * kBlocksInARow + static_cast<int>(threadIdx.x) / kLanes;
  const int row = static_cast<int>(blockIdx.y);
  // Threads beyond the edge go along: shuffles want whole warps.
  const int column = at_most(wanted_column, a.level.columns - 1);
  const std::size_t number =
      a.level.block + static_cast<std::size_t>(row * a.level.columns + column);
  if (a.need != nullptr && __any_sync(kWarp, a.need[number]) == 0) return;
  const int x = column * kCell - kBefore, y = row * kCell - kBefore;
  const int stride = a.level.row_stride;
  const std::ptrdiff_t offset =
      static_cast<std::ptrdiff_t>(a.level.image) + std::ptrdiff_t{y} * stride + x;
  const Byte* const first = a.first + offset;
  const Byte* const second = a.second + offset;
  const int2* const sums =
      a.sums + a.level.sums + std::ptrdiff_t{y - kFirst} * a.level.sums_stride + (x - kFirst);
  uint2 rows[kBlock];
  unsigned total = 0, squares = 0;
#pragma unroll
  for (int i = 0; i < kBlock; ++i) {
    rows[i] = eight_at(first + i * stride);
    total = __dp4a(rows[i].x, 0x01010101U, total);
    total = __dp4a(rows[i].y, 0x01010101U, total);
    squares = __dp4a(rows[i].x, rows[i].x, squares);
    squares = __dp4a(rows[i].y, rows[i].y, squares);
  }
  const int sum = static_cast<int>(total);
  const int variance = variance_of(sum, static_cast<int>(squares));
  const bool poor = static_cast<float>(variance) <= a.noise;
  const float inverse = inverse_deviation(variance);
  const Bounds bounds = bounds_of(a.level, x, y);
  const auto number_above = [&](int dx, int dy) {
    return a.above.block + static_cast<std::size_t>(
                               between((row >> 1) + dy, 0, a.above.rows - 1) * a.above.columns +
                               between((column >> 1) + dx, 0, a.above.columns - 1));
  };
  float poor_u = 0, poor_v = 0;
  Found best{-kExact, 0, {0, 0}};
  if (Smallest) {
    for (int i = lane; i < a.shift_count; i += kLanes) {
      const Shift shift = inside(bounds, a.shifts[i]);
      const Found now{score_at<C>(rows, sum, variance, inverse, a, second, sums, shift), i, shift};
      if (i == lane || now.score > best.score) best = now;
    }
    if (lane >= a.shift_count) best.order = a.shift_count;
    best = best_of_block(best);
  } else {
    const std::size_t own = number_above(0, 0);
    poor_u = 2 * a.u[own];
    poor_v = 2 * a.v[own];
    const Shift predicted = inside(bounds, {nearest(poor_u), nearest(poor_v)});
    best = {score_at<C>(rows, sum, variance, inverse, a, second, sums, predicted), 0, predicted};
    const Shift to = around(lane);
    const std::size_t from = number_above(kNeighbours * to.x, kNeighbours * to.y);
    const Shift theirs = inside(bounds, {nearest(2 * a.u[from]), nearest(2 * a.v[from])});
    best = better(best, {score_at<C>(rows, sum, variance, inverse, a, second, sums, theirs),
                         1 + lane, theirs});
    best = best_of_block(best);
    best.order = 0;
    const Shift beside = inside(bounds, {best.shift.x + to.x, best.shift.y + to.y});
    best = better(best, {score_at<C>(rows, sum, variance, inverse, a, second, sums, beside),
                         1 + lane, beside});
    best = best_of_block(best);
  }

  // From here on a thread has one row of the block.
  const Byte* const line = first + lane * stride;
  const uint2 mine = eight_at(line), left = eight_at(line - 1), right = eight_at(line + 1);
  const uint2 upper = eight_at(line - stride), lower = eight_at(line + stride);
  int gx[kBlock], gy[kBlock];
  Gradients g{};
#pragma unroll
  for (int i = 0; i < kBlock; ++i) {
    gx[i] = sample(right, i) - sample(left, i);
    gy[i] = sample(lower, i) - sample(upper, i);
    const int v = sample(mine, i);
    g.x += gx[i];
    g.y += gy[i];
    g.xx += gx[i] * gx[i];
    g.xy += gx[i] * gy[i];
    g.yy += gy[i] * gy[i];
    g.ax += v * gx[i];
    g.ay += v * gy[i];
  }
  g = {block_sum(g.x),  block_sum(g.y),  block_sum(g.xx), block_sum(g.xy),
       block_sum(g.yy), block_sum(g.ax), block_sum(g.ay)};
  float dx = 0, dy = 0;
  const auto warped_to = [&](int qx, int qy) {
    const int px = qx & (kParts - 1), py = qy & (kParts - 1);
    const Byte* const at =
        second + (best.shift.y + (qy >> 4) + lane) * stride + best.shift.x + (qx >> 4);
    const Nine above = nine_at(at), below = nine_at(at + stride);
    Warped w{};
#pragma unroll
    for (int i = 0; i < kBlock; ++i) {
      const int t = sample(above, i) * (kParts - px) + sample(above, i + 1) * px;
      const int b = sample(below, i) * (kParts - px) + sample(below, i + 1) * px;
      const int v = (t * (kParts - py) + b * py + kParts / 2) >> 4;
      w.sum += v;
      w.squares += v * v;
      w.x += v * gx[i];
      w.y += v * gy[i];
      w.a += v * sample(mine, i);
    }
    return Warped{block_sum(w.sum), block_sum(w.squares), block_sum(w.x), block_sum(w.y),
                  block_sum(w.a)};
  };
  bool done = poor;
  for (int step = 0; step < a.steps; ++step) {
    if (__all_sync(kWarp, done)) break;
    const int qx = nearest(dx * kParts), qy = nearest(dy * kParts);
    const Warped w = warped_to(qx, qy);
    if (done) continue;
    const Step by = step_of(C == Cost::ncc, sum, variance, g, w);
    done = !by.solved;
    if (done) continue;
    dx = static_cast<float>(qx) * (1.0F / kParts) + by.x;
    dy = static_cast<float>(qy) * (1.0F / kParts) + by.y;
    if (fabsf(dx) <= 1 && fabsf(dy) <= 1) continue;
    dx = dy = 0;
    done = true;
  }
  float likeness = 0;
  if (a.finest) {
    const Warped w = warped_to(nearest(dx * kParts), nearest(dy * kParts));
    likeness = correlation(sum, variance, w);
  }
  if (lane != 0 || wanted_column >= a.level.columns) return;
  a.raw_u[number] = poor ? poor_u : static_cast<float>(best.shift.x) + dx;
  a.raw_v[number] = poor ? poor_v : static_cast<float>(best.shift.y) + dy;
  if (a.finest) a.correlation[number] = poor ? 0.0F : likeness;  // no other level's is used
  a.poor[number] = poor ? 1 : 0;
}

}  // namespace
}  // namespace kerb::flow::bm
