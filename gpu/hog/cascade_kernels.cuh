// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "gpu/hog/cascade_layout.hpp"
#include "gpu/hog/engine.hpp"
#include "gpu/image/grid_histogram_cuda.hpp"

// The cascade's kernels and the tables they read, for cascade_cuda.cu alone.
namespace kerb::hog::cascade_kernels {

// --- what the kernels see --------------------------------------------------------------------

constexpr int kEarlyThreads = 128;   // windows of a block while every window has a thread
constexpr int kEarlyLearners = 6;    // evaluated that way, if the stages allow it
constexpr int kMiddleLanes = 16;     // to a window after that
constexpr int kMiddleLearners = 64;  // looked at by so few lanes; after them a block to a window
// Soft cascades of trees: a tree is cheap, and windows leave after any of them.
constexpr int kEarlyTrees = 16;   // a thread to a window
constexpr int kMiddleTrees = 80;  // up to here a few lanes to a window, then a warp
constexpr int kSoftLanes = 8;
constexpr int kLanesThreads = 128, kLateThreads = 128;
constexpr int kChunkStages = 32;  // at most, in a chunk
constexpr int kFirstHits = 2048;  // copied back with the count; more need a second copy

/// A linear learner but for its weights, in two reads of 16 bytes. `place[i]` packs, for the i-th
/// of three columns and rows of nodes, the column's phase (10 bits), its index within that (11) and
/// the row (11); see grid_histogram_cuda.hpp.
struct alignas(16) LinearRecord {
  std::uint32_t place[3];
  float offset;
  float slope;
  std::int32_t pass, fail, unused;
};
constexpr int kMaxPhases = 1024, kMaxNodes = 2048;
inline std::uint32_t pack_place(int node_x, int node_y, int phases) {
  return static_cast<std::uint32_t>((node_x % phases) << 22 | (node_x / phases) << 11 | node_y);
}

/// All learners of a linear cascade, arranged so that lanes with neighbouring learners read
/// neighbouring memory.
struct LinearTable {
  const float4* weights;  // [k][learner]
  const LinearRecord* records;
  int count;
};

/// A question in one read of 16 bytes, places packed as above.
struct alignas(16) Question {
  std::uint32_t from, to;  // upper left and lower right node
  /// From the lowest bit on: channel (5 bits), divisor's channel (5), whether there is one (1),
  /// right + 256 (10), left + 256 (10).
  std::uint32_t links;
  float threshold;
};
static_assert(kMaxTreeNodes <= 255);
struct Divisor {
  std::uint32_t from, to;
};
std::uint32_t pack_links(const GridQuestion& q) {
  const auto number = [](int v) { return static_cast<std::uint32_t>(v); };
  return number(q.channel) | number(std::max<int>(q.divisor, 0)) << 5 |
         number(q.divisor >= 0 ? 1 : 0) << 10 | number(q.right + 256) << 11 |
         number(q.left + 256) << 21;
}
struct TreeTable {
  const Question* questions;
  const Divisor* divisors;  // of as many; read where there is one
  const TreeLearner* trees;
  const std::int32_t* leaves;
};

struct WindowLevel {
  std::int32_t columns, count, first_window, node_step;  // node_step: rows of nodes to a stride
};
struct WindowTask {
  std::int32_t level, first;
};

/// Stages that are evaluated at once: a single one, or several whose learners find a lane each.
/// Looking at a stage before its turn changes nothing but the time, as lanes would be idle.
struct Chunk {
  std::int32_t first_stage, end_stage, first_learner, learner_count;
};

struct Candidate {
  std::int64_t score;
  std::int32_t window_in_level, level, votes, unused;
};

/// What a search leaves behind; the hits follow it in memory, so that one copy brings both.
struct Counters {
  std::int32_t candidates[2], hits, unused;
};

constexpr std::size_t kHitsAt = sizeof(Counters) / sizeof(Hit);
static_assert(kHitsAt * sizeof(Hit) == sizeof(Counters));

// --- evaluation: the order of operations is in cascade_layout.hpp ----------------------------

struct Four {
  float x, y, z, w;
};
__device__ void take(Four& square, Four& dot, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                     std::uint32_t d, const float4& weight) {
  const float x = static_cast<float>(static_cast<std::int32_t>(a));
  const float y = static_cast<float>(static_cast<std::int32_t>(b));
  const float z = static_cast<float>(static_cast<std::int32_t>(c));
  const float w = static_cast<float>(static_cast<std::int32_t>(d));
  square.x += x * x;
  square.y += y * y;
  square.z += z * z;
  square.w += w * w;
  dot.x += weight.x * x;
  dot.y += weight.y * y;
  dot.z += weight.z * z;
  dot.w += weight.w * w;
}

/// (lower right - lower left) - (upper right - upper left)
__device__ std::uint32_t between(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                 std::uint32_t d) {
  return (d - c) - (b - a);
}
__device__ void take_cell(Four& square, Four& dot, const uint4& a, const uint4& b, const uint4& c,
                          const uint4& d, const float4& weight) {
  take(square, dot, between(a.x, b.x, c.x, d.x), between(a.y, b.y, c.y, d.y),
       between(a.z, b.z, c.z, d.z), between(a.w, b.w, c.w, d.w), weight);
}

/// The vote of one linear learner on one window, whose first node is `at`.
template <typename Weight>
__device__ std::int32_t linear_vote(const GridNodes& nodes, const GridLevel& level,
                                    std::uint32_t at, const LinearRecord& record,
                                    const Weight& weight) {
  std::uint32_t x[3], y[3], o[9];
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t place = record.place[i];
    x[i] = (place >> 22) * static_cast<std::uint32_t>(level.phase_nodes) + (place >> 11 & 2047U);
    y[i] = at + (place & 2047U) * static_cast<std::uint32_t>(level.row_nodes);
  }
#pragma unroll
  for (int i = 0; i < 9; ++i) o[i] = y[i / 3] + x[i % 3];
  Four square{}, dot{};
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    const uint4* plane = nodes.quads + q * static_cast<std::size_t>(nodes.plane_nodes);
    uint4 n[9];
#pragma unroll
    for (int i = 0; i < 9; ++i) n[i] = plane[o[i]];
    take_cell(square, dot, n[0], n[1], n[3], n[4], weight(4 * q));
    take_cell(square, dot, n[1], n[2], n[4], n[5], weight(4 * q + 1));
    take_cell(square, dot, n[3], n[4], n[6], n[7], weight(4 * q + 2));
    take_cell(square, dot, n[4], n[5], n[7], n[8], weight(4 * q + 3));
  }
  std::uint32_t n[9];
