// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "gpu/emd/ground.hpp"
#include "gpu/image/both.hpp"

/// All trees that can be the solution of a transportation problem over one ground distance.
///
/// The flow of an optimal solution runs along a spanning tree of the graph that joins every bin of
/// the signature with every bin of the target. Which trees can be optimal depends on the costs
/// alone: those whose potentials price no edge below its cost. For costs in general position they
/// are the cells of a regular triangulation of a product of two simplices, so there are exactly
/// C(2 bins - 2, bins - 1) of them (184,756 for 11 bins), and no two have the same numbers of edges
/// at the signature's bins (Postnikov, Permutohedra, associahedra, and beyond, 2009, section 12).
/// Those numbers less one, a way to write bins - 1 as a sum, therefore name the tree: tree_at().
///
/// A tree is the solution exactly for the masses that make no flow along it negative. If a flow is
/// negative, the dual simplex replaces its edge by the cheapest one that crosses the same cut the
/// other way, and this depends on the costs alone, too. So it is stored once, and solving a problem
/// is a walk: compute the flows of a tree, move to the neighbour of the most negative one, until
/// none is negative. The cost rises with every step, so the walk ends at the optimum from any
/// start.
///
/// Ties are broken by adding to every cost a random number too small to matter, the same on every
/// machine.
namespace kerb::emd {

/// One edge of a tree, in 64 bits:
///   0..15   the signature's bins on this edge's side of the cut, its own included
///   16..31  the target's bins on that side
///   32..55  the tree to go on to when this edge's flow is negative
///   56..59  its bin of the signature, 60..63 its bin of the target
/// The flow is the mass of the signature's bins on that side, less that of the target's.
using AtlasEdge = std::uint64_t;

KERB_BOTH unsigned sources_of(AtlasEdge e) noexcept { return static_cast<unsigned>(e) & 0xFFFFU; }
KERB_BOTH unsigned sinks_of(AtlasEdge e) noexcept { return static_cast<unsigned>(e) >> 16; }
KERB_BOTH unsigned next_of(AtlasEdge e) noexcept {
  return static_cast<unsigned>(e >> 32) & 0xFFFFFFU;
}
KERB_BOTH int source_of(AtlasEdge e) noexcept { return static_cast<int>((e >> 56) & 15U); }
KERB_BOTH int sink_of(AtlasEdge e) noexcept { return static_cast<int>(e >> 60); }

class Atlas {
 public:
  /// 12 bins are 705,432 trees and 130 MB.
  static constexpr int kMaxAtlasBins = 12;
  /// Builds it: 0.3 s and 31 MB for 11 bins on one core. Fails: unsupported (more bins).
  static Result<Atlas> build(const Ground& ground);

  [[nodiscard]] int bins() const noexcept { return bins_; }
  [[nodiscard]] int edges() const noexcept { return 2 * bins_ - 1; }  ///< of a tree
  [[nodiscard]] std::uint32_t trees() const noexcept { return trees_; }
  [[nodiscard]] const AtlasEdge* tree(std::uint32_t index) const noexcept {
    return table_.data() + static_cast<std::size_t>(index) * static_cast<std::size_t>(edges());
  }
  [[nodiscard]] const std::vector<AtlasEdge>& table() const noexcept { return table_; }

 private:
  int bins_ = 0;
  std::uint32_t trees_ = 0;
  std::vector<AtlasEdge> table_;
};

/// Binomial coefficients, for the names of trees: choose[k][n] is n over k.
struct Binomials {
  static constexpr int kTop = 2 * kMaxBins - 2;
  std::uint32_t choose[kMaxBins][kTop + 1];
};
[[nodiscard]] constexpr Binomials make_binomials() noexcept {
  Binomials b{};
  for (int n = 0; n <= Binomials::kTop; ++n) {
    b.choose[0][n] = 1;
    for (int k = 1; k < kMaxBins; ++k)
      b.choose[k][n] = n == 0 ? 0 : b.choose[k][n - 1] + b.choose[k - 1][n - 1];
  }
  return b;
}

/// The tree with upto(k) edges beyond one each at the first k bins together, for 1 <= k < bins;
/// upto must not fall.
template <typename UpTo>
KERB_BOTH std::uint32_t tree_at(const Binomials& binomials, int bins, const UpTo& upto) noexcept {
  std::uint32_t rank = 0;
  for (int k = 1; k < bins; ++k) rank += binomials.choose[k][upto(k) + k - 1];
  return rank;
}

}  // namespace kerb::emd
