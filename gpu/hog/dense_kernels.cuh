// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/hog/dense_plan.hpp"
#include "gpu/image/gradient_math.hpp"

// The dense engine's kernels, for dense_cuda.cu alone. Steps are numbered as in dense_math.hpp,
// which says in what order everything is summed.
namespace kerb::hog::dense_kernels {

using namespace dense;
using Byte = std::uint8_t;
using Sum = std::uint32_t;

struct DeviceSheet {
  std::size_t pixel;  // of block (0, 0), in a plane of all levels
  std::size_t value;  // where its blocks begin
  int row_stride, columns, rows;
  int first_bx, first_by, step, window_columns, window_rows;
  int first_window, window_step, window_pitch;
  int integral, tile, line;  // integral kind: which, and where block (0, 0) begins in it
};
/// Work of one thread block (or warp): the corner of a part of a sheet.
struct Tile {
  int sheet, x, y;
};

// --- blocks: rhog and cells ----------------------------------------------------------------------

// A thread block makes 15 x 8 blocks: 9 rows of 16 groups, one row at a time. A thread has one row
// of one group, 8 pixels, and histograms of its own in shared memory. Thread u * 16 + g has row u
// of group g: then neighbours never meet in a bank of shared memory, whatever bins their pixels
// fall into, neither here nor when the rows of a group are added up.
constexpr int kGroups = 16, kThreads = kGroups * kCell;
constexpr int kTileColumns = kGroups - 1, kTileRows = 8;
constexpr int kPitch = kThreads + 16;
constexpr int kStagedRows = kCell + 2, kStagedGroups = kGroups + 2;
constexpr int kStagedColumns = kGroups * kCell + 2;

/// Samples around a row of groups: column x of group g at [row][x][g + 1]; the rims are column 7 of
/// group -1 and column 0 of group 16.
template <typename T>
struct Staged {
  T at[kStagedRows][kCell][kStagedGroups];
};

template <typename T, typename Convert>
__device__ void stage(const Byte* first, int row_stride, int last_column, Staged<T>& staged,
                      Convert convert) {
  for (int i = static_cast<int>(threadIdx.x); i < kStagedRows * kStagedColumns; i += kThreads) {
    const int row = i / kStagedColumns, column = i % kStagedColumns - 1;
    // Beyond the last blocks anything will do, but must be there.
    const int x = min(column, last_column), at = column + kCell;
    staged.at[row][at % kCell][at / kCell] =
        convert(first[std::ptrdiff_t{row - 1} * row_stride + x]);
  }
}

/// Pixel x of a thread's row and its neighbours.
template <typename T>
__device__ T staged_at(const Staged<T>& staged, int u, int g, int dx, int dy) {
  const int at = dx + kCell;  // dx may be -1 or 8
  return staged.at[u + 1 + dy][at % kCell][g + at / kCell];
}

/// A quad of threads has the four lanes of a block. 6., 7.
__device__ float quad_sum(float mine) {
  const float pair = mine + __shfl_xor_sync(0xffffffffU, mine, 1);
  return pair + __shfl_xor_sync(0xffffffffU, pair, 2);
}
__device__ void normalise(float (&values)[kBins], float clip) {
  float squares = values[0] * values[0];
#pragma unroll
  for (int bin = 1; bin < kBins; ++bin) squares += values[bin] * values[bin];
  const float first = first_scale(quad_sum(squares));
#pragma unroll
  for (int bin = 0; bin < kBins; ++bin) values[bin] = clipped(values[bin] * first, clip);
  squares = values[0] * values[0];
#pragma unroll
  for (int bin = 1; bin < kBins; ++bin) squares += values[bin] * values[bin];
  const float second = second_scale(quad_sum(squares));
#pragma unroll
  for (int bin = 0; bin < kBins; ++bin) values[bin] *= second;
}
__device__ void store(const DeviceSheet& sheet, float* blocks, int bx, int by, int lane,
                      const float (&values)[kBins]) {
  float* out =
      blocks + sheet.value +
      (std::size_t{static_cast<unsigned>(by)} * kBins * static_cast<unsigned>(sheet.columns) +
       static_cast<unsigned>(bx)) *
          kLanes +
      lane;
#pragma unroll
  for (int bin = 0; bin < kBins; ++bin) out[bin * sheet.columns * kLanes] = values[bin];
}

template <bool Colour>
__global__ void __launch_bounds__(kThreads)
    rhog_kernel(const DeviceSheet* __restrict__ sheets, const Tile* __restrict__ tiles,
                const Byte* __restrict__ levels, std::size_t plane_samples,
                const float* __restrict__ samples, Shares shares, float clip,
                float* __restrict__ blocks) {
  __shared__ Staged<float> staged;
  __shared__ float spread[kSlots * 4][kPitch];
  __shared__ float parts[16 * kBins][kGroups];  // [j, k, bin][group]
  __shared__ float table[256];
  const int t = static_cast<int>(threadIdx.x), u = t / kGroups, g = t % kGroups;
  for (int i = t; i < 256; i += kThreads) table[i] = samples[i];
  const Tile tile = tiles[blockIdx.x];
  const DeviceSheet sheet = sheets[tile.sheet];
  const int last_column = (sheet.columns + 1 - tile.x) * kCell;  // the rim's, from the tile
  const int last_row = min(tile.y + kTileRows, sheet.rows);      // of groups
  const int block = t / 4, lane = t % 4;                         // when blocks are put together
  float tops[kBins] = {};
  __syncthreads();
  for (int row = tile.y; row <= last_row; ++row) {
    const Byte* first =
        levels + sheet.pixel + std::ptrdiff_t{row} * kCell * sheet.row_stride + tile.x * kCell;
    float dx[kCell], dy[kCell];
#pragma unroll
    for (int plane = Colour ? 2 : 0; plane >= 0; --plane) {
      stage(first + plane_samples * static_cast<unsigned>(plane), sheet.row_stride, last_column,
            staged, [&](Byte v) { return table[v]; });
      __syncthreads();
#pragma unroll
      for (int x = 0; x < kCell; ++x) {
        const float across = staged_at(staged, u, g, x + 1, 0) - staged_at(staged, u, g, x - 1, 0);
        const float down = staged_at(staged, u, g, x, 1) - staged_at(staged, u, g, x, -1);
        // largest(), one plane after the other: blue, then what is larger.
        if (!Colour || plane == 2 ||
            across * across + down * down > dx[x] * dx[x] + dy[x] * dy[x]) {
          dx[x] = across;
          dy[x] = down;
        }
      }
      if (plane != 0) __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < kSlots * 4; ++i) spread[i][t] = 0;
#pragma unroll
    for (int x = 0; x < kCell; ++x) {  // 1., 2.
      const Vote vote = vote_of(dx[x], dy[x]);
      float* const at = &spread[vote.slot * 4][t];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        if ((k == 1 && x < 4) || (k == 2 && x >= 4)) continue;  // a share of 0
        at[k * kPitch] += shares.of[x][k] * vote.lower;
        at[(4 + k) * kPitch] += shares.of[x][k] * vote.upper;
      }
    }
    __syncthreads();
    for (int i = t; i < kBins * 4 * kGroups; i += kThreads) {
      const int group = i % kGroups, k = i / kGroups % 4, bin = i / (kGroups * 4);
      float j0 = 0, j1 = 0, j2 = 0, j3 = 0;
#pragma unroll
      for (int v = 0; v < kCell; ++v) {
        const int at = v * kGroups + group;
        float value = spread[(bin + 1) * 4 + k][at];  // 3.
        if (bin == 0) value += spread[10 * 4 + k][at];
        if (bin == 8) value += spread[k][at];
        j0 += shares.of[v][0] * value;  // 4.
        if (v >= 4) j1 += shares.of[v][1] * value;
        if (v < 4) j2 += shares.of[v][2] * value;
        j3 += shares.of[v][3] * value;
      }
      parts[(0 + k) * kBins + bin][group] = j0;
      parts[(4 + k) * kBins + bin][group] = j1;
      parts[(8 + k) * kBins + bin][group] = j2;
      parts[(12 + k) * kBins + bin][group] = j3;
    }
    __syncthreads();
    if (t < 2 * 32) {  // 5.; whole warps, for the shuffles
      const int cx = lane % 2, cy = lane / 2, right = min(block + 1, kGroups - 1);
      float values[kBins];
#pragma unroll
      for (int bin = 0; bin < kBins; ++bin) {
        const int own = (cy * 4 + cx) * kBins + bin, left = own + 2 * kBins;
        values[bin] = tops[bin] + (parts[own + 8 * kBins][block] + parts[left + 8 * kBins][right]);
        tops[bin] = parts[own][block] + parts[left][right];
      }
      if (row > tile.y) {
        normalise(values, clip);
        const int bx = tile.x + block;
        if (block < kTileColumns && bx < sheet.columns)
          store(sheet, blocks, bx, row - 1, lane, values);
      }
    }
  }
}

