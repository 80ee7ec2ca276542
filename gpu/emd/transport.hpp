// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "gpu/emd/ground.hpp"

namespace kerb::emd {

/// One transportation problem after another on the CPU, each from scratch, for any costs: a primal
/// network simplex. Bins without mass are left out. All in whole numbers, so the result is exact.
/// Degeneracy cannot stall it: every source gets 1/64 of a unit more (and the last sink the sum of
/// these), which makes every tree's flows different from zero and is removed at the end.
///
/// The mass that is moved is that of the lighter side, as in Rubner, Tomasi and Guibas (2000): the
/// excess of the heavier side stays, at no cost.
///
/// Owns what it works on: allocates nothing. One thread at a time.
class Transport {
 public:
  static constexpr int kMaxSide = kMaxBins + 1;  ///< with a bin for what stays
  static constexpr int kRow = 20;                ///< costs from row to row
  /// Mass of one side together, at most.
  static constexpr std::int32_t kMaxTotal = 1 << 24;
  static constexpr std::int32_t kMaxPathCost = (1 << 30) / (2 * kMaxSide);

  /// The least cost of serving `demand` from `supply`, of as much as the lighter side has, in units
  /// of mass times cost. Costs are >= 0, at most kMaxPathCost, row i at costs + i * stride. Masses
  /// are >= 0, each side's at most kMaxTotal together.
  std::int64_t solve(int sources, const std::int32_t* supply, int sinks, const std::int32_t* demand,
                     const std::int32_t* costs, int stride) noexcept;
  /// Of two signatures over a ground distance: fits into 32 bits.
  std::uint32_t solve(const Ground& ground, const Signature& from, const Signature& to) noexcept;

  /// What the last solution costs by other costs than it was found for: the given ones, before they
  /// became whole numbers. costs + i * stride as given to solve(). Of floats or doubles.
  template <typename Cost>
  [[nodiscard]] double cost_by(const Cost* costs, int stride) const noexcept;
  /// Calls f(source, sink) for each edge of the last solution's tree, by the caller's numbers; not
  /// for those of what stays.
  template <typename F>
  void each_edge(const F& f) const {
    for (int node = 1; node < n_ + m_; ++node) {
      const int other = parent_[static_cast<std::size_t>(node)];
      const int source = row_[static_cast<std::size_t>(std::min(node, other))];
      const int sink = column_[static_cast<std::size_t>(std::max(node, other) - n_)];
      if (source >= 0 && sink >= 0) f(source, sink);
    }
  }

 private:
  void begin() noexcept;
  bool find_entering(int& i, int& j, std::int32_t& gain) const noexcept;
  void pivot(int i, int j, std::int32_t gain) noexcept;
  void move_subtree(int root, std::int32_t source_shift) noexcept;
  [[nodiscard]] std::int32_t cost_of(int a, int b) const noexcept {
    return a < n_ ? cost_[static_cast<std::size_t>(a)][static_cast<std::size_t>(b - n_)]
                  : cost_[static_cast<std::size_t>(b)][static_cast<std::size_t>(a - n_)];
  }

  int n_ = 0, m_ = 0;
  std::array<std::int16_t, kMaxSide> row_{}, column_{};  // the caller's; -1: of what stays
  alignas(16) std::array<std::array<std::int32_t, kRow>, kMaxSide> cost_{};
  alignas(16) std::array<std::int32_t, kRow> v_{};  // of sinks
  std::array<std::int32_t, kMaxSide> u_{};          // of sources
  std::array<std::int32_t, kMaxSide> supply_{};
  std::array<std::int32_t, kRow> demand_{};
  // The tree: sources are nodes 0..n-1, sinks n..n+m-1; 0 is the root.
  std::array<std::int16_t, 2 * kMaxSide> parent_{}, depth_{};
  std::array<std::int32_t, 2 * kMaxSide> flow_{};  // along the edge to the parent
  std::array<std::uint64_t, 2 * kMaxSide> children_{};
};

}  // namespace kerb::emd
