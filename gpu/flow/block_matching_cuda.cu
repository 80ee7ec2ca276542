// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "gpu/flow/block_matching_math.hpp"
#include "gpu/flow/block_matching_plan.hpp"
#include "gpu/flow/median25.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/graph_cuda.hpp"
#include "gpu/memory/upload.hpp"

// The launches of a frame: one smooths both pictures, one halves both for each further level, one
// sums for all levels; then for each level one matches and one takes medians; one spreads the
// blocks' vectors to the pixels. With a mask a few small ones before say which blocks are needed.
// They are one graph, recorded once for every pair of places the pictures lie at.
namespace kerb::flow::bm {
namespace {

using Byte = std::uint8_t;
constexpr const char* kWhere = "block matching";

struct Levels {
  Level of[kMaxLevels];
  int first_tile[kMaxLevels];  // of the sums, see sums_kernel
  int count;
};

/// A row of a matching block as two words, and what else belongs to a block's row.
constexpr int kLanes = 8;          // threads that share a block
constexpr int kBlocksInARow = 16;  // of blocks, to a block of threads
constexpr unsigned kWarp = 0xffffffffU;

__device__ int thread_x() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
__device__ int thread_y() { return static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); }

// --- pictures ------------------------------------------------------------------------------------

struct Pair {
  Picture<Space::device> first, second;
};

/// Four samples of a level, rims included, to a thread.
__global__ void smooth_kernel(Pair in, Level level, Byte* __restrict__ first,
                              Byte* __restrict__ second) {
  const int x = thread_x() * 4 - kRim, y = thread_y() - kRim;
  if (x >= level.width + kRim || y >= level.height + kRim) return;
  const int picture = static_cast<int>(blockIdx.z);
  const Byte* const from = picture == 0 ? in.first.data : in.second.data;
  const std::ptrdiff_t stride = picture == 0 ? in.first.row_stride : in.second.row_stride;
  const int row = between(y, 0, level.height - 1);
  const Byte* const above = from + at_least(row - 1, 0) * stride;
  const Byte* const here = from + row * stride;
  const Byte* const below = from + at_most(row + 1, level.height - 1) * stride;
  unsigned packed = 0;
  const auto sum_at = [&](int column) {
    return static_cast<int>(above[column]) + 2 * here[column] + below[column];
  };
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int column = between(x + i, 0, level.width - 1);
    const int sum = sum_at(at_least(column - 1, 0)) + 2 * sum_at(column) +
                    sum_at(at_most(column + 1, level.width - 1));
    packed |= static_cast<unsigned>((sum + 8) >> 4) << (8 * i);
  }
  Byte* const to =
      (picture == 0 ? first : second) + level.image + std::ptrdiff_t{y} * level.row_stride + x;
  *reinterpret_cast<unsigned*>(to) = packed;  // rows are aligned, and longer than the right rim
}

__global__ void halve_kernel(Level from, Level level, Byte* first, Byte* second) {
  const int x = thread_x() * 4 - kRim, y = thread_y() - kRim;
  if (x >= level.width + kRim || y >= level.height + kRim) return;
  Byte* const picture = blockIdx.z == 0 ? first : second;
  const int row = between(y, 0, level.height - 1);
  const Byte* const in = picture + from.image + std::ptrdiff_t{2 * row - 1} * from.row_stride;
  unsigned packed = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int column = between(x + i, 0, level.width - 1);
    const Byte* const at = in + 2 * column - 1;
    int sum = 0;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const Byte* const p = at + j * from.row_stride;
      const int across = p[0] + 3 * (p[1] + p[2]) + p[3];
      sum += (j == 1 || j == 2) ? 3 * across : across;
    }
    packed |= static_cast<unsigned>((sum + 32) >> 6) << (8 * i);
  }
  *reinterpret_cast<unsigned*>(picture + level.image + std::ptrdiff_t{y} * level.row_stride + x) =
      packed;
}

