// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <optional>
#include <vector>

#include "gpu/emd/atlas_walk.hpp"
#include "gpu/emd/closed_form.hpp"
#include "gpu/emd/distances_check.hpp"
#include "gpu/emd/keys.hpp"
#include "gpu/emd/packed_simplex.hpp"
#include "gpu/emd/transport.hpp"

namespace kerb::emd {
namespace {

constexpr std::uint32_t kNobody = 0xFFFFFFFFU;
constexpr std::size_t kChunk = 8192;  // signatures a task takes

KeyWords words_of(const Signature& signature) noexcept {
  KeyWords words{};
  static_assert(sizeof words == sizeof signature);
  std::memcpy(&words, &signature, sizeof words);
  return words;
}

/// Results of earlier frames. `stamp` is the frame that used it last; 0: never.
struct CacheEntry {
  Signature key;
  std::atomic<std::uint32_t> stamp{0};
  std::uint32_t costs[kMaxTargets] = {};
};

class ResultCache {
 public:
  explicit ResultCache(std::uint32_t sets)
      : sets_{sets}, entries_{sets > 0 ? new CacheEntry[std::size_t{sets} * kWays] : nullptr} {}
  [[nodiscard]] std::size_t bytes() const noexcept {
    return std::size_t{sets_} * kWays * sizeof(CacheEntry);
  }
  void clear() noexcept {
    for (std::size_t i = 0; i < std::size_t{sets_} * kWays; ++i)
      entries_[i].stamp.store(0, std::memory_order_relaxed);
  }
  void prefetch(std::uint32_t hash) const noexcept {
    if (sets_ > 0) __builtin_prefetch(set_of(hash));
  }
  /// Nullptr: not there. Safe while others look up, not while they add.
  [[nodiscard]] const CacheEntry* find(const Signature& key, std::uint32_t hash,
                                       std::uint32_t oldest, std::uint32_t now) const noexcept {
    if (sets_ == 0) return nullptr;
    CacheEntry* const set = set_of(hash);
    for (int w = 0; w < kWays; ++w) {
      const std::uint32_t stamp = set[w].stamp.load(std::memory_order_relaxed);
      if (stamp < oldest || set[w].key.bins != key.bins) continue;
      if (stamp != now) set[w].stamp.store(now, std::memory_order_relaxed);
      return &set[w];
    }
    return nullptr;
  }
  /// Takes the place of the oldest, unless all are of this frame. Safe while others add other keys.
  void add(const Signature& key, std::uint32_t hash, std::uint32_t now, const std::uint32_t* costs,
           std::size_t stride, int targets) noexcept {
    if (sets_ == 0) return;
    CacheEntry* const set = set_of(hash);
    for (;;) {
      int oldest = 0;
      std::uint32_t stamp = set[0].stamp.load(std::memory_order_relaxed);
      for (int w = 1; w < kWays; ++w) {
        const std::uint32_t other = set[w].stamp.load(std::memory_order_relaxed);
        if (other >= stamp) continue;
        stamp = other;
        oldest = w;
      }
      if (stamp >= now) return;
      if (!set[oldest].stamp.compare_exchange_strong(stamp, now, std::memory_order_relaxed))
        continue;
      set[oldest].key = key;
      for (int t = 0; t < targets; ++t)
        set[oldest].costs[t] = costs[static_cast<std::size_t>(t) * stride];
      return;
    }
  }

 private:
  [[nodiscard]] CacheEntry* set_of(std::uint32_t hash) const noexcept {
    return entries_.get() + std::size_t{hash & (sets_ - 1)} * kWays;
  }
  std::uint32_t sets_;
  std::unique_ptr<CacheEntry[]> entries_;
};

class DistancesCpu final : public Distances {
 public:
  DistancesCpu(Workers& workers, const Ground& ground, const DistanceSettings& settings,
               Solver solver, std::size_t most, std::optional<Atlas> atlas)
      : workers_{workers},
        ground_{ground},
        settings_{settings},
        solver_{solver},
        most_{most},
        form_{closed_form(ground)},
        mask_{hash_mask(settings.hash_bits)},
        atlas_{std::move(atlas)},
        cache_{solver == Solver::closed_form ? 0 : cache_sets(settings, most, Backend::cpu)},
        scratch_(static_cast<std::size_t>(workers.count())),
        keys_(most) {
    if (solver == Solver::closed_form) return;
    const std::size_t tasks = (most + kChunk - 1) / kChunk;
    owner_.resize(most);
    list_.resize(tasks * kChunk);
    listed_.resize(tasks);
    if (settings.find_duplicates) {
      places_ = table_places(most);
      table_.reset(new std::atomic<std::uint32_t>[places_]);
    }
  }