__global__ void __launch_bounds__(kThreads)
    cells_kernel(const DeviceSheet* __restrict__ sheets, const Tile* __restrict__ tiles,
                 const Byte* __restrict__ levels, float clip, float* __restrict__ blocks) {
  __shared__ Staged<int> staged;
  __shared__ Sum rows[kBins][kPitch];
  __shared__ Sum cells[2][kBins][kGroups];
  const int t = static_cast<int>(threadIdx.x), u = t / kGroups, g = t % kGroups;
  const Tile tile = tiles[blockIdx.x];
  const DeviceSheet sheet = sheets[tile.sheet];
  const int last_column = (sheet.columns + 1 - tile.x) * kCell;
  const int last_row = min(tile.y + kTileRows, sheet.rows);
  const int block = t / 4, lane = t % 4;
  for (int row = tile.y; row <= last_row; ++row) {
    stage(levels + sheet.pixel + std::ptrdiff_t{row} * kCell * sheet.row_stride + tile.x * kCell,
          sheet.row_stride, last_column, staged, [](Byte v) { return static_cast<int>(v); });
#pragma unroll
    for (int bin = 0; bin < kBins; ++bin) rows[bin][t] = 0;
    __syncthreads();
#pragma unroll
    for (int x = 0; x < kCell; ++x) {
      const int dx = staged_at(staged, u, g, x + 1, 0) - staged_at(staged, u, g, x - 1, 0);
      const int dy = staged_at(staged, u, g, x, 1) - staged_at(staged, u, g, x, -1);
      rows[gradient::bin_of(dx, dy, kBins, false)][t] +=
          gradient::eighths(gradient::squared_norm(dx, dy));
    }
    __syncthreads();
    for (int i = t; i < kBins * kGroups; i += kThreads) {
      const int group = i % kGroups, bin = i / kGroups;
      Sum sum = 0;
#pragma unroll
      for (int v = 0; v < kCell; ++v) sum += rows[bin][v * kGroups + group];
      cells[row % 2][bin][group] = sum;
    }
    __syncthreads();
    if (t < 2 * 32 && row > tile.y) {
      const int cell = min(block + lane % 2, kGroups - 1);
      const int line = lane / 2 == 0 ? (row + 1) % 2 : row % 2;  // the row above, or this one
      float values[kBins];
#pragma unroll
      for (int bin = 0; bin < kBins; ++bin)
        values[bin] = static_cast<float>(cells[line][bin][cell]) * kPerEighth;
      normalise(values, clip);
      const int bx = tile.x + block;
      if (block < kTileColumns && bx < sheet.columns)
        store(sheet, blocks, bx, row - 1, lane, values);
    }
  }
}

