// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>

namespace kerb::track {

/// The optimal assignment of rows to columns, each used at most once (Hungarian algorithm). A pair
/// that costs `limit` or more stays unassigned. Minimises the sum of the pairs' costs plus `limit`
/// for each unassigned row (or column, if there are fewer). Of equally good assignments it always
/// gives the same one. Allocates nothing; takes rows² × columns steps at most.
class Assignment {
 public:
  static constexpr int kMost = 64;
  static constexpr int kNone = -1;

  void reset(int rows, int columns, double limit) noexcept;
  [[nodiscard]] int rows() const noexcept { return rows_; }
  [[nodiscard]] int columns() const noexcept { return columns_; }
  /// Not set, not a number, or at least the limit: not allowed.
  void set(int row, int column, double cost) noexcept;
  [[nodiscard]] double cost(int row, int column) const noexcept {
    return cost_[index(row, column)];
  }
  void solve() noexcept;
  /// After solve(): kNone where the row is unassigned.
  [[nodiscard]] int column_of(int row) const noexcept {
    return column_of_[static_cast<std::size_t>(row)];
  }

 private:
  static constexpr std::size_t kSide = kMost;
  static std::size_t index(int row, int column) noexcept {
    return static_cast<std::size_t>(row) * kSide + static_cast<std::size_t>(column);
  }
  [[nodiscard]] double at(int i, int j) const noexcept {
    return turned_ ? cost(j - 1, i - 1) : cost(i - 1, j - 1);
  }

  int rows_ = 0, columns_ = 0;
  double limit_ = 0;
  bool turned_ = false;
  std::array<double, kSide * kSide> cost_{};
  std::array<int, kSide> column_of_{};
  // Indices start at 1: the shortest path begins at a dummy column 0.
  std::array<double, kSide + 1> row_price_{}, column_price_{}, least_{};
  std::array<int, kSide + 1> row_at_{}, way_{};
  std::array<bool, kSide + 1> used_{};
};

}  // namespace kerb::track