#pragma unroll
  for (int i = 0; i < 9; ++i) n[i] = nodes.singles[o[i]];
  take(square, dot, between(n[0], n[1], n[3], n[4]), between(n[1], n[2], n[4], n[5]),
       between(n[3], n[4], n[6], n[7]), between(n[4], n[5], n[7], n[8]), weight(8));
  const float sum = (dot.x + dot.y) + (dot.z + dot.w);
  const float norm = sqrtf((square.x + square.y) + (square.z + square.w)) + 1.0F;
  const float v = sum / norm - record.offset;
  std::int32_t vote = v >= 0 ? record.pass : record.fail;
  if (record.slope != 0)
    vote += __float2int_rn(fminf(fmaxf(v * record.slope, -kSlopeLimit), kSlopeLimit));
  return vote;
}

__device__ float rectangle(const std::uint32_t* plane, const GridLevel& level, std::uint32_t from,
                           std::uint32_t to) {
  const auto column = [&](std::uint32_t place) {
    return (place >> 22) * static_cast<std::uint32_t>(level.phase_nodes) + (place >> 11 & 2047U);
  };
  const std::uint32_t left = column(from), right = column(to);
  const auto rows = static_cast<std::uint32_t>(level.row_nodes);
  const std::uint32_t* upper = plane + (from & 2047U) * rows;
  const std::uint32_t* lower = plane + (to & 2047U) * rows;
  return static_cast<float>(between(upper[left], upper[right], lower[left], lower[right]));
}

