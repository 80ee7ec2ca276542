// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/integral_check.hpp"
#include "gpu/image/scan_kernel_cuda.cuh"
#include "gpu/memory/cuda_status.hpp"

namespace kerb {
namespace {

using scanning::kPitch;

/// Groups a block works on at once: 256 threads for 4-byte elements, and the same shared memory for
/// the larger ones.
template <typename T>
constexpr int kGroups = static_cast<int>(64 / sizeof(T));

/// A thread has a segment. blockDim.x / 16 groups of one row at once, blockDim.y rows.
template <typename T>
__global__ void scan_kernel(ImageView<Space::device, const T> in, ImageView<Space::device, T> out,
                            int shift) {
  __shared__ T tile[kGroups<T> * kScanSegment * kPitch];
  __shared__ T totals[kGroups<T>];
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const int row = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
  const int group = thread / kScanSegment, groups = threads / kScanSegment;
  const int lane = thread % kScanSegment;
  T* const mine = tile + static_cast<int>(threadIdx.y) * threads * kPitch;
  T* const group_totals = totals + static_cast<int>(threadIdx.y) * groups;
  const T* from = in.data + row * in.row_stride;
  T* to = out.data + row * out.row_stride;
  const bool active = row < in.height;
  T carry{};
  for (int first = 0; first < in.width; first += threads * kScanSegment) {
#pragma unroll
    for (int k = 0; k < kScanSegment; ++k) {
      const int i = thread + k * threads;
      mine[scanning::place(i)] = active && i < in.width - first ? from[first + i] : T{};
    }
    __syncthreads();
    T sums[kScanSegment];
    sums[0] = mine[thread * kPitch];
#pragma unroll
    for (int i = 1; i < kScanSegment; ++i) sums[i] = sums[i - 1] + mine[thread * kPitch + i];
    const T before = scanning::sum_before(sums[kScanSegment - 1], lane);
    if (lane == kScanSegment - 1) group_totals[group] = before + sums[kScanSegment - 1];
    __syncthreads();
    T start = carry;
    for (int g = 0; g < groups; ++g) {
      if (g == group) start = carry;
      carry = carry + group_totals[g];
    }
    start = start + before;
#pragma unroll
    for (int i = 0; i < kScanSegment; ++i) mine[thread * kPitch + i] = start + sums[i];
    __syncthreads();
    // Each thread writes back what it brought, so that the next turn need not wait.
#pragma unroll
    for (int k = 0; k < kScanSegment; ++k) {
      const int i = thread + k * threads;
      if (active && i < in.width - first - shift) to[first + i + shift] = mine[scanning::place(i)];
    }
  }
  if (active && shift == 1 && thread == 0) to[0] = T{};
}

}  // namespace

template <typename T>
Status scan_rows(StreamRef stream, const ImageView<Space::device, std::add_const_t<T>>& in,
                 ScanKind kind, const ImageView<Space::device, T>& out) {
  if (Status ok = shapes::check_scan(in, out, kind); !ok) return ok;
  int groups = 2;  // a warp
  while (groups < kGroups<T> && groups * kScanGroup < in.width) groups *= 2;
  const dim3 block{static_cast<unsigned>(groups * kScanSegment),
                   static_cast<unsigned>(kGroups<T> / groups)};
  scan_kernel<T><<<div_up(in.height, block.y), block, 0, stream.get()>>>(
      in, out, kind == ScanKind::exclusive ? 1 : 0);
  return cuda_status(cudaGetLastError(), "launch scan_rows");
}

#define KERB_SCAN(T)                                                                          \
  template Status scan_rows<T>(StreamRef, const ImageView<Space::device, const T>&, ScanKind, \
                               const ImageView<Space::device, T>&);
KERB_SCAN(std::uint32_t)
KERB_SCAN(float)
KERB_SCAN(double)
KERB_SCAN(Float4)

}  // namespace kerb
