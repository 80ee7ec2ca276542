// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "tools/simulator/render/shade.hpp"
#include "tools/simulator/render/shade_lanes.hpp"

/// Shading of a tile, for sources that are compiled for several machines.
namespace kerb::sim {
namespace {

/// What is left of a tile after the plain parts: pixels of several surfaces, round ones, such as
/// lamps shine on. They are gathered, sorted by material, shaded many at a time and put together.
struct Gathered {
  static constexpr int kPlanes = kMostPlanes;
  static constexpr int kRows = 16;  // of a tile, gathered together
  static constexpr std::size_t kMost = at(kRows * kTile);
  std::size_t pixels = 0, entries = 0, places = 0;
  std::array<PixelParts, kMost> pixel;
  std::array<Share, 4 * kMost> entry;
  std::array<TileShader::Place, 4 * kMost> place;
  std::array<TileShader::Shaded, 4 * kMost> shaded;
  std::vector<TileShader::Answer> answers;
  std::array<std::uint32_t, 4 * kMost> order;
  std::vector<std::uint32_t> first;

  void clear() { pixels = entries = places = 0; }

  void shade(const DrawView& s, TileShader& shader, bool plain) {
    const std::size_t n = places;
    if (!plain) answers.resize(4 * kMost);
    // By material, each in the order in which they came.
    first.assign(at(s.materials.count) + 1, 0);
    for (std::size_t i = 0; i < n; ++i) ++first[place[i].triangle->material + std::size_t{1}];
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    for (std::size_t i = 0; i < n; ++i)
      order[first[place[i].triangle->material]++] = static_cast<std::uint32_t>(i);
    for (std::size_t i = 0; i < n;) {
      const TileShader::Place* these[kLanes];
      TileShader::Shaded* to[kLanes];
      TileShader::Answer* more[kLanes];
      const std::uint16_t material = place[order[i]].triangle->material;
      int count = 0;
      for (; count < kLanes && i < n && place[order[i]].triangle->material == material;
           ++i, ++count) {
        these[count] = &place[order[i]];
        to[count] = &shaded[order[i]];
        if (!plain) more[count] = &answers[order[i]];
      }
      shader.points(these, count, to, plain ? nullptr : more);
    }
  }
};

void shade_whole_tile(const DrawView& s, int tile, const TileSamples& samples) {
  NearList near;
  find_near(s, tile, near);
  TileShader shader{s, near};
  const bool plain = s.band_mix.count == 0 && !s.thermal;
  const int left = tile % s.tiles_x * kTile, top = tile / s.tiles_x * kTile;
  const int x_end = std::min(kTile, s.width - left), y_end = std::min(kTile, s.height - top);
  thread_local const std::unique_ptr<Gathered> scratch = std::make_unique<Gathered>();
  Gathered& rest = *scratch;
  rest.clear();
  for (int y = 0; y < y_end; ++y) {
    for (int x = 0; x < x_end; ++x) {
      const std::size_t i = at(y * kTile + x);
      const I4 id = samples.id[i];
      if (plain && x + 4 <= x_end) {
        const I4 first = all(id[0]);
        const auto differ = [&](std::size_t from) {
          return (samples.id[from] ^ first) | (samples.id[from + 1] ^ first) |
                 (samples.id[from + 2] ^ first) | (samples.id[from + 3] ^ first);
        };
        const bool same = !any(differ(i));
        if (same && id[0] == -1) {
          const int count = kLanes == 8 && x + 8 <= x_end && !any(differ(i + 4)) ? 8 : 4;
          sky_run(s, shader, left + x, top + y, count);
          x += count - 1;
          continue;
        }
        if (same && shade_four(s, shader, static_cast<std::uint32_t>(id[0]), left + x, top + y)) {
          x += 3;
          continue;
        }
      }
      gather(s, id, samples.w[i], left + x, top + y, rest);
    }
    if (y % Gathered::kRows == Gathered::kRows - 1 || y + 1 == y_end) {
      rest.shade(s, shader, plain);
      for (std::size_t i = 0; i < rest.pixels; ++i)
        put_together(s, shader, rest, rest.pixel[i], plain);
      rest.clear();
    }
  }
}

}  // namespace
}  // namespace kerb::sim