// A block of threads sums for 32 x 32 places: rows of eight first, then down.
constexpr int kSumsSide = 32, kSumsThreadsY = 8;
__global__ void sums_kernel(Levels levels, const Byte* __restrict__ pictures,
                            Sums* __restrict__ out) {
  constexpr int kRows = kSumsSide + kBlock - 1;
  __shared__ int sums[kRows][kSumsSide], squares[kRows][kSumsSide];
  const int tile = static_cast<int>(blockIdx.x);
  int which = levels.count - 1;
  while (which > 0 && tile < levels.first_tile[which]) --which;
  const Level& level = levels.of[which];
  const int columns = places(level.width), rows = places(level.height);
  const int tiles_across = (columns + kSumsSide - 1) / kSumsSide;
  const int number = tile - levels.first_tile[which];
  const int left = number % tiles_across * kSumsSide, top = number / tiles_across * kSumsSide;
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int x = at_most(left + tx, columns - 1);
  for (int i = ty; i < kRows; i += kSumsThreadsY) {
    const int y = at_most(top + i, rows + kBlock - 2);
    const Byte* const at =
        pictures + level.image + std::ptrdiff_t{y + kFirst} * level.row_stride + (x + kFirst);
    int sum = 0, square = 0;
#pragma unroll
    for (int k = 0; k < kBlock; ++k) {
      const int v = at[k];
      sum += v;
      square += v * v;
    }
    sums[i][tx] = sum;
    squares[i][tx] = square;
  }
  __syncthreads();
  constexpr int kEach = kSumsSide / kSumsThreadsY;
  const int begin = ty * kEach;
  int sum = 0, square = 0;
#pragma unroll
  for (int k = 0; k < kBlock - 1; ++k) {
    sum += sums[begin + k][tx];
    square += squares[begin + k][tx];
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    sum += sums[begin + k + kBlock - 1][tx];
    square += squares[begin + k + kBlock - 1][tx];
    const int y = top + begin + k;
    if (left + tx < columns && y < rows) {
      const float inverse = inverse_deviation(variance_of(sum, square));
      reinterpret_cast<int2*>(
          out)[level.sums + static_cast<std::size_t>(y) * level.sums_stride + (left + tx)] =
          make_int2(sum, __float_as_int(inverse));
    }
    sum -= sums[begin + k][tx];
    square -= squares[begin + k][tx];
  }
}
static_assert(sizeof(Sums) == sizeof(int2));

// --- matching ------------------------------------------------------------------------------------

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
  if (a.finest) a.correlation[number] = poor ? 0.0F : likeness;  // who else is asked for quality
  a.poor[number] = poor ? 1 : 0;
}

/// One component to a layer of threads.
__global__ void median_kernel(Level level, const float* __restrict__ raw_u,
                              const float* __restrict__ raw_v, float* __restrict__ u,
                              float* __restrict__ v, const Byte* __restrict__ need) {
  const int x = thread_x(), y = thread_y();
  if (x >= level.columns || y >= level.rows) return;
  const std::size_t number = level.block + static_cast<std::size_t>(y * level.columns + x);
  if (need != nullptr && need[number] == 0) return;
  const float* const from = (blockIdx.z == 0 ? raw_u : raw_v) + level.block;
  int columns[5];
#pragma unroll
  for (int i = 0; i < 5; ++i) columns[i] = between(x + i - kMedian, 0, level.columns - 1);
  const float middle = median25<float>(
      [&](int i) {
        return from[between(y + i / 5 - kMedian, 0, level.rows - 1) * level.columns +
                    columns[i % 5]];
      },
      [](float& a, float& b) {
        const float low = fminf(a, b);
        b = fmaxf(a, b);
        a = low;
      });
  (blockIdx.z == 0 ? u : v)[number] = middle;
}

// --- pixels --------------------------------------------------------------------------------------

struct SpreadArguments {
  Level level;
  const Byte *first, *second;
  const float *u, *v, *raw_u, *raw_v, *correlation;
  const Byte *poor, *need;
  Mask<Space::device> mask;
  FieldView<Space::device> out;
  float doubt;
  bool whole_rows;  // out takes four samples at a time
};

