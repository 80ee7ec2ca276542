// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/simulator/render/sample_lanes.hpp"
#include "tools/simulator/render/sensor_lanes.hpp"
#include "tools/simulator/render/shade_lanes.hpp"
#include "tools/simulator/render/weather_lanes.hpp"

/// What one thread of a GPU does for a picture, step by step: shade_tile_lanes.hpp's and
/// sensor_lanes.hpp's work by single pixels. For cameras of three colours and grey ones.
namespace kerb::sim {
namespace {

KERB_LANE F4& sample_w(const PixelView& v, int i) { return reinterpret_cast<F4*>(v.sample_w)[i]; }
KERB_LANE I4& sample_id(const PixelView& v, int i) { return reinterpret_cast<I4*>(v.sample_id)[i]; }

/// Says how the pixels of one row of a tile are shaded: fours of them from left to right, where
/// they are of the sky or of one plain triangle.
KERB_INNER inline void sort_row(const PixelView& v, int tile, int row) {
  const DrawView& s = v.draw;
  const int left = tile % s.tiles_x * kTile, y = tile / s.tiles_x * kTile + row;
  if (y >= s.height) return;
  const int count = std::min(int{kTile}, s.width - left), base = y * s.width + left;
  TileShader shader{s, v.near[tile]};
  // How many pixels from here on are all of one triangle: from right to left, kept in bits.
  std::uint64_t same = 0;  // bit x: x and the three to its right
  int run = 0;
  std::int32_t of = 0;
  for (int x = count - 1; x >= 0; --x) {
    const I4 id = sample_id(v, base + x);
    const bool one = id[0] == id[1] && id[0] == id[2] && id[0] == id[3];
    run = !one ? 0 : run > 0 && id[0] == of ? run + 1 : 1;
    of = id[0];
    if (run >= 4) same |= std::uint64_t{1} << x;
  }
  for (int x = 0; x < count;) {
    PixelKind kind = PixelKind::alone;
    if ((same >> x & 1U) != 0) {
      const std::int32_t id = sample_id(v, base + x)[0];
      if (id == -1)
        kind = PixelKind::sky;
      else if (shader.plain(s.triangle(static_cast<std::uint32_t>(id))))
        kind = PixelKind::plain;
    }
    v.kind[base + x++] = kind;
    if (kind != PixelKind::alone)
      for (int k = 0; k < 3; ++k) v.kind[base + x++] = PixelKind::member;
  }
}

/// What is gathered of one pixel.
struct OnePixel {
  static constexpr int kPlanes = 1;
  std::size_t pixels = 0, entries = 0, places = 0;
  std::array<PixelParts, 1> pixel;
  std::array<Share, 4> entry;
  std::array<TileShader::Place, 4> place;
  std::array<TileShader::Shaded, 4> shaded;
};

/// Shades a pixel, or the four that begin with it.
KERB_INNER inline void shade_pixel(const PixelView& v, int x, int y) {
  const DrawView& s = v.draw;
  const int i = y * s.width + x;
  const PixelKind kind = v.kind[i];
  if (kind == PixelKind::member) return;
  TileShader shader{s, v.near[y / kTile * s.tiles_x + x / kTile]};
  const I4 id = sample_id(v, i);
  if (kind == PixelKind::sky) {
    sky_run(s, shader, x, y, 4);
    return;
  }
  if (kind == PixelKind::plain) {
    shade_four(s, shader, static_cast<std::uint32_t>(id[0]), x, y);
    return;
  }
  OnePixel rest;
  gather(s, id, sample_w(v, i), x, y, rest);
  for (std::size_t k = 0; k < rest.places; ++k) {
    const TileShader::Place* place = &rest.place[k];
    TileShader::Shaded* shaded = &rest.shaded[k];
    shader.points(&place, 1, &shaded, nullptr);
  }
  put_together(s, shader, rest, rest.pixel[0], true);
}

/// Drops and the wiper's blade before a pixel.
KERB_INNER inline void drops_before(const DrawView& s, const WeatherView& w, int x, int y) {
  for (int i = 0; i < w.drop_count; ++i) {
    const Drop& drop = w.drops[i];
    if (x >= drop.x_from && x <= drop.x_to && y >= drop.y_from && y <= drop.y_to)
      drop_pixel(s, w, drop, x, y);
  }
  if (w.blade) blade_pixel(s, w, x, y);
}

/// The camera, one step after the other, each for all pixels before the next.
KERB_INNER inline void smear_pixel(const PixelView& v, int x, int y) {
  const DrawView& s = v.draw;
  smear_lanes(reinterpret_cast<const F4*>(s.plane[0]), s.velocity, s.width, s.height, x, y,
              pixel_at(v.smeared, at(y * s.width)));
}
KERB_INNER inline void bend_pixel(const PixelView& v, int x, int y) {
  const int i = y * v.finishing.width + x;
  const F4* from = reinterpret_cast<const F4*>(v.smeared);
  const int width = v.draw.width;
  *pixel_at(v.bent, at(i)) =
      bent_pixel(v.bend[2 * i], v.bend[2 * i + 1], width, v.draw.height,
                 [from, width](int line) { return from + at(line * width); });
}
KERB_INNER inline void blur_down(const PixelView& v, int x, int y) {
  const Finishing& f = v.finishing;
  // Without a lens's distortion the canvas is the picture.
  const F4* from = reinterpret_cast<const F4*>(v.bend != nullptr ? v.bent : v.smeared);
  const auto line = [&](int i) { return from[std::clamp(i, 0, f.height - 1) * f.width + x]; };
  *pixel_at(v.column, at(y * f.width + x)) =
      blurred(f, line(y), [&](int k) { return line(y - k) + line(y + k); });
}
KERB_INNER inline void finish_pixel(const PixelView& v, int x, int y) {
  const Finishing& f = v.finishing;
  const F4* row = reinterpret_cast<const F4*>(v.column) + at(y * f.width);
  const auto at_x = [&](int i) { return row[std::clamp(i, 0, f.width - 1)]; };
  const F4 signal =
      signal_of(f, v.exposure, row_noise(v.exposure, v.seed, y, 0),
                blurred(f, at_x(x), [&](int k) { return at_x(x - k) + at_x(x + k); }));
  const std::uint64_t chance = pixel_chance(row_state(v.seed, y, 0), x);
  std::uint8_t* to = v.pixels + at(y * f.width + x) * at(f.channels);
  for (int c = 0; c < f.channels; ++c) to[c] = noisy_byte(f, signal[c], chance, c);
}

}  // namespace
}  // namespace kerb::sim
