// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "hal/base/view.hpp"

namespace kerb {

/// The part of a camera's pictures that a small view shows: around its axis, and narrow enough that
/// a turn of the camera moves all of it alike.
struct ViewWindow {
  int left = 0, top = 0;  ///< pixels
  double cell = 0;        ///< pixels, square; below 1: pictures too small, there is no view
  int rows = 0;
  double rad_a_cell = 0;  ///< radians per cell
};
[[nodiscard]] ViewWindow view_window(double focal_px, double center_x, double center_y, int width,
                                     int height) noexcept;

/// A picture of at most 80 x 45 cells that holds local contrast and no brightness: enough to
/// measure a shift of the view to a tenth of a cell.
struct SmallView {
  static constexpr int kColumns = 80, kMostRows = 45;
  int rows = 0;
  std::array<std::int8_t, std::size_t{kColumns} * kMostRows> cells{};
};
/// Reads about 4 of the picture's rows for each row of cells, and every other of their pixels.
void shrink(const ImageView<Space::host, const std::uint8_t>& grey, const ViewWindow& window,
            SmallView& out) noexcept;

/// The shift from one view to another, in cells to the right and down. `misfit` is 0 where both
/// agree, and about 1 where they have nothing in common or no detail.
struct ViewShift {
  double x = 0, y = 0, misfit = 1;
};
/// The best fit near a guess: descends from there, by at most `reach` cells.
[[nodiscard]] ViewShift shift_near(const SmallView& before, const SmallView& now, double x,
                                   double y, int reach) noexcept;
/// The best fit within 10 cells of a guess: a coarse grid first. Finds a minimum that a descent
/// from the guess would miss.
[[nodiscard]] ViewShift shift_anywhere(const SmallView& before, const SmallView& now, double x,
                                       double y) noexcept;

}  // namespace kerb