  Status set_targets(const Signature* targets, int count) override {
    if (Status ok = check_targets(targets, count, ground_.bins(), settings_.mass); !ok) return ok;
    const bool same =
        static_cast<int>(targets_.size()) == count &&
        std::equal(targets_.begin(), targets_.end(), targets,
                   [](const Signature& a, const Signature& b) { return a.bins == b.bins; });
    if (same) return Done{};
    targets_.assign(targets, targets + count);
    oldest_ = stamp_ + 1;
    if (!atlas_) return Done{};
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (i < sums_.size())
        sums_[i].set(targets_[i]);
      else
        sums_.emplace_back(ground_.bins(), targets_[i]);
    }
    while (starts_.size() < targets_.size())
      starts_.push_back(
          std::make_unique<WalkStarts>(ground_.bins(), atlas_->trees(), settings_.mass));
    return Done{};
  }

  Status run(const SignaturesView<Space::host>& signatures,
             const CostsView<Space::host>& costs) override {
    if (Status ok = check_frame(static_cast<int>(targets_.size()), most_, signatures.data,
                                signatures.count, costs);
        !ok)
      return ok;
    next_stamp();
    for (Scratch& scratch : scratch_) scratch.counts = {};
    if (solver_ == Solver::closed_form) {
      for_chunks(signatures.count, [&](std::size_t from, std::size_t to, int, Scratch& scratch) {
        for (std::size_t i = from; i < to; ++i) compute(signatures.data[i], i, costs, scratch);
      });
      return Done{};
    }
    clear_table(signatures.count);
    for_chunks(signatures.count, [&](std::size_t from, std::size_t to, int task, Scratch& scratch) {
      find(signatures, from, to, task, costs, scratch);
    });
    for_chunks(signatures.count, [&](std::size_t, std::size_t, int task, Scratch& scratch) {
      solve(signatures, task, costs, scratch);
    });
    for_chunks(signatures.count, [&](std::size_t from, std::size_t to, int task, Scratch&) {
      spread(signatures, from, to, task, costs);
    });
    return Done{};
  }
  Status run(const SignaturesView<Space::device>&, const CostsView<Space::device>&) override {
    return Error{Errc::unsupported, 0, "earth mover's distance", "the backend is the CPU"};
  }

  Status begin(const BytePlanes& planes, const CostsView<Space::host>& costs) override {
    if (Status ok = check_planes(planes, ground_.bins(), settings_.mass); !ok) return ok;
    if (begun_ == kAhead) return bad_distances("too many frames have begun");
    if (Status ok =
            check_frame(static_cast<int>(targets_.size()), most_, planes.data, planes.count, costs);
        !ok)
      return ok;
    for_chunks(planes.count,
               [&](std::size_t from, std::size_t to, int, Scratch&) { pack(planes, from, to); });
    if (Status ok = run(SignaturesView<Space::host>{keys_.data(), planes.count}, costs); !ok)
      return ok;
    ++begun_;
    return Done{};
  }
  Status finish() override {
    if (begun_ == 0) return bad_distances("no frame has begun");
    --begun_;
    return Done{};
  }

