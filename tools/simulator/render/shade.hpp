// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tools/simulator/render/draw_view.hpp"
#include "tools/simulator/render/light.hpp"
#include "tools/simulator/render/material.hpp"
#include "tools/simulator/render/raster.hpp"
#include "tools/simulator/render/shadow.hpp"

namespace kerb::sim {

/// Everything that colours a pixel, for one picture.
struct Shading {
  const Canvas* canvas = nullptr;
  const Raster* raster = nullptr;
  const std::vector<Item>* items = nullptr;
  const Materials* materials = nullptr;
  const Light* light = nullptr;
  const Sky* sky = nullptr;
  const Stains* stains = nullptr;
  const Shadows* shadows = nullptr;  ///< null: no sun
  CameraPose pose, later;            ///< and half the exposure later
  bool moves = false;                ///< whether velocities are wanted
  const std::vector<Lamp>* lamps = nullptr;
  const std::vector<Occluder>* occluders = nullptr;
  V3 street{1, 0, 0};  ///< along it: where more of the sky is seen
  Sensor sensor = Sensor::rgb;
  int planes = 1;                              ///< four channels each
  std::vector<std::array<float, 3>> band_mix;  ///< how much of red, green, blue is in each band
  float wet = 0;                               ///< of the road, 0..1
  bool surfaces = false;                       ///< Radiance::surfaces is wanted
};

/// What is drawn, before the lens: radiance, four channels a plane, and where each pixel goes in
/// half the exposure (1/64 pixel).
struct Radiance {
  int width = 0, height = 0;
  std::vector<std::vector<F4>> planes;
  std::vector<Velocity> velocity;
  /// What is seen at a pixel, for weather; empty where there is none.
  using SeenSurface = sim::SeenSurface;
  std::vector<SeenSurface> surfaces;
};

/// Ground that water makes dark and shiny.
[[nodiscard]] constexpr bool gets_wet(std::uint16_t material) noexcept {
  return material <= id_of(Base::gutter) || material == id_of(Base::manhole);
}
/// How much of the sky is left behind fog, in this direction: a layer of 100 m.
[[nodiscard]] float sky_through_fog(const Light& light, float up) noexcept;

/// A Shading as plain pointers, for what draws it; `lists` holds what they point to. Into `out`.
struct DrawLists {
  std::vector<ItemView> items;
  std::vector<SurfaceView> materials;
};
DrawView view_of(const Shading& shading, DrawLists& lists, Radiance& out);

/// Colours one tile.
void shade_tile(const DrawView& view, int tile, const TileSamples& samples);
/// What shade_tile() chooses between: the same bits, by vectors of 16 or of 32 bytes (only on x86).
namespace base {
void shade_tile(const DrawView& view, int tile, const TileSamples& samples);
}
namespace avx2 {
void shade_tile(const DrawView& view, int tile, const TileSamples& samples);
}

}  // namespace kerb::sim
