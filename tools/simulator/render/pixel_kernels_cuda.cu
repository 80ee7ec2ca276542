// SPDX-License-Identifier: Apache-2.0
// Compiled for one lane (KERB_ONE_LANE): each thread does what pixel_lanes.hpp says. Without fused
// multiply-add (-fmad=false), with exact division and square root: the same bits as on the CPU.
#include "gpu/memory/cuda_status.hpp"
#include "tools/simulator/render/pixel_kernels.hpp"
#include "tools/simulator/render/pixel_lanes.hpp"

namespace kerb::sim::cuda {
namespace {

constexpr unsigned kThreads = kSquare * kSquare, kWarps = kThreads / 32;

__global__ void near_kernel(const __grid_constant__ PixelView v) {
  const int tile = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (tile < v.tiles) find_near(v.draw, tile, v.near[tile]);
}

/// A block draws a square of a tile. Its threads make ready as many triangles of the tile at a
/// time, keep those that touch the square, in their order, and then each draws all of them into its
/// own pixel (or, for middles, every fourth thread into four).
template <bool kFour>
__global__ void __launch_bounds__(kThreads)
    samples_kernel(const __grid_constant__ PixelView v, std::uint32_t* seen) {
  __shared__ TileTriangle kept[kThreads];
  __shared__ int in_warp[kWarps];
  const DrawView& s = v.draw;
  const int tile = static_cast<int>(blockIdx.x) / (kSquares * kSquares);
  const int square = static_cast<int>(blockIdx.x) % (kSquares * kSquares);
  const int left = tile % s.tiles_x * kTile, top = tile / s.tiles_x * kTile;
  const int sx = square % kSquares * kSquare, sy = square / kSquares * kSquare;
  if (left + sx >= s.width || top + sy >= s.height) return;  // the whole block
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int x = sx + thread % kSquare, y = sy + thread / kSquare;
  const bool draws = kFour || x % 4 == 0;
  F4 depth = all(0.0F);
  I4 who = all(static_cast<std::int32_t>(kNothing));
  const std::int32_t last = v.tile_first[tile + 1];
  for (std::int32_t base = v.tile_first[tile]; base < last; base += kThreads) {
    TileTriangle t;
    bool keep = false;
    if (base + thread < last) {
      const std::uint32_t id = v.tile_triangles[base + thread];
      keep = set_up<kFour>(s.triangle(id), id, left, top, t) && touches(t, sx, sy, kSquare);
    }
    const unsigned votes = __ballot_sync(0xFFFFFFFFU, keep);
    if (lane == 0) in_warp[warp] = __popc(votes);
    __syncthreads();
    int place = __popc(votes & ((1U << lane) - 1U)), count = 0;
    for (int w = 0; w < static_cast<int>(kWarps); ++w) {
      if (w < warp) place += in_warp[w];
      count += in_warp[w];
    }
    if (keep) kept[place] = t;
    __syncthreads();
    if (draws)
      for (int k = 0; k < count; ++k) draw_pixel<kFour>(s, kept[k], left, top, x, y, depth, who);
    __syncthreads();
  }
  const int px = left + x, py = top + y;
  if (!draws || px >= s.width || py >= s.height) return;
  if constexpr (kFour) {
    sample_w(v, py * s.width + px) = depth;
    sample_id(v, py * s.width + px) = who;
  } else {
    for (int k = 0; k < 4 && px + k < s.width; ++k)
      seen[py * s.width + px + k] = static_cast<std::uint32_t>(who[k]);
  }
}

__global__ void sort_kernel(const __grid_constant__ PixelView v) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < v.tiles * kTile) sort_row(v, i / kTile, i % kTile);
}

enum class Step { shade, smear, bend, blur, finish };
/// One step for every pixel of a picture of this size.
template <Step kStep>
__global__ void pixel_kernel(const __grid_constant__ PixelView v, int width, int height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  if constexpr (kStep == Step::shade) shade_pixel(v, x, y);
  if constexpr (kStep == Step::smear) smear_pixel(v, x, y);
  if constexpr (kStep == Step::bend) bend_pixel(v, x, y);
  if constexpr (kStep == Step::blur) blur_down(v, x, y);
  if constexpr (kStep == Step::finish) finish_pixel(v, x, y);
}
template <Step kStep>
void launch(StreamRef stream, const PixelView& v, int width, int height) {
  const dim3 block{32, kStep == Step::shade ? 4U : 8U};
  const dim3 grid{div_up(width, block.x), div_up(height, block.y)};
  pixel_kernel<kStep><<<grid, block, 0, stream.get()>>>(v, width, height);
}

