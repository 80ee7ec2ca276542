// SPDX-License-Identifier: Apache-2.0
#include "gpu/emd/atlas_walk.hpp"

#include <algorithm>

namespace kerb::emd {
namespace {

constexpr Binomials kNames = make_binomials();
constexpr std::size_t kTogether = 6;  // walks at once: while one waits for memory others go on

/// One walk: the masses of all sets of the first half of the bins, and of the second.
template <int kBins>
struct Walker {
  static constexpr int kEdges = 2 * kBins - 1, kLow = (kBins + 1) / 2, kHigh = kBins - kLow;
  std::uint16_t low[1 << kLow], high[1 << kHigh];
  std::uint32_t problem, kind, tree;

  void begin(const Signature& s, std::uint32_t which, const WalkStarts& starts) noexcept {
    low[0] = high[0] = 0;
    for (int k = 0; k < kLow; ++k)
      for (int m = 0; m < 1 << k; ++m)
        low[m + (1 << k)] =
            static_cast<std::uint16_t>(low[m] + s.bins[static_cast<std::size_t>(k)]);
    for (int k = 0; k < kHigh; ++k)
      for (int m = 0; m < 1 << k; ++m)
        high[m + (1 << k)] = static_cast<std::uint16_t>(
            high[m] + s.bins[static_cast<std::size_t>(k) + std::size_t{kLow}]);
    problem = which;
    kind = starts.kind(s);
    tree = starts.tree(kind);
  }
  [[nodiscard]] int flow(AtlasEdge edge, const std::uint16_t* target) const noexcept {
    const unsigned sources = sources_of(edge);
    return low[sources & ((1U << kLow) - 1U)] + high[sources >> kLow] - target[sinks_of(edge)];
  }
  /// Goes on to the tree behind the most negative flow; false when there is none.
  bool step(const AtlasEdge* edges, const std::uint16_t* target) noexcept {
    int worst = 0;
    for (int e = 0; e < kEdges; ++e) worst = std::min(worst, flow(edges[e], target) * 32 + e);
    if (worst >= 0) return false;
    tree = next_of(edges[worst & 31]);
    return true;
  }
  [[nodiscard]] std::uint32_t cost(const AtlasEdge* edges, const std::uint16_t* target,
                                   const Ground& ground) const noexcept {
    std::uint32_t sum = 0;
    for (int e = 0; e < kEdges; ++e)
      sum += static_cast<std::uint32_t>(flow(edges[e], target)) *
             static_cast<std::uint32_t>(ground.cost(source_of(edges[e]), sink_of(edges[e])));
    return sum;
  }
};

template <int kBins>
void prefetch(const AtlasEdge* edges) noexcept {
  for (int e = 0; e < 2 * kBins - 1; e += 8) __builtin_prefetch(edges + e);
  __builtin_prefetch(edges + 2 * kBins - 2);
}

template <int kBins>
std::uint64_t walk_all(const Atlas& atlas, const Ground& ground, const std::uint16_t* target,
                       WalkStarts& starts, const Signature* signatures, const std::uint32_t* list,
                       std::size_t count, std::uint32_t* out) noexcept {
  std::array<Walker<kBins>, kTogether> walkers;
  std::size_t busy = 0, next = 0;
  std::uint64_t steps = 0;
  const auto take = [&](Walker<kBins>& walker) {
    const std::uint32_t problem = list != nullptr ? list[next] : static_cast<std::uint32_t>(next);
    ++next;
    walker.begin(signatures[problem], problem, starts);
    prefetch<kBins>(atlas.tree(walker.tree));
  };
  while (busy < kTogether && next < count) take(walkers[busy++]);
  while (busy > 0)
    for (std::size_t w = 0; w < busy; ++w) {
      Walker<kBins>& walker = walkers[w];
      const AtlasEdge* const edges = atlas.tree(walker.tree);
      if (walker.step(edges, target)) {
        ++steps;
        prefetch<kBins>(atlas.tree(walker.tree));
        continue;
      }
      out[walker.problem] = walker.cost(edges, target, ground);
      starts.remember(walker.kind, walker.tree);
      if (next < count)
        take(walker);
      else if (w != --busy)
        walker = walkers[busy];
    }
  return steps;
}

}  // namespace

WalkStarts::WalkStarts(int bins, std::uint32_t trees, int mass)
    : bins_{bins}, count_{trees}, trees_{new std::atomic<std::uint32_t>[trees]} {
  for (int m = 0; m <= mass; ++m) parts_[static_cast<std::size_t>(m)] = parts(m, bins, mass);
  forget();
}

void WalkStarts::forget() noexcept {
  for (std::uint32_t k = 0; k < count_; ++k) trees_[k].store(k, std::memory_order_relaxed);
}

std::uint32_t WalkStarts::kind(const Signature& signature) const noexcept {
  std::array<std::uint8_t, kMaxBins> upto{};
  unsigned sum = 0;
  for (std::size_t k = 1; k < static_cast<std::size_t>(bins_); ++k) {
    sum += signature.bins[k - 1];
    upto[k] = parts_[sum];
  }
  return tree_at(kNames, bins_, [&](int k) { return upto[static_cast<std::size_t>(k)]; });
}

TargetSums::TargetSums(int bins, const Signature& target) : sums_(std::size_t{1} << bins) {
  set(target);
}

void TargetSums::set(const Signature& target) noexcept {
  for (std::size_t m = 1; m < sums_.size(); ++m)
    sums_[m] = static_cast<std::uint16_t>(
        sums_[m & (m - 1)] +
        target.bins[static_cast<std::size_t>(__builtin_ctz(static_cast<unsigned>(m)))]);
}

void walk(const Atlas& atlas, const Ground& ground, const TargetSums& target, WalkStarts& starts,
          const Signature* signatures, const std::uint32_t* list, std::size_t count,
          std::uint32_t* out, std::uint64_t* steps) noexcept {
  using Walk = std::uint64_t (*)(const Atlas&, const Ground&, const std::uint16_t*, WalkStarts&,
                                 const Signature*, const std::uint32_t*, std::size_t,
                                 std::uint32_t*) noexcept;
  static constexpr Walk kWalks[] = {&walk_all<2>,  &walk_all<3>,  &walk_all<4>, &walk_all<5>,
                                    &walk_all<6>,  &walk_all<7>,  &walk_all<8>, &walk_all<9>,
                                    &walk_all<10>, &walk_all<11>, &walk_all<12>};
  static_assert(Atlas::kMaxAtlasBins == 12);
  const std::uint64_t walked =
      kWalks[atlas.bins() - 2](atlas, ground, target.data(), starts, signatures, list, count, out);
  if (steps != nullptr) *steps += walked;
}

}  // namespace kerb::emd
