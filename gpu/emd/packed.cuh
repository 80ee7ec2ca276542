// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/emd/frame.cuh"
#include "gpu/emd/packed_simplex.hpp"

/// The paper's solver (packed_simplex.hpp) on the device: half a warp a problem, two problems a
/// warp, the whole tableau in registers. A lane has one row, or two 16 apart, as bits; and of the
/// row of gains the columns at its place and 16 further in every word of 32. For gpu/emd alone.
namespace kerb::emd {

constexpr int kPackedThreads = 128, kHalf = 16;

__device__ inline int least_of_half(int v) {
#pragma unroll
  for (int d = kHalf / 2; d > 0; d /= 2) v = min(v, __shfl_xor_sync(0xFFFFFFFFU, v, d, kHalf));
  return v;
}
/// The first lane of this half that says yes; some lane must.
__device__ inline int first_of_half(bool yes, int half) {
  return __ffs(static_cast<int>(__ballot_sync(0xFFFFFFFFU, yes) >> (kHalf * half) & 0xFFFFU)) - 1;
}

template <int kWords, int kRows>
__global__ void __launch_bounds__(kPackedThreads)
    packed_kernel(const FrameView f, const std::int32_t* __restrict__ costs, std::int32_t price,
                  const uint4* __restrict__ targets) {
  __shared__ std::int32_t ground[kMaxBins * kMaxBins];
  const std::uint32_t count = f.counters[kSolved];
  if (count == 0) return;
  for (int i = threadIdx.x; i < kMaxBins * kMaxBins; i += kPackedThreads) ground[i] = costs[i];
  __syncthreads();
  const int lane = threadIdx.x % kHalf, half = threadIdx.x % 32 / kHalf;
  const int bins = f.bins, square = bins * bins, rows = 2 * bins;
  const std::uint32_t warps = gridDim.x * (kPackedThreads / 32);
  const std::uint32_t warp = blockIdx.x * (kPackedThreads / 32) + threadIdx.x / 32;
  for (std::uint32_t from = 2 * warp; from < count; from += 2 * warps) {
    const std::uint32_t pixel = f.list[min(from + half, count - 1)];
    const auto* const supply = reinterpret_cast<const std::uint8_t*>(f.keys + pixel);
    for (int t = 0; t < f.targets; ++t) {
      const auto* const demand = reinterpret_cast<const std::uint8_t*>(targets + t);
      unsigned plus[kRows][kWords], minus[kRows][kWords];
      int amount[kRows], basic[kRows];
      int gain[2 * kWords];
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const int row = lane + r * kHalf;
        const bool gives = row < bins, there = row < rows;
#pragma unroll
        for (int w = 0; w < kWords; ++w) plus[r][w] = minus[r][w] = 0;
        for (int k = 0; k <= bins; ++k) {
          const int column = k == bins ? square + row
                             : gives   ? row * bins + k
                                       : k * bins + row - bins;
#pragma unroll
          for (int w = 0; w < kWords; ++w)
            plus[r][w] |= there && column / 32 == w ? 1U << (column % 32) : 0U;
        }
        basic[r] = square + row;
        amount[r] = 0;
        if (there)
          amount[r] = gives
                          ? supply[row] * PackedTableau::kFine + PackedTableau::kMoreSupply
                          : demand[row - bins] * PackedTableau::kFine + PackedTableau::kMoreDemand;
      }
#pragma unroll
      for (int g = 0; g < 2 * kWords; ++g) {
        const int column = g * kHalf + lane;
        gain[g] = column < square ? ground[column / bins * kMaxBins + column % bins] - price : 0;
      }
      for (;;) {
        // The column that gains most.
        int least = 0, column = 0;
#pragma unroll
        for (int g = 0; g < 2 * kWords; ++g)
          if (gain[g] < least) {
            least = gain[g];
            column = g * kHalf + lane;
          }
        const int best = least_of_half(least);
        const bool done = best >= 0;
        if (__all_sync(0xFFFFFFFFU, done)) break;
        const int chosen = first_of_half(least == best, half);
        column = __shfl_sync(0xFFFFFFFFU, column, chosen, kHalf);
        // The row that runs out first.
        int sign[kRows], fewest = INT32_MAX, which = 0;
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          unsigned p = 0, m = 0;
#pragma unroll
          for (int w = 0; w < kWords; ++w) {  // with a branch they would go to memory
            const unsigned is_it = column / 32 == w ? 0xFFFFFFFFU : 0U;
            p |= plus[r][w] & is_it;
            m |= minus[r][w] & is_it;
          }
          sign[r] =
              static_cast<int>(p >> (column % 32) & 1U) - static_cast<int>(m >> (column % 32) & 1U);
          if (sign[r] > 0 && amount[r] < fewest) {
            fewest = amount[r];
            which = r;
          }
        }
        const int moved = least_of_half(fewest);
        const int owner = first_of_half(fewest == moved, half);
        const bool is_pivot_lane = lane == owner;
        which = __shfl_sync(0xFFFFFFFFU, which, owner, kHalf);
        unsigned by_plus[kWords], by_minus[kWords];
#pragma unroll
        for (int w = 0; w < kWords; ++w) {
          unsigned p = plus[0][w], m = minus[0][w];
          if (kRows > 1 && which == 1) {
            p = plus[kRows - 1][w];
            m = minus[kRows - 1][w];
          }
          by_plus[w] = __shfl_sync(0xFFFFFFFFU, p, owner, kHalf);
          by_minus[w] = __shfl_sync(0xFFFFFFFFU, m, owner, kHalf);
        }
        if (done) continue;  // the other half is not
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          if (is_pivot_lane && which == r) {
            basic[r] = column;
            continue;
          }
          if (sign[r] == 0) continue;
          amount[r] -= sign[r] * moved;
#pragma unroll
          for (int w = 0; w < kWords; ++w) {
            const unsigned up = sign[r] > 0 ? by_plus[w] : by_minus[w];
            const unsigned down = sign[r] > 0 ? by_minus[w] : by_plus[w];
            const unsigned p = plus[r][w], m = minus[r][w];
            plus[r][w] = (p & ~up) | (down & ~m);
            minus[r][w] = (m & ~down) | (up & ~p);
          }
        }
#pragma unroll
        for (int g = 0; g < 2 * kWords; ++g) {
          const int bit = g % 2 * kHalf + lane;
          const int entry = static_cast<int>(by_plus[g / 2] >> bit & 1U) -
                            static_cast<int>(by_minus[g / 2] >> bit & 1U);
          gain[g] -= entry * best;
        }
      }
      unsigned cost = 0;
#pragma unroll
      for (int r = 0; r < kRows; ++r)
        if (basic[r] < square)
          cost +=
              static_cast<unsigned>((amount[r] + PackedTableau::kFine / 2) / PackedTableau::kFine) *
              static_cast<unsigned>(ground[basic[r] / bins * kMaxBins + basic[r] % bins]);
#pragma unroll
      for (int d = kHalf / 2; d > 0; d /= 2) cost += __shfl_xor_sync(0xFFFFFFFFU, cost, d, kHalf);
      if (lane == 0) f.costs[t * f.stride + pixel] = cost;
    }
  }
}

}  // namespace kerb::emd
