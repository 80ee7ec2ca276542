// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/lucas_kanade_masks.hpp"

#include <algorithm>

namespace kerb::flow::lk {
namespace {

constexpr Rect kNothing{0, 0, 0, 0};

/// A part of the picture on a level, with `by` more pixels of the level around it.
Rect grown(const Rect& part, int shift, int by, const Level& level) {
  return {std::max((part.x0 >> shift) - by, 0), std::max((part.y0 >> shift) - by, 0),
          std::min(((part.x1 - 1) >> shift) + 1 + by, level.width),
          std::min(((part.y1 - 1) >> shift) + 1 + by, level.height)};
}
Rect both(const Rect& a, const Rect& b) {
  return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}

}  // namespace

WantedCells::WantedCells(int width, int height)
    : width_{width},
      height_{height},
      columns_{(width + kCell - 1) / kCell},
      rows_{(height + kCell - 1) / kCell},
      cells_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)) {}

void WantedCells::take(Workers& workers, const Mask<Space::host>& mask) {
  workers.run(rows_, [&](int row, int) {
    for (int column = 0; column < columns_; ++column) {
      const int x0 = column * kCell, x1 = std::min(x0 + kCell, width_);
      std::uint8_t any = 0;
      for (int y = row * kCell; y < std::min((row + 1) * kCell, height_); ++y) {
        const std::uint8_t* m = mask.data + y * mask.row_stride;
        for (int x = x0; x < x1; ++x) any |= m[x];
      }
      cells_[index(column, row)].store(any, std::memory_order_relaxed);
    }
  });
}

void WantedCells::clear() noexcept {
  for (std::atomic<std::uint8_t>& cell : cells_) cell.store(0, std::memory_order_relaxed);
}

Rect WantedCells::box_in(const CellRange& range) const noexcept {
  int left = range.x1, right = -1, top = range.y1, bottom = -1;  // of cells, inclusive
  for (int y = range.y0; y < range.y1; ++y) {
    int first = range.x0;
    while (first < range.x1 && !has(first, y)) ++first;
    if (first == range.x1) continue;
    int last = range.x1 - 1;
    while (last > right && !has(last, y)) --last;
    left = std::min(left, first);
    right = std::max(right, last);
    top = std::min(top, y);
    bottom = y;
  }
  if (right < 0) return kNothing;
  return {left * kCell, top * kCell, std::min((right + 1) * kCell, width_),
          std::min((bottom + 1) * kCell, height_)};
}

Rect WantedCells::box() const noexcept { return box_in({0, 0, columns_, rows_}); }

Rect WantedCells::near(const Rect& tile, int radius, int shift) const noexcept {
  const Rect box =
      box_in(cells_near(tile.x0, tile.y0, tile.x1, tile.y1, radius, shift, columns_, rows_));
  if (box.empty()) return kNothing;
  const Rect part{std::max((box.x0 >> shift) - radius, tile.x0),
                  std::max((box.y0 >> shift) - radius, tile.y0),
                  std::min(((box.x1 - 1) >> shift) + 1 + radius, tile.x1),
                  std::min(((box.y1 - 1) >> shift) + 1 + radius, tile.y1)};
  return part.empty() ? kNothing : part;
}

void find_parts(const Plan& plan, const Rect& wanted, bool check_back,
                std::vector<Rect> (&parts)[2]) {
  for (int picture = 0; picture < 2; ++picture) {
    // The second one is looked at where vectors lead, and there the way back begins; the first one
    // where that leads.
    const int ways = picture == 1 ? 1 : check_back ? 2 : 0;
    for (std::size_t i = plan.levels.size(); i-- > 0;) {
      const Level& level = plan.levels[i];
      constexpr int kTaps = 3;  // of interpolation, and where a vector's end is between pixels
      const int far = level.radius + kLook + ways * (level.reach / kUnit + 1 + kTaps);
      Rect part = wanted.empty() ? kNothing : grown(wanted, static_cast<int>(i), far, level);
      if (i + 1 < plan.levels.size() && !part.empty()) {
        // What the next level is made of: columns 2 x - 1 to 2 x + 2, rows likewise.
        const Rect& next = parts[picture][i + 1];
        part = both(part, {std::max(2 * next.x0 - 1, 0), std::max(2 * next.y0 - 1, 0),
                           std::min(2 * next.x1 + 1, level.width),
                           std::min(2 * next.y1 + 1, level.height)});
      }
      parts[picture][i] = part;
    }
  }
}

}  // namespace kerb::flow::lk
