// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/flow/lucas_kanade_plan.hpp"
#include "gpu/memory/cuda_status.hpp"

/// The samples of all levels, on CUDA. For gpu/flow alone; each source has its own kernels.
namespace kerb::flow::lk {
namespace {

using Sample = std::int16_t;

__device__ __forceinline__ int clamped(int v, int high) { return min(max(v, 0), high); }

struct Pair {
  const std::uint8_t* data[2];
  std::ptrdiff_t row_stride[2];
};
struct Samples {
  Sample* of[2];
};

constexpr int kPatch = 4;  // columns and rows of samples that one thread smoothes
static_assert(kRimLeft % kPatch == 0);

__global__ void smooth_kernel(Pair in, Level level, Samples out) {
  const int x0 = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * kPatch - kRimLeft;
  const int y0 = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * kPatch - kRimRows;
  const int end_x = level.width + kRimRight, end_y = level.height + kRimRows;
  if (x0 >= end_x || y0 >= end_y) return;
  const std::uint8_t* data = in.data[blockIdx.z];
  const std::ptrdiff_t stride = in.row_stride[blockIdx.z];
  Sample* const to = out.of[blockIdx.z] + level.samples;
  // A sample of the rim is the one at the edge: its own neighbours, not the rim's.
  int column[kPatch];
#pragma unroll
  for (int i = 0; i < kPatch; ++i) column[i] = clamped(x0 + i, level.width - 1);
  const auto row = [&](int y, int(&sums)[kPatch]) {
    const std::uint8_t* p = data + clamped(y, level.height - 1) * stride;
#pragma unroll
    for (int i = 0; i < kPatch; ++i)
      sums[i] =
          smooth3(p[max(column[i] - 1, 0)], p[column[i]], p[min(column[i] + 1, level.width - 1)]);
  };
  int above[kPatch], here[kPatch], below[kPatch];
  int at = clamped(y0, level.height - 1);
  row(at - 1, above);
  row(at, here);
  row(at + 1, below);
#pragma unroll
  for (int j = 0; j < kPatch; ++j) {
    const int y = y0 + j;
    if (y >= end_y) return;
    if (clamped(y, level.height - 1) != at) {  // one further down
      ++at;
#pragma unroll
      for (int i = 0; i < kPatch; ++i) {
        above[i] = here[i];
        here[i] = below[i];
      }
      row(at + 1, below);
    }
#pragma unroll
    for (int i = 0; i < kPatch; ++i)
      if (x0 + i < end_x)
        to[static_cast<std::ptrdiff_t>(y) * level.stride + x0 + i] =
            static_cast<Sample>(smooth3(above[i], here[i], below[i]));
  }
}

__device__ __forceinline__ void halve_at(const Level& from, const Level& to, Sample* base, int x,
                                         int y) {
  const int cx = clamped(x, to.width - 1), cy = clamped(y, to.height - 1);
  const Sample* in = base + from.samples;
  int rows[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const Sample* row =
        in + static_cast<std::ptrdiff_t>(clamped(2 * cy - 1 + j, from.height - 1)) * from.stride +
        2 * cx;  // the rim holds copies of the edge
    rows[j] = taps4(row[-1], row[0], row[1], row[2]);
  }
  base[to.samples + static_cast<std::ptrdiff_t>(y) * to.stride + x] =
      static_cast<Sample>(halved(taps4(rows[0], rows[1], rows[2], rows[3])));
}

__global__ void halve_kernel(Level from, Level to, Samples samples) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) - kRimLeft;
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) - kRimRows;
  if (x >= to.width + kRimRight || y >= to.height + kRimRows) return;
  halve_at(from, to, samples.of[blockIdx.z], x, y);
}

struct Levels {
  Level of[kMaxLevels];
  int count;
};

/// The small levels, from `first` on: a block for each picture.
__global__ void halve_rest_kernel(Levels levels, int first, Samples samples) {
  for (int i = first; i < levels.count; ++i) {
    const Level to = levels.of[i];
    const int columns = to.width + kRimLeft + kRimRight;
    const int count = columns * (to.height + 2 * kRimRows);
    for (int k = static_cast<int>(threadIdx.x); k < count; k += static_cast<int>(blockDim.x))
      halve_at(levels.of[i - 1], to, samples.of[blockIdx.x], k % columns - kRimLeft,
               k / columns - kRimRows);
    __syncthreads();
  }
}

/// Of the first `count` pictures of the pair, side by side.
inline void queue_pyramids(cudaStream_t stream, const Levels& levels, const Pair& pair,
                           const Samples& samples, unsigned count) {
  constexpr int kSmall = 4096;  // samples of a level that one block makes
  const dim3 threads{32, 8};
  const auto grid = [&](const Level& level) {
    return dim3{div_up(level.width + kRimLeft + kRimRight, threads.x),
                div_up(level.height + 2 * kRimRows, threads.y), count};
  };
  const dim3 patches{div_up(levels.of[0].width + kRimLeft + kRimRight, threads.x * kPatch),
                     div_up(levels.of[0].height + 2 * kRimRows, threads.y * kPatch), count};
  smooth_kernel<<<patches, threads, 0, stream>>>(pair, levels.of[0], samples);
  int i = 1;
  for (; i < levels.count && levels.of[i].width * levels.of[i].height > kSmall; ++i)
    halve_kernel<<<grid(levels.of[i]), threads, 0, stream>>>(levels.of[i - 1], levels.of[i],
                                                             samples);
  if (i < levels.count) halve_rest_kernel<<<count, 1024, 0, stream>>>(levels, i, samples);
}
inline void queue_pyramids(cudaStream_t stream, const Levels& levels,
                           const Picture<Space::device>& previous,
                           const Picture<Space::device>& next, const Samples& samples) {
  queue_pyramids(stream, levels,
                 {{previous.data, next.data}, {previous.row_stride, next.row_stride}}, samples, 2);
}

}  // namespace
}  // namespace kerb::flow::lk