/// Weather's steps, on pictures of this size; `n`: a level of the pyramid.
enum class Air { mirror, fog_cell, fog_sum, fog, blend, shrink, spread, scatter, drops };
template <Air kAir>
__global__ void weather_kernel(const __grid_constant__ DrawView s,
                               const __grid_constant__ WeatherView w, int width, int height,
                               int n) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  if constexpr (kAir == Air::mirror) mirror_block(s, w, 2 * x, 2 * y);
  if constexpr (kAir == Air::fog_cell)  // y: the ray
    w.cells[y * kFogDepths + x] = fog_cell(s, w, y % w.columns, y / w.columns, x);
  if constexpr (kAir == Air::fog_sum) sum_fog(w, x, y);
  if constexpr (kAir == Air::fog) add_fog(s, w, x, y);
  if constexpr (kAir == Air::blend) blend_chain(s, w, x);
  if constexpr (kAir == Air::shrink) {
    if (n == 0)
      shrink_picture(s, w, x, y);
    else
      shrink_level(w, n, x, y);
  }
  if constexpr (kAir == Air::spread) spread_level(w, n, x, y);
  if constexpr (kAir == Air::scatter) scatter_pixel(s, w, x, y);
  if constexpr (kAir == Air::drops) drops_before(s, w, x, y);
}
template <Air kAir>
void launch(StreamRef stream, const DrawView& s, const WeatherView& w, int width, int height,
            int n = 0) {
  const dim3 block = height == 1 ? dim3{128, 1} : dim3{32, 4};
  const dim3 grid{div_up(width, block.x), div_up(height, block.y)};
  weather_kernel<kAir><<<grid, block, 0, stream.get()>>>(s, w, width, height, n);
}

__global__ void metered_kernel(const __grid_constant__ PixelView v, MeteredGrid grid, F4* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= grid.count()) return;
  const int x = i % grid.columns * kMeterStep, y = grid.first_row + i / grid.columns * kMeterStep;
  out[i] = *pixel_at(v.draw.plane[0], at(y * v.draw.width + x));
}

template <bool kFour>
void launch_samples(StreamRef stream, const PixelView& v, std::uint32_t* seen) {
  const auto blocks = static_cast<unsigned>(v.tiles * kSquares * kSquares);
  samples_kernel<kFour><<<blocks, kThreads, 0, stream.get()>>>(v, seen);
}

}  // namespace

Status draw(StreamRef stream, const PixelView& v) {
  near_kernel<<<div_up(v.tiles, 64), 64, 0, stream.get()>>>(v);
  launch_samples<true>(stream, v, nullptr);
  sort_kernel<<<div_up(v.tiles * kTile, 64), 64, 0, stream.get()>>>(v);
  launch<Step::shade>(stream, v, v.draw.width, v.draw.height);
  return cuda_status(cudaGetLastError(), "draw a picture");
}

Status add_weather(StreamRef stream, const DrawView& s, const WeatherView& w) {
  if (w.mirrors) launch<Air::mirror>(stream, s, w, (s.width + 1) / 2, (s.height + 1) / 2);
  if (w.fog > 0) {
    launch<Air::fog_cell>(stream, s, w, kFogDepths, w.columns * w.rows);
    launch<Air::fog_sum>(stream, s, w, w.columns, w.rows);
    launch<Air::fog>(stream, s, w, s.width, s.height);
  }
  if (w.blend_count > 0) launch<Air::blend>(stream, s, w, w.blend_count, 1);
  if (w.shrinks)
    for (int n = 0; n < kGlareLevels; ++n)
      launch<Air::shrink>(stream, s, w, w.level[n].width, w.level[n].height, n);
  if (w.scatters) {
    for (int n = kGlareLevels; n-- > 0;)
      launch<Air::spread>(stream, s, w, w.level[n].width, w.level[n].height, n);
    launch<Air::scatter>(stream, s, w, s.width, s.height);
  }
  if (w.drop_count > 0 || w.blade) launch<Air::drops>(stream, s, w, s.width, s.height);
  return cuda_status(cudaGetLastError(), "add weather to a picture");
}

Status develop(StreamRef stream, const PixelView& v) {
  const Finishing& f = v.finishing;
  launch<Step::smear>(stream, v, v.draw.width, v.draw.height);
  if (v.bend != nullptr) launch<Step::bend>(stream, v, f.width, f.height);
  launch<Step::blur>(stream, v, f.width, f.height);
  launch<Step::finish>(stream, v, f.width, f.height);
  return cuda_status(cudaGetLastError(), "develop a picture");
}

Status see(StreamRef stream, const PixelView& v, std::uint32_t* seen) {
  launch_samples<false>(stream, v, seen);
  return cuda_status(cudaGetLastError(), "look at a picture's middles");
}

Status gather_metered(StreamRef stream, const PixelView& v, float* out) {
  const MeteredGrid grid = metered_grid(v.draw.width, v.draw.height);
  metered_kernel<<<div_up(grid.count(), 128), 128, 0, stream.get()>>>(v, grid,
                                                                      reinterpret_cast<F4*>(out));
  return cuda_status(cudaGetLastError(), "gather what is metered");
}

}  // namespace kerb::sim::cuda
