// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/gradient_math.hpp"
#include "gpu/image/grid_histogram_cuda.hpp"
#include "gpu/memory/cuda_status.hpp"
#include "gpu/memory/upload.hpp"

namespace kerb {
namespace {

constexpr int kThreads = 288;  // nine warps: one for each bin in the scan
constexpr int kSegment = 512;  // cells of a row held at once; a multiple of the warp and of 4
constexpr int kStripThreads = 64;
constexpr int kAhead = 16;  // rows read before the first is used

/// Six pixels of a row, x - 1 .. x + 4, as two words.
struct Six {
  unsigned low, high;
  __device__ int at(int i) const {
    return static_cast<int>((i < 4 ? low >> (8 * i) : high >> (8 * (i - 4))) & 255U);
  }
};
__device__ Six six(const std::uint8_t* row) {
  const auto* words = reinterpret_cast<const unsigned*>(row);
  return {words[0], words[1]};
}

/// gradient::eighths() with the fast root where its error cannot matter: it is off by a few units
/// in the last place, less than 0.001 for roots of up to 2885, so only a root that close to a
/// half needs the exact one. Conversions by adding 2^23 and the like: those instructions are
/// four times as fast.
__device__ unsigned eighths(int squared_norm) {
  constexpr float kTwo23 = 8388608.0F;  // more than 64 * squared_norm ever is
  const float n = __int_as_float(64 * squared_norm | 0x4B000000) - kTwo23;
  float root;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(n));
  const float shifted = root + kTwo23;  // the nearest integer in its low bits
  if (fabsf(root - (shifted - kTwo23)) > 0.498F) return gradient::eighths(squared_norm);
  return static_cast<unsigned>(__float_as_int(shifted) & 0xFFFF);
}

/// gradient::bin_of() in whole registers: 16-bit lanes cost extra here. What it says of no gradient
/// at all does not matter: nothing is added then.
template <int kBins, bool kHalfShifted>
__device__ int bin_of(int dx, int dy) {
  const int ax = abs(dx), ay = abs(dy);
  int index;
  if (kBins == 9 && !kHalfShifted) {
    index = (ay * 11 >= ax * 4) + (ay * 56 >= ax * 47) + (ay * 56 >= ax * 97) + (ay * 3 >= ax * 17);
  } else if (kBins == 9) {
    index = (ay * 17 >= ax * 3) + (ay * 97 >= ax * 56) + (ay * 47 >= ax * 56) + (ay * 4 >= ax * 11);
  } else if (!kHalfShifted) {
    index = (ay * 97 >= ax * 56) + (ay * 56 >= ax * 97);
  } else {
    index = (ay * 56 >= ax * 15) + (ay >= ax) + (ay * 15 >= ax * 56);
  }
  const int rising = !kHalfShifted ? index : (index == 0 ? kBins - 1 : index - 1);
  return dx == 0 || dx * dy < 0 ? kBins - 1 - index : rising;
}

/// Adds four pixels beside each other, `kGrid` rows of them, to the cells they belong to. Each
/// thread has cells of its own: no two add to the same number.
template <int kGrid, int kBins, bool kHalfShifted, bool kColour>
__device__ void add_pixels(const std::uint8_t* const (&first)[kColour ? 3 : 1], int row_stride,
                           int cells_left, bool magnitude, unsigned* cell) {
  constexpr int kPlanes = kColour ? 3 : 1;
  Six above[kPlanes], here[kPlanes];
#pragma unroll
  for (int p = 0; p < kPlanes; ++p) {
    above[p] = six(first[p]);
    here[p] = six(first[p] + row_stride);
  }
#pragma unroll
  for (int row = 0; row < kGrid; ++row) {
    Six below[kPlanes];
#pragma unroll
    for (int p = 0; p < kPlanes; ++p) below[p] = six(first[p] + (row + 2) * row_stride);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i / kGrid >= cells_left) break;
      int dx = 0, dy = 0, norm = 0;
#pragma unroll
      for (int p = 0; p < kPlanes; ++p) {
        const int ex = here[p].at(i + 2) - here[p].at(i);
        const int ey = below[p].at(i + 1) - above[p].at(i + 1);
        const int n = gradient::squared_norm(ex, ey);
        if (p == 0 || n > norm) {
          dx = ex;
          dy = ey;
          norm = n;
        }
      }
      const unsigned m = eighths(norm);
      const int bin = bin_of<kBins, kHalfShifted>(dx, dy);
      unsigned* to = cell + i / kGrid;
      to[bin * kSegment] += m;
      if (magnitude) to[kBins * kSegment] += m;
      if (kColour) {
        const int c = kBins + (magnitude ? 1 : 0);
#pragma unroll
        for (int p = 0; p < kPlanes; ++p)
          to[(c + p) * kSegment] += static_cast<unsigned>(here[p].at(i + 1));
      }
    }
#pragma unroll
    for (int p = 0; p < kPlanes; ++p) {
      above[p] = here[p];
      here[p] = below[p];
    }
  }
}

__device__ unsigned inclusive_scan(unsigned v, int lane) {
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const unsigned left = __shfl_up_sync(0xFFFFFFFFU, v, d);
    if (lane >= d) v += left;
  }
  return v;
}