__device__ std::int32_t tree_vote(const GridNodes& nodes, const GridLevel& level, std::uint32_t at,
                                  const TreeTable& table, int index) {
  const TreeLearner tree = table.trees[index];
  const std::uint32_t* window = nodes.singles + at;
  const auto plane = [&](std::uint32_t channel) {
    return window + channel * static_cast<std::size_t>(nodes.plane_nodes);
  };
  int next = 0;
  do {
    const Question q = table.questions[tree.first_node + next];
    float value = rectangle(plane(q.links & 31U), level, q.from, q.to);
    if ((q.links >> 10 & 1U) != 0) {
      const Divisor below = table.divisors[tree.first_node + next];
      value /= rectangle(plane(q.links >> 5 & 31U), level, below.from, below.to) + kDivisorFloor;
    }
    next = static_cast<int>((value < q.threshold ? q.links >> 21 : q.links >> 11) & 1023U) - 256;
  } while (next >= 0);
  return table.leaves[tree.first_leaf + ~next];
}

/// Linear learners and trees behind one call.
struct EvaluateLinear {
  LinearTable table;
  __device__ std::int32_t operator()(const GridNodes& nodes, const GridLevel& level,
                                     std::uint32_t at, int learner) const {
    return linear_vote(nodes, level, at, table.records[learner],
                       [&](int k) { return table.weights[k * table.count + learner]; });
  }
};
struct EvaluateTree {
  TreeTable table;
  __device__ std::int32_t operator()(const GridNodes& nodes, const GridLevel& level,
                                     std::uint32_t at, int learner) const {
    return tree_vote(nodes, level, at, table, learner);
  }
};

// --- kernels ---------------------------------------------------------------------------------

__device__ std::uint32_t first_node(const GridLevel& grid, const WindowLevel& level, int window) {
  const auto row = static_cast<std::uint32_t>(window / level.columns * level.node_step);
  return grid.node_offset + row * static_cast<std::uint32_t>(grid.row_nodes) +
         static_cast<std::uint32_t>(window % level.columns);
}

/// A place in a list for every lane that wants one, with one atomic operation for the warp.
__device__ int append(bool wants, int lane, std::int32_t* counter) {
  const unsigned mask = __ballot_sync(0xFFFFFFFFU, wants);
  int first = 0;
  if (lane == 0 && mask != 0) first = atomicAdd(counter, __popc(mask));
  first = __shfl_sync(0xFFFFFFFFU, first, 0);
  return first + __popc(mask & ((1U << lane) - 1));
}

/// The first stages, a thread to a window.
template <typename Evaluate>
__global__ void __launch_bounds__(kEarlyThreads)
    early_kernel(GridNodes nodes, const GridLevel* __restrict__ grids,
                 const WindowLevel* __restrict__ levels, const WindowTask* __restrict__ tasks,
                 const Stage* __restrict__ stages, int stage_count, bool cumulative,
                 Evaluate evaluate, Candidate* __restrict__ candidates, std::int32_t* counter) {
  const WindowTask task = tasks[blockIdx.x];
  const WindowLevel level = levels[task.level];
  const GridLevel grid = grids[task.level];
  const int window = task.first + static_cast<int>(threadIdx.x);
  bool left = window < level.count;
  std::int64_t score = 0;
  std::int32_t sum = 0;
  if (left) {
    const std::uint32_t at = first_node(grid, level, window);
    for (int s = 0; s < stage_count; ++s) {
      const Stage stage = stages[s];
      for (int i = 0; i < stage.count; ++i) sum += evaluate(nodes, grid, at, stage.first + i);
      if (sum < stage.threshold) {
        left = false;
        break;
      }
      const std::int64_t margin = static_cast<std::int64_t>(sum) - stage.threshold;
      score = (cumulative ? 0 : score) + margin;
      if (!cumulative) sum = 0;
    }
  }
  const int place = append(left, static_cast<int>(threadIdx.x) % 32, counter);
  if (left) candidates[place] = {score, window, task.level, sum, 0};
}

template <int kLanes>
__device__ std::int32_t sum_of_lanes(std::int32_t v) {
#pragma unroll
  for (int d = kLanes / 2; d > 0; d /= 2) v += __shfl_xor_sync(0xFFFFFFFFU, v, d);
  return v;
}

