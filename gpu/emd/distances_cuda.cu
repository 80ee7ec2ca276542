// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/emd/atlas_walk.hpp"
#include "gpu/emd/distances_check.hpp"
#include "gpu/emd/frame.cuh"
#include "gpu/emd/packed.cuh"
#include "gpu/emd/walk.cuh"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/cuda_status.hpp"
#include "gpu/memory/upload.hpp"

namespace kerb::emd {
namespace {

constexpr const char* kWhere = "earth mover's distance";

/// A mark on a stream that another one can wait for. Move-only.
class Event {
 public:
  static Result<Event> create() {
    cudaEvent_t made = nullptr;
    if (const cudaError_t error = cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
        error != cudaSuccess)
      return cuda_error(error, "create event");
    return Event{made};
  }
  Event() = default;
  Event(Event&& other) noexcept : event_{std::exchange(other.event_, nullptr)} {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() {
    if (event_ != nullptr) (void)cudaEventDestroy(event_);
  }
  [[nodiscard]] Status record(StreamRef stream) const {
    return cuda_status(cudaEventRecord(event_, stream.get()), "record event");
  }
  [[nodiscard]] Status hold(StreamRef stream) const {
    return cuda_status(cudaStreamWaitEvent(stream.get(), event_, 0), "wait for event");
  }
  [[nodiscard]] Status wait() const {
    return cuda_status(cudaEventSynchronize(event_), "wait for a frame");
  }

 private:
  explicit Event(cudaEvent_t event) : event_{event} {}
  cudaEvent_t event_ = nullptr;
};

using WalkKernel = void (*)(FrameView, WalkView, const std::uint32_t*);
WalkKernel walk_kernel_for(int bins) {
  switch ((2 * bins - 1 + kLanes - 1) / kLanes) {
    case 1:
      return &walk_kernel<1>;
    case 2:
      return &walk_kernel<2>;
    default:
      return &walk_kernel<3>;
  }
}
static_assert(2 * Atlas::kMaxAtlasBins - 1 <= 3 * kLanes);

using PackedKernel = void (*)(FrameView, const std::int32_t*, std::int32_t, const uint4*);
PackedKernel packed_kernel_for(int bins) {
  switch ((PackedTableau::columns(bins) + 31) / 32) {
    case 1:
      return &packed_kernel<1, 1>;
    case 2:
      return &packed_kernel<2, 1>;
    case 3:
      return &packed_kernel<3, 1>;
    case 4:
      return &packed_kernel<4, 2>;
    case 5:
      return &packed_kernel<5, 2>;
    case 6:
      return &packed_kernel<6, 2>;
    case 7:
      return &packed_kernel<7, 2>;
    case 8:
      return &packed_kernel<8, 2>;
    default:
      return &packed_kernel<9, 2>;
  }
}

/// A signature of each kind (WalkStarts), to find good trees to begin with.
std::vector<Signature> one_of_each_kind(int bins, int mass, std::uint32_t trees) {
  std::vector<Signature> made;
  made.reserve(trees);
  std::array<int, kMaxBins> upto{};  // upto[k]: parts up to bin k, not falling
  for (;;) {
    Signature s;
    int before = 0;
    for (int k = 0; k < bins; ++k) {
      const int sum = k + 1 < bins ? mass * upto[k + 1] / (bins - 1) : mass;
      s.bins[k] = static_cast<std::uint8_t>(sum - before);
      before = sum;
    }
    made.push_back(s);
    int k = bins - 1;
    while (k > 0 && upto[k] == bins - 1) --k;
    if (k == 0) return made;
    const int next = upto[k] + 1;
    for (; k < bins; ++k) upto[k] = next;
  }
}

int difference(const Signature& a, const Signature& b) {
  int sum = 0;
  for (int k = 0; k < kMaxBins; ++k) sum += std::abs(int{a.bins[k]} - int{b.bins[k]});
  return sum;
}

class DistancesCuda final : public Distances {
 public:
  DistancesCuda(const Context& context, const Ground& ground, const DistanceSettings& settings,
                Solver solver, std::size_t most)
      : context_{context},
        ground_{ground},
        settings_{settings},
        solver_{solver},
        most_{most},
        pitch_{(most + 15) / 16 * 16},
        form_{closed_form(ground)} {}