// --- blocks: integral ----------------------------------------------------------------------------

/// Of one level: 9 planes of (lines + 1) x (tiles + 1) sums, the first line and column 0.
struct DeviceIntegral {
  std::size_t pixel, sum;  // of the first tile, in a plane of all levels; where the sums begin
  int row_stride, tiles, lines;

  __device__ std::size_t pitch() const { return static_cast<std::size_t>(tiles) + 1; }
  __device__ std::size_t plane() const { return pitch() * (static_cast<unsigned>(lines) + 1); }
};
struct Corner {
  int integral, x, y;
};

constexpr int kHistogramX = 32, kHistogramY = 4;
/// Histograms of tiles of `grid` x `grid` pixels.
__global__ void tile_histogram_kernel(const DeviceIntegral* __restrict__ integrals,
                                      const Corner* __restrict__ corners,
                                      const Byte* __restrict__ levels, int grid,
                                      Sum* __restrict__ sums) {
  const Corner corner = corners[blockIdx.x];
  const DeviceIntegral in = integrals[corner.integral];
  const int column = corner.x + static_cast<int>(threadIdx.x);  // of the sums: 0 stays 0
  const int line = corner.y + static_cast<int>(threadIdx.y);
  if (column > in.tiles || line > in.lines) return;
  Sum histogram[kBins] = {};
  if (column > 0 && line > 0) {
    const Byte* first =
        levels + in.pixel + std::ptrdiff_t{line - 1} * grid * in.row_stride + (column - 1) * grid;
    for (int y = 0; y < grid; ++y, first += in.row_stride)
      for (int x = 0; x < grid; ++x) {
        const int dx = first[x + 1] - first[x - 1];
        const int dy = first[x + in.row_stride] - first[x - in.row_stride];
        const int bin = gradient::bin_of(dx, dy, kBins, false);
        const Sum magnitude = gradient::eighths(gradient::squared_norm(dx, dy));
#pragma unroll
        for (int b = 0; b < kBins; ++b) histogram[b] += b == bin ? magnitude : 0;
      }
  }
  Sum* out =
      sums + in.sum + static_cast<unsigned>(line) * in.pitch() + static_cast<unsigned>(column);
#pragma unroll
  for (int b = 0; b < kBins; ++b) out[static_cast<unsigned>(b) * in.plane()] = histogram[b];
}

