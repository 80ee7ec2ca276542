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
  bool empty = false;  // nothing is known: no look-ups
};
__host__ __device__ inline int quads_for(int targets) { return targets <= 3 ? 2 : 4; }

/// Of a frame, one line of memory each; then of its sample; then what is to be looked for.
enum Counter {
  kSolved = 0,
  kCached = 32,
  kDuplicates = 64,
  kRefused = 96,
  kSampleSolved = 128,
  kSampleCached = 160,
  kSampleDuplicates = 192,
  kCounted = 224,
  kUseCache = 224,  // 0: by the sample alone
  kUseTable = 225,
  kCounters = 256
};

/// From which share of finds on, in 256ths, looking for them pays; it stops below half of that.
struct Worth {
  std::uint32_t cached = 0, duplicates = 0;
  bool adaptive = false;     // false: always
  bool judge_cache = false;  // the last frame's cache was not empty: its finds say something
};

struct FrameView {
  const uint4* keys = nullptr;
  std::uint32_t count = 0;
  std::uint32_t* costs = nullptr;
  std::size_t stride = 0;
  int bins = 0, mass = 0, targets = 0;
  std::uint32_t hash_mask = 0;
  std::uint32_t* owner = nullptr;     // the signature that is solved for it; none: cost is known
  std::uint32_t* list = nullptr;      // signatures to solve
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

__device__ inline std::uint32_t pays(std::uint32_t before, std::uint32_t found,
                                     std::uint32_t others, std::uint32_t from) {
  constexpr std::uint32_t kFewest = 64;  // fewer say nothing
  const std::uint32_t all = found + others;
  if (all < kFewest) return before;
  const std::uint64_t share = std::uint64_t{found} * 256 / all;
  return share >= from || (before != 0 && 2 * share >= from) ? 1 : 0;
}

/// Begins a frame: decides by the sample of the frame before what is worth looking for, and sets
/// its counters to 0. Keys of the sample are always looked for and kept, so that it shows what all
/// of them would find, whether they are looked for or not. One thread.
__global__ void plan_kernel(std::uint32_t* counters, const Worth worth, bool empty) {
  std::uint32_t* const c = counters;
  std::uint32_t cache = c[kUseCache], table = c[kUseTable];
  table = pays(table, c[kSampleDuplicates], c[kSampleSolved], worth.duplicates);
  if (worth.judge_cache)
    cache = pays(cache, c[kSampleCached], c[kSampleDuplicates] + c[kSampleSolved], worth.cached);
  if (empty) cache = 1;  // who knows what comes
  c[kUseCache] = worth.adaptive ? cache : 1;
  c[kUseTable] = worth.adaptive ? table : 1;
  for (int i = 0; i < kCounted; i += 32) c[i] = 0;
}

/// Costs known from an earlier frame; true when they are.
__device__ inline bool look_up(const FrameView& f, const uint4& key, std::uint32_t hash,
                               std::uint32_t pixel) {
  if (f.cache.sets == 0 || f.cache.empty) return false;
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

/// The first equal signature; itself when it is the first, or the search was given up.
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
  enum Fate { kIsRefused, kIsCached, kIsDuplicate, kIsMine, kFates };
  __shared__ std::uint32_t of_warp[kFindThreads / 32], list_from;
  __shared__ std::uint32_t of_block[kFates], of_sample[kFates];
  if (threadIdx.x < kFates) of_block[threadIdx.x] = of_sample[threadIdx.x] = 0;
  const bool use_cache = f.counters[kUseCache] != 0, use_table = f.counters[kUseTable] != 0;
  const std::uint32_t pixel = blockIdx.x * kFindThreads + threadIdx.x;
  int fate = -1;
  bool sample = false;
  if (pixel < f.count) {
    const uint4 key = f.keys[pixel];
    const std::uint32_t whole = hash_of(key), hash = whole & f.hash_mask;
    std::uint32_t owner = kNobodyYet;
    sample = in_sample(whole);
    if (!is_good(key, f.bins, f.mass)) {
      fate = kIsRefused;
      for (int t = 0; t < f.targets; ++t) f.costs[t * f.stride + pixel] = kNoDistance;
    } else if ((use_cache || sample) && look_up(f, key, hash, pixel)) {
      fate = kIsCached;
    } else {
      owner = use_table || sample ? owner_of(f, key, hash, pixel) : pixel;
      fate = owner == pixel ? kIsMine : kIsDuplicate;
    }
    f.owner[pixel] = owner;
  }
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned samples = __ballot_sync(0xFFFFFFFFU, sample);
  __syncthreads();  // of_block and of_sample are 0
  unsigned mine = 0;
#pragma unroll
  for (int k = 0; k < kFates; ++k) {
    const unsigned ballot = __ballot_sync(0xFFFFFFFFU, fate == k);
    if (k == kIsMine) mine = ballot;
    if (lane != 0 || ballot == 0) continue;
    atomicAdd(of_block + k, static_cast<unsigned>(__popc(ballot)));
    if ((ballot & samples) != 0)
      atomicAdd(of_sample + k, static_cast<unsigned>(__popc(ballot & samples)));
  }
  if (lane == 0) of_warp[warp] = __popc(mine);
  __syncthreads();
  if (threadIdx.x == 0) {
    std::uint32_t sum = 0;
    for (std::uint32_t& n : of_warp) {
      const std::uint32_t mine_here = n;
      n = sum;
      sum += mine_here;
    }
    list_from = sum > 0 ? atomicAdd(f.counters + kSolved, sum) : 0;
    const auto add = [&](int counter, std::uint32_t n) {
      if (n > 0) atomicAdd(f.counters + counter, n);
    };
    add(kCached, of_block[kIsCached]);
    add(kDuplicates, of_block[kIsDuplicate]);
    add(kRefused, of_block[kIsRefused]);
    add(kSampleCached, of_sample[kIsCached]);
    add(kSampleDuplicates, of_sample[kIsDuplicate]);
    add(kSampleSolved, of_sample[kIsMine]);
  }
  __syncthreads();
  if (fate == kIsMine)
    f.list[list_from + of_warp[warp] + __popc(mine & ((1U << lane) - 1U))] = pixel;
}

/// Stores solved costs in the cache: in the first cleared place, else in that of the oldest of
/// four, unless all are of this frame. Only the thread that changes the stamp writes the entry, and
/// keys and costs are not read meanwhile.
__global__ void __launch_bounds__(kSimpleThreads) keep_kernel(const FrameView f) {
  const std::uint32_t solved = f.counters[kSolved];
  const bool use_cache = f.counters[kUseCache] != 0;
  for (std::uint32_t k = blockIdx.x * kSimpleThreads + threadIdx.x; k < solved;
       k += gridDim.x * kSimpleThreads) {
    const std::uint32_t pixel = f.list[k];
    const uint4 key = f.keys[pixel];
    const std::uint32_t hash = hash_of(key);
    if (!use_cache && !in_sample(hash)) continue;
    const int quads = f.cache.entry_quads;
    uint4* const set =
        f.cache.quads +
        static_cast<std::size_t>(hash & f.hash_mask & (f.cache.sets - 1)) * kWays * quads;
    for (;;) {
      int oldest = 0;
      std::uint32_t stamp = kNobodyYet;
      for (int w = 0; w < kWays; ++w) {
        const std::uint32_t other = __ldcg(&set[w * quads + 1].x);
        if (other < stamp) {
          stamp = other;
          oldest = w;
        }
        if (other < f.cache.oldest) break;  // never used, or forgotten
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
  if (pixel >= f.count || f.counters[kDuplicates] == 0) return;
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
