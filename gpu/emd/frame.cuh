// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/emd/closed_form.hpp"
#include "gpu/emd/keys.hpp"

/// What the kernels of a frame share, and the paper's first two steps. For gpu/emd alone.
namespace kerb::emd {

constexpr std::uint32_t kNobodyYet = 0xFFFFFFFFU;
constexpr int kFindThreads = 512, kSimpleThreads = 256;

/// Results of earlier frames. An entry is `quads` pieces of 16 bytes: the key; the frame that used
/// it last and three costs; then more costs.
struct CacheView {
  uint4* quads = nullptr;
  std::uint32_t sets = 0;  // a power of two; 0: none
  int entry_quads = 2;
  std::uint32_t now = 0, oldest = 1;
};
__host__ __device__ inline int quads_for(int targets) { return targets <= 3 ? 2 : 4; }

/// Of a frame, one line of memory each.
enum Counter { kSolved = 0, kCached = 32, kDuplicates = 64, kRefused = 96, kCounters = 128 };

struct FrameView {
  const uint4* keys = nullptr;
  std::uint32_t count = 0;
  std::uint32_t* costs = nullptr;
  std::size_t stride = 0;
  int bins = 0, mass = 0, targets = 0;
  std::uint32_t hash_mask = 0;
  std::uint32_t* owner = nullptr;     // who solves it; nobody: its cost is there
  std::uint32_t* list = nullptr;      // who is to be solved
  std::uint32_t* counters = nullptr;  // kCounters
  std::uint32_t* table = nullptr;     // of duplicates; none: not looked for
  std::uint32_t place_mask = 0;
  CacheView cache;
};

__device__ inline bool same(const uint4& a, const uint4& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}
__device__ inline unsigned byte_sum(const uint4& key) {
  constexpr unsigned kOnes = 0x01010101U;
  return __dp4a(key.x, kOnes, __dp4a(key.y, kOnes, __dp4a(key.z, kOnes, __dp4a(key.w, kOnes, 0U))));
}
/// The words of a key with bytes from `bins` on, whole words of ones.
__device__ inline bool has_beyond(const uint4& key, int bins) {
  const unsigned words[4] = {key.x, key.y, key.z, key.w};
  bool beyond = false;
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    const int kept = min(max(bins - 4 * w, 0), 4);
    beyond |= kept < 4 && (words[w] >> (8 * kept)) != 0;
  }
  return beyond;
}
__device__ inline bool is_good(const uint4& key, int bins, int mass) {
  const unsigned sum = byte_sum(key);
  if (has_beyond(key, bins)) return false;
  return mass > 0 ? sum == static_cast<unsigned>(mass) : sum >= 1 && sum <= kMaxMass;
}
__device__ inline std::uint32_t hash_of(const uint4& key) {
  return hash_of(KeyWords{key.x, key.y, key.z, key.w});
}

/// Four signatures a thread, from planes of bytes whose rows begin at multiples of 16.
__global__ void __launch_bounds__(kSimpleThreads)
    pack_kernel(const std::uint8_t* __restrict__ planes, int given, std::size_t pitch, int bins,
                int mass, std::uint32_t count, uint4* __restrict__ keys) {
  const std::uint32_t first = 4 * (blockIdx.x * kSimpleThreads + threadIdx.x);
  if (first >= count) return;
  unsigned in[kMaxBins];
#pragma unroll
  for (int k = 0; k < kMaxBins; ++k)
    in[k] = k < given ? *reinterpret_cast<const unsigned*>(planes + k * pitch + first) : 0U;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (first + i >= count) return;
    unsigned words[4];
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      const unsigned low = __byte_perm(in[4 * w], in[4 * w + 1], i | (4 + i) << 4);
      const unsigned high = __byte_perm(in[4 * w + 2], in[4 * w + 3], i | (4 + i) << 4);
      words[w] = (low & 0xFFFFU) | high << 16;
    }
    uint4 key = make_uint4(words[0], words[1], words[2], words[3]);
    if (given < bins) {
      const int left = max(mass - static_cast<int>(byte_sum(key)), 0);
#pragma unroll
      for (int w = 0; w < 4; ++w)
        if (given / 4 == w) words[w] |= static_cast<unsigned>(left) << (8 * (given % 4));
      key = make_uint4(words[0], words[1], words[2], words[3]);
    }
    keys[first + i] = key;
  }
}