/// One row of cells: histograms, summed along the row, into the row of nodes below it.
template <int kGrid, int kBins, bool kHalfShifted, bool kColour>
__global__ void __launch_bounds__(kThreads)
    row_kernel(const std::uint8_t* __restrict__ samples, std::size_t plane_samples,
               const GridLevel* __restrict__ levels, const GridTask* __restrict__ tasks,
               int channels, bool magnitude, int phases, int quads, GridNodes nodes) {
  extern __shared__ unsigned sums[];  // [channel][kSegment]
  __shared__ unsigned carry[16];
  constexpr int kPlanes = kColour ? 3 : 1;
  const GridTask task = tasks[blockIdx.x];
  const GridLevel level = levels[task.level];
  const int row = static_cast<int>(task.index), thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32, warp = thread / 32;
  const std::uint8_t* first =
      samples + level.offset + static_cast<std::size_t>(row) * kGrid * level.row_stride;
  if (thread < 16) carry[thread] = 0;

  for (int from = 0; from < level.cells_x; from += kSegment) {
    const int count = min(kSegment, level.cells_x - from), padded = (count + 31) / 32 * 32;
    for (int i = thread; i < channels * kSegment; i += kThreads) sums[i] = 0;
    __syncthreads();
    for (int x = 4 * thread; x < count * kGrid; x += 4 * kThreads) {
      const std::uint8_t* planes[kPlanes];
#pragma unroll
      for (int p = 0; p < kPlanes; ++p) planes[p] = first + p * plane_samples + from * kGrid + x;
      add_pixels<kGrid, kBins, kHalfShifted, kColour>(planes, level.row_stride, count - x / kGrid,
                                                      magnitude, sums + x / kGrid);
    }
    __syncthreads();
    for (int c = warp; c < channels; c += kThreads / 32) {
      unsigned left = carry[c];
      for (int i = lane; i < padded; i += 32) {
        const unsigned v = inclusive_scan(sums[c * kSegment + i], lane) + left;
        sums[c * kSegment + i] = v;
        left = __shfl_sync(0xFFFFFFFFU, v, 31);
      }
      __syncwarp();
      if (lane == 0) carry[c] = left;
    }
    __syncthreads();
    for (int i = thread; i < count; i += kThreads) {
      const int column = from + i + 1;
      const std::uint32_t node = level.node_offset +
                                 static_cast<std::uint32_t>(row + 1) * level.row_nodes +
                                 column % phases * level.phase_nodes + column / phases;
      for (int q = 0; q < quads; ++q) {
        const unsigned* at = sums + 4 * q * kSegment + i;
        nodes.quads[q * static_cast<std::size_t>(nodes.plane_nodes) + node] =
            make_uint4(at[0], at[kSegment], at[2 * kSegment], at[3 * kSegment]);
      }
      for (int c = 4 * quads; c < channels; ++c)
        nodes.singles[(c - 4 * quads) * static_cast<std::size_t>(nodes.plane_nodes) + node] =
            sums[c * kSegment + i];
    }
    __syncthreads();
  }
}

__device__ void add(uint4& a, const uint4& b) {
  a.x += b.x;
  a.y += b.y;
  a.z += b.z;
  a.w += b.w;
}
__device__ void add(std::uint32_t& a, std::uint32_t b) { a += b; }

/// Sums down one column of nodes.
template <typename T>
__device__ void sum_column(T* node, int row_nodes, int rows) {
  T sum{};
  for (int j = 1; j <= rows; j += kAhead) {
    T ahead[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k)
      if (j + k <= rows) ahead[k] = node[static_cast<std::size_t>(j + k) * row_nodes];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      if (j + k > rows) break;
      add(sum, ahead[k]);
      node[static_cast<std::size_t>(j + k) * row_nodes] = sum;
    }
  }
}

__global__ void __launch_bounds__(kStripThreads)
    column_kernel(const GridLevel* __restrict__ levels, const GridTask* __restrict__ tasks,
                  int quads, GridNodes nodes) {
  const GridTask task = tasks[blockIdx.x];
  const GridLevel level = levels[task.level];
  const int column = static_cast<int>(task.index * kStripThreads + threadIdx.x);
  if (column >= level.row_nodes) return;
  const std::uint32_t node = level.node_offset + static_cast<std::uint32_t>(column);
  if (task.plane < quads) {
    sum_column(nodes.quads + task.plane * static_cast<std::size_t>(nodes.plane_nodes) + node,
               level.row_nodes, level.cells_y);
  } else {
    sum_column(
        nodes.singles + (task.plane - quads) * static_cast<std::size_t>(nodes.plane_nodes) + node,
        level.row_nodes, level.cells_y);
  }
}

using RowKernel = void (*)(const std::uint8_t*, std::size_t, const GridLevel*, const GridTask*, int,
                           bool, int, int, GridNodes);

