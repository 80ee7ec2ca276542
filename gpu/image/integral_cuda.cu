// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/integral_check.hpp"
#include "gpu/image/scan_kernel_cuda.cuh"
#include "gpu/image/transpose.hpp"
#include "gpu/memory/cuda_status.hpp"

namespace kerb {
namespace {

using scanning::kPitch;
using shapes::kBand;
using shapes::kTreeSegment;
using shapes::parts_of;

// integral(): tiles of 16 rows x 256 columns, a band and a group. First each tile's sums (of its
// columns, and of each row of c), then the tiles' sums among each other, then all again with these
// to start from. A thread has a column of the tile, or a segment of one of its rows.

constexpr int kThreads = kScanGroup;
static_assert(kThreads == kBand * kScanSegment);

/// Rows of the tile that are in shared memory at once; what is larger than a double goes in parts.
template <typename T>
constexpr int kRows = sizeof(T) > 8 ? 4 : kBand;

template <typename In, typename T>
struct Job {
  ImageView<Space::device, const In> in;
  ImageView<Space::device, T> out;
  T* columns;  // bands x width: sums of a band's columns; then of earlier bands', then R of that
  T* rows;     // groups x height: sums of a group's rows of c; then of the earlier groups'
};

template <typename In, typename T, bool Final>
__global__ void tile_kernel(Job<In, T> job) {
  __shared__ T tile[kRows<T> * kScanSegment * kPitch];
  constexpr int kRowPitch = kScanSegment * kPitch;
  const int thread = static_cast<int>(threadIdx.x);
  const int group = static_cast<int>(blockIdx.x), band = static_cast<int>(blockIdx.y);
  const int width = job.in.width, height = job.in.height;
  const int x = group * kScanGroup + thread;
  const int segment_row = thread / kScanSegment, lane = thread % kScanSegment;
  const std::ptrdiff_t row_width = width;
  T above{};
  if (Final && x < width) above = job.columns[band * row_width + x];
  T sum{};
#pragma unroll 1
  for (int part = 0; part < kBand; part += kRows<T>) {
    const int top = band * kBand + part;
#pragma unroll
    for (int j = 0; j < kRows<T>; ++j) {
      T value{};
      if (x < width && top + j < height)
        value = static_cast<T>(job.in.data[(top + j) * job.in.row_stride + x]);
      sum = sum + value;
      tile[j * kRowPitch + scanning::place(thread)] = sum;
    }
    __syncthreads();
    if (segment_row < kRows<T>) {  // whole warps
      const int y = top + segment_row;
      T* const mine = tile + segment_row * kRowPitch + lane * kPitch;
      T sums[kScanSegment];
      sums[0] = mine[0];
#pragma unroll
      for (int i = 1; i < kScanSegment; ++i) sums[i] = sums[i - 1] + mine[i];
      const T before = scanning::sum_before(sums[kScanSegment - 1], lane);
      T* const total = job.rows + static_cast<std::ptrdiff_t>(group) * height + y;
      if (Final) {
        const T start = (y < height ? *total : T{}) + before;
#pragma unroll
        for (int i = 0; i < kScanSegment; ++i) mine[i] = start + sums[i];
      } else if (lane == kScanSegment - 1 && y < height) {
        *total = before + sums[kScanSegment - 1];
      }
    }
    __syncthreads();
    if (Final) {
#pragma unroll
      for (int j = 0; j < kRows<T>; ++j) {
        const int y = top + j + 1;
        if (y > height || y >= job.out.height) break;
        T* const to = job.out.data + y * job.out.row_stride;
        if (x < width && x + 1 < job.out.width)
          to[x + 1] = above + tile[j * kRowPitch + scanning::place(thread)];
        if (x == 0) to[0] = T{};
      }
      __syncthreads();
    }
  }
  if (!Final) {
    if (x < width) job.columns[band * row_width + x] = sum;
  } else if (band == 0) {  // the first row
    if (x < width && x + 1 < job.out.width) job.out.data[x + 1] = T{};
    if (x == 0) job.out.data[0] = T{};
  }
}

/// An array of `count` rows, each value of which becomes the sum of those above it in its column.
template <typename T>
struct Stack {
  T* data;
  int count, width;
};
template <typename T>
__global__ void columns_kernel(Stack<T> first, Stack<T> second) {
  const Stack<T> stack = blockIdx.y == 0 ? first : second;
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= stack.width) return;
  constexpr int kAhead = 16;  // loads in flight
  const std::ptrdiff_t stride = stack.width;
  T* at = stack.data + x;
  T sum{};
  for (int y = 0; y < stack.count; y += kAhead) {
    T values[kAhead];
#pragma unroll
    for (int j = 0; j < kAhead; ++j) values[j] = y + j < stack.count ? at[j * stride] : T{};
#pragma unroll
    for (int j = 0; j < kAhead; ++j) {
      if (y + j >= stack.count) break;
      at[j * stride] = sum;
      sum = sum + values[j];
    }
    at += kAhead * stride;
  }
}

// tree_integral(): the kernels of the thesis, but for 32 banks of shared memory rather than 16.

__device__ int tree_place(int i) { return i + i / 32; }

/// Exclusive; a block a segment. `sums` gets the segments' sums, or is nullptr.
template <typename T>
__global__ void tree_kernel(const T* in, std::ptrdiff_t in_stride, T* out,
                            std::ptrdiff_t out_stride, int width, T* sums) {
  __shared__ T tree[kTreeSegment + kTreeSegment / 32];
  const int thread = static_cast<int>(threadIdx.x);
  const auto row = static_cast<std::ptrdiff_t>(blockIdx.x);
  const int left = static_cast<int>(blockIdx.y) * kTreeSegment;
  constexpr int kHalf = kTreeSegment / 2;
#pragma unroll
  for (int i = thread; i < kTreeSegment; i += kHalf)
    tree[tree_place(i)] = left + i < width ? in[row * in_stride + left + i] : T{};
  int offset = 1;
  for (int d = kHalf; d > 0; d /= 2, offset *= 2) {
    __syncthreads();
    if (thread < d) {
      const int a = tree_place(offset * (2 * thread + 1) - 1);
      const int b = tree_place(offset * (2 * thread + 2) - 1);
      tree[b] = tree[b] + tree[a];
    }
  }
  __syncthreads();
  if (thread == 0) {
    T* const last = tree + tree_place(kTreeSegment - 1);
    if (sums != nullptr) sums[row * gridDim.y + blockIdx.y] = *last;
    *last = T{};
  }
  for (int d = 1; d < kTreeSegment; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (thread < d) {
      const int a = tree_place(offset * (2 * thread + 1) - 1);
      const int b = tree_place(offset * (2 * thread + 2) - 1);
      const T value = tree[a];
      tree[a] = tree[b];
      tree[b] = tree[b] + value;
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = thread; i < kTreeSegment; i += kHalf)
    if (left + i < width) out[row * out_stride + left + i] = tree[tree_place(i)];
}

/// Adds its segment's start to each element, from the second segment on.
template <typename T>
__global__ void increment_kernel(T* data, std::ptrdiff_t stride, int width, const T* sums) {
  const auto row = static_cast<std::ptrdiff_t>(blockIdx.x);
  const int segment = static_cast<int>(blockIdx.y) + 1;
  const T start = sums[row * (gridDim.y + 1) + segment];
  const int end = min((segment + 1) * kTreeSegment, width);
  T* const at = data + row * stride;
  for (int x = segment * kTreeSegment + static_cast<int>(threadIdx.x); x < end;
       x += static_cast<int>(blockDim.x))
    at[x] = at[x] + start;
}

template <typename T>
void scan_by_trees(cudaStream_t s, const ImageView<Space::device, const T>& in, T* out,
                   std::ptrdiff_t out_stride, T* sums) {
  const auto rows = static_cast<unsigned>(in.height);
  const int segments = parts_of(in.width, kTreeSegment);
  const unsigned threads = kTreeSegment / 2;
  tree_kernel<T><<<dim3{rows, static_cast<unsigned>(segments)}, threads, 0, s>>>(
      in.data, in.row_stride, out, out_stride, in.width, segments > 1 ? sums : nullptr);
  if (segments == 1) return;
  tree_kernel<T>
      <<<dim3{rows, 1}, threads, 0, s>>>(sums, segments, sums, segments, segments, nullptr);
  increment_kernel<T><<<dim3{rows, static_cast<unsigned>(segments - 1)}, threads, 0, s>>>(
      out, out_stride, in.width, sums);
}

}  // namespace

template <typename In, typename T>
Status integral(StreamRef stream, const ImageView<Space::device, const In>& in,
                const DeviceBuffer<T>& scratch, const ImageView<Space::device, T>& out) {
  if (Status ok = shapes::check_integral(in, out); !ok) return ok;
  if (scratch.size() < integral_scratch(in.width, in.height)) return shapes::too_little_scratch();
  const int bands = parts_of(in.height, kBand), groups = parts_of(in.width, kScanGroup);
  T* const columns = scratch.device_data();
  const Job<In, T> job{in, out, columns, columns + static_cast<std::ptrdiff_t>(bands) * in.width};
  const dim3 grid{static_cast<unsigned>(groups), static_cast<unsigned>(bands)};
  cudaStream_t const s = stream.get();
  tile_kernel<In, T, false><<<grid, kThreads, 0, s>>>(job);
  constexpr unsigned kColumns = 64;
  columns_kernel<T><<<dim3{div_up(max(in.width, in.height), kColumns), 2}, kColumns, 0, s>>>(
      {columns, bands, in.width}, {job.rows, groups, in.height});
  const ImageView<Space::device, T> earlier{columns, in.width, bands, in.width};
  if (Status ok = scan_rows<T>(stream, earlier, ScanKind::inclusive, earlier); !ok) return ok;
  tile_kernel<In, T, true><<<grid, kThreads, 0, s>>>(job);
  return cuda_status(cudaGetLastError(), "launch integral");
}

template <typename T>
Status tree_integral(StreamRef stream, const ImageView<Space::device, std::add_const_t<T>>& in,
                     TreeForm form, const DeviceBuffer<T>& scratch,
                     const ImageView<Space::device, T>& out) {
  if (Status ok = shapes::check_tree(in, out, form); !ok) return ok;
  if (scratch.size() < tree_integral_scratch(in.width, in.height))
    return shapes::too_little_scratch();
  const int width = in.width, height = in.height;
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(width) * height;
  T* const rows = scratch.device_data();
  T* const turned = rows + size;
  T* const sums = turned + size;
  cudaStream_t const s = stream.get();
  scan_by_trees<T>(s, in, rows, width, sums);
  const ImageView<Space::device, T> across{turned, height, width, height};
  const ImageView<Space::device, const T> upright{rows, width, height, width};
  if (Status ok = transpose<T>(stream, upright, across); !ok) return ok;
  if (form == TreeForm::transposed) {
    scan_by_trees<T>(s, across, out.data, out.row_stride, sums);
    return cuda_status(cudaGetLastError(), "launch tree_integral");
  }
  scan_by_trees<T>(s, across, rows, height, sums);
  const ImageView<Space::device, const T> turned_sums{rows, height, width, height};
  return transpose<T>(stream, turned_sums, out);
}

#define KERB_INTEGRAL(In, T)                                                     \
  template Status integral(StreamRef, const ImageView<Space::device, const In>&, \
                           const DeviceBuffer<T>&, const ImageView<Space::device, T>&);
KERB_INTEGRAL(std::uint8_t, std::uint32_t)
KERB_INTEGRAL(std::uint32_t, std::uint32_t)
KERB_INTEGRAL(float, float)
KERB_INTEGRAL(double, double)
KERB_INTEGRAL(Float4, Float4)

#define KERB_TREE(T)                                                                              \
  template Status tree_integral<T>(StreamRef, const ImageView<Space::device, const T>&, TreeForm, \
                                   const DeviceBuffer<T>&, const ImageView<Space::device, T>&);
KERB_TREE(std::uint32_t)
KERB_TREE(float)
KERB_TREE(double)
KERB_TREE(Float4)

}  // namespace kerb
