// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <limits>

namespace kerb::track {

/// What the Hungarian method works on; borrowed. Rows and columns count from 1, as every shortest
/// path begins at a column 0 that is none. All are zero at first.
struct HungarianState {
  double* row_price;     ///< rows + 1
  double* column_price;  ///< columns + 1
  double* least;         ///< columns + 1; of one call
  bool* used;            ///< columns + 1; of one call
  int* row_at;           ///< columns + 1: the row that has a column; 0: none
  int* way;              ///< columns + 1: the column before it on the shortest path
};

/// Gives row `i` a column by the shortest way of moving others aside: the Hungarian method is this
/// for each row in turn, 1, 2, ..., with no more rows than columns. `cost(row, column)` is finite.
/// The same steps in the same order everywhere: of equally good ways, always the same. Allocates
/// nothing.
template <typename Cost>
void hungarian_insert(int i, int columns, const Cost& cost, const HungarianState& s) noexcept {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  s.row_at[0] = i;
  int column = 0;
  std::fill_n(s.least, columns + 1, kFar);
  std::fill_n(s.used, columns + 1, false);
  do {
    s.used[column] = true;
    const int row = s.row_at[column];
    double step = kFar;
    int next = 0;
    for (int j = 1; j <= columns; ++j) {
      if (s.used[j]) continue;
      const double reduced = cost(row, j) - s.row_price[row] - s.column_price[j];
      if (reduced < s.least[j]) {
        s.least[j] = reduced;
        s.way[j] = column;
      }
      if (s.least[j] < step) {
        step = s.least[j];
        next = j;
      }
    }
    for (int j = 0; j <= columns; ++j) {
      if (s.used[j]) {
        s.row_price[s.row_at[j]] += step;
        s.column_price[j] -= step;
      } else {
        s.least[j] -= step;
      }
    }
    column = next;
  } while (s.row_at[column] != 0);
  while (column != 0) {
    const int before = s.way[column];
    s.row_at[column] = s.row_at[before];
    column = before;
  }
}

}  // namespace kerb::track