/// The stages after that, `kLanes` lanes to a window, a learner to each. Votes are whole numbers:
/// their sum does not depend on who adds first.
template <int kLanes, typename Evaluate>
__global__ void __launch_bounds__(kLanesThreads)
    lanes_kernel(GridNodes nodes, const GridLevel* __restrict__ grids,
                 const WindowLevel* __restrict__ levels, const Stage* __restrict__ stages,
                 const Chunk* __restrict__ chunks, int chunk_count, bool cumulative,
                 Evaluate evaluate, const Candidate* __restrict__ candidates,
                 const std::int32_t* __restrict__ candidate_count,
                 Candidate* __restrict__ survivors, std::int32_t* survivor_counter) {
  constexpr int kGroups = kLanesThreads / kLanes;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kLanes;
  const int count = *candidate_count, groups = static_cast<int>(gridDim.x) * kGroups;
  const int warp_lane = thread % 32;
  // All lanes of a warp stay together: a group without a window, or with a rejected one, idles.
  for (int first = (static_cast<int>(blockIdx.x) * kLanesThreads + thread) / 32 * 32 / kLanes;
       first < count; first += groups) {
    const int index = first + warp_lane / kLanes;
    bool left = index < count;
    const Candidate candidate = candidates[left ? index : first];
    const WindowLevel level = levels[candidate.level];
    const GridLevel grid = grids[candidate.level];
    const std::uint32_t at = first_node(grid, level, candidate.window_in_level);
    std::int64_t score = candidate.score;
    std::int32_t sum = candidate.votes;
    for (int c = 0; c < chunk_count && __any_sync(0xFFFFFFFFU, left); ++c) {
      const Chunk chunk = chunks[c];
      std::int32_t vote = 0;
      if (left)
        for (int i = lane; i < chunk.learner_count; i += kLanes)
          vote += evaluate(nodes, grid, at, chunk.first_learner + i);
      for (int s = chunk.first_stage; s < chunk.end_stage; ++s) {
        const Stage stage = stages[s];
        const int from = stage.first - chunk.first_learner;
        const bool mine =
            chunk.end_stage - chunk.first_stage == 1 || (lane >= from && lane < from + stage.count);
        sum += sum_of_lanes<kLanes>(mine ? vote : 0);
        if (sum < stage.threshold) left = false;
        const std::int64_t margin = static_cast<std::int64_t>(sum) - stage.threshold;
        score = (cumulative ? 0 : score) + margin;
        if (!cumulative) sum = 0;
      }
    }
    const bool done = left && lane == 0;
    const int place = append(done, warp_lane, survivor_counter);
    if (done) survivors[place] = {score, candidate.window_in_level, candidate.level, sum, 0};
  }
}

/// The last and largest stages, a block to a window: few windows are left, and each of them takes
/// long. What passes is a hit.
template <typename Evaluate>
__global__ void __launch_bounds__(kLateThreads)
    late_kernel(GridNodes nodes, const GridLevel* __restrict__ grids,
                const WindowLevel* __restrict__ levels, const Stage* __restrict__ stages,
                const Chunk* __restrict__ chunks, int chunk_count, bool cumulative,
                Evaluate evaluate, const Candidate* __restrict__ candidates,
                const std::int32_t* __restrict__ candidate_count, Hit* __restrict__ hits,
                std::int32_t* hit_counter) {
  __shared__ std::int32_t sums[kChunkStages];
  const int thread = static_cast<int>(threadIdx.x), count = *candidate_count;
  for (int index = static_cast<int>(blockIdx.x); index < count;
       index += static_cast<int>(gridDim.x)) {
    const Candidate candidate = candidates[index];
    const WindowLevel level = levels[candidate.level];
    const GridLevel grid = grids[candidate.level];
    const std::uint32_t at = first_node(grid, level, candidate.window_in_level);
    std::int64_t score = candidate.score;
    std::int32_t sum = candidate.votes;
    bool left = true;
    for (int c = 0; c < chunk_count && left; ++c) {
      const Chunk chunk = chunks[c];
      const int chunk_stages = chunk.end_stage - chunk.first_stage;
      if (thread < chunk_stages) sums[thread] = 0;
      __syncthreads();
      std::int32_t vote = 0;
      for (int i = thread; i < chunk.learner_count; i += kLateThreads)
        vote += evaluate(nodes, grid, at, chunk.first_learner + i);
      if (thread < chunk.learner_count) {  // with several stages, a thread has one learner
        int s = 0;
        while (s + 1 < chunk_stages &&
               stages[chunk.first_stage + s + 1].first <= chunk.first_learner + thread)
          ++s;
        atomicAdd(&sums[s], vote);
      }
      __syncthreads();
      for (int s = 0; s < chunk_stages; ++s) {
        const std::int32_t threshold = stages[chunk.first_stage + s].threshold;
        sum += sums[s];
        if (sum < threshold) left = false;
        const std::int64_t margin = static_cast<std::int64_t>(sum) - threshold;
        score = (cumulative ? 0 : score) + margin;
        if (!cumulative) sum = 0;
      }
      __syncthreads();
    }
    if (left && thread == 0)
      hits[atomicAdd(hit_counter, 1)] = {level.first_window + candidate.window_in_level,
                                         __ll2float_rn(score) * kVoteUnit};
  }
}