/// A row of a cell, four pixels, to a thread.
__global__ void spread_kernel(SpreadArguments a) {
  const Level& level = a.level;
  const int column = thread_x(), line_y = thread_y();
  if (column >= level.columns || line_y >= level.height) return;
  const int row = line_y / kCell, line = line_y % kCell, left = column * kCell, top = row * kCell;
  const std::size_t own = static_cast<std::size_t>(row * level.columns + column);
  const bool masked = a.need != nullptr;
  const int stride = level.row_stride;
  float u[kCell] = {}, v[kCell] = {};
  if (!masked || a.need[own] != 0) {
    const Byte* const first = a.first + level.image;
    const Byte* const second = a.second + level.image;
    const unsigned grey =
        *reinterpret_cast<const unsigned*>(first + std::ptrdiff_t{line_y} * stride + left);
    const float own_u = a.u[own], own_v = a.v[own];
    float weights[kCell] = {}, sum_u[kCell] = {}, sum_v[kCell] = {};
#pragma unroll
    for (int j = 0; j < 3; ++j) {
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        const int by = between(row + j - 1, 0, level.rows - 1);
        const int bx = between(column + k - 1, 0, level.columns - 1);
        const std::size_t number = static_cast<std::size_t>(by * level.columns + bx);
        const float their_u = a.u[number], their_v = a.v[number];
        const int qx = nearest(their_u * kParts), qy = nearest(their_v * kParts);
        const int x = between(left + (qx >> 4), -kRim, level.width + kRim - kCell - 1);
        const int y = between(top + (qy >> 4), -kRim, level.height + kRim - kCell - 1);
        const int px = qx & (kParts - 1), py = qy & (kParts - 1);
        const Byte* const at = second + std::ptrdiff_t{y + line} * stride + x;
        const uint2 upper = eight_at(at), lower = eight_at(at + stride);
        const int middle = first[std::ptrdiff_t{by * kCell + 1} * stride + bx * kCell + 1];
        const float du = their_u - own_u, dv = their_v - own_v;
#pragma unroll
        for (int i = 0; i < kCell; ++i) {
          const int t = sample(upper, i) * (kParts - px) + sample(upper, i + 1) * px;
          const int b = sample(lower, i) * (kParts - px) + sample(lower, i + 1) * px;
          const int w = (t * (kParts - py) + b * py + kParts / 2) >> 4;
          const int pixel = sample(grey, i);
          const float weight = weight_of(nearness(i, k) * nearness(line, j),
                                         abs(pixel * kParts - w), abs(pixel - middle));
          weights[i] += weight;
          sum_u[i] += weight * du;
          sum_v[i] += weight * dv;
        }
      }
    }
#pragma unroll
    for (int i = 0; i < kCell; ++i) {
      u[i] = own_u + sum_u[i] / weights[i];
      v[i] = own_v + sum_v[i] / weights[i];
    }
  }
  const Byte quality =
      quality_of(a.correlation[own], a.u[own] - a.raw_u[own], a.v[own] - a.raw_v[own]);
  Byte doubts = 0;
  if (a.poor[own] != 0) {
    doubts = kTexturePoor;
  } else if (static_cast<float>(quality) < a.doubt) {
    doubts = kInconsistent;
  }
  const auto right_edge = static_cast<float>(level.width - 1);
  const auto bottom_edge = static_cast<float>(level.height - 1);
  unsigned qualities = 0, flags = 0;
