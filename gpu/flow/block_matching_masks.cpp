// SPDX-License-Identifier: Apache-2.0
// Block matching on the CPU: which blocks of each level a mask needs.
#include <algorithm>
#include <cstring>

#include "gpu/flow/block_matching_cpu.hpp"

namespace kerb::flow::bm {
namespace {

/// to[y][x] = any of from[y * scale - before .. y * scale + after][likewise x].
void gather_any(const Byte* from, int from_columns, int from_rows, Byte* to, int columns, int rows,
                int scale, int before, int after, Byte* scratch) {
  for (int y = 0; y < from_rows; ++y) {
    const Byte* const row = from + std::ptrdiff_t{y} * from_columns;
    Byte* const out = scratch + std::ptrdiff_t{y} * columns;
    std::memset(out, 0, index(columns));
    if (!any(row, index(from_columns))) continue;
    for (int by = -before; by <= after; ++by) {
      // All x whose x * scale + by lies in the row.
      const int begin = by >= 0 ? 0 : (-by + scale - 1) / scale;
      const int end = std::min(columns, (from_columns - 1 - by) / scale + 1);
      for (int x = begin; x < end; ++x) out[x] |= row[x * scale + by];
    }
  }
  for (int y = 0; y < rows; ++y) {
    Byte* const out = to + std::ptrdiff_t{y} * columns;
    std::memset(out, 0, index(columns));
    const int begin = std::max(y * scale - before, 0);
    const int end = std::min(y * scale + after + 1, from_rows);
    for (int i = begin; i < end; ++i) {
      const Byte* const row = scratch + std::ptrdiff_t{i} * columns;
      for (int x = 0; x < columns; ++x) out[x] |= row[x];
    }
  }
}

/// All places that the needed blocks may be found at.
Places places_of(const Level& level, const Byte* needed) {
  int left = level.columns, top = level.rows, right = -1, bottom = -1;  // of blocks, inclusive
  for (int row = 0; row < level.rows; ++row) {
    const Byte* const line = needed + std::ptrdiff_t{row} * level.columns;
    const auto is_set = [](Byte b) { return b != 0; };
    const Byte* const first = std::find_if(line, line + level.columns, is_set);
    if (first == line + level.columns) continue;
    int last = level.columns - 1;
    while (line[last] == 0) --last;
    left = std::min(left, static_cast<int>(first - line));
    right = std::max(right, last);
    top = std::min(top, row);
    bottom = row;
  }
  if (right < 0) return {0, 0, 0, 0};
  const auto place = [&](int block, int by, int end) {
    return between(block * kCell - kBefore - kFirst + by, 0, end);
  };
  return {place(left, -level.limit, places(level.width)),
          place(top, -level.limit, places(level.height)),
          place(right, level.limit + 1, places(level.width)),
          place(bottom, level.limit + 1, places(level.height))};
}

}  // namespace

void OnCpu::find_needed(const Mask<Space::host>& mask) {
  // The cells with wanted pixels, kept where the needed blocks go afterwards.
  const Level& picture = plan_.levels[0];
  for (int row = 0; row < picture.rows; ++row) {
    Byte* const cells = need_raw_.data() + std::ptrdiff_t{row} * picture.columns;
    std::memset(cells, 0, index(picture.columns));
    for (int y = row * kCell; y < std::min((row + 1) * kCell, picture.height); ++y) {
      const Byte* const wanted = mask.data + y * mask.row_stride;
      int x = 0;
      for (; x + kCell <= picture.width; x += kCell) {
        std::uint32_t four = 0;
        std::memcpy(&four, wanted + x, sizeof four);
        cells[x / kCell] |= static_cast<Byte>(four != 0 ? 1 : 0);
      }
      for (; x < picture.width; ++x) cells[x / kCell] |= static_cast<Byte>(wanted[x] != 0 ? 1 : 0);
    }
  }
  gather_any(need_raw_.data(), picture.columns, picture.rows, need_.data(), picture.columns,
             picture.rows, 1, 1, 1, need_scratch_.data());
  for (std::size_t i = 0; i < plan_.levels.size(); ++i) {
    const Level& level = plan_.levels[i];
    Byte* const raw = need_raw_.data() + level.block;
    if (i > 0) {
      const Level& below = plan_.levels[i - 1];
      gather_any(need_raw_.data() + below.block, below.columns, below.rows,
                 need_.data() + level.block, level.columns, level.rows, 2, 2 * kNeighbours,
                 2 * kNeighbours + 1, need_scratch_.data());
    }
    gather_any(need_.data() + level.block, level.columns, level.rows, raw, level.columns,
               level.rows, 1, kMedian, kMedian, need_scratch_.data());
    places_[i] = places_of(level, raw);
  }
}

}  // namespace kerb::flow::bm
