// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/assignment.hpp"

#include <memory>

#include "firmware/track/hungarian.hpp"

namespace kerb::eval {

std::vector<int> best_pairs(const Table& worth) {
  std::vector<int> out(worth.rows(), -1);
  const bool turned = worth.rows() > worth.columns();  // the method wants no more rows than columns
  const std::size_t rows = turned ? worth.columns() : worth.rows();
  const std::size_t columns = turned ? worth.rows() : worth.columns();
  std::vector<double> row_price(rows + 1), column_price(columns + 1), least(columns + 1);
  std::vector<int> row_at(columns + 1), way(columns + 1);
  const auto used = std::make_unique<bool[]>(columns + 1);
  const track::HungarianState state{row_price.data(), column_price.data(), least.data(),
                                    used.get(),       row_at.data(),       way.data()};
  const auto cost = [&](int row, int column) {
    const auto r = static_cast<std::size_t>(row - 1), c = static_cast<std::size_t>(column - 1);
    return turned ? -worth.at(c, r) : -worth.at(r, c);
  };
  for (int row = 1; row <= static_cast<int>(rows); ++row)
    track::hungarian_insert(row, static_cast<int>(columns), cost, state);
  for (std::size_t j = 1; j < row_at.size(); ++j) {
    if (row_at[j] == 0) continue;
    if (turned)
      out[j - 1] = row_at[j] - 1;
    else
      out[static_cast<std::size_t>(row_at[j]) - 1] = static_cast<int>(j) - 1;
  }
  return out;
}

}  // namespace kerb::eval
