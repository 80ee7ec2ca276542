// SPDX-License-Identifier: Apache-2.0
#include "firmware/pipeline/small_view.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace kerb {
namespace {

/// Fixed settings of the small view and its comparison.
struct SmallViewTuning {
  double half_width = 0.62;  ///< tangent of the half angle of view: 32 degrees
  int around_cells = 3;      ///< on each side: a cell's surroundings
  int max_contrast = 60;     ///< grey levels; more is clipped
  double min_detail = 1.0;   ///< grey levels per cell, of both views: with less the misfit is 1
  int anywhere_cells = 10;   ///< reach of shift_anywhere(),
  int coarse_step = 2;       ///< and its first step, cells
};
constexpr SmallViewTuning kSmallViewTuning{};

using Cells = std::array<std::int16_t, std::size_t{SmallView::kColumns} * SmallView::kMostRows>;

std::size_t at(int x, int y) {
  return static_cast<std::size_t>(y) * SmallView::kColumns + static_cast<std::size_t>(x);
}

/// The misfit at a whole shift, from every `step`th cell in both directions.
double misfit(const SmallView& before, const SmallView& now, int dx, int dy, int step) noexcept {
  const int rows = std::min(before.rows, now.rows);
  const int x0 = std::max(0, -dx), x1 = SmallView::kColumns - std::max(0, dx);
  const int y0 = std::max(0, -dy), y1 = rows - std::max(0, dy);
  std::int32_t apart = 0, size = 0, count = 0;
  for (int y = y0; y < y1; y += step) {
    const std::int8_t* a = before.cells.data() + at(x0, y);
    const std::int8_t* b = now.cells.data() + at(x0 + dx, y + dy);
    for (int x = 0; x < x1 - x0; x += step) {
      apart += std::abs(a[x] - b[x]);
      size += std::abs(a[x]) + std::abs(b[x]);
    }
    count += std::max(0, (x1 - x0 + step - 1) / step);
  }
  if (size < kSmallViewTuning.min_detail * count || count == 0) return 1;
  return static_cast<double>(apart) / static_cast<double>(size);
}

/// The minimum of a parabola through three misfits, relative to the middle one.
double lowest(double left, double middle, double right) noexcept {
  const double bend = left - 2 * middle + right;
  return bend > 1e-9 ? std::clamp(0.5 * (left - right) / bend, -0.5, 0.5) : 0;
}

}  // namespace

ViewWindow view_window(double focal_px, double center_x, double center_y, int width,
                       int height) noexcept {
  const double across = std::min(
      {kSmallViewTuning.half_width * focal_px, center_x, static_cast<double>(width) - center_x});
  const double down = std::min(center_y, static_cast<double>(height) - center_y);
  ViewWindow window;
  if (!(across > 0) || !(down > 0)) return window;
  window.cell = 2 * across / SmallView::kColumns;
  window.rows = std::min(SmallView::kMostRows, static_cast<int>(2 * down / window.cell));
  window.left = static_cast<int>(center_x - across);
  window.top = static_cast<int>(center_y - window.cell * window.rows / 2);
  window.rad_a_cell = window.cell / focal_px;
  return window;
}

