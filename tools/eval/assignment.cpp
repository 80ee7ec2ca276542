// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/assignment.hpp"

#include <limits>

namespace kerb::eval {
namespace {

/// For a table that is no taller than wide. Places count from 1; 0 is "nothing yet", where every
/// path begins.
class Pairing {
 public:
  Pairing(const Table& worth, bool turned)
      : worth_{worth},
        turned_{turned},
        rows_{turned ? worth.columns() : worth.rows()},
        columns_{turned ? worth.rows() : worth.columns()},
        row_price_(rows_ + 1),
        column_price_(columns_ + 1),
        row_of_(columns_ + 1),
        before_(columns_ + 1) {}

  /// The row of each column, from 1; 0: none.
  const std::vector<std::size_t>& solve() {
    for (std::size_t row = 1; row <= rows_; ++row) add(row);
    return row_of_;
  }

 private:
  [[nodiscard]] double cost(std::size_t row, std::size_t column) const noexcept {
    return turned_ ? -worth_.at(column - 1, row - 1) : -worth_.at(row - 1, column - 1);
  }

  /// The cheapest way to give this row a column, moving others where that pays.
  void add(std::size_t row) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    std::vector<double> distance(columns_ + 1, kFar);
    std::vector<bool> done(columns_ + 1);
    row_of_[0] = row;
    std::size_t column = 0;
    do {
      done[column] = true;
      const std::size_t at = row_of_[column];
      double shortest = kFar;
      std::size_t next = 0;
      for (std::size_t j = 1; j <= columns_; ++j) {
        if (done[j]) continue;
        const double way = cost(at, j) - row_price_[at] - column_price_[j];
        if (way < distance[j]) {
          distance[j] = way;
          before_[j] = column;
        }
        if (distance[j] < shortest) {
          shortest = distance[j];
          next = j;
        }
      }
      for (std::size_t j = 0; j <= columns_; ++j) {
        if (done[j]) {
          row_price_[row_of_[j]] += shortest;
          column_price_[j] -= shortest;
        } else {
          distance[j] -= shortest;
        }
      }
      column = next;
    } while (row_of_[column] != 0);
    while (column != 0) {
      row_of_[column] = row_of_[before_[column]];
      column = before_[column];
    }
  }

  const Table& worth_;
  bool turned_;
  std::size_t rows_, columns_;
  std::vector<double> row_price_, column_price_;
  std::vector<std::size_t> row_of_, before_;
};

}  // namespace

std::vector<int> best_pairs(const Table& worth) {
  std::vector<int> out(worth.rows(), -1);
  const bool turned = worth.rows() > worth.columns();
  Pairing pairing{worth, turned};
  const std::vector<std::size_t>& row_of = pairing.solve();
  for (std::size_t j = 1; j < row_of.size(); ++j) {
    if (row_of[j] == 0) continue;
    if (turned)
      out[j - 1] = static_cast<int>(row_of[j]) - 1;
    else
      out[row_of[j] - 1] = static_cast<int>(j) - 1;
  }
  return out;
}

}  // namespace kerb::eval