/// Costs known from an earlier frame; true when they are.
__device__ inline bool look_up(const FrameView& f, const uint4& key, std::uint32_t hash,
                               std::uint32_t pixel) {
  if (f.cache.sets == 0) return false;
  const int quads = f.cache.entry_quads;
  uint4* entry =
      f.cache.quads + static_cast<std::size_t>(hash & (f.cache.sets - 1)) * kWays * quads;
  for (int w = 0; w < kWays; ++w, entry += quads) {
    if (!same(entry[0], key)) continue;
    const uint4 first = entry[1];
    if (first.x < f.cache.oldest) continue;
    if (first.x != f.cache.now) entry[1].x = f.cache.now;
    std::uint32_t* out = f.costs + pixel;
    out[0] = first.y;
    if (f.targets > 1) out[f.stride] = first.z;
    if (f.targets > 2) out[2 * f.stride] = first.w;
    for (int t = 3; t < f.targets; ++t)
      out[t * f.stride] = reinterpret_cast<const std::uint32_t*>(entry + 2)[t - 3];
    return true;
  }
  return false;
}

/// The first signature like this one; itself when it is the first, or nobody could be found.
__device__ inline std::uint32_t owner_of(const FrameView& f, const uint4& key, std::uint32_t hash,
                                         std::uint32_t self) {
  if (f.table == nullptr) return self;
  std::uint32_t place = second_hash(hash);
  for (int probe = 0; probe < kMostProbes; ++probe, ++place) {
    std::uint32_t* there = f.table + (place & f.place_mask);
    std::uint32_t owner = __ldcg(there);
    if (owner == kNobodyYet) owner = atomicCAS(there, kNobodyYet, self);
    if (owner == kNobodyYet) return self;
    if (same(f.keys[owner], key)) return owner;
  }
  return self;
}

/// The paper's first two steps: costs that are known, and a list of signatures to solve.
__global__ void __launch_bounds__(kFindThreads) find_kernel(const FrameView f) {
  __shared__ std::uint32_t of_warp[kFindThreads / 32], list_from;
  const std::uint32_t pixel = blockIdx.x * kFindThreads + threadIdx.x;
  bool refused = false, cached = false, duplicate = false, mine = false;
  if (pixel < f.count) {
    const uint4 key = f.keys[pixel];
    const std::uint32_t hash = hash_of(key) & f.hash_mask;
    std::uint32_t owner = kNobodyYet;
    if (!is_good(key, f.bins, f.mass)) {
      refused = true;
      for (int t = 0; t < f.targets; ++t) f.costs[t * f.stride + pixel] = kNoDistance;
    } else if (look_up(f, key, hash, pixel)) {
      cached = true;
    } else {
      owner = owner_of(f, key, hash, pixel);
      mine = owner == pixel;
      duplicate = !mine;
    }
    f.owner[pixel] = owner;
  }
  const int all_refused = __syncthreads_count(refused), all_cached = __syncthreads_count(cached);
  const int all_duplicates = __syncthreads_count(duplicate);
  const unsigned ballot = __ballot_sync(0xFFFFFFFFU, mine);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) of_warp[warp] = __popc(ballot);
  __syncthreads();
  if (threadIdx.x == 0) {
    std::uint32_t sum = 0;
    for (std::uint32_t& n : of_warp) {
      const std::uint32_t mine_here = n;
      n = sum;
      sum += mine_here;
    }
    list_from = sum > 0 ? atomicAdd(f.counters + kSolved, sum) : 0;
    if (all_cached > 0) atomicAdd(f.counters + kCached, static_cast<unsigned>(all_cached));
    if (all_duplicates > 0)
      atomicAdd(f.counters + kDuplicates, static_cast<unsigned>(all_duplicates));
    if (all_refused > 0) atomicAdd(f.counters + kRefused, static_cast<unsigned>(all_refused));
  }
  __syncthreads();
  if (mine) f.list[list_from + of_warp[warp] + __popc(ballot & ((1U << lane) - 1U))] = pixel;
}