#pragma unroll
  for (int i = 0; i < kCell; ++i) {
    const bool inside_picture = left + i < level.width;
    const bool asked =
        !masked || (inside_picture && a.mask.data[line_y * a.mask.row_stride + left + i] != 0);
    const float x = static_cast<float>(left + i) + u[i];
    const float y = static_cast<float>(line_y) + v[i];
    unsigned flag = doubts;
    if (!(x >= 0 && x <= right_edge && y >= 0 && y <= bottom_edge)) flag |= kOutOfView;
    if (flag == 0) flag = kValid;
    if (!asked) {
      u[i] = v[i] = 0;
      flag = kMaskedOut;
    }
    flags |= flag << (8 * i);
    qualities |= (asked ? static_cast<unsigned>(quality) : 0U) << (8 * i);
  }
  const std::ptrdiff_t to = line_y * a.out.row_stride + left;
  if (a.whole_rows && left + kCell <= level.width) {
    *reinterpret_cast<float4*>(a.out.u + to) = make_float4(u[0], u[1], u[2], u[3]);
    *reinterpret_cast<float4*>(a.out.v + to) = make_float4(v[0], v[1], v[2], v[3]);
    if (a.out.quality != nullptr) *reinterpret_cast<unsigned*>(a.out.quality + to) = qualities;
    if (a.out.flags != nullptr) *reinterpret_cast<unsigned*>(a.out.flags + to) = flags;
    return;
  }
#pragma unroll
  for (int i = 0; i < kCell; ++i) {
    if (left + i >= level.width) break;
    a.out.u[to + i] = u[i];
    a.out.v[to + i] = v[i];
    if (a.out.quality != nullptr) a.out.quality[to + i] = static_cast<Byte>(qualities >> (8 * i));
    if (a.out.flags != nullptr) a.out.flags[to + i] = static_cast<Byte>(flags >> (8 * i));
  }
}

// --- masks ---------------------------------------------------------------------------------------

/// Which cells have wanted pixels.
__global__ void cells_kernel(Mask<Space::device> mask, Level level, Byte* __restrict__ to) {
  const int column = thread_x(), row = thread_y();
  if (column >= level.columns || row >= level.rows) return;
  int found = 0;
  for (int y = row * kCell; y < at_most((row + 1) * kCell, level.height); ++y)
    for (int x = column * kCell; x < at_most((column + 1) * kCell, level.width); ++x)
      found |= mask.data[y * mask.row_stride + x];
  to[row * level.columns + column] = found != 0 ? 1 : 0;
}

/// to[y][x] = any of from[y * scale - before .. y * scale + after][likewise x].
__global__ void gather_any_kernel(const Byte* __restrict__ from, int from_columns, int from_rows,
                                  Byte* __restrict__ to, int columns, int rows, int scale,
                                  int before, int after) {
  const int x = thread_x(), y = thread_y();
  if (x >= columns || y >= rows) return;
  int found = 0;
  for (int j = at_least(y * scale - before, 0); j <= at_most(y * scale + after, from_rows - 1); ++j)
    for (int i = at_least(x * scale - before, 0); i <= at_most(x * scale + after, from_columns - 1);
         ++i)
      found |= from[j * from_columns + i];
  to[y * columns + x] = found != 0 ? 1 : 0;
}

// --- the frame -----------------------------------------------------------------------------------

/// What a recorded graph has written into it.
struct Key {
  Picture<Space::device> previous, next;
  Mask<Space::device> mask;
  FieldView<Space::device> out;
};
template <typename View>
bool same_view(const View& a, const View& b) {
  return a.data == b.data && a.row_stride == b.row_stride;
}
bool same(const Key& a, const Key& b) {
  return same_view(a.previous, b.previous) && same_view(a.next, b.next) &&
         same_view(a.mask, b.mask) && a.out.u == b.out.u && a.out.v == b.out.v &&
         a.out.quality == b.out.quality && a.out.flags == b.out.flags &&
         a.out.row_stride == b.out.row_stride;
}

constexpr dim3 kThreads{32, 8};
dim3 grid_for(int columns, int rows, unsigned layers = 1) {
  return {div_up(columns, kThreads.x), div_up(rows, kThreads.y), layers};
}

class OnCuda final : public Estimator {
 public:
  OnCuda(const Context& context, Plan plan) : context_{context}, plan_{std::move(plan)} {
    graphs_.reserve(kRoom);
  }