  Status allocate() {
    std::vector<std::int32_t> costs{ground_.costs(), ground_.costs() + kMaxBins * kMaxBins};
    if (Status ok = upload(context_, costs, costs_); !ok) return ok;
    if (Status ok = make(targets_, kMaxTargets); !ok) return ok;
    std::vector<std::uint32_t> counters(kCounters, 0);
    counters[kUseCache] = counters[kUseTable] = 1;
    if (Status ok = upload(context_, counters, counters_); !ok) return ok;
    if (solver_ == Solver::closed_form) return Done{};
    if (Status ok = make(owner_, most_); !ok) return ok;
    if (Status ok = make(list_, most_); !ok) return ok;
    if (settings_.find_duplicates)
      if (Status ok = make(table_, table_places(most_)); !ok) return ok;
    sets_ = cache_sets(settings_, most_, Backend::cuda);
    if (sets_ > 0) {
      if (Status ok = make(cache_, std::size_t{sets_} * kWays * 2); !ok) return ok;
      if (Status ok = clear_cache(); !ok) return ok;
    }
    return solver_ == Solver::atlas ? make_atlas() : Status{Done{}};
  }

  Status set_targets(const Signature* targets, int count) override {
    if (Status ok = check_targets(targets, count, ground_.bins(), settings_.mass); !ok) return ok;
    const bool same =
        target_count_ == count &&
        std::equal(targets, targets + count, given_.begin(),
                   [](const Signature& a, const Signature& b) { return a.bins == b.bins; });
    if (same) return Done{};
    Status sent = send_targets(targets, count);
    unsure_ = !sent;
    if (unsure_) target_count_ = 0;
    return sent;
  }

  Status run(const SignaturesView<Space::device>& signatures,
             const CostsView<Space::device>& costs) override {
    if (Status ok = check_frame(target_count_, most_, signatures.data, signatures.count, costs);
        !ok)
      return ok;
    return queue(reinterpret_cast<const uint4*>(signatures.data), signatures.count, costs.data,
                 costs.stride);
  }

  Status run(const SignaturesView<Space::host>& signatures,
             const CostsView<Space::host>& costs) override {
    if (Status ok = check_frame(target_count_, most_, signatures.data, signatures.count, costs);
        !ok)
      return ok;
    if (begun_ > 0) return bad_distances("frames have begun and not finished");
    Slot& slot = slots_[0];
    if (Status ok = prepare(slot, false); !ok) return ok;
    if (signatures.count == 0) return queue(nullptr, 0, nullptr, 0);  // counts nothing
    const StreamRef stream = context_.stream();
    if (Status ok = copy_to_device(stream, reinterpret_cast<Signature*>(slot.keys.device_data()),
                                   signatures.data, signatures.count);
        !ok)
      return ok;
    if (Status ok =
            queue(slot.keys.device_data(), signatures.count, slot.costs.device_data(), pitch_);
        !ok)
      return ok;
    if (Status ok = copy_back(stream, slot, costs, signatures.count); !ok) return ok;
    return wait(stream);
  }

  Status begin(const BytePlanes& planes, const CostsView<Space::host>& costs) override {
    if (Status ok = check_planes(planes, ground_.bins(), settings_.mass); !ok) return ok;
    if (Status ok = check_frame(target_count_, most_, planes.data, planes.count, costs); !ok)
      return ok;
    if (begun_ == kAhead) return bad_distances("too many frames have begun");
    Slot& slot = slots_[(first_ + begun_) % kAhead];
    if (!up_) {
      Result<Stream> up = Stream::create(), down = Stream::create();
      if (!up) return up.error();
      if (!down) return down.error();
      up_.emplace(std::move(*up));
      down_.emplace(std::move(*down));
    }
    if (Status ok = prepare(slot, true); !ok) return ok;
    if (Status ok =
            planes.count > 0 ? queue_slot(slot, planes, costs) : queue(nullptr, 0, nullptr, 0);
        !ok)
      return ok;
    ++begun_;
    return Done{};
  }
  Status finish() override {
    if (begun_ == 0) return bad_distances("no frame has begun");
    const Slot& slot = slots_[first_];
    first_ = (first_ + 1) % kAhead;
    --begun_;
    return slot.done.wait();
  }

