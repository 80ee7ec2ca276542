// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <optional>

#include "gpu/hog/cascade_layout.hpp"
#include "gpu/hog/engine.hpp"
#include "gpu/image/grid_histogram_cuda.hpp"
#include "gpu/image/pyramid_cuda.hpp"
#include "gpu/memory/graph_cuda.hpp"
#include "gpu/memory/upload.hpp"

namespace kerb::hog {
namespace {

// --- what the kernels see --------------------------------------------------------------------

constexpr int kEarlyThreads = 256;  // windows of a block while every window has a thread
constexpr int kEarlyLearners = 32;  // at most this many are evaluated that way
constexpr int kMaxGroups = 8;
constexpr int kLateThreads = 128;
constexpr int kFirstHits = 2048;  // copied back with the count; more need a second copy

/// A learner's place: for each of three columns the phase and the index within it, for each of
/// three rows the node. See grid_histogram_cuda.hpp.
struct Place {
  std::int16_t phase[3], column[3], row[3];
};
struct Votes {
  float offset, slope;
  std::int32_t pass, fail;
};

/// All learners of a linear cascade, arranged so that lanes with neighbouring learners read
/// neighbouring memory.
struct LinearTable {
  const float4* weights;  // [k][learner]
  const Place* places;
  const Votes* votes;
  int count;
};

struct Question {
  std::int16_t phase[2], column[2], row[2];  // of the rectangle's left and right, top and bottom
  std::int16_t below_phase[2], below_column[2], below_row[2];
  std::int16_t channel, divisor, left, right;
  float threshold;
};
struct TreeTable {
  const Question* questions;
  const TreeLearner* trees;
  const std::int32_t* leaves;
};

struct WindowLevel {
  std::int32_t columns, count, first_window, node_step;  // node_step: rows of nodes to a stride
};
struct WindowTask {
  std::int32_t level, first;
};

/// Stages in groups: within one a thread goes on by itself, between them the block closes ranks.
struct EarlyPlan {
  int groups;
  int stage_end[kMaxGroups];
};

struct Candidate {
  std::int64_t score;
  std::int32_t window_in_level, level, votes, unused;
};

struct Counters {
  std::int32_t candidates, hits;
};

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
                                    std::uint32_t at, const Place& place, const Votes& votes,
                                    const Weight& weight) {
  std::uint32_t o[9];
#pragma unroll
  for (int j = 0; j < 3; ++j)
#pragma unroll
    for (int i = 0; i < 3; ++i)
      o[3 * j + i] =
          at + static_cast<std::uint32_t>(place.row[j] * level.row_nodes +
                                          place.phase[i] * level.phase_nodes + place.column[i]);
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
  const float v = sum / norm - votes.offset;
  std::int32_t vote = v >= 0 ? votes.pass : votes.fail;
  if (votes.slope != 0)
    vote += __float2int_rn(fminf(fmaxf(v * votes.slope, -kSlopeLimit), kSlopeLimit));
  return vote;
}

__device__ float rectangle(const std::uint32_t* plane, const GridLevel& level, std::uint32_t at,
                           const std::int16_t (&phase)[2], const std::int16_t (&column)[2],
                           const std::int16_t (&row)[2]) {
  const int left = phase[0] * level.phase_nodes + column[0];
  const int right = phase[1] * level.phase_nodes + column[1];
  const std::uint32_t* upper = plane + at + row[0] * level.row_nodes;
  const std::uint32_t* lower = plane + at + row[1] * level.row_nodes;
  return static_cast<float>(
      static_cast<std::int32_t>(between(upper[left], upper[right], lower[left], lower[right])));
}

__device__ std::int32_t tree_vote(const GridNodes& nodes, const GridLevel& level, std::uint32_t at,
                                  const TreeTable& table, int index) {
  const TreeLearner tree = table.trees[index];
  int next = 0;
  do {
    const Question& q = table.questions[tree.first_node + next];
    float value = rectangle(nodes.singles + q.channel * static_cast<std::size_t>(nodes.plane_nodes),
                            level, at, q.phase, q.column, q.row);
    if (q.divisor >= 0)
      value /= rectangle(nodes.singles + q.divisor * static_cast<std::size_t>(nodes.plane_nodes),
                         level, at, q.below_phase, q.below_column, q.below_row) +
               kDivisorFloor;
    next = value < q.threshold ? q.left : q.right;
  } while (next >= 0);
  return table.leaves[tree.first_leaf + ~next];
}

/// Linear learners and trees behind one call.
struct EvaluateLinear {
  LinearTable table;
  __device__ std::int32_t operator()(const GridNodes& nodes, const GridLevel& level,
                                     std::uint32_t at, int learner) const {
    return linear_vote(nodes, level, at, table.places[learner], table.votes[learner],
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
  return grid.node_offset +
         static_cast<std::uint32_t>(window / level.columns * level.node_step * grid.row_nodes +
                                    window % level.columns);
}

/// The first stages, a thread to a window. After each group of stages the windows that are left
/// move together, so that whole warps fall idle instead of single lanes.
template <typename Evaluate>
__global__ void __launch_bounds__(kEarlyThreads)
    early_kernel(GridNodes nodes, const GridLevel* __restrict__ grids,
                 const WindowLevel* __restrict__ levels, const WindowTask* __restrict__ tasks,
                 const Stage* __restrict__ stages, EarlyPlan plan, bool cumulative,
                 Evaluate evaluate, Candidate* __restrict__ candidates, Counters* counters) {
  __shared__ std::int64_t scores[kEarlyThreads];
  __shared__ std::int32_t votes[kEarlyThreads];
  __shared__ std::uint16_t alive[2][kEarlyThreads];
  __shared__ int count[2];
  __shared__ int base;
  const WindowTask task = tasks[blockIdx.x];
  const WindowLevel level = levels[task.level];
  const GridLevel grid = grids[task.level];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  scores[thread] = 0;
  votes[thread] = 0;
  alive[0][thread] = static_cast<std::uint16_t>(thread);
  if (thread == 0) count[0] = min(kEarlyThreads, level.count - task.first);
  __syncthreads();

  int side = 0, stage_index = 0;
  for (int group = 0; group < plan.groups; ++group) {
    if (thread == 0) count[side ^ 1] = 0;
    __syncthreads();
    bool left = thread < count[side];
    const int slot = left ? alive[side][thread] : 0;
    if (left) {
      const std::uint32_t at = first_node(grid, level, task.first + slot);
      std::int64_t score = scores[slot];
      std::int32_t sum = votes[slot];
      for (int s = stage_index; s < plan.stage_end[group]; ++s) {
        const Stage stage = stages[s];
        for (int i = 0; i < stage.count; ++i) sum += evaluate(nodes, grid, at, stage.first + i);
        if (sum < stage.threshold) {
          left = false;
          break;
        }
        const std::int64_t margin = static_cast<std::int64_t>(sum) - stage.threshold;
        if (cumulative) {
          score = margin;
        } else {
          score += margin;
          sum = 0;
        }
      }
      scores[slot] = score;
      votes[slot] = sum;
    }
    const unsigned mask = __ballot_sync(0xFFFFFFFFU, left);
    int place = 0;
    if (lane == 0 && mask != 0) place = atomicAdd(&count[side ^ 1], __popc(mask));
    place = __shfl_sync(0xFFFFFFFFU, place, 0);
    if (left)
      alive[side ^ 1][place + __popc(mask & ((1U << lane) - 1))] = static_cast<std::uint16_t>(slot);
    stage_index = plan.stage_end[group];
    side ^= 1;
    __syncthreads();
    if (count[side] == 0) return;
  }
  if (thread == 0) base = atomicAdd(&counters->candidates, count[side]);
  __syncthreads();
  if (thread >= count[side]) return;
  const int slot = alive[side][thread];
  candidates[base + thread] = {scores[slot], task.first + slot, task.level, votes[slot], 0};
}

/// The stages after that, a warp to a window: a lane to a learner. Votes are whole numbers: their
/// sum does not depend on who adds first.
template <typename Evaluate>
__global__ void __launch_bounds__(kLateThreads)
    late_kernel(GridNodes nodes, const GridLevel* __restrict__ grids,
                const WindowLevel* __restrict__ levels, const Stage* __restrict__ stages,
                int first_stage, int stage_count, bool cumulative, bool one_by_one,
                Evaluate evaluate, const Candidate* __restrict__ candidates, Counters* counters,
                Hit* __restrict__ hits) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warps = static_cast<int>(gridDim.x) * (kLateThreads / 32);
  const int count = counters->candidates;
  for (int c =
           static_cast<int>(blockIdx.x) * (kLateThreads / 32) + static_cast<int>(threadIdx.x) / 32;
       c < count; c += warps) {
    const Candidate candidate = candidates[c];
    const WindowLevel level = levels[candidate.level];
    const GridLevel grid = grids[candidate.level];
    const std::uint32_t at = first_node(grid, level, candidate.window_in_level);
    std::int64_t score = candidate.score;
    std::int32_t sum = candidate.votes;
    bool left = true;
    if (one_by_one) {  // a soft cascade: 32 stages of one learner at a time
      for (int s = first_stage; s < stage_count; s += 32) {
        std::int32_t vote = 0, threshold = 0;
        if (s + lane < stage_count) {
          const Stage stage = stages[s + lane];
          vote = evaluate(nodes, grid, at, stage.first);
          threshold = stage.threshold;
        }
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
          const std::int32_t before = __shfl_up_sync(0xFFFFFFFFU, vote, d);
          if (lane >= d) vote += before;
        }
        const bool fails = s + lane < stage_count && sum + vote < threshold;
        if (__any_sync(0xFFFFFFFFU, fails)) {
          left = false;
          break;
        }
        const int last = min(31, stage_count - s - 1);
        sum += __shfl_sync(0xFFFFFFFFU, vote, last);
        score = static_cast<std::int64_t>(sum) - __shfl_sync(0xFFFFFFFFU, threshold, last);
      }
    } else {
      for (int s = first_stage; s < stage_count; ++s) {
        const Stage stage = stages[s];
        std::int32_t vote = 0;
        for (int i = lane; i < stage.count; i += 32)
          vote += evaluate(nodes, grid, at, stage.first + i);
        sum += __reduce_add_sync(0xFFFFFFFFU, vote);
        if (sum < stage.threshold) {
          left = false;
          break;
        }
        const std::int64_t margin = static_cast<std::int64_t>(sum) - stage.threshold;
        if (cumulative) {
          score = margin;
        } else {
          score += margin;
          sum = 0;
        }
      }
    }
    if (left && lane == 0) {
      const int place = atomicAdd(&counters->hits, 1);
      hits[place] = {level.first_window + candidate.window_in_level,
                     __ll2float_rn(score) * kVoteUnit};
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
    const auto& grey = picture.grey;
    if (Status ok = check(grey.data, grey.width, grey.height, grey.row_stride); !ok)
      return ok.error();
    if (plan_.window_count == 0) return Hits{};
    const auto width = static_cast<std::size_t>(grey.width);
    if (Status copied =
            runtime::copy_rows(stream().get(), runtime::Direction::to_device, input_.device_data(),
                               width, grey.data, static_cast<std::size_t>(grey.row_stride), width,
                               static_cast<std::size_t>(grey.height));
        !copied)
      return copied.error();
    return run({input_.device_data(), grey.width, grey.height, grey.width}, threshold);
  }

  Result<Hits> search(const Picture<Space::device>& picture, float threshold) override {
    const auto& grey = picture.grey;
    if (Status ok = check(grey.data, grey.width, grey.height, grey.row_stride); !ok)
      return ok.error();
    if (plan_.window_count == 0) return Hits{};
    return run(grey, threshold);
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
  Status check(const void* data, int width, int height, std::ptrdiff_t row_stride) const {
    if (data == nullptr || width != plan_.pyramid.width || height != plan_.pyramid.height ||
        row_stride < width)
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
  void plan_groups();
  Status queue(StreamRef on, const ImageView<Space::device, const std::uint8_t>& picture);
  template <typename Evaluate>
  Status queue_stages(StreamRef on, const Evaluate& evaluate);
  Result<Hits> run(const ImageView<Space::device, const std::uint8_t>& picture, float threshold);

  const Context& context_;
  Model model_;
  const CascadeModel& cascade_;
  SearchPlan plan_;
  SearchSettings settings_;
  std::optional<Stream> stream_;
  std::optional<PyramidTables> pyramid_;
  std::optional<GridTables> grid_;
  std::size_t bytes_ = 0;
  EarlyPlan early_{};
  int early_stages_ = 0;
  bool one_by_one_ = false;
  unsigned early_blocks_ = 0, late_blocks_ = 0;
  DeviceBuffer<std::uint8_t> input_, samples_;
  DeviceBuffer<float4> weights_;
  DeviceBuffer<Place> places_;
  DeviceBuffer<Votes> votes_;
  DeviceBuffer<Question> questions_;
  DeviceBuffer<TreeLearner> trees_;
  DeviceBuffer<std::int32_t> leaves_;
  DeviceBuffer<Stage> stages_;
  DeviceBuffer<WindowLevel> levels_;
  DeviceBuffer<WindowTask> tasks_;
  DeviceBuffer<Candidate> candidates_;
  DeviceBuffer<Counters> counters_;
  DeviceBuffer<Hit> device_hits_;
  HostBuffer<Counters> host_counters_;
  HostBuffer<Hit> host_hits_;
  std::vector<Hit> hits_;
  GraphCache graphs_;  // last: goes before what its graphs use
};

std::int16_t phase_of(int node, int phases) { return static_cast<std::int16_t>(node % phases); }
std::int16_t column_of(int node, int phases) { return static_cast<std::int16_t>(node / phases); }

Status CascadeCuda::put_learners(const CascadeLayout& layout, int phases) {
  const std::size_t count = layout.linear.size();
  std::vector<float4> weights(9 * count);
  std::vector<Place> places;
  std::vector<Votes> votes;
  for (std::size_t l = 0; l < count; ++l) {
    const GridLinear& g = layout.linear[l];
    for (std::size_t k = 0; k < 9; ++k)
      weights[k * count + l] = {g.weights[4 * k], g.weights[4 * k + 1], g.weights[4 * k + 2],
                                g.weights[4 * k + 3]};
    Place place{};
    for (int i = 0; i < 3; ++i) {
      place.phase[i] = phase_of(g.x[i], phases);
      place.column[i] = column_of(g.x[i], phases);
      place.row[i] = g.y[i];
    }
    places.push_back(place);
    votes.push_back({g.offset, g.slope, g.pass, g.fail});
  }
  std::vector<Question> questions;
  for (const GridQuestion& g : layout.questions)
    questions.push_back({{phase_of(g.x0, phases), phase_of(g.x1, phases)},
                         {column_of(g.x0, phases), column_of(g.x1, phases)},
                         {g.y0, g.y1},
                         {phase_of(g.dx0, phases), phase_of(g.dx1, phases)},
                         {column_of(g.dx0, phases), column_of(g.dx1, phases)},
                         {g.dy0, g.dy1},
                         g.channel,
                         g.divisor,
                         g.left,
                         g.right,
                         g.threshold});
  for (const Status& done : {put(weights_, weights), put(places_, places), put(votes_, votes),
                             put(questions_, questions), put(trees_, cascade_.trees),
                             put(leaves_, cascade_.leaves), put(stages_, cascade_.stages)})
    if (!done) return done;
  return Done{};
}

/// The first stages that together have few learners, in groups of a few learners each.
void CascadeCuda::plan_groups() {
  int learners = 0, in_group = 0;
  early_.groups = 0;
  const int stages = static_cast<int>(cascade_.stages.size());
  for (early_stages_ = 0; early_stages_ < stages; ++early_stages_) {
    const int count = cascade_.stages[static_cast<std::size_t>(early_stages_)].count;
    const bool fits = learners + count <= kEarlyLearners || early_stages_ == 0;
    if (!fits) break;
    if (early_.groups == 0 || (in_group + count > 4 && early_.groups < kMaxGroups)) {
      ++early_.groups;
      in_group = 0;
    }
    early_.stage_end[early_.groups - 1] = early_stages_ + 1;
    learners += count;
    in_group += count;
  }
  one_by_one_ = cascade_.cumulative && std::all_of(cascade_.stages.begin(), cascade_.stages.end(),
                                                   [](const Stage& s) { return s.count == 1; });
}

Status CascadeCuda::create(const CascadeLayout& layout) {
  const int phases = plan_.stride / layout.grid.grid;
  const int quads = cascade_.linear.empty() ? 0 : 2;
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
  plan_groups();
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
  late_blocks_ = static_cast<unsigned>(std::max(1, context_.info().multiprocessors) * 16);
  const auto windows = static_cast<std::size_t>(plan_.window_count);
  const std::size_t pixels = static_cast<std::size_t>(plan_.pyramid.width) *
                             static_cast<std::size_t>(plan_.pyramid.height);
  constexpr std::size_t kSlack = 64;  // the last row's words may be read past its end
  for (const Status& done :
       {put(levels_, levels), put(tasks_, tasks), take(input_, pixels),
        take(samples_, plan_.pyramid.samples + kSlack), take(candidates_, windows),
        take(counters_, 1), take(device_hits_, windows + kFirstHits)})
    if (!done) return done;
  Result<HostBuffer<Counters>> counters = HostBuffer<Counters>::create(context_, Use::result, 1);
  if (!counters) return counters.error();
  host_counters_ = std::move(*counters);
  Result<HostBuffer<Hit>> hits =
      HostBuffer<Hit>::create(context_, Use::result, windows + kFirstHits);
  if (!hits) return hits.error();
  host_hits_ = std::move(*hits);
  hits_.reserve(windows);
  return Done{};
}

template <typename Evaluate>
Status CascadeCuda::queue_stages(StreamRef on, const Evaluate& evaluate) {
  const int stages = static_cast<int>(cascade_.stages.size());
  early_kernel<<<early_blocks_, kEarlyThreads, 0, on.get()>>>(
      grid_->nodes(), grid_->levels(), levels_.device_data(), tasks_.device_data(),
      stages_.device_data(), early_, cascade_.cumulative, evaluate, candidates_.device_data(),
      counters_.device_data());
  if (Status ok = cuda_status(cudaGetLastError(), "early stages launch"); !ok) return ok;
  late_kernel<<<late_blocks_, kLateThreads, 0, on.get()>>>(
      grid_->nodes(), grid_->levels(), levels_.device_data(), stages_.device_data(), early_stages_,
      stages, cascade_.cumulative, one_by_one_, evaluate, candidates_.device_data(),
      counters_.device_data(), device_hits_.device_data());
  return cuda_status(cudaGetLastError(), "late stages launch");
}

Status CascadeCuda::queue(StreamRef on,
                          const ImageView<Space::device, const std::uint8_t>& picture) {
  if (Status ok = runtime::fill(on.get(), counters_.device_data(), 0, sizeof(Counters)); !ok)
    return ok;
  if (Status ok = pyramid(on, *pyramid_, picture, samples_.device_data()); !ok) return ok;
  if (Status ok = grid_->build(on, samples_.device_data()); !ok) return ok;
  const LinearTable linear{weights_.device_data(), places_.device_data(), votes_.device_data(),
                           static_cast<int>(cascade_.linear.size())};
  const TreeTable trees{questions_.device_data(), trees_.device_data(), leaves_.device_data()};
  const Status queued = cascade_.linear.empty() ? queue_stages(on, EvaluateTree{trees})
                                                : queue_stages(on, EvaluateLinear{linear});
  if (!queued) return queued;
  if (Status ok = copy_to_host(on, host_counters_.data(), counters_.device_data(), 1); !ok)
    return ok;
  return copy_to_host(on, host_hits_.data(), device_hits_.device_data(), kFirstHits);
}

Result<Engine::Hits> CascadeCuda::run(const ImageView<Space::device, const std::uint8_t>& picture,
                                      float threshold) {
  const Status launched = graphs_.launch(stream(), picture.data, picture.row_stride,
                                         [&](StreamRef on) { return queue(on, picture); });
  if (!launched) return launched.error();
  if (Status done = wait(stream()); !done) return done.error();
  const int count = host_counters_[0].hits;
  if (count > kFirstHits) {
    const Status copied = copy_to_host(stream(), host_hits_.data() + kFirstHits,
                                       device_hits_.device_data() + kFirstHits,
                                       static_cast<std::size_t>(count - kFirstHits));
    if (!copied) return copied.error();
    if (Status done = wait(stream()); !done) return done.error();
  }
  hits_.clear();
  for (int i = 0; i < count; ++i)
    if (const Hit& hit = host_hits_[static_cast<std::size_t>(i)]; hit.score >= threshold)
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
  Result<CascadeLayout> layout = lay_out(model, settings.stride);
  if (!layout) return layout.error();
  Result<SearchPlan> plan = plan_search(model.geometry(), settings, width, height);
  if (!plan) return plan.error();
  auto engine = std::make_unique<CascadeCuda>(context, std::move(model), std::move(*plan));
  engine->remember(settings);
  if (Status ok = engine->create(*layout); !ok) return ok.error();
  return std::unique_ptr<Engine>{std::move(engine)};
}

}  // namespace kerb::hog