/// A warp sums up one line of one bin.
__global__ void __launch_bounds__(32 * kBins)
    sum_lines_kernel(const DeviceIntegral* __restrict__ integrals,
                     const Corner* __restrict__ corners, Sum* __restrict__ sums) {
  const Corner corner = corners[blockIdx.x];
  const DeviceIntegral in = integrals[corner.integral];
  const unsigned lane = threadIdx.x;
  Sum* line =
      sums + in.sum + threadIdx.y * in.plane() + static_cast<unsigned>(corner.y) * in.pitch();
  Sum before = 0;
  for (unsigned first = 0; first < in.pitch(); first += 32) {
    const bool inside = first + lane < in.pitch();
    Sum sum = inside ? line[first + lane] : 0;
#pragma unroll
    for (unsigned reach = 1; reach < 32; reach *= 2) {
      const Sum other = __shfl_up_sync(0xffffffffU, sum, reach);
      if (lane >= reach) sum += other;
    }
    sum += before;
    if (inside) line[first + lane] = sum;
    before = __shfl_sync(0xffffffffU, sum, 31);
  }
}

/// A thread sums up one column of one bin.
__global__ void __launch_bounds__(32 * kBins)
    sum_columns_kernel(const DeviceIntegral* __restrict__ integrals,
                       const Corner* __restrict__ corners, Sum* __restrict__ sums) {
  const Corner corner = corners[blockIdx.x];
  const DeviceIntegral in = integrals[corner.integral];
  const int column = corner.x + static_cast<int>(threadIdx.x);
  if (column > in.tiles) return;
  Sum* at = sums + in.sum + threadIdx.y * in.plane() + static_cast<unsigned>(column);
  Sum sum = 0;
#pragma unroll 8
  for (int line = 0; line <= in.lines; ++line, at += in.pitch()) *at = sum += *at;
}

constexpr int kQuads = 32;  // blocks beside each other, for one thread block
__global__ void __launch_bounds__(kQuads * 4)
    integral_kernel(const DeviceSheet* __restrict__ sheets, const Tile* __restrict__ tiles,
                    const DeviceIntegral* __restrict__ integrals, const Sum* __restrict__ sums,
                    int cell_tiles, float clip, float* __restrict__ blocks) {
  const Tile tile = tiles[blockIdx.x];
  const DeviceSheet sheet = sheets[tile.sheet];
  const DeviceIntegral in = integrals[sheet.integral];
  const int lane = static_cast<int>(threadIdx.x) % 4;
  const int bx = tile.x + static_cast<int>(threadIdx.x) / 4;
  const int inside = min(bx, sheet.columns - 1);  // all threads take part in the shuffles
  for (int by = tile.y; by < min(tile.y + kTileRows, sheet.rows); ++by) {
    const int column = sheet.tile + (inside + lane % 2) * cell_tiles;
    const int line = sheet.line + (by + lane / 2) * cell_tiles;
    const Sum* a =
        sums + in.sum + static_cast<unsigned>(line) * in.pitch() + static_cast<unsigned>(column);
    const Sum* c = a + static_cast<unsigned>(cell_tiles) * in.pitch();
    float values[kBins];
#pragma unroll
    for (int bin = 0; bin < kBins; ++bin) {
      values[bin] =
          static_cast<float>((c[cell_tiles] - c[0]) - (a[cell_tiles] - a[0])) * kPerEighth;
      a += in.plane();
      c += in.plane();
    }
    normalise(values, clip);
    if (bx < sheet.columns) store(sheet, blocks, bx, by, lane, values);
  }
}