/// Learners [first, end) of a soft cascade, `kLanes` lanes to a window, a learner to each: what the
/// votes add up to after each of them is a sum over the lanes before. `ends[i]` is what it must be
/// then, where a stage ends. The windows that are left are survivors or, after the last learner,
/// hits.
template <int kLanes, bool kLast, typename Evaluate>
__global__ void __launch_bounds__(kLanesThreads)
    soft_kernel(GridNodes nodes, const GridLevel* __restrict__ grids,
                const WindowLevel* __restrict__ levels, const std::int32_t* __restrict__ ends,
                int first_learner, int end_learner, std::int32_t last_threshold, Evaluate evaluate,
                const Candidate* __restrict__ candidates,
                const std::int32_t* __restrict__ candidate_count, Candidate* __restrict__ survivors,
                std::int32_t* survivor_counter, Hit* __restrict__ hits, std::int32_t* hit_counter) {
  constexpr int kGroups = kLanesThreads / kLanes;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kLanes;
  const int count = *candidate_count, groups = static_cast<int>(gridDim.x) * kGroups;
  const int warp_lane = thread % 32;
  const unsigned group_mask = (kLanes == 32 ? 0xFFFFFFFFU : (1U << (kLanes % 32)) - 1)
                              << (warp_lane / kLanes * kLanes);
  // All lanes of a warp stay together: a group without a window, or with a rejected one, idles.
  for (int first = (static_cast<int>(blockIdx.x) * kLanesThreads + thread) / 32 * 32 / kLanes;
       first < count; first += groups) {
    const int index = first + warp_lane / kLanes;
    bool left = index < count;
    const Candidate candidate = candidates[left ? index : first];
    const WindowLevel level = levels[candidate.level];
    const GridLevel grid = grids[candidate.level];
    const std::uint32_t at = first_node(grid, level, candidate.window_in_level);
    std::int32_t sum = candidate.votes;
    for (int i = first_learner; i < end_learner && __any_sync(0xFFFFFFFFU, left); i += kLanes) {
      const int learner = i + lane;
      const bool mine = left && learner < end_learner;
      std::int32_t vote = mine ? evaluate(nodes, grid, at, learner) : 0;
#pragma unroll
      for (int d = 1; d < kLanes; d *= 2) {
        const std::int32_t before = __shfl_up_sync(0xFFFFFFFFU, vote, d, kLanes);
        if (lane >= d) vote += before;
      }
      const std::int32_t so_far = sum + vote;
      const unsigned failed =
          __ballot_sync(0xFFFFFFFFU, mine && so_far < ends[learner]) & group_mask;
      if (failed != 0) left = false;
      sum = __shfl_sync(0xFFFFFFFFU, so_far, kLanes - 1, kLanes);
    }
    const bool done = left && lane == 0;
    if constexpr (kLast) {
      if (done)
        hits[atomicAdd(hit_counter, 1)] = {
            level.first_window + candidate.window_in_level,
            __ll2float_rn(static_cast<std::int64_t>(sum) - last_threshold) * kVoteUnit};
    } else {
      const int place = append(done, warp_lane, survivor_counter);
      if (done) survivors[place] = {0, candidate.window_in_level, candidate.level, sum, 0};
    }
  }
}

}  // namespace kerb::hog::cascade_kernels
