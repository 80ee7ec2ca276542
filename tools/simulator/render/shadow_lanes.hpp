// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/simulator/render/draw_view.hpp"
#include "tools/simulator/render/lanes.hpp"

/// Look-ups in the sun's shadows, for sources that are compiled for several machines.
namespace kerb::sim {
namespace {

constexpr float kShadowNear_m = 34, kShadowFar_m = 150;  // reach of the two grids
KERB_LANE float shadow_texel(int level) { return level == 0 ? 0.04F : 0.20F; }  // metres

KERB_LANE V3 in_light(const ShadowView& s, V3 p) {
  return {dot(s.right, p), dot(s.up, p), -dot(s.to_sun, p)};
}

KERB_LANE float shadow_lit(const ShadowView::Level& level, float texel, float x, float y,
                           float depth) {
  const float tx = x / texel - 0.5F, ty = y / texel - 0.5F;
  const int x0 = floor_int(tx), y0 = floor_int(ty);
  const float fx = tx - f32(x0), fy = ty - f32(y0);
  const float wx[4] = {1 - fx, 1, 1, fx}, wy[4] = {1 - fy, 1, 1, fy};
  // All within one page, as most places are?
  const int px0 = (x0 - 1) >> 7, py0 = (y0 - 1) >> 7;
  if (px0 == (x0 + 2) >> 7 && py0 == (y0 + 2) >> 7) {
    const int column = px0 - level.x0, row = py0 - level.y0;
    if (column < 0 || row < 0 || column >= level.columns || row >= level.rows) return 1;
    const float* p = level.pages[row * level.columns + column] +
                     at(((y0 - 1) & 127) * kShadowPage + ((x0 - 1) & 127));
    const auto there = [&](int i, int j) { return p[j * kShadowPage + i] >= depth ? 1 : 0; };
    const int corners =
        there(0, 0) + there(3, 0) + there(0, 3) + there(3, 3) + there(1, 1) + there(2, 2);
    if (corners == 0) return 0;
    if (corners == 6) return 1;
    float sum = 0;
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i) sum += wx[i] * wy[j] * f32(there(i, j));
    return sum * (1.0F / 9);
  }
  const auto open = [&](int ix, int iy) -> float {
    const int px = (ix >> 7) - level.x0, py = (iy >> 7) - level.y0;
    if (px < 0 || py < 0 || px >= level.columns || py >= level.rows) return 1;
    const float* page = level.pages[py * level.columns + px];
    return page[(iy & 127) * kShadowPage + (ix & 127)] >= depth ? 1.0F : 0.0F;
  };
  // The sun is wide: a soft edge of three texels. Where the corners agree, so does the rest.
  const float corners = open(x0 - 1, y0 - 1) + open(x0 + 2, y0 - 1) + open(x0 - 1, y0 + 2) +
                        open(x0 + 2, y0 + 2) + open(x0, y0) + open(x0 + 1, y0 + 1);
  if (corners == 0 || corners == 6) return corners * (1.0F / 6);
  float sum = 0;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) sum += wx[i] * wy[j] * open(x0 - 1 + i, y0 - 1 + j);
  return sum * (1.0F / 9);
}

/// How much of the sun a point sees; `near` from the fine grid.
KERB_LANE float sunlight(const ShadowView& s, V3 point, V3 normal, bool near) {
  const int l = near ? 0 : 1;
  const float texel = shadow_texel(l);
  // Off the surface by about a texel, so that it does not shade itself.
  const V3 p = in_light(s, point + (1.5F * texel) * normal);
  return shadow_lit(s.level[l], texel, p.x, p.y, p.z - 0.6F * texel);
}

}  // namespace
}  // namespace kerb::sim
