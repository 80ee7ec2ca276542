// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tools/simulator/render/draw_view.hpp"
#include "tools/simulator/render/sensor_view.hpp"

/// A picture on its way, for drawing pixel by pixel (pixel_lanes.hpp): plain pointers into the
/// memory of a GPU, or of the CPU for tests.
namespace kerb::sim {

/// Lamps or occluders that reach into a tile, at most.
inline constexpr int kMostNear = 48;
/// What of lamps and occluders matters in a tile.
struct NearList {
  int occluders = 0, lamps = 0;
  std::array<std::uint16_t, kMostNear> occluder, lamp;
};

/// How a pixel is shaded: the first of four of sky, or of one plain triangle, or one of the other
/// three of them; else alone.
enum class PixelKind : std::uint8_t { alone, member, sky, plain };

struct PixelView {
  DrawView draw;
  /// Triangles that may be in tile i, in the order in which they are drawn: from first[i] up to
  /// first[i + 1].
  const std::uint32_t* tile_triangles = nullptr;
  const std::int32_t* tile_first = nullptr;
  int tiles = 0;
  NearList* near = nullptr;  ///< by tile
  /// Four samples a pixel: inverse depth (0: nothing) and which triangle (-1: none).
  float* sample_w = nullptr;
  std::int32_t* sample_id = nullptr;
  PixelKind* kind = nullptr;

  // The camera.
  Finishing finishing{};
  Exposure exposure;
  std::uint64_t seed = 0;
  const float* bend = nullptr;  ///< where on the canvas a pixel looks, x and y; null: one to one
  float *smeared = nullptr, *bent = nullptr, *column = nullptr;  ///< four channels a pixel
  std::uint8_t* pixels = nullptr;
};

}  // namespace kerb::sim
