// SPDX-License-Identifier: Apache-2.0
#include "tools/emd/exact_emd.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kerb::emd {
namespace {

constexpr double kParts = 0x1p60;
constexpr double kPartsOfLighter = kParts / 256;  // the other side may have as many in each bin
constexpr double kFar = std::numeric_limits<double>::infinity();

constexpr std::int32_t kRounded = 1 << 23;  // parts of a histogram, and of the dearest cost

std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

/// Shares to whole parts, kRounded together. False: one of them would be none.
bool round_shares(const double* shares, int bins, std::int32_t* parts) noexcept {
  std::int32_t sum = 0;
  int largest = 0;
  for (int i = 0; i < bins; ++i) {
    parts[i] = static_cast<std::int32_t>(std::lround(shares[i] * kRounded));
    if (parts[i] == 0 && shares[i] > 0) return false;
    sum += parts[i];
    if (parts[i] > parts[largest]) largest = i;
  }
  parts[largest] += kRounded - sum;
  return true;
}

/// A spanning tree of sources and sinks, taken apart from its leaves on.
class Tree {
 public:
  static constexpr int kSide = emd::kMaxBins;
  void join(int source, int sink) noexcept {
    joined_[at(source)] |= 1U << (kSide + sink);
    joined_[at(kSide + sink)] |= 1U << source;
  }
  /// Calls f(leaf, next to it) until nothing is left.
  template <typename F>
  void take_apart(const F& f) noexcept {
    std::uint32_t leaves = 0;
    for (int k = 0; k < 2 * kSide; ++k)
      if (is_leaf(k)) leaves |= 1U << k;
    while (leaves != 0) {
      const int leaf = __builtin_ctz(leaves);
      leaves &= leaves - 1;
      if (joined_[at(leaf)] == 0) continue;  // the other end of the last edge
      const int next = __builtin_ctz(joined_[at(leaf)]);
      joined_[at(leaf)] = 0;
      joined_[at(next)] &= ~(1U << leaf);
      f(leaf, next);
      if (is_leaf(next)) leaves |= 1U << next;
    }
  }

 private:
  [[nodiscard]] bool is_leaf(int k) const noexcept {
    return joined_[at(k)] != 0 && (joined_[at(k)] & (joined_[at(k)] - 1)) == 0;
  }
  std::array<std::uint32_t, 2 * kSide> joined_{};
};

}  // namespace

ExactEmd::ExactEmd(int bins, const double* costs)
    : bins_{bins}, costs_{costs}, nodes_(2 * at(bins)), moved_(at(bins) * at(bins)) {
  dearest_ = *std::max_element(costs, costs + at(bins) * at(bins));
  if (bins > emd::kMaxBins) return;
  const double scale = dearest_ > 0 ? (kRounded - 1) / dearest_ : 0;
  for (std::size_t i = 0; i < at(bins) * at(bins); ++i)
    rounded_.push_back(static_cast<std::int32_t>(std::lround(costs[i] * scale)));
}

ExactEmd::Whole ExactEmd::whole(const double* masses) const noexcept {
  Whole out{*std::max_element(masses, masses + bins_), 0};
  for (int i = 0; i < bins_; ++i) out.by_largest += masses[i] / out.largest;
  return out;
}

/// Shares of a total; no more than all of it.
void ExactEmd::to_parts(const double* masses, const Whole& of, double parts,
                        Node* nodes) const noexcept {
  for (int i = 0; i < bins_; ++i) {
    nodes[i] = {};
    nodes[i].left = std::llround(std::min(masses[i] / of.largest / of.by_largest, 1.0) * parts);
  }
}

std::optional<double> ExactEmd::by_rounded_tree(const double* from, const Whole& source,
                                                const double* to, const Whole& sink) noexcept {
  constexpr int kSide = Tree::kSide;
  constexpr double kNothing = 1e-15;  // of all the mass, and of the dearest cost
  std::array<double, 2 * kSide> mass{}, price{};
  std::array<std::int32_t, kSide> supply{}, demand{};
  for (int k = 0; k < bins_; ++k) {
    mass[at(k)] = from[k] / source.largest / source.by_largest;
    mass[at(kSide + k)] = to[k] / sink.largest / sink.by_largest;
  }
  if (!round_shares(mass.data(), bins_, supply.data()) ||
      !round_shares(mass.data() + kSide, bins_, demand.data()))
    return std::nullopt;
  transport_.solve(bins_, supply.data(), bins_, demand.data(), rounded_.data(), bins_);
  Tree tree;
  transport_.each_edge([&](int i, int j) { tree.join(i, j); });

  const auto cost_of = [&](int a, int b) {
    return costs_[at(std::min(a, b)) * at(bins_) + at(std::max(a, b) - kSide)];
  };
  std::array<std::array<int, 2>, 2 * kSide> edges{};
  int count = 0;
  double sum = 0, least = 0;
  tree.take_apart([&](int leaf, int next) {
    const double flow = mass[at(leaf)];
    least = std::min(least, flow);
    mass[at(next)] -= flow;
    sum += flow * cost_of(leaf, next);
    edges[at(count++)] = {leaf, next};
  });
  if (least < -kNothing) return std::nullopt;
  while (count > 0) {  // from the last one on, whose price is 0
    const auto [leaf, next] = edges[at(--count)];
    price[at(leaf)] = cost_of(leaf, next) - price[at(next)];
  }
  for (int i = 0; i < bins_; ++i)
    for (int j = 0; j < bins_; ++j)
      if (supply[at(i)] > 0 && demand[at(j)] > 0 &&
          costs_[at(i) * at(bins_) + at(j)] - price[at(i)] - price[at(kSide + j)] <
              -kNothing * dearest_ * kSide)
        return std::nullopt;
  return std::max(sum, 0.0);
}

