// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/flow/block_matching_math.hpp"
#include "gpu/flow/block_matching_plan.hpp"

/// Block matching's pictures and sums of all levels, on CUDA. For block_matching_cuda.cu alone.
namespace kerb::flow::bm {
namespace {

using Byte = std::uint8_t;

struct Levels {
  Level of[kMaxLevels];
  int first_tile[kMaxLevels];  // of the sums, see sums_kernel
  int count;
};

__device__ int thread_x() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
__device__ int thread_y() { return static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); }

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

}  // namespace
}  // namespace kerb::flow::bm