/// Keeps what was solved: in the place of the oldest of four, unless all are of this frame. Only
/// who changes the stamp writes the entry, and nobody reads entries meanwhile.
__global__ void __launch_bounds__(kSimpleThreads) keep_kernel(const FrameView f) {
  const std::uint32_t solved = f.counters[kSolved];
  for (std::uint32_t k = blockIdx.x * kSimpleThreads + threadIdx.x; k < solved;
       k += gridDim.x * kSimpleThreads) {
    const std::uint32_t pixel = f.list[k];
    const uint4 key = f.keys[pixel];
    const int quads = f.cache.entry_quads;
    uint4* const set =
        f.cache.quads +
        static_cast<std::size_t>(hash_of(key) & f.hash_mask & (f.cache.sets - 1)) * kWays * quads;
    for (;;) {
      int oldest = 0;
      std::uint32_t stamp = kNobodyYet;
      for (int w = 0; w < kWays; ++w) {
        const std::uint32_t other = __ldcg(&set[w * quads + 1].x);
        if (other < stamp) {
          stamp = other;
          oldest = w;
        }
        if (other == 0) break;  // never used: nothing is older
      }
      if (stamp >= f.cache.now) break;
      uint4* const entry = set + oldest * quads;
      if (atomicCAS(&entry[1].x, stamp, f.cache.now) != stamp) continue;
      entry[0] = key;
      auto* costs = &entry[1].y;
      for (int t = 0; t < f.targets; ++t) costs[t] = f.costs[t * f.stride + pixel];
      break;
    }
  }
}

/// Duplicates get what their owner got.
__global__ void __launch_bounds__(kSimpleThreads) spread_kernel(const FrameView f) {
  const std::uint32_t pixel = blockIdx.x * kSimpleThreads + threadIdx.x;
  if (pixel >= f.count) return;
  const std::uint32_t owner = f.owner[pixel];
  if (owner == kNobodyYet || owner == pixel) return;
  for (int t = 0; t < f.targets; ++t) f.costs[t * f.stride + pixel] = f.costs[t * f.stride + owner];
}

/// One signature a thread to all targets: nothing to look up, nothing to solve.
__global__ void __launch_bounds__(kSimpleThreads)
    closed_kernel(const FrameView f, const ClosedForm form, const uint4* __restrict__ targets) {
  const std::uint32_t pixel = blockIdx.x * kSimpleThreads + threadIdx.x;
  bool refused = false;
  if (pixel < f.count) {
    const uint4 key = f.keys[pixel];
    refused = !is_good(key, f.bins, f.mass);
    const unsigned p[4] = {key.x, key.y, key.z, key.w};
    for (int t = 0; t < f.targets; ++t) {
      const uint4 target = targets[t];
      const unsigned q[4] = {target.x, target.y, target.z, target.w};
      const std::uint32_t cost = closed_form_cost(
          form, [&](int k) { return static_cast<int>(p[k / 4] >> (8 * (k % 4)) & 255U); },
          [&](int k) { return static_cast<int>(q[k / 4] >> (8 * (k % 4)) & 255U); });
      f.costs[t * f.stride + pixel] = refused ? kNoDistance : cost;
    }
  }
  const int all = __syncthreads_count(refused);
  const int here = __syncthreads_count(pixel < f.count);
  if (threadIdx.x != 0) return;
  if (all > 0) atomicAdd(f.counters + kRefused, static_cast<unsigned>(all));
  if (here > all) atomicAdd(f.counters + kSolved, static_cast<unsigned>(here - all));
}

}  // namespace kerb::emd