  Result<DistanceCounts> counts() override {
    std::array<std::uint32_t, kCounters> counted{};
    const StreamRef stream = context_.stream();
    if (Status ok = copy_to_host(stream, counted.data(), counters_.device_data(), kCounters); !ok)
      return ok.error();
    if (Status ok = wait(stream); !ok) return ok.error();
    return DistanceCounts{counted[kRefused], counted[kCached], counted[kDuplicates],
                          counted[kSolved]};
  }
  Status forget() override {
    oldest_ = stamp_ + 1;
    return Done{};
  }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cuda; }
  [[nodiscard]] Solver solver() const noexcept override { return solver_; }
  [[nodiscard]] std::size_t bytes() const noexcept override { return bytes_; }

 private:
  /// What a frame from the host needs for itself.
  struct Slot {
    DeviceBuffer<std::uint8_t> planes;
    DeviceBuffer<uint4> keys;
    DeviceBuffer<std::uint32_t> costs;
    Event uploaded, computed, done;
  };

  template <typename T>
  Status make(DeviceBuffer<T>& buffer, std::size_t count) {
    Result<DeviceBuffer<T>> made = DeviceBuffer<T>::create(context_, count);
    if (!made) return made.error();
    buffer = std::move(*made);
    bytes_ += count * sizeof(T);
    return Done{};
  }

  /// Copies targets to the device. After a failure the device's content is unknown.
  Status send_targets(const Signature* targets, int count) {
    // What is being computed still reads the old ones.
    if (Status ok = wait(context_.stream()); !ok) return ok;
    const bool other_layout = unsure_ || quads_for(count) != quads_for(std::max(target_count_, 1));
    std::copy_n(targets, count, given_.begin());
    target_count_ = count;
    oldest_ = stamp_ + 1;
    if (other_layout && sets_ > 0)
      if (Status ok = clear_cache(); !ok) return ok;
    static_assert(sizeof(Signature) == sizeof(uint4));
    if (Status ok =
            copy_to_device(context_.stream(), reinterpret_cast<Signature*>(targets_.device_data()),
                           targets, static_cast<std::size_t>(count));
        !ok)
      return ok;
    if (solver_ == Solver::atlas)
      if (Status ok = begin_walks(); !ok) return ok;
    return wait(context_.stream());
  }

  Status clear_cache() {
    return runtime::fill(context_.stream().get(), cache_.device_data(), 0,
                         cache_.size() * sizeof(uint4));
  }

  Status make_atlas() {
    const Result<Atlas> atlas = Atlas::build(ground_);
    if (!atlas) return atlas.error();
    trees_ = atlas->trees();
    if (Status ok = upload(context_, atlas->table(), atlas_); !ok) return ok;
    const Binomials names = make_binomials();
    std::vector<std::uint32_t> flat;
    for (const auto& row : names.choose) flat.insert(flat.end(), std::begin(row), std::end(row));
    if (Status ok = upload(context_, flat, names_); !ok) return ok;
    std::vector<std::uint8_t> parts(kMaxMass + 1, 0);
    for (int m = 0; m <= settings_.mass; ++m)
      parts[m] = WalkStarts::parts(m, ground_.bins(), settings_.mass);
    if (Status ok = upload(context_, parts, parts_); !ok) return ok;
    if (Status ok =
            upload(context_, one_of_each_kind(ground_.bins(), settings_.mass, trees_), kinds_);
        !ok)
      return ok;
    if (Status ok = make(sums_, static_cast<std::size_t>(kMaxTargets) << ground_.bins()); !ok)
      return ok;
    host_sums_.resize(sums_.size());
    target_sums_.emplace(ground_.bins(), Signature{});
    std::vector<std::uint32_t> starts;
    for (int t = 0; t < kMaxTargets; ++t)
      for (std::uint32_t k = 0; k < trees_; ++k) starts.push_back(k);
    if (Status ok = upload(context_, starts, starts_); !ok) return ok;
    bytes_ += atlas_.size() * sizeof(AtlasEdge) + starts_.size() * sizeof(std::uint32_t) +
              kinds_.size() * sizeof(Signature);
    const WalkKernel kernel = walk_kernel_for(ground_.bins());
    // The limit is the kernel's, not this object's: the most that any object needs.
    const std::size_t shared = walk_shared_bytes(Atlas::kMaxAtlasBins, kMaxTargets);
    if (Status ok =
            cuda_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(shared)),
                        kWhere);
        !ok)
      return ok;
    return Done{};
  }

