// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "gpu/memory/workers.hpp"
#include "tools/simulator/render/camera.hpp"
#include "tools/simulator/render/geometry.hpp"
#include "tools/simulator/render/material.hpp"
#include "tools/simulator/render/screen_triangle.hpp"

/// Which triangle is seen where. Triangles are cut, projected and sorted into tiles by a fixed
/// number of groups, whatever the threads; a tile is then drawn by one thread. Corners lie on a
/// grid of 1/32 pixel and edges are exact integers: neighbours leave no gap.
namespace kerb::sim {

/// Something to be drawn, in the world.
struct Item {
  const Geometry* geometry = nullptr;
  const V3* later = nullptr;  ///< where the corners will be; null: where they are
  std::uint16_t object = 0;
  std::size_t own = SIZE_MAX;  ///< corners of a person; those after them are of what is carried
};

/// One tile's samples: inverse depth (0: nothing) and which triangle.
struct TileSamples {
  alignas(64) std::array<F4, static_cast<std::size_t>(kTile) * kTile> w;
  alignas(64) std::array<I4, static_cast<std::size_t>(kTile) * kTile> id;
};

class Raster {
 public:
  static constexpr int kGroups = kTriangleGroups;
  explicit Raster(const Canvas& canvas);
  /// Sorts the triangles of all items, as seen from there, into tiles.
  void bin(Workers& workers, const CameraPose& pose, const std::vector<Item>& items,
           const Materials& materials);
  /// Four samples a pixel at (±1/8, ±3/8) of its middle: lane k of pixel x + kTile y.
  void draw_four(int tile, TileSamples& out, const Materials& materials,
                 const std::vector<Item>& items) const;
  /// The pixels' middles: lane k of entry i is pixel 4 i + k of the tile.
  void draw_middles(int tile, TileSamples& out, const Materials& materials,
                    const std::vector<Item>& items) const;
  [[nodiscard]] const ScreenTriangle& triangle(std::uint32_t id) const noexcept {
    return groups_[id >> kGroupShift].triangles[id & ((1U << kGroupShift) - 1)];
  }
  [[nodiscard]] const std::vector<ScreenTriangle>& triangles(int group) const noexcept {
    return groups_[at(group)].triangles;
  }
  /// The triangles of a group that may be in a tile, in rising order.
  [[nodiscard]] const std::vector<std::uint32_t>& in_tile(int group, int tile) const noexcept {
    return groups_[at(group)].tiles[at(tile)];
  }
  [[nodiscard]] int tiles_x() const noexcept { return tiles_x_; }
  [[nodiscard]] int tiles() const noexcept { return tiles_x_ * tiles_y_; }
  /// Whether a ball may be seen.
  [[nodiscard]] bool sees(const CameraPose& pose, const Ball& ball) const noexcept;

 private:
  struct Projected {
    Vec3 seen;
    std::int32_t x = 0, y = 0;
    bool inside = false;
  };
  struct Group {
    std::vector<ScreenTriangle> triangles;
    std::vector<std::vector<std::uint32_t>> tiles;
    std::vector<Projected> corners;
  };
  void bin_item(Group& group, std::uint32_t first_id, const CameraPose& pose, const Item& item,
                std::uint32_t index, const Materials& materials) const;
  void add(Group& group, std::uint32_t first_id, ScreenTriangle& t) const;

  Canvas canvas_;
  int tiles_x_ = 0, tiles_y_ = 0;
  std::vector<Group> groups_;
  std::vector<int> split_;  // first item of each group
};

/// What Raster::draw_four() chooses between: the same bits, by vectors of 16 or of 32 bytes (only
/// on x86).
namespace base {
void draw_four(const Raster& raster, int tile, TileSamples& out, const Materials& materials,
               const std::vector<Item>& items);
}
namespace avx2 {
void draw_four(const Raster& raster, int tile, TileSamples& out, const Materials& materials,
               const std::vector<Item>& items);
}

}  // namespace kerb::sim
