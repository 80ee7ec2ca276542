// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "gpu/hog/cascade_kernels.cuh"
#include "gpu/image/grid_histogram_cuda.hpp"
#include "gpu/image/pyramid_cuda.hpp"
#include "gpu/image/to_luv.hpp"
#include "gpu/memory/graph_cuda.hpp"
#include "gpu/memory/no_memory.hpp"
#include "gpu/memory/upload.hpp"

namespace kerb::hog {
namespace {

using namespace cascade_kernels;

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
