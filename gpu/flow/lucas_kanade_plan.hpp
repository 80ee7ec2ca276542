// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "gpu/flow/lucas_kanade.hpp"
#include "gpu/flow/lucas_kanade_math.hpp"

/// How Lucas-Kanade is laid out for one picture size. For gpu/flow alone.
namespace kerb::flow::lk {

/// Samples of a level have a rim of copies of the edge's, so that interpolation need not look.
inline constexpr int kRimLeft = 4, kRimRight = 4, kRimRows = 2;

/// Columns x0 to x1, rows y0 to y1, the ends not included.
struct Rect {
  int x0, y0, x1, y1;
  [[nodiscard]] bool empty() const noexcept { return x0 >= x1 || y0 >= y1; }
};

struct Level {
  int width = 0, height = 0;
  int stride = 0;           // of samples and of vectors
  std::size_t samples = 0;  // where the sample (0, 0) is
  int iterations = 0;
  int reach = 0;  // of vectors, in their units
  /// With a mask: the first iteration's vectors are computed where a wanted pixel of the picture is
  /// within this many pixels of the level; the level's own, and those below that read it.
  int radius = 0;
};
/// ... those of any iteration, counted from 0; -1 is the level above's vectors, doubled.
inline int radius_of(const Level& level, int iteration) noexcept {
  return level.radius - kLook * iteration;
}

struct Plan {
  std::vector<Level> levels;  // largest first
  std::size_t samples = 0;    // of all levels, rims included
  std::size_t vectors = 0;    // of the largest level
};

/// How far away from a pixel anything may lie that its vector depends on, in pixels of the picture.
int dependence(const Plan& plan) noexcept;

Plan make_plan(const LucasKanadeSettings& settings, int width, int height);

}  // namespace kerb::flow::lk