  Status allocate() {
    const auto pixels =
        static_cast<std::size_t>(plan_.width) * static_cast<std::size_t>(plan_.height);
    for (DeviceBuffer<Byte>& picture : pictures_)
      if (Status ok = make(picture, plan_.samples); !ok) return ok;
    for (DeviceBuffer<float>* field : {&raw_u_, &raw_v_, &u_, &v_, &correlation_})
      if (Status ok = make(*field, plan_.blocks); !ok) return ok;
    for (DeviceBuffer<Byte>* map : {&poor_, &need_raw_, &need_})
      if (Status ok = make(*map, plan_.blocks); !ok) return ok;
    if (Status ok = make(sums_, std::max<std::size_t>(plan_.sums, 1)); !ok) return ok;
    if (Status ok = make(input_, 3 * pixels); !ok) return ok;
    if (Status ok = upload(context_, plan_.shifts, shifts_); !ok) return ok;
    Result<FlowField> field = FlowField::create(context_, plan_.width, plan_.height);
    if (!field) return field.error();
    field_ = std::move(*field);
    levels_.count = static_cast<int>(plan_.levels.size());
    for (int i = 0; i < levels_.count; ++i) {
      const Level& level = plan_.levels[static_cast<std::size_t>(i)];
      levels_.of[i] = level;
      levels_.first_tile[i] = sum_tiles_;
      sum_tiles_ += static_cast<int>(div_up(places(level.width), kSumsSide) *
                                     div_up(places(level.height), kSumsSide));
    }
    return wait(context_.stream());
  }

  using Estimator::run;
  Status run(const Picture<Space::host>& previous, const Picture<Space::host>& next,
             const Mask<Space::host>& mask, const FieldView<Space::host>& out) override {
    if (Status ok = check_pair(kWhere, plan_.width, plan_.height, previous, next, mask, out); !ok)
      return ok;
    Picture<Space::device> there[3];
    if (Status ok = upload_picture(0, previous, there[0]); !ok) return ok;
    if (Status ok = upload_picture(1, next, there[1]); !ok) return ok;
    if (mask.data != nullptr) {
      if (Status ok = upload_picture(2, mask, there[2]); !ok) return ok;
    }
    if (Status ok = run(there[0], there[1], there[2], field_.device()); !ok) return ok;
    if (Status ok = field_.to_host(context_.stream()); !ok) return ok;
    if (Status ok = wait(context_.stream()); !ok) return ok;
    const FieldView<Space::host> from = field_.host();
    const auto columns = static_cast<std::size_t>(plan_.width);
    for (int y = 0; y < plan_.height; ++y) {
      const std::ptrdiff_t source = y * from.row_stride, to = y * out.row_stride;
      std::memcpy(out.u + to, from.u + source, columns * sizeof(float));
      std::memcpy(out.v + to, from.v + source, columns * sizeof(float));
      if (out.quality != nullptr) std::memcpy(out.quality + to, from.quality + source, columns);
      if (out.flags != nullptr) std::memcpy(out.flags + to, from.flags + source, columns);
    }
    return Done{};
  }

  Status run(const Picture<Space::device>& previous, const Picture<Space::device>& next,
             const Mask<Space::device>& mask, const FieldView<Space::device>& out) override {
    if (Status ok = check_pair(kWhere, plan_.width, plan_.height, previous, next, mask, out); !ok)
      return ok;
    const Key key{previous, next, mask, out};
    for (const Entry& entry : graphs_)
      if (same(entry.key, key)) return entry.graph.launch(context_.stream());
    Result<Graph> graph =
        Graph::record(context_.stream(), [&](StreamRef stream) { return queue(stream, key); });
    if (!graph) return graph.error();
    if (graphs_.size() == kRoom) graphs_.erase(graphs_.begin());  // ever new places: the oldest
    graphs_.push_back({key, std::move(*graph)});
    return graphs_.back().graph.launch(context_.stream());
  }