void shrink(const ImageView<Space::host, const std::uint8_t>& grey, const ViewWindow& window,
            SmallView& out) noexcept {
  Cells mean;
  const int size = static_cast<int>(window.cell), step = std::max(1, size / 4);
  const int stride = size >= 8 ? 2 : 1, columns = (size + stride - 1) / stride;
  std::array<int, SmallView::kColumns> begin{};
  for (int x = 0; x < SmallView::kColumns; ++x)
    begin[static_cast<std::size_t>(x)] = window.left + static_cast<int>(x * window.cell);
  out.rows = window.rows;
  for (int y = 0; y < window.rows; ++y) {
    std::array<std::int32_t, SmallView::kColumns> sum{};
    const int top = window.top + static_cast<int>(y * window.cell);
    int lines = 0;
    for (int line = 0; line < size; line += step, ++lines) {
      const std::uint8_t* row = grey.data + (top + line) * grey.row_stride;
      for (std::size_t x = 0; x < sum.size(); ++x) {
        const std::uint8_t* p = row + begin[x];
        std::int32_t all = 0;
        for (int i = 0; i < size; i += stride) all += p[i];
        sum[x] += all;
      }
    }
    for (int x = 0; x < SmallView::kColumns; ++x)
      mean[at(x, y)] =
          static_cast<std::int16_t>(sum[static_cast<std::size_t>(x)] / (lines * columns));
  }
  // Difference from the mean of the square around it, by sliding sums.
  std::array<std::int32_t, SmallView::kColumns> column{};
  const auto add = [&](int y, int sign) {
    if (y < 0 || y >= window.rows) return;
    for (int x = 0; x < SmallView::kColumns; ++x)
      column[static_cast<std::size_t>(x)] += sign * mean[at(x, y)];
  };
  for (int y = 0; y < kSmallViewTuning.around_cells; ++y) add(y, 1);
  for (int y = 0; y < window.rows; ++y) {
    add(y + kSmallViewTuning.around_cells, 1);
    add(y - kSmallViewTuning.around_cells - 1, -1);
    const int high = std::min(window.rows - 1, y + kSmallViewTuning.around_cells) -
                     std::max(0, y - kSmallViewTuning.around_cells) + 1;
    std::int32_t sum = 0, wide = 0;
    const auto take = [&](int x, int sign) {
      if (x < 0 || x >= SmallView::kColumns) return;
      sum += sign * column[static_cast<std::size_t>(x)];
      wide += sign;
    };
    for (int x = 0; x < kSmallViewTuning.around_cells; ++x) take(x, 1);
    for (int x = 0; x < SmallView::kColumns; ++x) {
      take(x + kSmallViewTuning.around_cells, 1);
      take(x - kSmallViewTuning.around_cells - 1, -1);
      out.cells[at(x, y)] = static_cast<std::int8_t>(
          std::clamp(mean[at(x, y)] - sum / (wide * high), -kSmallViewTuning.max_contrast,
                     kSmallViewTuning.max_contrast));
    }
  }
}

ViewShift shift_near(const SmallView& before, const SmallView& now, double x, double y,
                     int reach) noexcept {
  const int from_x = static_cast<int>(std::lround(x)), from_y = static_cast<int>(std::lround(y));
  int dx = from_x, dy = from_y;
  double best = misfit(before, now, dx, dy, 1);
  double left = 0, right = 0, up = 0, down = 0;
  for (;;) {
    left = misfit(before, now, dx - 1, dy, 1);
    right = misfit(before, now, dx + 1, dy, 1);
    up = misfit(before, now, dx, dy - 1, 1);
    down = misfit(before, now, dx, dy + 1, 1);
    const double least = std::min({left, right, up, down});
    if (least >= best) break;
    dx += least == left ? -1 : least == right ? 1 : 0;
    dy += least == left || least == right ? 0 : least == up ? -1 : 1;
    best = least;
    if (std::abs(dx - from_x) >= reach || std::abs(dy - from_y) >= reach)
      return {static_cast<double>(dx), static_cast<double>(dy), best};
  }
  return {dx + lowest(left, best, right), dy + lowest(up, best, down), best};
}

ViewShift shift_anywhere(const SmallView& before, const SmallView& now, double x,
                         double y) noexcept {
  const int from_x = static_cast<int>(std::lround(x)), from_y = static_cast<int>(std::lround(y));
  double best = 2;
  int best_x = from_x, best_y = from_y;
  for (int dy = -kSmallViewTuning.anywhere_cells; dy <= kSmallViewTuning.anywhere_cells;
       dy += kSmallViewTuning.coarse_step)
    for (int dx = -kSmallViewTuning.anywhere_cells; dx <= kSmallViewTuning.anywhere_cells;
         dx += kSmallViewTuning.coarse_step) {
      const double one =
          misfit(before, now, from_x + dx, from_y + dy, kSmallViewTuning.coarse_step);
      if (one >= best) continue;
      best = one;
      best_x = from_x + dx;
      best_y = from_y + dy;
    }
  return shift_near(before, now, best_x, best_y, kSmallViewTuning.coarse_step);
}

}  // namespace kerb
