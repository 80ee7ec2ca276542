// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "tools/simulator/render/geometry.hpp"
#include "tools/simulator/render/light.hpp"
#include "tools/simulator/render/material.hpp"
#include "tools/simulator/render/screen_triangle.hpp"

/// Everything that colours the pixels of one picture, as plain pointers: into the memory of the CPU
/// or of a GPU. The shading (shade_lanes.hpp) reads this and nothing else, so it is one source for
/// both.
namespace kerb::sim {

/// Something that keeps the sky's light off what is near it.
struct Occluder {
  V3 at;
  float radius = 0;                ///< of a ball; 0: a car's box over the ground
  float ahead_x = 1, ahead_y = 0;  ///< of a box
  float half_length = 0, half_width = 0;
};

/// Some of them.
template <typename T>
struct ListView {
  const T* data = nullptr;
  int count = 0;
  KERB_BOTH const T& operator[](std::size_t i) const noexcept { return data[i]; }
};

struct ItemView {
  const Corner* corners = nullptr;
  const V3* later = nullptr;  ///< where the corners will be; null: where they are
};

/// What shading needs of a Material.
struct SurfaceView {
  V3 rgb, glow;
  TextureView texture;
  float per_metre = 1, unit_m = 1, stains_per_metre = 0;
  float celsius = 12, warming = 6;
  const float* bands = nullptr;
  bool cut = false, lit = false;
  bool wets = false;  ///< ground that water makes dark and shiny
  Gloss gloss = Gloss::matt;
  Stuff stuff = Stuff::plain;
};

/// The sun's shadows (shadow.hpp): two grids of pages of depths along the light.
struct ShadowView {
  V3 to_sun, right, up;
  struct Level {
    int x0 = 0, y0 = 0, columns = 0, rows = 0;
    const float* const* pages = nullptr;
  };
  Level level[2];
};
inline constexpr int kShadowPage = 128;  ///< texels a side

/// From this camera to where it will be half an exposure later, for points as seen from this one's
/// place.
struct Shift {
  V3 right, down, ahead, away;
  float focal = 1, cx = 0, cy = 0;
  /// Where the camera only goes straight on, what is small can be told beforehand.
  bool straight = false;
  float step = 0, drift = 0;
  /// Whether something that stands there, at this inverse depth, moves less than is looked at.
  [[nodiscard]] KERB_BOTH bool tiny(float w, float x, float y) const {
    return straight && (std::abs(x - cx) + std::abs(y - cy)) * step * w + drift * w < 0.3F;
  }
};

/// Pixels a picture moves by in half the exposure, in 1/64.
using Velocity = std::array<std::int16_t, 2>;
/// What is seen at a pixel, for weather.
struct SeenSurface {
  float z = 1e6F;    ///< metres along the camera's axis
  float mirror = 0;  ///< share of light that wet ground mirrors
  float slope = 0;   ///< how rough it is: tangent of its tilts
};

inline constexpr int kMostPlanes = 8;  ///< four channels each
struct DrawView {
  int width = 0, height = 0, tiles_x = 0;
  float f = 1, cx = 0, cy = 0;  ///< 1 / focal length, and the middle, in pixels
  V3 eye, right, down, ahead;
  Shift shift;
  const ScreenTriangle* triangles[kTriangleGroups] = {};
  ListView<ItemView> items;
  ListView<SurfaceView> materials;
  ListView<Lamp> lamps;
  ListView<Occluder> occluders;
  Light light;
  Dome sky, mirror;               ///< the sky, and what shiny things mirror
  const float* stains = nullptr;  ///< 64 rows of 64
  bool shadowed = false;          ///< `shadows` are there
  ShadowView shadows;
  V3 street{1, 0, 0};  ///< along it: where more of the sky is seen
  bool thermal = false;
  ListView<std::array<float, 3>> band_mix;  ///< how much of red, green, blue is in each band
  int planes = 1;
  bool moves = false;        ///< whether velocities are wanted
  float wet = 0;             ///< of the road, 0..1
  bool seen_wanted = false;  ///< `seen` is

  // What comes out.
  float* plane[kMostPlanes] = {};  ///< four channels a pixel, at multiples of 16 bytes
  Velocity* velocity = nullptr;
  SeenSurface* seen = nullptr;

  [[nodiscard]] KERB_BOTH const ScreenTriangle& triangle(std::uint32_t id) const noexcept {
    return triangles[id >> kGroupShift][id & ((1U << kGroupShift) - 1)];
  }
};

}  // namespace kerb::sim
