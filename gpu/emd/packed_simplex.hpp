// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "gpu/emd/ground.hpp"

namespace kerb::emd {

/// The solver of the paper this project is built from: the simplex method on the whole tableau,
/// which for transportation problems holds only -1, 0 and 1, as two bits an entry, with an
/// auxiliary sink in place of the first phase.
///
/// Rows: one a bin of the signature (what it gives away is its mass), then one a bin of the target
/// (what it gets is at most its mass). Columns: the flow from i to j, i * bins + j; the flow from i
/// to the auxiliary sink; the slack of j. At first everything flows to the auxiliary sink, at a
/// cost above every detour, so that the method moves as much as possible away from it. What remains
/// there when the signature is the heavier side costs nothing: the same partial matching as
/// Transport.
///
/// Masses are perturbed, 1 of 1024 parts more for a bin of the signature, 17 for one of the target,
/// so that no two ratios are equal: it cannot cycle.
struct PackedTableau {
  static constexpr int kMaxRows = 2 * kMaxBins;
  static constexpr int kMaxColumns = kMaxBins * kMaxBins + 2 * kMaxBins;
  static constexpr int kMaxWords = (kMaxColumns + 31) / 32;
  static constexpr std::int32_t kFine = 1024, kMoreSupply = 1, kMoreDemand = 17;

  [[nodiscard]] static constexpr int columns(int bins) noexcept { return bins * bins + 2 * bins; }
  /// Of the auxiliary sink: more than any path through all bins.
  [[nodiscard]] static constexpr std::int32_t price(int bins, std::int32_t largest) noexcept {
    return (bins + 1) * largest + 1;
  }
};

/// It on the CPU, for comparison: one problem at a time, one thread.
class PackedSimplex {
 public:
  /// In units of mass times cost. Exact. Allocates nothing.
  std::uint32_t solve(const Ground& ground, const Signature& from, const Signature& to) noexcept;

 private:
  struct Row {
    std::array<std::uint32_t, PackedTableau::kMaxWords> plus, minus;
    std::int32_t amount;
    int basic;
  };
  void begin(const Ground& ground, const Signature& from, const Signature& to) noexcept;
  void pivot(int row, int column) noexcept;

  int bins_ = 0, rows_ = 0, columns_ = 0, words_ = 0;
  std::array<Row, PackedTableau::kMaxRows> row_{};
  std::array<std::int32_t, PackedTableau::kMaxColumns> gain_{};  // what a unit more would cost
};

}  // namespace kerb::emd
