// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "gpu/memory/workers.hpp"
#include "tools/simulator/render/draw_view.hpp"
#include "tools/simulator/render/material.hpp"

namespace kerb::sim {

/// The sun's shadows: how far from the sun the first thing in its light is, on two grids across
/// the sun's direction (fine near the camera, coarse beyond), in pages that are drawn when first
/// needed. What stands is drawn once; what moves is drawn onto copies for each picture.
class Shadows {
 public:
  /// `along`: a direction most edges have (the street's), for the grid to follow.
  Shadows(V3 to_sun, V3 along);
  /// Makes ready what is seen around a place. What stands must always be the same there.
  void prepare(Workers& workers, V3 around, V3 ahead, const std::vector<const Geometry*>& standing,
               const std::vector<const Geometry*>& moving, const Materials& materials);
  /// How much of the sun a point sees; `near` from the fine grid.
  [[nodiscard]] float sunlight(V3 point, V3 normal, bool near) const noexcept;
  /// What prepare() made, until it is called again.
  [[nodiscard]] ShadowView view() const noexcept;
  struct Page {
    std::vector<float> depth;  ///< along the light; smaller is nearer to the sun
    /// Not 0: its number, by which whoever keeps a copy knows it again. It never changes.
    std::uint64_t serial = 0;
  };
  /// The pages of a level of view(), row by row.
  [[nodiscard]] const std::vector<const Page*>& pages(int level) const noexcept {
    return levels_[level].pages;
  }

 private:
  struct Level {
    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> standing;
    int x0 = 0, y0 = 0, columns = 0, rows = 0;  // pages there are pointers for
    std::vector<const Page*> pages;
    std::vector<const float*> depths;  // of the pages
    std::vector<std::unique_ptr<Page>> copies;
    std::size_t used_copies = 0;
  };
  static std::uint64_t key(int x, int y) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)) << 32 |
           static_cast<std::uint32_t>(y);
  }
  void draw(const Geometry& geometry, const Materials& materials, Page& page, int level, int px,
            int py) const;
  [[nodiscard]] V3 in_light(V3 p) const noexcept {
    return {dot(right_, p), dot(up_, p), -dot(to_sun_, p)};
  }
  V3 to_sun_, right_, up_;
  Level levels_[2];
  std::uint64_t serials_ = 0;
};

}  // namespace kerb::sim
