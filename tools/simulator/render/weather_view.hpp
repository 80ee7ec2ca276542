// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "tools/simulator/render/draw_view.hpp"

/// The weather of one picture as plain data: see draw_view.hpp.
namespace kerb::sim {

/// One of a pyramid of ever smaller pictures: four channels a pixel.
struct LevelView {
  int width = 0, height = 0;
  float* pixels = nullptr;
};
inline constexpr int kGlareLevels = 7, kFirstShrink = 4;  ///< the first is a quarter as wide
inline constexpr int kFogPixels = 16, kFogDepths = 28;    ///< a cell of lit fog; cells along a ray

/// A drop on the windscreen, in pixels.
struct Drop {
  float x = 0, y = 0, across = 1, outer = 0, inner = 0, peak = 0;
  int x_from = 0, x_to = 0, y_from = 0, y_to = 0;
};
/// Something half transparent over one pixel. Those over the same pixel are a chain, in their
/// order.
struct Blend {
  std::int32_t pixel = 0;
  float alpha = 0;
  V3 light;
  std::int32_t next = -1;
  bool first = true;
};

struct WeatherView {
  // Mirror images.
  bool mirrors = false;
  float focal = 1, inverse_focal = 1;  ///< single precision both
  float brightest = 0;                 ///< of what is mirrored

  // Fog lit by lamps: cells of columns x rows x kFogDepths.
  float fog = 0;  ///< 1 / m; 0: none
  int columns = 0, rows = 0;
  std::array<float, kFogDepths> depth{};
  float per_octave = 1;
  V3* cells = nullptr;

  // Streaks of rain.
  const Blend* blends = nullptr;
  int blend_count = 0;

  // Glare.
  bool shrinks = false, scatters = false;
  LevelView level[kGlareLevels], spread[kGlareLevels];
  float octave = 0, rest = 1;  ///< share of the light that each level scatters, and what is left
  bool sunny = false;
  V3 sun, to_sun;  ///< the latter in the camera's axes

  // Drops, and the wiper's blade: its middle at half the height, and how wide and how soft it is.
  const Drop* drops = nullptr;
  int drop_count = 0;
  bool blade = false;
  float blade_middle = 0, blade_half = 0, blade_soft = 0;
};

}  // namespace kerb::sim