  Result<DistanceCounts> counts() override {
    DistanceCounts sum;
    for (const Scratch& s : scratch_) {
      sum.refused += s.counts.refused;
      sum.cached += s.counts.cached;
      sum.duplicates += s.counts.duplicates;
      sum.solved += s.counts.solved;
    }
    return sum;
  }
  Status forget() override {
    oldest_ = stamp_ + 1;
    return Done{};
  }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cpu; }
  [[nodiscard]] Solver solver() const noexcept override { return solver_; }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return cache_.bytes() + (atlas_ ? atlas_->table().size() * sizeof(AtlasEdge) : 0) +
           places_ * sizeof(std::uint32_t) +
           (owner_.size() + list_.size()) * sizeof(std::uint32_t) +
           keys_.size() * sizeof(Signature);
  }

 private:
  struct alignas(64) Scratch {
    Transport transport;
    PackedSimplex packed;
    DistanceCounts counts;
  };

  template <typename Body>
  void for_chunks(std::size_t count, const Body& body) {
    const int tasks = static_cast<int>((count + kChunk - 1) / kChunk);
    workers_.run(tasks, [&](int task, int worker) {
      const std::size_t from = static_cast<std::size_t>(task) * kChunk;
      body(from, std::min(count, from + kChunk), task, scratch_[static_cast<std::size_t>(worker)]);
    });
  }

  /// Frames are numbered; before the numbers run out, all is forgotten.
  void next_stamp() noexcept {
    if (stamp_ >= 0xFFFFFFF0U) {
      cache_.clear();
      stamp_ = 0;
      oldest_ = 1;
    }
    ++stamp_;
  }

  void clear_table(std::size_t count) {
    if (places_ == 0) return;
    mask_of_places_ = std::min(places_, table_places(count)) - 1;
    constexpr std::size_t kPart = std::size_t{1} << 16;
    const std::size_t used = mask_of_places_ + 1;
    workers_.run(static_cast<int>((used + kPart - 1) / kPart), [&](int task, int) {
      const std::size_t from = static_cast<std::size_t>(task) * kPart;
      for (std::size_t i = from; i < std::min(used, from + kPart); ++i)
        table_[i].store(kNobody, std::memory_order_relaxed);
    });
  }

  void compute(const Signature& signature, std::size_t i, const CostsView<Space::host>& costs,
               Scratch& scratch) const noexcept {
    const bool good = is_good(signature, ground_.bins(), settings_.mass);
    ++(good ? scratch.counts.solved : scratch.counts.refused);
    for (std::size_t t = 0; t < targets_.size(); ++t)
      costs.data[t * costs.stride + i] =
          good ? closed_form_cost(form_, signature, targets_[t]) : kNoDistance;
  }

  /// Results that are known, and for the others who solves them: owner_ is nobody where the cost is
  /// there already, else the signature that is like this one, or itself.
  void find(const SignaturesView<Space::host>& signatures, std::size_t from, std::size_t to,
            int task, const CostsView<Space::host>& costs, Scratch& scratch) noexcept {
    constexpr std::size_t kAheadOf = 16;
    std::uint32_t* list = list_.data() + static_cast<std::size_t>(task) * kChunk;
    std::uint32_t listed = 0;
    for (std::size_t i = from; i < to; ++i) {
      if (i + kAheadOf < to) {
        const std::uint32_t soon = hash_of(words_of(signatures.data[i + kAheadOf])) & mask_;
        cache_.prefetch(soon);
        if (places_ > 0) __builtin_prefetch(&table_[second_hash(soon) & mask_of_places_]);
      }
      const Signature& key = signatures.data[i];
      const std::uint32_t hash = hash_of(words_of(key)) & mask_;
      owner_[i] = kNobody;
      if (!is_good(key, ground_.bins(), settings_.mass)) {
        ++scratch.counts.refused;
        for (std::size_t t = 0; t < targets_.size(); ++t)
          costs.data[t * costs.stride + i] = kNoDistance;
        continue;
      }
      if (const CacheEntry* known = cache_.find(key, hash, oldest_, stamp_)) {
        ++scratch.counts.cached;
        for (std::size_t t = 0; t < targets_.size(); ++t)
          costs.data[t * costs.stride + i] = known->costs[t];
        continue;
      }
      const auto self = static_cast<std::uint32_t>(i);
      owner_[i] = places_ > 0 ? owner_of(signatures.data, self, hash) : self;
      if (owner_[i] == self) {
        ++scratch.counts.solved;
        list[listed++] = self;
      } else {
        ++scratch.counts.duplicates;
      }
    }
    listed_[static_cast<std::size_t>(task)] = listed;
  }

  std::uint32_t owner_of(const Signature* keys, std::uint32_t self, std::uint32_t hash) noexcept {
    std::size_t place = second_hash(hash);
    for (int probe = 0; probe < kMostProbes; ++probe, ++place) {
      std::atomic<std::uint32_t>& there = table_[place & mask_of_places_];
      std::uint32_t owner = there.load(std::memory_order_relaxed);
      if (owner == kNobody && there.compare_exchange_strong(owner, self, std::memory_order_relaxed))
        return self;
      if (keys[owner].bins == keys[self].bins) return owner;
    }
    return self;
  }

  void solve(const SignaturesView<Space::host>& signatures, int task,
             const CostsView<Space::host>& costs, Scratch& scratch) noexcept {
    const std::uint32_t* list = list_.data() + static_cast<std::size_t>(task) * kChunk;
    const std::uint32_t listed = listed_[static_cast<std::size_t>(task)];
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      std::uint32_t* out = costs.data + t * costs.stride;
      if (solver_ == Solver::atlas) {
        walk(*atlas_, ground_, sums_[t], *starts_[t], signatures.data, list, listed, out);
        continue;
      }
      for (std::uint32_t k = 0; k < listed; ++k) {
        const Signature& from = signatures.data[list[k]];
        out[list[k]] = solver_ == Solver::packed_simplex
                           ? scratch.packed.solve(ground_, from, targets_[t])
                           : scratch.transport.solve(ground_, from, targets_[t]);
      }
    }
  }

  void spread(const SignaturesView<Space::host>& signatures, std::size_t from, std::size_t to,
              int task, const CostsView<Space::host>& costs) noexcept {
    for (std::size_t i = from; i < to; ++i)
      if (owner_[i] != kNobody && owner_[i] != i)
        for (std::size_t t = 0; t < targets_.size(); ++t)
          costs.data[t * costs.stride + i] = costs.data[t * costs.stride + owner_[i]];
    const std::uint32_t* list = list_.data() + static_cast<std::size_t>(task) * kChunk;
    for (std::uint32_t k = 0; k < listed_[static_cast<std::size_t>(task)]; ++k) {
      const Signature& key = signatures.data[list[k]];
      cache_.add(key, hash_of(words_of(key)) & mask_, stamp_, costs.data + list[k], costs.stride,
                 static_cast<int>(targets_.size()));
    }
  }

  void pack(const BytePlanes& planes, std::size_t from, std::size_t to) noexcept {
    const int last = ground_.bins() - 1;
    for (std::size_t i = from; i < to; ++i) {
      Signature key;
      int sum = 0;
      for (int k = 0; k < planes.planes; ++k) {
        const std::uint8_t bin = planes.data[static_cast<std::size_t>(k) * planes.stride + i];
        key.bins[static_cast<std::size_t>(k)] = bin;
        sum += bin;
      }
      // Where the others are more than the whole mass it stays so, and is refused.
      if (planes.planes == last)
        key.bins[static_cast<std::size_t>(last)] =
            static_cast<std::uint8_t>(std::max(settings_.mass - sum, 0));
      keys_[i] = key;
    }
  }

  Workers& workers_;
  Ground ground_;
  DistanceSettings settings_;
  Solver solver_;
  std::size_t most_;
  ClosedForm form_;
  std::uint32_t mask_;
  std::optional<Atlas> atlas_;
  ResultCache cache_;
  std::vector<Scratch> scratch_;  // one a worker
  std::vector<Signature> keys_, targets_;
  std::vector<TargetSums> sums_;
  std::vector<std::unique_ptr<WalkStarts>> starts_;
  std::vector<std::uint32_t> owner_, list_, listed_;  // listed_: of each task
  std::size_t places_ = 0, mask_of_places_ = 0;
  std::unique_ptr<std::atomic<std::uint32_t>[]> table_;
  std::uint32_t stamp_ = 0, oldest_ = 1;
  int begun_ = 0;
};

}  // namespace

Result<std::unique_ptr<Distances>> make_distances_cpu(Workers& workers, const Ground& ground,
                                                      const DistanceSettings& settings,
                                                      Solver solver, std::size_t most) {
  try {
    std::optional<Atlas> atlas;
    if (solver == Solver::atlas) {
      Result<Atlas> built = Atlas::build(ground);
      if (!built) return built.error();
      atlas.emplace(std::move(*built));
    }
    std::unique_ptr<Distances> made =
        std::make_unique<DistancesCpu>(workers, ground, settings, solver, most, std::move(atlas));
    return made;
  } catch (const std::bad_alloc&) {
    return Error{Errc::io, 0, "earth mover's distance", "no memory for it"};
  }
}

}  // namespace kerb::emd