  /// Sums of the targets' sets of bins; and where targets are new, good trees to begin with.
  Status begin_walks() {
    bool far = false;
    for (int t = 0; t < target_count_; ++t) {
      target_sums_->set(given_[t]);
      for (std::size_t m = 0; m < std::size_t{1} << ground_.bins(); ++m)
        host_sums_[(static_cast<std::size_t>(t) << ground_.bins()) + m] =
            static_cast<std::uint8_t>(target_sums_->data()[m]);
      far = far || difference(given_[t], primed_[t]) > settings_.mass / 8;
    }
    const StreamRef stream = context_.stream();
    if (Status ok = copy_to_device(stream, sums_.device_data(), host_sums_.data(),
                                   static_cast<std::size_t>(target_count_) << ground_.bins());
        !ok)
      return ok;
    if (far) {
      primed_ = given_;
      FrameView frame = frame_view(reinterpret_cast<const uint4*>(kinds_.device_data()),
                                   kinds_.size(), nullptr, 0);
      if (Status ok = launch_walks(frame, nullptr); !ok) return ok;
    }
    return wait(stream);  // the next targets write over them
  }

  [[nodiscard]] FrameView frame_view(const uint4* keys, std::size_t count, std::uint32_t* costs,
                                     std::size_t stride) const {
    FrameView f;
    f.keys = keys;
    f.count = static_cast<std::uint32_t>(count);
    f.costs = costs;
    f.stride = stride;
    f.bins = ground_.bins();
    f.mass = settings_.mass;
    f.targets = target_count_;
    f.hash_mask = hash_mask(settings_.hash_bits);
    f.owner = owner_.device_data();
    f.list = list_.device_data();
    f.counters = counters_.device_data();
    f.table = table_.device_data();
    f.place_mask = static_cast<std::uint32_t>(table_places(count) - 1);
    f.cache.quads = cache_.device_data();
    f.cache.entry_quads = quads_for(target_count_);
    f.cache.sets = f.cache.entry_quads == 2 ? sets_ : sets_ / 2;
    f.cache.now = stamp_;
    f.cache.oldest = oldest_;
    f.cache.empty = oldest_ >= stamp_;
    return f;
  }

  Status launch_walks(const FrameView& frame, const std::uint32_t* list) const {
    const WalkView walks{atlas_.device_data(), trees_,
                         sums_.device_data(),  parts_.device_data(),
                         names_.device_data(), costs_.device_data(),
                         starts_.device_data()};
    const unsigned blocks = static_cast<unsigned>(context_.info().multiprocessors) * 8U;
    const unsigned needed = div_up(static_cast<int>(frame.count), kWalkThreads / kLanes);
    walk_kernel_for(
        ground_
            .bins())<<<std::min(blocks, needed), kWalkThreads,
                       walk_shared_bytes(ground_.bins(), target_count_), context_.stream().get()>>>(
        frame, walks, list);
    return cuda_status(cudaGetLastError(), "walks launch");
  }

