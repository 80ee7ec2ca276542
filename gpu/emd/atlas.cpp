// SPDX-License-Identifier: Apache-2.0
#include "gpu/emd/atlas.hpp"

#include <algorithm>
#include <utility>

#include "hal/base/splitmix.hpp"

namespace kerb::emd {
namespace {

constexpr Binomials kBinomials = make_binomials();

std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

AtlasEdge edge_between(int source, int sink) noexcept {
  return static_cast<AtlasEdge>(source) << 56 | static_cast<AtlasEdge>(sink) << 60;
}

class AtlasBuilder {
 public:
  explicit AtlasBuilder(const Ground& ground) : n_{ground.bins()}, edges_{2 * n_ - 1} {
    trees_ = kBinomials.choose[n_ - 1][2 * n_ - 2];
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) given_[at(i)][at(j)] = ground.cost(i, j);
  }
  [[nodiscard]] std::uint32_t trees() const noexcept { return trees_; }

  /// False when two costs were equal after all: try another seed.
  bool build(std::uint64_t seed, std::vector<AtlasEdge>& table) {
    SplitMix64 random{seed};
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j)
        // A difference of two costs adds up over at most 2 bins edges: 31 bits and 5 are below
        // 2^36.
        cost_[at(i)][at(j)] =
            (given_[at(i)][at(j)] << 36) + static_cast<std::int64_t>(random.next() >> 34);
    table.assign(static_cast<std::size_t>(trees_) * at(edges_), 0);
    table_ = table.data();
    known_.assign(trees_, false);
    queue_.clear();
    queue_.reserve(trees_);
    begin();
    for (std::size_t head = 0; head < queue_.size(); ++head)
      if (!expand(queue_[head])) return false;
    return queue_.size() == trees_;
  }

 private:
  using Row = std::array<std::int64_t, kMaxBins>;

  [[nodiscard]] AtlasEdge* tree(std::uint32_t index) const noexcept {
    return table_ + static_cast<std::size_t>(index) * at(edges_);
  }
  [[nodiscard]] std::uint32_t name_of_degrees(const std::array<int, kMaxBins>& degrees) const {
    std::array<int, kMaxBins> sums{};
    for (int k = 1; k < n_; ++k) sums[at(k)] = sums[at(k - 1)] + degrees[at(k - 1)] - 1;
    return tree_at(kBinomials, n_, [&](int k) { return sums[at(k)]; });
  }

  /// Bin 0 of the signature serves all; every other is joined where it is cheapest.
  void begin() {
    std::array<int, kMaxBins> degrees{};
    std::array<AtlasEdge, 2 * kMaxBins> edges{};
    int count = 0;
    for (int j = 0; j < n_; ++j) edges[at(count++)] = edge_between(0, j);
    degrees[0] = n_;
    for (int i = 1; i < n_; ++i) {
      int best = 0;
      for (int j = 1; j < n_; ++j)
        if (cost_[at(i)][at(j)] - cost_[0][at(j)] < cost_[at(i)][at(best)] - cost_[0][at(best)])
          best = j;
      edges[at(count++)] = edge_between(i, best);
      degrees[at(i)] = 1;
    }
    const std::uint32_t name = name_of_degrees(degrees);
    std::copy_n(edges.begin(), edges_, tree(name));
    known_[name] = true;
    queue_.push_back(name);
  }

  /// Potentials, and which bins hang below each, from bin 0 of the signature down. Nodes are the
  /// signature's bins, then the target's.
  void read(const AtlasEdge* edges) {
    std::array<unsigned, 2 * kMaxBins> joined{};
    for (int e = 0; e < edges_; ++e) {
      const int i = source_of(edges[e]), j = n_ + sink_of(edges[e]);
      joined[at(i)] |= 1U << j;
      joined[at(j)] |= 1U << i;
    }
    std::array<int, 2 * kMaxBins> order{};
    int tail = 1;
    potential_[0] = 0;
    parent_[0] = -1;
    for (int head = 0; head < tail; ++head) {
      const int above = order[at(head)];
      below_[at(above)] = 1U << above;
      unsigned rest = joined[at(above)] & ~(parent_[at(above)] < 0 ? 0U : 1U << parent_[at(above)]);
      for (; rest != 0; rest &= rest - 1) {
        const int node = __builtin_ctz(rest);
        parent_[at(node)] = above;
        const std::int64_t cost =
            above < n_ ? cost_[at(above)][at(node - n_)] : cost_[at(node)][at(above - n_)];
        potential_[at(node)] = cost - potential_[at(above)];
        order[at(tail++)] = node;
      }
    }
    for (int k = tail - 1; k > 0; --k) {
      const int node = order[at(k)];
      below_[at(parent_[at(node)])] |= below_[at(node)];
    }
  }

