// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/assignment.hpp"

#include <algorithm>

#include "firmware/track/hungarian.hpp"

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

void Assignment::solve() noexcept {
  column_of_.fill(kNone);
  if (rows_ == 0 || columns_ == 0) return;
  turned_ = rows_ > columns_;
  const int rows = std::min(rows_, columns_), columns = std::max(rows_, columns_);
  row_price_.fill(0);
  column_price_.fill(0);
  row_at_.fill(0);
  way_.fill(0);
  const HungarianState state{row_price_.data(), column_price_.data(), least_.data(),
                             used_.data(),      row_at_.data(),       way_.data()};
  const auto cost_at = [this](int i, int j) { return at(i, j); };
  for (int i = 1; i <= rows; ++i) hungarian_insert(i, columns, cost_at, state);
  for (int j = 1; j <= columns; ++j) {
    const int i = row_at_[static_cast<std::size_t>(j)];
    if (i == 0 || !(at(i, j) < limit_)) continue;
    const int row = turned_ ? j : i, column = turned_ ? i : j;
    column_of_[static_cast<std::size_t>(row - 1)] = column - 1;
  }
}

}  // namespace kerb::track
