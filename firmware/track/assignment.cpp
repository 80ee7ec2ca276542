// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/assignment.hpp"

#include <algorithm>
#include <limits>

namespace kerb::track {

void Assignment::reset(int rows, int columns, double limit) noexcept {
  rows_ = std::clamp(rows, 0, kMost);
  columns_ = std::clamp(columns, 0, kMost);
  limit_ = limit;
  for (int r = 0; r < rows_; ++r)
    for (int c = 0; c < columns_; ++c) cost_[index(r, c)] = limit_;
  column_of_.fill(kNone);
}

void Assignment::set(int row, int column, double cost) noexcept {
  cost_[index(row, column)] = cost < limit_ ? cost : limit_;
}

/// Assigns a column to row `i` along the shortest augmenting path.
void Assignment::insert(int i, int columns) noexcept {
  const auto in = [](int k) { return static_cast<std::size_t>(k); };
  row_at_[0] = i;
  int column = 0;
  least_.fill(std::numeric_limits<double>::infinity());
  used_.fill(false);
  do {
    used_[in(column)] = true;
    const int row = row_at_[in(column)];
    double step = std::numeric_limits<double>::infinity();
    int next = 0;
    for (int j = 1; j <= columns; ++j) {
      if (used_[in(j)]) continue;
      const double reduced = at(row, j) - row_price_[in(row)] - column_price_[in(j)];
      if (reduced < least_[in(j)]) {
        least_[in(j)] = reduced;
        way_[in(j)] = column;
      }
      if (least_[in(j)] < step) {
        step = least_[in(j)];
        next = j;
      }
    }
    for (int j = 0; j <= columns; ++j) {
      if (used_[in(j)]) {
        row_price_[in(row_at_[in(j)])] += step;
        column_price_[in(j)] -= step;
      } else {
        least_[in(j)] -= step;
      }
    }
    column = next;
  } while (row_at_[in(column)] != 0);
  while (column != 0) {
    const int before = way_[in(column)];
    row_at_[in(column)] = row_at_[in(before)];
    column = before;
  }
}

void Assignment::solve() noexcept {
  column_of_.fill(kNone);
  if (rows_ == 0 || columns_ == 0) return;
  turned_ = rows_ > columns_;
  const int rows = std::min(rows_, columns_), columns = std::max(rows_, columns_);
  row_price_.fill(0);
  column_price_.fill(0);
  row_at_.fill(0);
  way_.fill(0);
  for (int i = 1; i <= rows; ++i) insert(i, columns);
  for (int j = 1; j <= columns; ++j) {
    const int i = row_at_[static_cast<std::size_t>(j)];
    if (i == 0 || !(at(i, j) < limit_)) continue;
    const int row = turned_ ? j : i, column = turned_ ? i : j;
    column_of_[static_cast<std::size_t>(row - 1)] = column - 1;
  }
}

}  // namespace kerb::track
