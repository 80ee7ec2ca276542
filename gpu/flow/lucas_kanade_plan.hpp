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

struct Level {
  int width = 0, height = 0;
  int stride = 0;           // of samples and of vectors
  std::size_t samples = 0;  // where the sample (0, 0) is
  int iterations = 0;
  int reach = 0;  // of vectors, in their units
  /// With a mask: vectors are computed where a wanted pixel of the picture is within this many
  /// pixels of the level; the level's own, and those below that read it.
  int radius = 0;
};

struct Plan {
  std::vector<Level> levels;  // largest first
  std::size_t samples = 0;    // of all levels, rims included
  std::size_t vectors = 0;    // of the largest level
};

/// How far away from a pixel anything may lie that its vector depends on, in pixels of the picture.
int dependence(const Plan& plan) noexcept;

Plan make_plan(const LucasKanadeSettings& settings, int width, int height);

}  // namespace kerb::flow::lk
