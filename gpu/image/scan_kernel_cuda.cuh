// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

#include "gpu/image/scan.hpp"

/// The parts of scan_rows() that integral() shares. For gpu/image alone.
namespace kerb::scanning {

/// Shared memory is filled by columns and read by segments: with one word left out after each
/// segment neither way hits a bank twice.
constexpr int kPitch = kScanSegment + 1;
__device__ inline int place(int i) { return i + i / kScanSegment; }

template <typename T>
__device__ T shuffle(T value, int lane) {
  return __shfl_sync(0xffffffffu, value, lane, kScanSegment);
}
template <>
__device__ inline Float4 shuffle(Float4 v, int lane) {
  return {shuffle(v.x, lane), shuffle(v.y, lane), shuffle(v.z, lane), shuffle(v.w, lane)};
}

/// S: with a segment's sum in each of 16 lanes, the sum of those before `lane` from left to right.
/// For whole warps.
template <typename T>
__device__ T sum_before(T total, int lane) {
  T sum{};
#pragma unroll
  for (int j = 0; j < kScanSegment - 1; ++j) {
    const T other = shuffle(total, j);
    if (j < lane) sum = sum + other;
  }
  return sum;
}

}  // namespace kerb::scanning
