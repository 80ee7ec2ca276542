// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/simulator/render/pixel_view.hpp"
#include "tools/simulator/render/texture_lanes.hpp"

/// raster_lanes.hpp's samples by single pixels, as threads of a GPU take them: the same depths to
/// the bit, and so the same triangles.
namespace kerb::sim {
namespace {

/// A tile is drawn by squares of pixels: a block of threads each, for which triangles that are not
/// in it are left out.
constexpr int kSquare = 16, kSquares = kTile / kSquare;

/// A triangle made ready for a tile, whose upper left pixel is (left, top).
struct TileTriangle {
  std::uint32_t id = 0;
  std::int16_t x0 = 0, x1 = 0, y0 = 0, y1 = 0;  // pixels of the tile it may have samples in
  std::uint32_t start[3] = {};  // its edges at pixel (x0, y0): not negative inside, modulo 2^32
  std::int32_t by_x[3] = {}, by_y[3] = {};    // and by 1/32 pixel
  float w = 0, wx = 0, wy = 0, x = 0, y = 0;  // its inverse depth at (x, y), and by pixel
  bool cut = false;
};

/// kFour: four samples of a pixel; else four pixels side by side, at multiples of four, by their
/// middles. False: not in this tile.
template <bool kFour>
KERB_INNER bool set_up(const ScreenTriangle& t, std::uint32_t id, int left, int top,
                       TileTriangle& out) {
  const auto low = [](const std::array<std::int32_t, 3>& v) {
    return (std::min(std::min(v[0], v[1]), v[2]) + 19) >> 5;
  };
  const auto high = [](const std::array<std::int32_t, 3>& v) {
    return (std::max(std::max(v[0], v[1]), v[2]) + 12) >> 5;
  };
  int x0 = std::max(low(t.x) - left, 0);
  const int x1 = std::min(high(t.x) - left, kTile - 1);
  const int y0 = std::max(low(t.y) - top, 0), y1 = std::min(high(t.y) - top, kTile - 1);
  if (x0 > x1 || y0 > y1) return false;
  if (!kFour) x0 &= ~3;
  out.id = id;
  out.x0 = static_cast<std::int16_t>(x0);
  out.x1 = static_cast<std::int16_t>(x1);
  out.y0 = static_cast<std::int16_t>(y0);
  out.y1 = static_cast<std::int16_t>(y1);
  for (std::size_t e = 0; e < 3; ++e) {
    const std::int64_t ex = t.x[e], ey = t.y[e], next_x = t.x[e == 2 ? 0 : e + 1],
                       next_y = t.y[e == 2 ? 0 : e + 1];
    const std::int64_t dx = next_x - ex, dy = next_y - ey;
    const std::int64_t px = std::int64_t{left + x0} * kSubpixel - ex,
                       py = std::int64_t{top + y0} * kSubpixel - ey;
    const std::int64_t edge = dx * py - dy * px, most = 1 << 30;
    out.start[e] = static_cast<std::uint32_t>(static_cast<std::int32_t>(edge < -most  ? -most
                                                                        : edge > most ? most
                                                                                      : edge));
    out.by_x[e] = static_cast<std::int32_t>(-dy);
    out.by_y[e] = static_cast<std::int32_t>(dx);
  }
  out.w = t.w;
  out.wx = t.wx;
  out.wy = t.wy;
  out.x = f32(t.x[0]) * (1.0F / kSubpixel);
  out.y = f32(t.y[0]) * (1.0F / kSubpixel);
  out.cut = t.cut;
  return true;
}

/// Whether it may have samples in a square of pixels of the tile, from (x, y) on.
KERB_INNER inline bool touches(const TileTriangle& t, int x, int y, int side) {
  if (x > t.x1 || y > t.y1 || x + side <= t.x0 || y + side <= t.y0) return false;
  for (int e = 0; e < 3; ++e) {
    const std::int64_t sx = t.by_x[e], sy = t.by_y[e];
    const std::int64_t here = std::int64_t{static_cast<std::int32_t>(t.start[e])} +
                              kSubpixel * (sx * (x - t.x0) + sy * (y - t.y0));
    const std::int64_t across = std::int64_t{side} * kSubpixel;  // and a pixel for the samples
    const std::int64_t most =
        std::max(sx * across, -sx * kSubpixel) + std::max(sy * across, -sy * kSubpixel);
    if (here + most < 0) return false;
  }
  return true;
}

/// A cut-out's holes: the lanes of `visible` that are not in one. `here`: pixels from the tile's
/// triangle's first corner.
KERB_INNER inline I4 without_holes(const DrawView& s, const TileTriangle& tile, const F4& w, F4 dx,
                                   F4 dy, I4 visible) {
  const ScreenTriangle& t = s.triangle(tile.id);
  const SurfaceView& m = s.materials[t.material];
  const Corner* corners = s.items[t.item].corners;
  const Corner &a = corners[t.corner[0]], &b = corners[t.corner[1]], &c = corners[t.corner[2]];
  const float k = m.per_metre;
  const F4 z = all(1.0F) / w;
  const F4 b1 = (all(t.b1) + all(t.b1x) * dx + all(t.b1y) * dy) * z;
  const F4 b2 = (all(t.b2) + all(t.b2x) * dx + all(t.b2y) * dy) * z;
  const F4 u = all(k * a.u) + b1 * all(k * (b.u - a.u)) + b2 * all(k * (c.u - a.u));
  const F4 v = all(k * a.v) + b1 * all(k * (b.v - a.v)) + b2 * all(k * (c.v - a.v));
  const int level = w[0] < 0.04F ? 2 : w[0] < 0.1F ? 1 : 0;
  return visible & solid(m.texture, u, v, level);
}

/// Draws a triangle into the samples of pixel (x, y) of the tile.
template <bool kFour>
KERB_INNER void draw_pixel(const DrawView& s, const TileTriangle& t, int left, int top, int x,
                           int y, F4& depth, I4& who) {
  constexpr int kStep = kFour ? 1 : 4;
  if (x < t.x0 || x > t.x1 || y < t.y0 || y > t.y1) return;
  I4 lane_x{}, lane_y{};  // 1/32 pixel
  if (kFour) {
    lane_x = I4{-4, 12, -12, 4};
    lane_y = I4{-12, -4, 4, 12};
  } else {
    lane_x = I4{0, 32, 64, 96};
  }
  I4 visible{};
  for (int k = 0; k < 4; ++k) {
    std::uint32_t signs = 0;
    for (int e = 0; e < 3; ++e) {
      const std::uint32_t steps_x = static_cast<std::uint32_t>((x - t.x0) * kSubpixel + lane_x[k]);
      const std::uint32_t steps_y = static_cast<std::uint32_t>((y - t.y0) * kSubpixel + lane_y[k]);
      signs |= t.start[e] + static_cast<std::uint32_t>(t.by_x[e]) * steps_x +
               static_cast<std::uint32_t>(t.by_y[e]) * steps_y;
    }
    visible[k] = static_cast<std::int32_t>(signs) < 0 ? 0 : -1;
  }
  if (!any(visible)) return;
  // Depths are summed up from the beginning of a block of eight pixels, as by lanes.
  const int from = t.x0 + ((x - t.x0) & ~7);
  const F4 off_x = floats_of(lane_x) * all(1.0F / kSubpixel);
  const F4 dx = all(f32(left + from) - t.x) + off_x;
  const F4 dy = all(f32(top + y) - t.y) + floats_of(lane_y) * all(1.0F / kSubpixel);
  F4 w = all(t.w) + all(t.wx) * dx + all(t.wy) * dy;
  const F4 step = all(t.wx * f32(kStep));
  for (int i = from; i < x; i += kStep) w += step;
  visible = visible & (w > depth);
  if (t.cut && any(visible))
    visible = without_holes(s, t, w, all(f32(left + x) - t.x) + off_x, dy, visible);
  for (int k = 0; k < 4; ++k) {
    if (visible[k] == 0) continue;
    depth[k] = w[k];
    who[k] = static_cast<std::int32_t>(t.id);
  }
}

}  // namespace
}  // namespace kerb::sim