  /// Frames are numbered; before the numbers run out, all is forgotten.
  Status next_stamp() {
    if (stamp_ >= 0xFFFFFFF0U) {
      stamp_ = 0;
      oldest_ = 1;
      if (sets_ > 0)
        if (Status ok = clear_cache(); !ok) return ok;
    }
    ++stamp_;
    return Done{};
  }

  Status queue(const uint4* keys, std::size_t count, std::uint32_t* costs, std::size_t stride) {
    if (Status ok = next_stamp(); !ok) return ok;
    cudaStream_t const stream = context_.stream().get();
    const bool empty = oldest_ >= stamp_;
    plan_kernel<<<1, 1, 0, stream>>>(counters_.device_data(), worth(), empty);
    if (Status ok = cuda_status(cudaGetLastError(), "plan launch"); !ok) return ok;
    judge_cache_ = !empty;
    if (count == 0) return Done{};
    const FrameView f = frame_view(keys, count, costs, stride);
    const unsigned simple = div_up(static_cast<int>(count), kSimpleThreads);
    if (solver_ == Solver::closed_form) {
      closed_kernel<<<simple, kSimpleThreads, 0, stream>>>(f, form_, targets_.device_data());
      return cuda_status(cudaGetLastError(), "closed forms launch");
    }
    if (f.table != nullptr)
      if (Status ok = runtime::fill(stream, f.table, 0xFF,
                                    (std::size_t{f.place_mask} + 1) * sizeof(std::uint32_t));
          !ok)
        return ok;
    find_kernel<<<div_up(static_cast<int>(count), kFindThreads), kFindThreads, 0, stream>>>(f);
    if (Status ok = cuda_status(cudaGetLastError(), "look-up launch"); !ok) return ok;
    if (solver_ == Solver::atlas) {
      if (Status ok = launch_walks(f, f.list); !ok) return ok;
    } else {
      const unsigned needed = div_up(static_cast<int>(count), kPackedThreads / kHalf);
      const unsigned blocks = static_cast<unsigned>(context_.info().multiprocessors) * 16U;
      packed_kernel_for(ground_.bins())<<<std::min(blocks, needed), kPackedThreads, 0, stream>>>(
          f, costs_.device_data(), PackedTableau::price(ground_.bins(), ground_.largest()),
          targets_.device_data());
      if (Status ok = cuda_status(cudaGetLastError(), "packed simplex launch"); !ok) return ok;
    }
    if (f.cache.sets > 0) {
      const unsigned blocks = static_cast<unsigned>(context_.info().multiprocessors) * 8U;
      keep_kernel<<<std::min(blocks, simple), kSimpleThreads, 0, stream>>>(f);
      if (Status ok = cuda_status(cudaGetLastError(), "cache launch"); !ok) return ok;
    }
    if (f.table == nullptr) return Done{};
    spread_kernel<<<simple, kSimpleThreads, 0, stream>>>(f);
    return cuda_status(cudaGetLastError(), "duplicates launch");
  }

  /// From which share of hits a look-up pays, by the measured times of walks and simplex (bench
  /// emd). More targets make solving slower, and a look-up hardly.
  [[nodiscard]] Worth worth() const {
    const bool walks = solver_ == Solver::atlas;
    const auto targets = static_cast<std::uint32_t>(target_count_);
    return {(walks ? 128U : 16U) / targets, (walks ? 64U : 16U) / targets, settings_.adaptive,
            judge_cache_};
  }

  /// Memory for frames from the host, taken with the first one. Planes need up_.
  Status prepare(Slot& slot, bool planes) {
    if (slot.keys.size() == 0) {  // all of it, or nothing
      Slot whole;
      if (Status ok = make(whole.keys, pitch_); !ok) return ok;
      if (Status ok = make(whole.costs, pitch_ * kMaxTargets); !ok) return ok;
      for (Event* event : {&whole.uploaded, &whole.computed, &whole.done}) {
        Result<Event> made = Event::create();
        if (!made) return made.error();
        *event = std::move(*made);
      }
      slot = std::move(whole);
    }
    if (!planes || slot.planes.size() != 0) return Done{};
    if (Status ok = make(slot.planes, pitch_ * static_cast<std::size_t>(ground_.bins())); !ok)
      return ok;
    // Four bytes are read at a time, and thrown away beyond the last signature: never unwritten
    // ones.
    return runtime::fill(StreamRef{*up_}.get(), slot.planes.device_data(), 0, slot.planes.size());
  }

