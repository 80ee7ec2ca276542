// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/emd/transport.hpp"

namespace kerb::emd {

/// The Earth Mover's Distance of histograms as they are, not rounded to the few parts the product's
/// signatures have: for tables and for comparing.
///
/// Up to emd::kMaxBins bins the network simplex of gpu/emd finds a tree for masses and costs
/// rounded to 23 bits. Its flows for the masses as they are, and its prices by the costs as they
/// are, are then computed in doubles: if no flow and no price is below zero it is optimal for these
/// too. Else, for more bins, and where some stays, successive cheapest paths (Dijkstra, with
/// potentials) from scratch: masses in whole parts (2^60 of a histogram; 2^52 of the lighter one
/// where the rest stays), costs in doubles.
///
/// Owns what it works on: allocates nothing once made. One thread at a time.
class ExactEmd {
 public:
  static constexpr int kMaxBins = 256;

  /// `costs`: bins x bins, all >= 0, row i is from bin i; borrowed. 1 <= bins <= kMaxBins.
  ExactEmd(int bins, const double* costs);

  /// The least cost of moving a unit of mass. Masses are >= 0, some of each side above. Without
  /// `partial` a bin's mass is its share of its histogram's; with it as much is moved as the
  /// lighter side has, and the rest stays at no cost.
  double distance(const double* from, const double* to, bool partial) noexcept;
  /// Of those asked for, how many the rounded tree was not optimal for.
  [[nodiscard]] long from_scratch() const noexcept { return from_scratch_; }

 private:
  using Parts = std::int64_t;
  struct Node {
    Parts left = 0;  ///< that it still has to give, or to get
    double potential = 0, way = 0;
    int before = -1;  ///< on the cheapest way to it; -1: it begins there
    bool done = false;
  };

  struct Whole {  ///< a histogram's total: largest * by_largest, which may be beyond a double
    double largest = 0, by_largest = 0;
  };
  [[nodiscard]] Whole whole(const double* masses) const noexcept;
  void to_parts(const double* masses, const Whole& of, double parts, Node* nodes) const noexcept;
  [[nodiscard]] std::optional<double> by_rounded_tree(const double* from, const Whole& source,
                                                      const double* to, const Whole& sink) noexcept;
  std::optional<int> cheapest_way() noexcept;
  void send(int sink) noexcept;

  int bins_;
  const double* costs_;
  std::vector<Node> nodes_;   // sources, then sinks
  std::vector<Parts> moved_;  // bins x bins
  double target_ = 0;         // potential of where all ways end
  long from_scratch_ = 0;
  double dearest_ = 0;                 // of the costs
  std::vector<std::int32_t> rounded_;  // costs; none: too many bins
  emd::Transport transport_;
};

}  // namespace kerb::emd
