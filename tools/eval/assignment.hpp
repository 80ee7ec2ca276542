// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace kerb::eval {

/// A table of numbers, rows one after the other.
class Table {
 public:
  Table(std::size_t rows, std::size_t columns)
      : rows_{rows}, columns_{columns}, values_(rows * columns) {}
  [[nodiscard]] double& at(std::size_t row, std::size_t column) noexcept {
    return values_[row * columns_ + column];
  }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const noexcept {
    return values_[row * columns_ + column];
  }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }

 private:
  std::size_t rows_, columns_;
  std::vector<double> values_;
};

/// The column of each row, so that the sum of `worth` is the largest possible; -1: none. There are
/// as many pairs as the shorter side has, including pairs of worth 0. Hungarian method (shortest
/// augmenting paths): shorter side squared times longer side. Values must be finite.
[[nodiscard]] std::vector<int> best_pairs(const Table& worth);

}  // namespace kerb::eval