  bool expand(std::uint32_t index) {
    AtlasEdge* const edges = tree(index);
    read(edges);
    std::array<Row, kMaxBins> price{};  // cost less potentials, [sink][source]
    for (int j = 0; j < n_; ++j)
      for (int i = 0; i < n_; ++i)
        price[at(j)][at(i)] = cost_[at(i)][at(j)] - potential_[at(i)] - potential_[at(n_ + j)];
    std::array<int, kMaxBins> degrees{};
    for (int e = 0; e < edges_; ++e) ++degrees[at(source_of(edges[e]))];
    const unsigned all_sources = (1U << n_) - 1U, all = (1U << 2 * n_) - 1U;
    for (int e = 0; e < edges_; ++e) {
      const int i = source_of(edges[e]), j = sink_of(edges[e]);
      // The part with the signature's bin i.
      const unsigned part = parent_[at(i)] == n_ + j ? below_[at(i)] : all & ~below_[at(n_ + j)];
      const unsigned sources = part & all_sources, sinks = part >> n_;
      std::int64_t least = INT64_MAX;
      int from = 0, to = 0, equals = 0;
      for (unsigned js = sinks; js != 0; js &= js - 1) {
        const int k = __builtin_ctz(js);
        const Row& row = price[at(k)];
        for (unsigned is = all_sources & ~sources; is != 0; is &= is - 1) {
          const int l = __builtin_ctz(is);
          if (row[at(l)] > least) continue;
          equals = row[at(l)] == least ? equals + 1 : 0;
          least = row[at(l)];
          from = l;
          to = k;
        }
      }
      if (equals != 0) return false;
      std::uint32_t next = index;  // never gone to: the flow is a bin's own mass
      if (least != INT64_MAX && !step(edges, e, from, to, degrees, next)) return false;
      edges[e] = edge_between(i, j) | static_cast<AtlasEdge>(next) << 32 |
                 static_cast<AtlasEdge>(sinks) << 16 | sources;
    }
    return true;
  }

  /// The tree with edge (from, to) instead of edge `leaving`; remembers it if it is new.
  bool step(const AtlasEdge* edges, int leaving, int from, int to,
            std::array<int, kMaxBins>& degrees, std::uint32_t& next) {
    const int i = source_of(edges[leaving]);
    --degrees[at(i)];
    ++degrees[at(from)];
    next = name_of_degrees(degrees);
    ++degrees[at(i)];
    --degrees[at(from)];
    AtlasEdge* const other = tree(next);
    if (known_[next]) {  // then it is the same tree: the new edge must be one of its own
      for (int e = 0; e < edges_; ++e)
        if (source_of(other[e]) == from && sink_of(other[e]) == to) return true;
      return false;
    }
    for (int e = 0; e < edges_; ++e)
      other[e] = e == leaving ? edge_between(from, to)
                              : edge_between(source_of(edges[e]), sink_of(edges[e]));
    known_[next] = true;
    queue_.push_back(next);
    return true;
  }

  int n_, edges_;
  std::uint32_t trees_ = 0;
  std::array<Row, kMaxBins> given_{}, cost_{};
  AtlasEdge* table_ = nullptr;
  std::vector<bool> known_;
  std::vector<std::uint32_t> queue_;
  std::array<std::int64_t, 2 * kMaxBins> potential_{};
  std::array<int, 2 * kMaxBins> parent_{};
  std::array<unsigned, 2 * kMaxBins> below_{};
};

}  // namespace

Result<Atlas> Atlas::build(const Ground& ground) {
  if (ground.bins() > kMaxAtlasBins)
    return Error{Errc::unsupported, 0, "atlas of solutions", "bins: 2..12"};
  Atlas atlas;
  atlas.bins_ = ground.bins();
  AtlasBuilder builder{ground};
  atlas.trees_ = builder.trees();
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    if (builder.build(seed, atlas.table_)) return Result<Atlas>{std::move(atlas)};
  return Error{Errc::unsupported, 0, "atlas of solutions", "costs stay equal"};
}

}  // namespace kerb::emd