  Status copy_back(StreamRef stream, const Slot& slot, const CostsView<Space::host>& costs,
                   std::size_t count) const {
    for (int t = 0; t < target_count_; ++t)
      if (Status ok = copy_to_host(stream, costs.data + t * costs.stride,
                                   slot.costs.device_data() + t * pitch_, count);
          !ok)
        return ok;
    return Done{};
  }

  Status queue_slot(Slot& slot, const BytePlanes& planes, const CostsView<Space::host>& costs) {
    const std::size_t pitch = (planes.count + 15) / 16 * 16;
    const auto given = static_cast<std::size_t>(planes.planes);
    const Status copied =
        planes.stride == pitch && planes.count == pitch
            ? copy_to_device(*up_, slot.planes.device_data(), planes.data, given * pitch)
            : runtime::copy_rows(StreamRef{*up_}.get(), runtime::Direction::to_device,
                                 slot.planes.device_data(), pitch, planes.data, planes.stride,
                                 planes.count, given);
    if (!copied) return copied;
    const StreamRef stream = context_.stream();
    if (Status ok = slot.uploaded.record(*up_); !ok) return ok;
    if (Status ok = slot.uploaded.hold(stream); !ok) return ok;
    pack_kernel<<<div_up(static_cast<int>((planes.count + 3) / 4), kSimpleThreads), kSimpleThreads,
                  0, stream.get()>>>(
        slot.planes.device_data(), planes.planes, pitch, ground_.bins(), settings_.mass,
        static_cast<std::uint32_t>(planes.count), slot.keys.device_data());
    if (Status ok = cuda_status(cudaGetLastError(), "pack launch"); !ok) return ok;
    if (Status ok = queue(slot.keys.device_data(), planes.count, slot.costs.device_data(), pitch_);
        !ok)
      return ok;
    if (Status ok = slot.computed.record(stream); !ok) return ok;
    if (Status ok = slot.computed.hold(*down_); !ok) return ok;
    if (Status ok = copy_back(*down_, slot, costs, planes.count); !ok) return ok;
    return slot.done.record(*down_);
  }

  const Context& context_;
  Ground ground_;
  DistanceSettings settings_;
  Solver solver_;
  std::size_t most_, pitch_, bytes_ = 0;
  ClosedForm form_;
  std::uint32_t sets_ = 0, stamp_ = 0, oldest_ = 1, trees_ = 0;
  int target_count_ = 0, begun_ = 0, first_ = 0;
  bool unsure_ = false;       // of the targets and the cache's layout: a call for them failed
  bool judge_cache_ = false;  // the frame before had something to look up
  std::array<Signature, kMaxTargets> given_{}, primed_{};
  DeviceBuffer<std::int32_t> costs_;
  DeviceBuffer<uint4> targets_, cache_;
  DeviceBuffer<std::uint32_t> counters_, owner_, list_, table_, names_, starts_;
  DeviceBuffer<std::uint8_t> parts_, sums_;
  std::vector<std::uint8_t> host_sums_;  // of all sets of bins, target by target
  std::optional<TargetSums> target_sums_;
  DeviceBuffer<AtlasEdge> atlas_;
  DeviceBuffer<Signature> kinds_;
  std::optional<Stream> up_, down_;
  std::array<Slot, kAhead> slots_;
};

}  // namespace

Result<std::unique_ptr<Distances>> make_distances_cuda(const Context& context, const Ground& ground,
                                                       const DistanceSettings& settings,
                                                       Solver solver, std::size_t most) {
  auto made = std::make_unique<DistancesCuda>(context, ground, settings, solver, most);
  if (Status ok = made->allocate(); !ok) return ok.error();
  return std::unique_ptr<Distances>{std::move(made)};
}

}  // namespace kerb::emd