  [[nodiscard]] const char* name() const noexcept override { return "bm"; }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cuda; }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return 2 * plan_.samples + sums_.size() * sizeof(Sums) +
           plan_.blocks * (5 * sizeof(float) + 3) + input_.size() + 2 * field_.bytes();
  }

 private:
  static constexpr std::size_t kRoom = 40;
  struct Entry {
    Key key;
    Graph graph;
  };

  /// Zero at first: with a mask, blocks that are not needed are read, though not used.
  template <typename T>
  Status make(DeviceBuffer<T>& buffer, std::size_t count) {
    Result<DeviceBuffer<T>> made = DeviceBuffer<T>::create(context_, count);
    if (!made) return made.error();
    buffer = std::move(*made);
    return runtime::fill(context_.stream().get(), buffer.device_data(), 0, count * sizeof(T));
  }

  Status upload_picture(int which, const Picture<Space::host>& from, Picture<Space::device>& to) {
    const auto columns = static_cast<std::size_t>(plan_.width);
    const auto rows = static_cast<std::size_t>(plan_.height);
    Byte* const at = input_.device_data() + columns * rows * static_cast<std::size_t>(which);
    to = {at, plan_.width, plan_.height, plan_.width};
    return runtime::copy_rows(context_.stream().get(), runtime::Direction::to_device, at, columns,
                              from.data, static_cast<std::size_t>(from.row_stride), columns, rows);
  }

  Status queue(StreamRef stream, const Key& key) {
    cudaStream_t const s = stream.get();
    if (key.mask.data != nullptr) queue_needed(s, key.mask);
    queue_pictures(s, key);
    for (int i = levels_.count - 1; i >= 0; --i) queue_level(s, i, key.mask.data != nullptr);
    queue_spread(s, key);
    return cuda_status(cudaGetLastError(), "launch block matching");
  }

  void queue_pictures(cudaStream_t s, const Key& key) {
    const Pair pair{key.previous, key.next};
    Byte *const first = pictures_[0].device_data(), *const second = pictures_[1].device_data();
    const auto grid = [](const Level& level) {
      return grid_for((level.width + 2 * kRim + 3) / 4, level.height + 2 * kRim, 2);
    };
    smooth_kernel<<<grid(levels_.of[0]), kThreads, 0, s>>>(pair, levels_.of[0], first, second);
    for (int i = 1; i < levels_.count; ++i)
      halve_kernel<<<grid(levels_.of[i]), kThreads, 0, s>>>(levels_.of[i - 1], levels_.of[i], first,
                                                            second);
    if (plan_.settings.cost == Cost::ncc)
      sums_kernel<<<static_cast<unsigned>(sum_tiles_), dim3{kSumsSide, kSumsThreadsY}, 0, s>>>(
          levels_, second, sums_.device_data());
  }

  template <Cost C>
  void queue_match(cudaStream_t s, const MatchArguments& a, bool smallest) {
    const dim3 grid{div_up(a.level.columns, kBlocksInARow), static_cast<unsigned>(a.level.rows)};
    auto* const kernel = smallest ? match_kernel<C, true> : match_kernel<C, false>;
    kernel<<<grid, kLanes * kBlocksInARow, 0, s>>>(a);
  }

  void queue_level(cudaStream_t s, int i, bool masked) {
    const bool smallest = i + 1 == levels_.count;
    const Level& level = levels_.of[i];
    const float noise = plan_.settings.noise * kPixels;
    const MatchArguments a{level,
                           levels_.of[smallest ? i : i + 1],
                           pictures_[0].device_data(),
                           pictures_[1].device_data(),
                           reinterpret_cast<const int2*>(sums_.device_data()),
                           shifts_.device_data(),
                           static_cast<int>(plan_.shifts.size()),
                           plan_.settings.steps,
                           i == 0,
                           noise * noise,
                           u_.device_data(),
                           v_.device_data(),
                           raw_u_.device_data(),
                           raw_v_.device_data(),
                           correlation_.device_data(),
                           poor_.device_data(),
                           masked ? need_raw_.device_data() : nullptr};
    switch (plan_.settings.cost) {
      case Cost::ncc:
        queue_match<Cost::ncc>(s, a, smallest);
        break;
      case Cost::ssd:
        queue_match<Cost::ssd>(s, a, smallest);
        break;
      case Cost::sad:
        queue_match<Cost::sad>(s, a, smallest);
        break;
    }
    median_kernel<<<grid_for(level.columns, level.rows, 2), kThreads, 0, s>>>(
        level, raw_u_.device_data(), raw_v_.device_data(), u_.device_data(), v_.device_data(),
        masked ? need_.device_data() : nullptr);
  }

  void queue_spread(cudaStream_t s, const Key& key) {
    const Level& level = levels_.of[0];
    const auto aligned = [](const void* at, unsigned to) {
      return reinterpret_cast<std::uintptr_t>(at) % to == 0;
    };
    const SpreadArguments a{level,
                            pictures_[0].device_data(),
                            pictures_[1].device_data(),
                            u_.device_data(),
                            v_.device_data(),
                            raw_u_.device_data(),
                            raw_v_.device_data(),
                            correlation_.device_data(),
                            poor_.device_data(),
                            key.mask.data != nullptr ? need_.device_data() : nullptr,
                            key.mask,
                            key.out,
                            plan_.settings.doubt * 255.0F,
                            key.out.row_stride % 4 == 0 && aligned(key.out.u, 16) &&
                                aligned(key.out.v, 16) && aligned(key.out.quality, 4) &&
                                aligned(key.out.flags, 4)};
    spread_kernel<<<grid_for(level.columns, level.height), kThreads, 0, s>>>(a);
  }

  /// From the wanted pixels up through the levels: the blocks whose vectors they come from.
  void queue_needed(cudaStream_t s, const Mask<Space::device>& mask) {
    Byte *const raw = need_raw_.device_data(), *const need = need_.device_data();
    const Level& picture = levels_.of[0];
    const auto gather = [&](const Byte* from, const Level& source, Byte* to, const Level& level,
                            int scale, int before, int after) {
      gather_any_kernel<<<grid_for(level.columns, level.rows), kThreads, 0, s>>>(
          from + source.block, source.columns, source.rows, to + level.block, level.columns,
          level.rows, scale, before, after);
    };
    cells_kernel<<<grid_for(picture.columns, picture.rows), kThreads, 0, s>>>(mask, picture, raw);
    gather(raw, picture, need, picture, 1, 1, 1);
    for (int i = 0; i < levels_.count; ++i) {
      if (i > 0)
        gather(raw, levels_.of[i - 1], need, levels_.of[i], 2, 2 * kNeighbours,
               2 * kNeighbours + 1);
      gather(need, levels_.of[i], raw, levels_.of[i], 1, kMedian, kMedian);
    }
  }

  const Context& context_;
  Plan plan_;
  Levels levels_{};
  int sum_tiles_ = 0;
  DeviceBuffer<Byte> pictures_[2];
  DeviceBuffer<Sums> sums_;
  DeviceBuffer<float> raw_u_, raw_v_, u_, v_, correlation_;
  DeviceBuffer<Byte> poor_, need_raw_, need_, input_;
  DeviceBuffer<Shift> shifts_;
  FlowField field_;  // for pictures that come from the host
  std::vector<Entry> graphs_;
};

}  // namespace

Result<std::unique_ptr<Estimator>> make_cuda(const Context& context, Plan plan) {
  if (context.backend() != Backend::cuda)
    return Error{Errc::unsupported, 0, kWhere, "the backend is the CPU"};
  auto made = std::make_unique<OnCuda>(context, std::move(plan));
  if (Status ok = made->allocate(); !ok) return ok.error();
  return std::unique_ptr<Estimator>{std::move(made)};
}

}  // namespace kerb::flow::bm