template <int kGrid, int kBins, bool kHalfShifted>
RowKernel with_colour(const GridSettings& s) {
  return s.colour ? &row_kernel<kGrid, kBins, kHalfShifted, true>
                  : &row_kernel<kGrid, kBins, kHalfShifted, false>;
}
template <int kGrid>
RowKernel with_bins(const GridSettings& s) {
  if (s.bins == 9)
    return s.half_shifted ? with_colour<kGrid, 9, true>(s) : with_colour<kGrid, 9, false>(s);
  return s.half_shifted ? with_colour<kGrid, 6, true>(s) : with_colour<kGrid, 6, false>(s);
}
RowKernel row_kernel_for(const GridSettings& s) {
  return s.grid == 4 ? with_bins<4>(s) : s.grid == 2 ? with_bins<2>(s) : with_bins<1>(s);
}

}  // namespace

Result<GridTables> GridTables::create(const Context& context, const PyramidPlan& plan,
                                      const GridSettings& settings, int phases, int quads) {
  GridTables tables;
  tables.settings_ = settings;
  tables.plane_samples_ = plan.samples;
  tables.phases_ = phases;
  tables.quads_ = quads;
  tables.singles_ = settings.channels() - 4 * quads;
  std::vector<GridLevel> levels;
  std::vector<GridTask> rows, strips;
  std::uint64_t nodes = 0;
  for (std::size_t i = 0; i < plan.levels.size(); ++i) {
    const Level& l = plan.levels[i];
    GridLevel g{};
    g.offset = static_cast<std::uint32_t>(l.offset);
    g.row_stride = l.row_stride;
    g.cells_x = l.width / settings.grid;
    g.cells_y = l.height / settings.grid;
    g.phase_nodes = (g.cells_x / phases + 1 + 7) / 8 * 8;  // whole lines of 128 bytes of quads
    g.row_nodes = g.phase_nodes * phases;
    g.node_offset = static_cast<std::uint32_t>(nodes);
    nodes += static_cast<std::uint64_t>(g.row_nodes) * static_cast<std::uint64_t>(g.cells_y + 1);
    levels.push_back(g);
    const auto level = static_cast<std::uint16_t>(i);
    for (int j = 0; j < g.cells_y; ++j) rows.push_back({level, 0, static_cast<std::uint32_t>(j)});
    for (int p = 0; p < quads + tables.singles_; ++p)
      for (int x = 0; x * kStripThreads < g.row_nodes; ++x)
        strips.push_back({level, static_cast<std::uint16_t>(p), static_cast<std::uint32_t>(x)});
  }
  if (nodes > 0xFFFFFFFFU || plan.samples > 0xFFFFFFFFU)
    return Error{Errc::unsupported, 0, "integral histograms", "more nodes than 32 bits count"};
  tables.plane_nodes_ = static_cast<std::uint32_t>(nodes);
  for (const Status& done :
       {upload(context, levels, tables.levels_), upload(context, rows, tables.rows_),
        upload(context, strips, tables.strips_)})
    if (!done) return done.error();
  // The first row and column of nodes are zero and stay so.
  const auto take = [&](auto& buffer, std::size_t count) -> Status {
    using Buffer = std::remove_reference_t<decltype(buffer)>;
    if (count == 0) return Done{};
    Result<Buffer> memory = Buffer::create(context, count);
    if (!memory) return memory.error();
    buffer = std::move(*memory);
    if (Status zeroed = runtime::fill(context.stream().get(), buffer.device_data(), 0,
                                      count * sizeof(*buffer.device_data()));
        !zeroed)
      return zeroed;
    return wait(context.stream());
  };
  if (Status ok = take(tables.quad_nodes_, nodes * static_cast<std::size_t>(quads)); !ok)
    return ok.error();
  if (Status ok = take(tables.single_nodes_, nodes * static_cast<std::size_t>(tables.singles_));
      !ok)
    return ok.error();
  return Result<GridTables>{std::move(tables)};
}

GridNodes GridTables::nodes() const noexcept {
  return {quad_nodes_.device_data(), single_nodes_.device_data(), plane_nodes_};
}

std::size_t GridTables::device_bytes() const noexcept {
  return quad_nodes_.size() * sizeof(uint4) + single_nodes_.size() * sizeof(std::uint32_t) +
         levels_.size() * sizeof(GridLevel) + (rows_.size() + strips_.size()) * sizeof(GridTask);
}

Status GridTables::build(StreamRef stream, const std::uint8_t* samples) const {
  if (rows_.size() == 0) return Done{};
  const std::size_t shared =
      static_cast<std::size_t>(settings_.channels()) * kSegment * sizeof(unsigned);
  row_kernel_for(
      settings_)<<<static_cast<unsigned>(rows_.size()), kThreads, shared, stream.get()>>>(
      samples, plane_samples_, levels_.device_data(), rows_.device_data(), settings_.channels(),
      settings_.magnitude, phases_, quads_, nodes());
  if (Status launched = cuda_status(cudaGetLastError(), "grid rows launch"); !launched)
    return launched;
  column_kernel<<<static_cast<unsigned>(strips_.size()), kStripThreads, 0, stream.get()>>>(
      levels_.device_data(), strips_.device_data(), quads_, nodes());
  return cuda_status(cudaGetLastError(), "grid columns launch");
}

}  // namespace kerb