/// Dijkstra from all sources that still have something, over edges from every source to every sink
/// and back along those in use; then potentials by it. The sink where the cheapest way to one that
/// still wants ends. Of edges a rounding below zero 0 is taken.
std::optional<int> ExactEmd::cheapest_way() noexcept {
  for (int k = 0; k < 2 * bins_; ++k) {
    Node& node = nodes_[at(k)];
    node.way = k < bins_ && node.left > 0 ? 0 : kFar;
    node.before = -1;
    node.done = false;
  }
  double found = kFar;
  int sink = -1;
  for (;;) {
    int next = -1;
    for (int k = 0; k < 2 * bins_; ++k)
      if (!nodes_[at(k)].done && nodes_[at(k)].way < kFar &&
          (next < 0 || nodes_[at(k)].way < nodes_[at(next)].way))
        next = k;
    if (next < 0 || nodes_[at(next)].way >= found) break;
    Node& node = nodes_[at(next)];
    node.done = true;
    if (next >= bins_ && node.left > 0) {
      const double end = node.way + std::max(node.potential - target_, 0.0);
      if (end < found) {
        found = end;
        sink = next;
      }
    }
    for (int k = 0; k < bins_; ++k) {
      const int other = next < bins_ ? bins_ + k : k;
      const std::size_t edge =
          next < bins_ ? at(next) * at(bins_) + at(k) : at(k) * at(bins_) + at(next - bins_);
      Node& there = nodes_[at(other)];
      if (there.done || (next >= bins_ && moved_[edge] == 0)) continue;
      const double cost = next < bins_ ? costs_[edge] : -costs_[edge];
      const double way = node.way + std::max(cost + node.potential - there.potential, 0.0);
      if (way < there.way) {
        there.way = way;
        there.before = next;
      }
    }
  }
  if (sink < 0) return std::nullopt;
  for (Node& node : nodes_) node.potential += std::min(node.way, found);
  target_ += found;
  return sink;
}

/// As much as the way to the sink carries.
void ExactEmd::send(int sink) noexcept {
  const auto edge = [&](int node) {  // to it from the one before
    const int other = nodes_[at(node)].before;
    return node >= bins_ ? at(other) * at(bins_) + at(node - bins_)
                         : at(node) * at(bins_) + at(other - bins_);
  };
  Parts most = nodes_[at(sink)].left;
  int node = sink;
  for (; nodes_[at(node)].before >= 0; node = nodes_[at(node)].before)
    if (node < bins_) most = std::min(most, moved_[edge(node)]);
  most = std::min(most, nodes_[at(node)].left);
  nodes_[at(node)].left -= most;
  nodes_[at(sink)].left -= most;
  for (node = sink; nodes_[at(node)].before >= 0; node = nodes_[at(node)].before)
    moved_[edge(node)] += node >= bins_ ? most : -most;
}

double ExactEmd::distance(const double* from, const double* to, bool partial) noexcept {
  const Whole source = whole(from), sink = whole(to);
  if (!partial && !rounded_.empty()) {
    if (const std::optional<double> found = by_rounded_tree(from, source, to, sink)) return *found;
  }
  ++from_scratch_;
  if (partial) {  // a bin cannot give or get more than the lighter side has
    const bool source_is =
        source.by_largest / sink.by_largest * (source.largest / sink.largest) < 1;
    const Whole& lighter = source_is ? source : sink;
    to_parts(from, lighter, kPartsOfLighter, nodes_.data());
    to_parts(to, lighter, kPartsOfLighter, nodes_.data() + bins_);
  } else {
    to_parts(from, source, kParts, nodes_.data());
    to_parts(to, sink, kParts, nodes_.data() + bins_);
  }
  std::fill(moved_.begin(), moved_.end(), Parts{0});
  target_ = 0;
  while (const std::optional<int> end = cheapest_way()) send(*end);
  double cost = 0, mass = 0;
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    cost += static_cast<double>(moved_[i]) * costs_[i];
    mass += static_cast<double>(moved_[i]);
  }
  return mass > 0 ? cost / mass : 0;
}

}  // namespace kerb::emd
