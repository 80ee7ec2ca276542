// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "hal/base/view.hpp"

namespace kerb {

/// Which part of a camera's pictures a small view shows: about its axis, so wide at most that a
/// turn of the camera moves all of it alike.
struct ViewWindow {
  int left = 0, top = 0;  ///< pixels
  double cell = 0;        ///< pixels, square; below 1: pictures too small, there is no view
  int rows = 0;
  double rad_a_cell = 0;  ///< that a turn by one cell is
};
[[nodiscard]] ViewWindow view_window(double focal_px, double center_x, double center_y, int width,
                                     int height) noexcept;

/// A picture of at most 80 x 45 cells that keeps what stands out against its surroundings and no
/// brightness: enough to tell by how much the view has shifted, to a tenth of a cell.
struct SmallView {
  static constexpr int kColumns = 80, kMostRows = 45;
  int rows = 0;
  std::array<std::int8_t, std::size_t{kColumns} * kMostRows> cells{};
};
/// Reads about 4 of the picture's rows for each of cells, and every other of their pixels.
void shrink(const ImageView<Space::host, const std::uint8_t>& grey, const ViewWindow& window,
            SmallView& out) noexcept;

/// Where things that one view showed are in another: so many cells to the right and down. `misfit`
/// is 0 where both agree, about 1 where they have nothing in common or nothing to be seen.
struct ViewShift {
  double x = 0, y = 0, misfit = 1;
};
/// The best fit near a guess: goes downhill from there, at most `reach` cells.
[[nodiscard]] ViewShift shift_near(const SmallView& before, const SmallView& now, double x,
                                   double y, int reach) noexcept;
/// The best fit anywhere within 10 cells of a guess: coarsely first. Finds what is hidden behind a
/// worse fit nearby.
[[nodiscard]] ViewShift shift_anywhere(const SmallView& before, const SmallView& now, double x,
                                       double y) noexcept;

}  // namespace kerb
