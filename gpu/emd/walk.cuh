// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/emd/atlas.hpp"
#include "gpu/emd/frame.cuh"

/// Walks through the atlas (atlas.hpp) on the device: eight lanes a walk, four walks a warp. A
/// tree's edges are dealt out to the eight; each computes the flows of its own, and the most
/// negative one of all decides where they go. For gpu/emd alone.
namespace kerb::emd {

constexpr int kWalkThreads = 256, kLanes = 8;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;

struct WalkView {
  const AtlasEdge* atlas = nullptr;
  std::uint32_t trees = 0;
  const std::uint8_t* sums = nullptr;    // of each target: the mass of every set of its bins
  const std::uint8_t* parts = nullptr;   // kMaxMass + 1, see WalkStarts
  const std::uint32_t* names = nullptr;  // Binomials::choose
  const std::int32_t* costs = nullptr;   // the ground's, rows of kMaxBins
  std::uint32_t* starts = nullptr;       // of each target, a tree for each kind
};
constexpr int kNameRow = Binomials::kTop + 1;

inline std::size_t walk_shared_bytes(int bins, int targets) {
  return kMaxBins * kMaxBins * sizeof(std::int32_t) + kMaxBins * kNameRow * sizeof(std::uint32_t) +
         kMaxMass + 1 + (static_cast<std::size_t>(targets) << bins);
}

/// Four bits to four bytes of 0 or 1.
__device__ inline unsigned spread_bits(unsigned bits) {
  return (bits & 15U) * 0x00204081U & 0x01010101U;
}

__device__ inline int least_of_eight(int v) {
#pragma unroll
  for (int d = 4; d > 0; d /= 2) v = min(v, __shfl_xor_sync(kAllLanes, v, d));
  return v;
}
__device__ inline unsigned sum_of_eight(unsigned v) {
#pragma unroll
  for (int d = 4; d > 0; d /= 2) v += __shfl_xor_sync(kAllLanes, v, d);
  return v;
}

/// `kEach` edges a lane. `list` may be null: all signatures there are. Without costs the trees
/// where the walks end are where later ones of their kind begin. Walks of a frame do not write
/// them: they would get no shorter, and with few bins, so few kinds, all would wait for the same
/// lines.
template <int kEach>
__global__ void __launch_bounds__(kWalkThreads)
    walk_kernel(const FrameView f, const WalkView w, const std::uint32_t* __restrict__ list) {
  extern __shared__ std::int32_t shared[];
  std::int32_t* const ground = shared;
  auto* const names = reinterpret_cast<std::uint32_t*>(ground + kMaxBins * kMaxBins);
  auto* const parts = reinterpret_cast<std::uint8_t*>(names + kMaxBins * kNameRow);
  std::uint8_t* const sums = parts + kMaxMass + 1;
  const std::uint32_t count = list != nullptr ? f.counters[kSolved] : f.count;
  if (count == 0) return;
  for (int i = threadIdx.x; i < kMaxBins * kMaxBins; i += kWalkThreads) ground[i] = w.costs[i];
  for (int i = threadIdx.x; i < kMaxBins * kNameRow; i += kWalkThreads) names[i] = w.names[i];
  for (int i = threadIdx.x; i <= kMaxMass; i += kWalkThreads) parts[i] = w.parts[i];
  for (int i = threadIdx.x; i < f.targets << f.bins; i += kWalkThreads) sums[i] = w.sums[i];
  __syncthreads();

  const int lane = threadIdx.x % 32, of_eight = lane % kLanes, group = lane - of_eight;
  const int edges = 2 * f.bins - 1;
  const std::uint32_t warps = gridDim.x * (kWalkThreads / 32);
  const std::uint32_t warp = blockIdx.x * (kWalkThreads / 32) + threadIdx.x / 32;
  for (std::uint32_t from = 4 * warp; from < count; from += 4 * warps) {
    const std::uint32_t item = min(from + lane / kLanes, count - 1);  // the last ones: once more
    const std::uint32_t pixel = list != nullptr ? list[item] : item;
    const uint4 key = f.keys[pixel];
    // What kind of signature it is: each lane looks at the mass up to one bin or two.
    unsigned kind = 0;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int k = of_eight + 1 + r * kLanes;
      if (k >= f.bins) continue;
      const unsigned low = k >= 4 ? 0x01010101U : (1U << (8 * k)) - 1U & 0x01010101U;
      const unsigned mid = k >= 8   ? 0x01010101U
                           : k <= 4 ? 0U
                                    : (1U << (8 * (k - 4))) - 1U & 0x01010101U;
      const unsigned high = k >= 12  ? 0x01010101U
                            : k <= 8 ? 0U
                                     : (1U << (8 * (k - 8))) - 1U & 0x01010101U;
      const unsigned upto = __dp4a(key.x, low, __dp4a(key.y, mid, __dp4a(key.z, high, 0U)));
      kind += names[k * kNameRow + parts[upto & 255U] + k - 1];
    }
    kind = sum_of_eight(kind);
    for (int t = 0; t < f.targets; ++t) {
      const std::uint8_t* const target = sums + (t << f.bins);
      std::uint32_t* const start = w.starts + static_cast<std::size_t>(t) * w.trees + kind;
      const std::uint32_t begun = *start;
      std::uint32_t tree = begun;
      AtlasEdge edge[kEach];
      int flow[kEach];
      for (;;) {
        const AtlasEdge* const at = w.atlas + static_cast<std::size_t>(tree) * edges + of_eight;
#pragma unroll
        for (int s = 0; s < kEach; ++s)
          edge[s] = of_eight + s * kLanes < edges ? __ldg(at + s * kLanes) : 0;
        int worst = 0;
        unsigned next = 0;
#pragma unroll
        for (int s = 0; s < kEach; ++s) {
          const unsigned bits = static_cast<unsigned>(edge[s]);  // sources, then sinks
          const unsigned mass = __dp4a(
              key.x, spread_bits(bits),
              __dp4a(key.y, spread_bits(bits >> 4), __dp4a(key.z, spread_bits(bits >> 8), 0U)));
          flow[s] = static_cast<int>(mass) - target[bits >> 16];
          const int code = flow[s] * 32 + of_eight + s * kLanes;
          if (code < worst) {
            worst = code;
            next = next_of(edge[s]);
          }
        }
        worst = least_of_eight(worst);
        const bool done = worst >= 0;
        if (__all_sync(kAllLanes, done)) break;
        next = __shfl_sync(kAllLanes, next, group | (worst & 7));
        if (!done) tree = next;
      }
      if (f.costs == nullptr) {
        if (of_eight == 0 && tree != begun) *start = tree;
        continue;
      }
      unsigned cost = 0;
#pragma unroll
      for (int s = 0; s < kEach; ++s)
        cost += static_cast<unsigned>(flow[s]) *
                static_cast<unsigned>(ground[source_of(edge[s]) * kMaxBins + sink_of(edge[s])]);
      cost = sum_of_eight(cost);
      if (of_eight == 0) f.costs[t * f.stride + pixel] = cost;
    }
  }
}

}  // namespace kerb::emd