// --- windows -------------------------------------------------------------------------------------

constexpr int kWindowRows = 4;  // of a thread: they share the loads of values
constexpr int kWarps = 4;

__device__ void add(float4& sum, float4 weight, float4 value) {
  sum.x += weight.x * value.x;
  sum.y += weight.y * value.y;
  sum.z += weight.z * value.z;
  sum.w += weight.w * value.w;
}

/// 8. A warp has 32 windows beside each other and kWindowRows below each other. Columns: blocks
/// across a window, known to the compiler for the common one; 0 for any.
template <int Columns>
__global__ void __launch_bounds__(kWarps * 32)
    windows_kernel(const DeviceSheet* __restrict__ sheets, const Tile* __restrict__ tiles,
                   int tile_count, const float4* __restrict__ blocks,
                   const float4* __restrict__ weights, int blocks_x, int blocks_y, float bias,
                   const float* __restrict__ threshold, Hit* __restrict__ found) {
  const int at = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / 32;
  if (at >= tile_count) return;
  const Tile tile = tiles[at];
  const DeviceSheet sheet = sheets[tile.sheet];
  const int across = Columns != 0 ? Columns : blocks_x;
  const int column = tile.x + static_cast<int>(threadIdx.x) % 32;
  const int inside = min(column, sheet.window_columns - 1);
  const int rows = min(kWindowRows, sheet.window_rows - tile.y);
  const float4* row = blocks + sheet.value / kLanes +
                      static_cast<std::size_t>(sheet.first_by + tile.y * sheet.step) * kBins *
                          static_cast<unsigned>(sheet.columns) +
                      static_cast<unsigned>(sheet.first_bx + inside * sheet.step);
  float4 sums[kWindowRows] = {};
  const int last = (rows - 1) * sheet.step + blocks_y;
  for (int y = 0; y < last; ++y) {
    // The window of row i is at its own block row y - i * step.
    bool all = rows == kWindowRows;
#pragma unroll
    for (int i = 0; i < kWindowRows; ++i) {
      const int by = y - i * sheet.step;
      all = all && by >= 0 && by < blocks_y;
    }
    if (all) {
      const float4* weight = weights + y * kBins * across;
      const int up = sheet.step * kBins * across;
      for (int bin = 0; bin < kBins; ++bin, row += sheet.columns, weight += across)
#pragma unroll
        for (int bx = 0; bx < (Columns != 0 ? Columns : across); ++bx) {
          const float4 value = row[bx];
#pragma unroll
          for (int i = 0; i < kWindowRows; ++i) add(sums[i], weight[bx - i * up], value);
        }
      continue;
    }
    for (int bin = 0; bin < kBins; ++bin, row += sheet.columns)
      for (int bx = 0; bx < across; ++bx) {
        const float4 value = row[bx];
#pragma unroll
        for (int i = 0; i < kWindowRows; ++i) {
          const int by = y - i * sheet.step;
          if (i < rows && by >= 0 && by < blocks_y)
            add(sums[i], weights[(by * kBins + bin) * across + bx], value);
        }
      }
  }
  if (column >= sheet.window_columns) return;
#pragma unroll
  for (int i = 0; i < kWindowRows; ++i) {
    const float score = bias + sum_of_lanes(sums[i].x, sums[i].y, sums[i].z, sums[i].w);
    if (i >= rows || !(score >= *threshold)) continue;
    const int place = atomicAdd(&found[0].window, 1);
    found[1 + place] = {
        sheet.first_window + (tile.y + i) * sheet.window_pitch + column * sheet.window_step, score};
  }
}

}  // namespace kerb::hog::dense_kernels
