// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/cuda_status.hpp"
#include "gpu/night/planes_check.hpp"
#include "gpu/night/tone_curve.hpp"
#include "gpu/night/tone_curve_math.hpp"

namespace kerb::night {
namespace {

using Byte = std::uint8_t;
using In = PlanesView<Space::device, const Byte>;
using Out = PlanesView<Space::device, Byte>;
using Between = ToneCurve::Between;

constexpr unsigned kBlockX = 32, kBlockY = 8;
constexpr unsigned kStrips = 8;  // blocks that share a tile
constexpr unsigned kTiles = ToneCurve::kColumns * ToneCurve::kRows;
static_assert(kBlockX * kBlockY == tone::kLevels, "a thread for each level");

__device__ std::uint32_t luma_at(const In& in, int x, int y) {
  const Byte* at = in.data + y * in.row_stride + x;
  if (in.count == 1) return *at;
  return tone::luma(at[0], at[in.plane_stride], at[2 * in.plane_stride]);
}

/// A block counts a strip of a tile in shared memory, then adds it to the tile's histogram.
__global__ void histogram_kernel(In in, std::uint32_t* histograms) {
  __shared__ std::uint32_t counts[tone::kLevels];
  const unsigned thread = threadIdx.y * kBlockX + threadIdx.x;
  counts[thread] = 0;
  __syncthreads();
  const int tile = static_cast<int>(blockIdx.x);
  const int tile_column = tile % ToneCurve::kColumns, tile_row = tile / ToneCurve::kColumns;
  const int x0 = tone::tile_begin(tile_column, ToneCurve::kColumns, in.width);
  const int x1 = tone::tile_begin(tile_column + 1, ToneCurve::kColumns, in.width);
  const int y0 = tone::tile_begin(tile_row, ToneCurve::kRows, in.height);
  const int y1 = tone::tile_begin(tile_row + 1, ToneCurve::kRows, in.height);
  const int first_y = y0 + y0 % tone::kSampleStep, first_x = x0 + x0 % tone::kSampleStep;
  const int row = static_cast<int>(blockIdx.y * kBlockY + threadIdx.y);
  for (int y = first_y + row * tone::kSampleStep; y < y1;
       y += static_cast<int>(kStrips * kBlockY) * tone::kSampleStep)
    for (int x = first_x + static_cast<int>(threadIdx.x) * tone::kSampleStep; x < x1;
         x += static_cast<int>(kBlockX) * tone::kSampleStep)
      atomicAdd(&counts[luma_at(in, x, y)], 1u);
  __syncthreads();
  if (counts[thread] != 0)
    atomicAdd(&histograms[blockIdx.x * tone::kLevels + thread], counts[thread]);
}

/// A block for each tile, a thread for each level. Every block finds k anew: it is cheap.
__global__ void gains_kernel(ToneCurve::Fixed fixed, const std::uint32_t* histograms,
                             std::uint16_t* gains) {
  __shared__ unsigned long long sum;
  __shared__ std::uint32_t count, excess, up_to[tone::kLevels];
  const unsigned level = threadIdx.y * kBlockX + threadIdx.x;
  if (level == 0) {
    sum = 0;
    count = 0;
    excess = 0;
  }
  __syncthreads();
  unsigned long long of_level = 0;
  for (unsigned tile = 0; tile < kTiles; ++tile)
    of_level += histograms[tile * tone::kLevels + level];
  atomicAdd(&sum, of_level * min(level, tone::kLampLevel));
  const std::uint32_t here = histograms[blockIdx.x * tone::kLevels + level];
  atomicAdd(&count, here);
  __syncthreads();
  const std::uint64_t samples = static_cast<std::uint64_t>(tone::sampled(0, fixed.width)) *
                                static_cast<std::uint64_t>(tone::sampled(0, fixed.height));
  const std::uint32_t k =
      tone::curvature(sum, samples, static_cast<std::uint32_t>(fixed.target), fixed.max_k);
  const std::uint32_t limit = tone::clip_limit(count, fixed.max_slope);
  const std::uint32_t kept = min(here, limit);
  atomicAdd(&excess, here - kept);
  __syncthreads();
  up_to[level] = kept + tone::spread(excess, level);
  __syncthreads();
  for (unsigned step = 1; step < tone::kLevels; step *= 2) {
    const std::uint32_t before = level >= step ? up_to[level - step] : 0;
    __syncthreads();
    up_to[level] += before;
    __syncthreads();
  }
  if (level == 0) return;
  const std::uint16_t gain =
      tone::gain(level, tone::global_curve(level, k), tone::local_curve(up_to[level], count),
                 tone::local_share(fixed.share, k));
  gains[blockIdx.x * tone::kLevels + level] = gain;
  if (level == 1) gains[blockIdx.x * tone::kLevels] = gain;
}

__global__ void brighten_kernel(In in, Out out, const Between* columns, const Between* rows,
                                const std::uint16_t* gains) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= in.width || y >= in.height) return;
  const Between column = columns[x], row = rows[y];
  constexpr unsigned kRowOfTables = ToneCurve::kColumns * tone::kLevels;
  const std::uint16_t* upper =
      gains + row.first * kRowOfTables + column.first * tone::kLevels + luma_at(in, x, y);
  const std::uint16_t* lower = upper + kRowOfTables;
  const std::uint32_t gain = tone::between(upper[0], upper[tone::kLevels], lower[0],
                                           lower[tone::kLevels], column.weight, row.weight);
  const Byte* from = in.data + y * in.row_stride + x;
  Byte* to = out.data + y * out.row_stride + x;
  for (int plane = 0; plane < in.count; ++plane)
    to[plane * out.plane_stride] = tone::brightened(from[plane * in.plane_stride], gain);
}

}  // namespace

Status ToneCurve::run(StreamRef stream, const In& in, const Out& out) {
  if (Status ok = check_planes("tone curve", in, out, fixed_.width, fixed_.height, fixed_.planes);
      !ok)
    return ok;
  if (!on_device_) return Error{Errc::unsupported, 0, "tone curve", "made with a CPU context"};
  std::uint32_t* histograms = device_histograms_.device_data();
  if (Status ok =
          cuda_status(cudaMemsetAsync(histograms, 0, device_histograms_.size() * sizeof *histograms,
                                      stream.get()),
                      "clear histograms");
      !ok)
    return ok;
  const dim3 block{kBlockX, kBlockY};
  histogram_kernel<<<dim3{kTiles, kStrips}, block, 0, stream.get()>>>(in, histograms);
  if (Status ok = cuda_status(cudaGetLastError(), "launch histograms"); !ok) return ok;
  gains_kernel<<<kTiles, block, 0, stream.get()>>>(fixed_, histograms, device_gains_.device_data());
  if (Status ok = cuda_status(cudaGetLastError(), "launch tone curves"); !ok) return ok;
  const dim3 grid{div_up(in.width, kBlockX), div_up(in.height, kBlockY)};
  brighten_kernel<<<grid, block, 0, stream.get()>>>(in, out, device_columns_.device_data(),
                                                    device_rows_.device_data(),
                                                    device_gains_.device_data());
  return cuda_status(cudaGetLastError(), "launch brighten");
}

}  // namespace kerb::night
