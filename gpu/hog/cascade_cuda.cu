// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "gpu/hog/cascade_layout.hpp"
#include "gpu/hog/engine.hpp"
#include "gpu/hog/no_memory.hpp"
#include "gpu/image/grid_histogram_cuda.hpp"
#include "gpu/image/pyramid_cuda.hpp"
#include "gpu/image/to_luv.hpp"
#include "gpu/memory/graph_cuda.hpp"
#include "gpu/memory/upload.hpp"

namespace kerb::hog {
namespace {

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
std::uint32_t pack_place(int node_x, int node_y, int phases) {
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

// --- the engine ------------------------------------------------------------------------------

class CascadeCuda final : public Engine {
 public:
  CascadeCuda(const Context& context, Model model, SearchPlan plan)
      : context_{context},
        model_{std::move(model)},
        cascade_{std::get<CascadeModel>(model_.kind)},
        plan_{std::move(plan)} {}

  Status create(const CascadeLayout& layout);

  Result<Hits> search(const Picture<Space::host>& picture, float threshold) override {
    const Planes<Space::host> in = planes_of(picture);
    if (Status ok = check(in); !ok) return ok.error();
    if (plan_.window_count == 0) return Hits{};
    const auto width = static_cast<std::size_t>(in.width);
    const std::size_t pixels = width * static_cast<std::size_t>(in.height);
    for (int p = 0; p < in.count; ++p)
      if (Status copied = runtime::copy_rows(
              stream().get(), runtime::Direction::to_device,
              input_.device_data() + static_cast<std::size_t>(p) * pixels, width, in.plane(p).data,
              static_cast<std::size_t>(in.row_stride), width, static_cast<std::size_t>(in.height));
          !copied)
        return copied.error();
    return run({input_.device_data(), in.count, in.width, in.height, in.width,
                static_cast<std::ptrdiff_t>(pixels)},
               threshold);
  }

  Result<Hits> search(const Picture<Space::device>& picture, float threshold) override {
    const Planes<Space::device> in = planes_of(picture);
    if (Status ok = check(in); !ok) return ok.error();
    if (plan_.window_count == 0) return Hits{};
    return run(in, threshold);
  }

  Result<Work> count_work(const Picture<Space::host>& picture) override {
    Workers alone{1};
    SearchSettings same = settings_;
    Result<std::unique_ptr<Engine>> twin =
        make_cascade_cpu(alone, model_, same, plan_.pyramid.width, plan_.pyramid.height);
    if (!twin) return twin.error();
    return (*twin)->count_work(picture);
  }

  [[nodiscard]] const SearchPlan& plan() const noexcept override { return plan_; }
  [[nodiscard]] const Model& model() const noexcept override { return model_; }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cuda; }
  [[nodiscard]] std::size_t device_bytes() const noexcept override { return bytes_; }
  void remember(const SearchSettings& settings) { settings_ = settings; }

 private:
  [[nodiscard]] StreamRef stream() const noexcept { return *stream_; }
  template <Space S>
  using Planes = PlanesView<S, const std::uint8_t>;

  /// What the model looks at: the grey plane, or R, G and B.
  template <Space S>
  Planes<S> planes_of(const Picture<S>& picture) const {
    if (cascade_.channels.colour) return picture.rgb;
    return {picture.grey.data,       1, picture.grey.width, picture.grey.height,
            picture.grey.row_stride, 0};
  }
  template <Space S>
  Status check(const Planes<S>& in) const {
    if (cascade_.channels.colour && (in.data == nullptr || in.count != 3))
      return Error{Errc::invalid_argument, 0, "cascade", "the model needs colour"};
    if (in.data == nullptr || in.width != plan_.pyramid.width ||
        in.height != plan_.pyramid.height || in.row_stride < in.width)
      return Error{Errc::invalid_argument, 0, "cascade", "a picture of another size"};
    return Done{};
  }
  template <typename T>
  Status take(DeviceBuffer<T>& buffer, std::size_t count) {
    Result<DeviceBuffer<T>> memory =
        DeviceBuffer<T>::create(context_, std::max<std::size_t>(count, 1));
    if (!memory) return memory.error();
    buffer = std::move(*memory);
    bytes_ += count * sizeof(T);
    return Done{};
  }
  template <typename T>
  Status put(DeviceBuffer<T>& buffer, const std::vector<T>& from) {
    bytes_ += from.size() * sizeof(T);
    return upload(context_, from, buffer);
  }
  Status put_learners(const CascadeLayout& layout, int phases);
  std::vector<Chunk> plan_chunks();
  [[nodiscard]] bool is_soft() const { return cascade_.cumulative && cascade_.linear.empty(); }
  Status queue(StreamRef on, const Planes<Space::device>& in);
  template <typename Evaluate>
  Status queue_early(StreamRef on, const Evaluate& evaluate);
  template <typename Evaluate>
  Status queue_stages(StreamRef on, const Evaluate& evaluate);
  Status queue_soft(StreamRef on, const EvaluateTree& evaluate);
  Result<Hits> run(const Planes<Space::device>& in, float threshold);

  const Context& context_;
  Model model_;
  const CascadeModel& cascade_;
  SearchPlan plan_;
  SearchSettings settings_;
  std::optional<Stream> stream_;
  std::optional<PyramidTables> pyramid_;
  std::optional<GridTables> grid_;
  std::size_t bytes_ = 0;
  int early_stages_ = 0, early_learners_ = 0, middle_chunks_ = 0, late_chunks_ = 0;
  unsigned early_blocks_ = 0, lanes_blocks_ = 0, late_blocks_ = 0;
  DeviceBuffer<std::uint8_t> input_, luv_, samples_;
  DeviceBuffer<float4> weights_;
  DeviceBuffer<LinearRecord> records_;
  DeviceBuffer<Question> questions_;
  DeviceBuffer<Divisor> divisors_;
  DeviceBuffer<std::int32_t> ends_;  // soft cascades: the threshold of the stage a learner ends
  DeviceBuffer<TreeLearner> trees_;
  DeviceBuffer<std::int32_t> leaves_;
  DeviceBuffer<Stage> stages_;
  DeviceBuffer<WindowLevel> levels_;
  DeviceBuffer<WindowTask> tasks_;
  DeviceBuffer<Chunk> chunks_;
  DeviceBuffer<Candidate> candidates_, survivors_;
  DeviceBuffer<Hit> results_;  // the first two are Counters
  HostBuffer<Hit> host_results_;
  std::vector<Hit> hits_;
  GraphCache graphs_;  // last: goes before what its graphs use
};

Status CascadeCuda::put_learners(const CascadeLayout& layout, int phases) {
  const std::size_t count = layout.linear.size();
  std::vector<float4> weights(9 * count);
  std::vector<LinearRecord> records;
  for (std::size_t l = 0; l < count; ++l) {
    const GridLinear& g = layout.linear[l];
    for (std::size_t k = 0; k < 9; ++k)
      weights[k * count + l] = {g.weights[4 * k], g.weights[4 * k + 1], g.weights[4 * k + 2],
                                g.weights[4 * k + 3]};
    LinearRecord record{{}, g.offset, g.slope, g.pass, g.fail, 0};
    for (int i = 0; i < 3; ++i) record.place[i] = pack_place(g.x[i], g.y[i], phases);
    records.push_back(record);
  }
  std::vector<Question> questions;
  std::vector<Divisor> divisors;
  for (const GridQuestion& g : layout.questions) {
    questions.push_back({pack_place(g.x0, g.y0, phases), pack_place(g.x1, g.y1, phases),
                         pack_links(g), g.threshold});
    divisors.push_back({pack_place(g.dx0, g.dy0, phases), pack_place(g.dx1, g.dy1, phases)});
  }
  std::vector<std::int32_t> ends(static_cast<std::size_t>(cascade_.learner_count()),
                                 std::numeric_limits<std::int32_t>::min());
  for (const Stage& stage : cascade_.stages)
    ends[static_cast<std::size_t>(stage.first + stage.count - 1)] = stage.threshold;
  for (const Status& done :
       {put(weights_, weights), put(records_, records), put(questions_, questions),
        put(divisors_, divisors), put(ends_, ends), put(trees_, cascade_.trees),
        put(leaves_, cascade_.leaves), put(stages_, cascade_.stages)})
    if (!done) return done;
  return Done{};
}

/// Which stages are looked at by one thread, by a few lanes, by a block.
std::vector<Chunk> CascadeCuda::plan_chunks() {
  const auto& stages = cascade_.stages;
  const int count = static_cast<int>(stages.size());
  const auto size = [&](int s) { return stages[static_cast<std::size_t>(s)].count; };
  int learners = 0;
  for (early_stages_ = 0; early_stages_ < count; ++early_stages_) {
    if (early_stages_ > 0 &&
        learners + size(early_stages_) > (is_soft() ? kEarlyTrees : kEarlyLearners))
      break;
    learners += size(early_stages_);
  }
  early_learners_ = learners;
  std::vector<Chunk> chunks;
  if (is_soft()) return chunks;  // where a stage ends makes no difference there
  bool late = false;
  for (int s = early_stages_; s < count;) {
    if (!late && learners + size(s) > kMiddleLearners) {
      late = true;
      middle_chunks_ = static_cast<int>(chunks.size());
    }
    const int lanes = late ? kLateThreads : kMiddleLanes;
    Chunk chunk{s, s + 1, stages[static_cast<std::size_t>(s)].first, size(s)};
    while (chunk.end_stage < count && chunk.end_stage - s < kChunkStages &&
           chunk.learner_count + size(chunk.end_stage) <= lanes &&
           stages[static_cast<std::size_t>(chunk.end_stage)].first ==
               chunk.first_learner + chunk.learner_count) {
      chunk.learner_count += size(chunk.end_stage);
      ++chunk.end_stage;
    }
    learners += chunk.learner_count;
    s = chunk.end_stage;
    chunks.push_back(chunk);
  }
  if (!late) middle_chunks_ = static_cast<int>(chunks.size());
  late_chunks_ = static_cast<int>(chunks.size()) - middle_chunks_;
  return chunks;
}

Status CascadeCuda::create(const CascadeLayout& layout) {
  const int phases = plan_.stride / layout.grid.grid;
  const int quads = cascade_.linear.empty() ? 0 : 2;
  static_assert(kMaxWindowSide < kMaxNodes);
  if (phases > kMaxPhases)
    return Error{Errc::unsupported, 0, "cascade", "a stride of more than 1024 nodes"};
  Result<Stream> own = Stream::create();
  if (!own) return own.error();
  stream_.emplace(std::move(*own));
  if (plan_.window_count == 0) return Done{};

  Result<PyramidTables> pyramid = PyramidTables::create(context_, plan_.pyramid);
  if (!pyramid) return pyramid.error();
  pyramid_.emplace(std::move(*pyramid));
  Result<GridTables> grid = GridTables::create(context_, plan_.pyramid, layout.grid, phases, quads);
  if (!grid) return grid.error();
  grid_.emplace(std::move(*grid));
  bytes_ = pyramid_->device_bytes() + grid_->device_bytes();

  if (Status ok = put_learners(layout, phases); !ok) return ok;
  const std::vector<Chunk> chunks = plan_chunks();
  std::vector<WindowLevel> levels;
  std::vector<WindowTask> tasks;
  for (std::size_t i = 0; i < plan_.windows.size(); ++i) {
    const LevelWindows& w = plan_.windows[i];
    if (w.first_x != 0 || w.first_y != 0)
      return Error{Errc::unsupported, 0, "cascade", "a level larger than its windows"};
    levels.push_back({w.columns, w.columns * w.rows, w.first_window, phases});
    for (int first = 0; first < w.columns * w.rows; first += kEarlyThreads)
      tasks.push_back({static_cast<std::int32_t>(i), first});
  }
  early_blocks_ = static_cast<unsigned>(tasks.size());
  lanes_blocks_ = static_cast<unsigned>(std::max(1, context_.info().multiprocessors) * 16);
  late_blocks_ = static_cast<unsigned>(std::max(1, context_.info().multiprocessors) * 4);
  const auto windows = static_cast<std::size_t>(plan_.window_count);
  const std::size_t pixels = static_cast<std::size_t>(plan_.pyramid.width) *
                             static_cast<std::size_t>(plan_.pyramid.height);
  const auto planes = static_cast<std::size_t>(layout.grid.planes());
  constexpr std::size_t kSlack = 64;  // the last row's words may be read past its end
  for (const Status& done :
       {put(levels_, levels), put(tasks_, tasks), put(chunks_, chunks),
        take(input_, planes * pixels), take(luv_, layout.grid.colour ? planes * pixels : 0),
        take(samples_, planes * plan_.pyramid.samples + kSlack), take(candidates_, windows),
        take(survivors_, windows), take(results_, kHitsAt + windows + kFirstHits)})
    if (!done) return done;
  Result<HostBuffer<Hit>> results =
      HostBuffer<Hit>::create(context_, Use::result, kHitsAt + windows + kFirstHits);
  if (!results) return results.error();
  host_results_ = std::move(*results);
  hits_.reserve(windows);
  return Done{};
}

template <typename Evaluate>
Status CascadeCuda::queue_early(StreamRef on, const Evaluate& evaluate) {
  auto* counters = reinterpret_cast<Counters*>(results_.device_data());
  early_kernel<<<early_blocks_, kEarlyThreads, 0, on.get()>>>(
      grid_->nodes(), grid_->levels(), levels_.device_data(), tasks_.device_data(),
      stages_.device_data(), early_stages_, cascade_.cumulative, evaluate,
      candidates_.device_data(), &counters->candidates[0]);
  return cuda_status(cudaGetLastError(), "early stages launch");
}

Status CascadeCuda::queue_soft(StreamRef on, const EvaluateTree& evaluate) {
  auto* counters = reinterpret_cast<Counters*>(results_.device_data());
  Hit* hits = results_.device_data() + kHitsAt;
  if (Status ok = queue_early(on, evaluate); !ok) return ok;
  const int all = cascade_.learner_count();
  const int middle = std::max(early_learners_, std::min(kMiddleTrees, all));
  const std::int32_t threshold = cascade_.stages.back().threshold;
  soft_kernel<kSoftLanes, false><<<lanes_blocks_, kLanesThreads, 0, on.get()>>>(
      grid_->nodes(), grid_->levels(), levels_.device_data(), ends_.device_data(), early_learners_,
      middle, threshold, evaluate, candidates_.device_data(), &counters->candidates[0],
      survivors_.device_data(), &counters->candidates[1], hits, &counters->hits);
  if (Status ok = cuda_status(cudaGetLastError(), "middle trees launch"); !ok) return ok;
  soft_kernel<32, true><<<lanes_blocks_, kLanesThreads, 0, on.get()>>>(
      grid_->nodes(), grid_->levels(), levels_.device_data(), ends_.device_data(), middle, all,
      threshold, evaluate, survivors_.device_data(), &counters->candidates[1], nullptr, nullptr,
      hits, &counters->hits);
  return cuda_status(cudaGetLastError(), "late trees launch");
}

template <typename Evaluate>
Status CascadeCuda::queue_stages(StreamRef on, const Evaluate& evaluate) {
  auto* counters = reinterpret_cast<Counters*>(results_.device_data());
  Hit* hits = results_.device_data() + kHitsAt;
  if (Status ok = queue_early(on, evaluate); !ok) return ok;
  lanes_kernel<kMiddleLanes><<<lanes_blocks_, kLanesThreads, 0, on.get()>>>(
      grid_->nodes(), grid_->levels(), levels_.device_data(), stages_.device_data(),
      chunks_.device_data(), middle_chunks_, cascade_.cumulative, evaluate,
      candidates_.device_data(), &counters->candidates[0], survivors_.device_data(),
      &counters->candidates[1]);
  if (Status ok = cuda_status(cudaGetLastError(), "middle stages launch"); !ok) return ok;
  late_kernel<<<late_blocks_, kLateThreads, 0, on.get()>>>(
      grid_->nodes(), grid_->levels(), levels_.device_data(), stages_.device_data(),
      chunks_.device_data() + middle_chunks_, late_chunks_, cascade_.cumulative, evaluate,
      survivors_.device_data(), &counters->candidates[1], hits, &counters->hits);
  return cuda_status(cudaGetLastError(), "late stages launch");
}

Status CascadeCuda::queue(StreamRef on, const Planes<Space::device>& in) {
  if (Status ok = runtime::fill(on.get(), results_.device_data(), 0, sizeof(Counters)); !ok)
    return ok;
  Planes<Space::device> planes = in;
  if (cascade_.channels.colour) {
    const PlanesView<Space::device, std::uint8_t> luv{
        luv_.device_data(), 3,        in.width,
        in.height,          in.width, static_cast<std::ptrdiff_t>(in.width) * in.height};
    if (Status ok = to_luv(on, in, luv); !ok) return ok;
    planes = luv;
  }
  for (int p = 0; p < planes.count; ++p)
    if (Status ok =
            pyramid(on, *pyramid_, planes.plane(p),
                    samples_.device_data() + static_cast<std::size_t>(p) * plan_.pyramid.samples);
        !ok)
      return ok;
  if (Status ok = grid_->build(on, samples_.device_data()); !ok) return ok;
  const LinearTable linear{weights_.device_data(), records_.device_data(),
                           static_cast<int>(cascade_.linear.size())};
  const TreeTable trees{questions_.device_data(), divisors_.device_data(), trees_.device_data(),
                        leaves_.device_data()};
  const Status queued = is_soft()                 ? queue_soft(on, EvaluateTree{trees})
                        : cascade_.linear.empty() ? queue_stages(on, EvaluateTree{trees})
                                                  : queue_stages(on, EvaluateLinear{linear});
  if (!queued) return queued;
  return copy_to_host(on, host_results_.data(), results_.device_data(), kHitsAt + kFirstHits);
}

Result<Engine::Hits> CascadeCuda::run(const Planes<Space::device>& in, float threshold) {
  const Status launched = graphs_.launch(stream(), {in.data, in.row_stride, in.plane_stride},
                                         [&](StreamRef on) { return queue(on, in); });
  if (!launched) return launched.error();
  if (Status done = wait(stream()); !done) return done.error();
  Counters counters;
  std::memcpy(&counters, host_results_.data(), sizeof counters);
  if (counters.hits > kFirstHits) {
    constexpr std::size_t kRest = kHitsAt + kFirstHits;
    const Status copied =
        copy_to_host(stream(), host_results_.data() + kRest, results_.device_data() + kRest,
                     static_cast<std::size_t>(counters.hits - kFirstHits));
    if (!copied) return copied.error();
    if (Status done = wait(stream()); !done) return done.error();
  }
  hits_.clear();
  for (int i = 0; i < counters.hits; ++i)
    if (const Hit& hit = host_results_[kHitsAt + static_cast<std::size_t>(i)];
        hit.score >= threshold)
      hits_.push_back(hit);
  std::sort(hits_.begin(), hits_.end(),
            [](const Hit& a, const Hit& b) { return a.window < b.window; });
  return Hits{hits_.data(), static_cast<int>(hits_.size())};
}

}  // namespace

Result<std::unique_ptr<Engine>> make_cascade_cuda(const Context& context, Model model,
                                                  const SearchSettings& settings, int width,
                                                  int height) {
  if (context.backend() != Backend::cuda)
    return Error{Errc::unsupported, 0, "cascade", "the context's backend is the CPU"};
  return or_no_memory("cascade", [&]() -> Result<std::unique_ptr<Engine>> {
    Result<CascadeLayout> layout = lay_out(model, settings.stride);
    if (!layout) return layout.error();
    Result<SearchPlan> plan = plan_search(model.geometry(), settings, width, height);
    if (!plan) return plan.error();
    auto engine = std::make_unique<CascadeCuda>(context, std::move(model), std::move(*plan));
    engine->remember(settings);
    if (Status ok = engine->create(*layout); !ok) return ok.error();
    return std::unique_ptr<Engine>{std::move(engine)};
  });
}

}  // namespace kerb::hog
