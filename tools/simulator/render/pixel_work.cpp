// SPDX-License-Identifier: Apache-2.0
// Compiled for one lane (KERB_ONE_LANE), as the GPU's threads are.
#include "tools/simulator/render/pixel_work.hpp"

#include "tools/simulator/render/pixel_lanes.hpp"

namespace kerb::sim::one {
namespace {

template <typename Work>
void each_pixel(int width, int height, const Work& work) {
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) work(x, y);
}

/// The triangles of a tile, and those of its squares of pixels: as blocks of threads do it.
template <bool kFour, typename Put>
void draw_tile(const PixelView& v, int tile, const Put& put) {
  const DrawView& s = v.draw;
  const int left = tile % s.tiles_x * kTile, top = tile / s.tiles_x * kTile;
  for (int square = 0; square < kSquares * kSquares; ++square) {
    const int sx = square % kSquares * kSquare, sy = square / kSquares * kSquare;
    F4 depth[kSquare * kSquare] = {};
    I4 who[kSquare * kSquare];
    for (I4& w : who) w = all(static_cast<std::int32_t>(kNothing));
    constexpr int kStep = kFour ? 1 : 4;
    for (std::int32_t i = v.tile_first[tile]; i < v.tile_first[tile + 1]; ++i) {
      TileTriangle t;
      const std::uint32_t id = v.tile_triangles[i];
      if (!set_up<kFour>(s.triangle(id), id, left, top, t) || !touches(t, sx, sy, kSquare))
        continue;
      for (int y = 0; y < kSquare; ++y)
        for (int x = 0; x < kSquare; x += kStep)
          draw_pixel<kFour>(s, t, left, top, sx + x, sy + y, depth[y * kSquare + x],
                            who[y * kSquare + x]);
    }
    for (int y = 0; y < kSquare && top + sy + y < s.height; ++y)
      for (int x = 0; x < kSquare && left + sx + x < s.width; x += kStep)
        put(left + sx + x, top + sy + y, depth[y * kSquare + x], who[y * kSquare + x]);
  }
}

}  // namespace

void draw(const PixelView& v) {
  const DrawView& s = v.draw;
  for (int tile = 0; tile < v.tiles; ++tile) {
    find_near(s, tile, v.near[tile]);
    draw_tile<true>(v, tile, [&](int x, int y, const F4& depth, const I4& who) {
      sample_w(v, y * s.width + x) = depth;
      sample_id(v, y * s.width + x) = who;
    });
    for (int row = 0; row < kTile; ++row) sort_row(v, tile, row);
  }
  each_pixel(s.width, s.height, [&](int x, int y) { shade_pixel(v, x, y); });
}

void add_weather(const DrawView& s, const WeatherView& w) {
  if (w.mirrors)
    each_pixel((s.width + 1) / 2, (s.height + 1) / 2,
               [&](int x, int y) { mirror_block(s, w, 2 * x, 2 * y); });
  if (w.fog > 0) {
    for (int cell = 0; cell < w.columns * w.rows * kFogDepths; ++cell)
      w.cells[cell] = fog_cell(s, w, cell / kFogDepths % w.columns, cell / kFogDepths / w.columns,
                               cell % kFogDepths);
    each_pixel(w.columns, w.rows, [&](int x, int y) { sum_fog(w, x, y); });
    each_pixel(s.width, s.height, [&](int x, int y) { add_fog(s, w, x, y); });
  }
  for (int i = 0; i < w.blend_count; ++i) blend_chain(s, w, i);
  if (w.shrinks)
    for (int n = 0; n < kGlareLevels; ++n)
      each_pixel(w.level[n].width, w.level[n].height, [&](int x, int y) {
        if (n == 0) shrink_picture(s, w, x, y);
        if (n > 0) shrink_level(w, n, x, y);
      });
  if (w.scatters) {
    for (int n = kGlareLevels; n-- > 0;)
      each_pixel(w.level[n].width, w.level[n].height,
                 [&](int x, int y) { spread_level(w, n, x, y); });
    each_pixel(s.width, s.height, [&](int x, int y) { scatter_pixel(s, w, x, y); });
  }
  if (w.drop_count > 0 || w.blade)
    each_pixel(s.width, s.height, [&](int x, int y) { drops_before(s, w, x, y); });
}

void develop(const PixelView& v) {
  const Finishing& f = v.finishing;
  each_pixel(v.draw.width, v.draw.height, [&](int x, int y) { smear_pixel(v, x, y); });
  if (v.bend != nullptr) each_pixel(f.width, f.height, [&](int x, int y) { bend_pixel(v, x, y); });
  each_pixel(f.width, f.height, [&](int x, int y) { blur_down(v, x, y); });
  each_pixel(f.width, f.height, [&](int x, int y) { finish_pixel(v, x, y); });
}

void see(const PixelView& v, std::uint32_t* seen) {
  const DrawView& s = v.draw;
  for (int tile = 0; tile < v.tiles; ++tile)
    draw_tile<false>(v, tile, [&](int x, int y, const F4&, const I4& who) {
      for (int k = 0; k < 4 && x + k < s.width; ++k)
        seen[y * s.width + x + k] = static_cast<std::uint32_t>(who[k]);
    });
}

}  // namespace kerb::sim::one
