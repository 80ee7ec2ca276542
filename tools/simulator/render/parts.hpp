// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tools/simulator/render/geometry.hpp"
#include "tools/simulator/render/material.hpp"
#include "tools/simulator/render/noise.hpp"

/// Shapes of things, each put where its builder stands: x ahead, y left, z up.
namespace kerb::sim {

inline constexpr std::uint16_t kGreyMetal = id_of(Base::metal_grey),
                               kDarkMetal = id_of(Base::metal_dark);

/// A house: its front is the plane y = 0 and looks to -y; x from 0 to `width`; goes back to +y.
struct HouseStyle {
  float width = 10, depth = 9;
  int floors = 3;
  bool shop = false;
  bool gable = true;  ///< a pitched roof along the street; else flat with a cornice
  std::uint64_t seed = 0;
};
void build_house(Builder& b, const HouseStyle& style);
/// A wall, fence or hedge from (0, 0) to (length, 0), seen from both sides.
void build_garden_wall(Builder& b, float length, int kind, Dice& dice);

/// `leaves` far into Base: leaves_a .. leaves_c.
void build_tree(Builder& trunk, Builder& crown, float height, float spread, std::uint16_t leaves,
                std::uint64_t seed, int cards);
void build_bush(Builder& b, V3 size, std::uint64_t seed, int cards);

struct VehicleStyle {
  PropKind kind = PropKind::car;
  V3 size{4.4F, 1.8F, 1.48F};
  std::uint16_t paint = 0;
  std::uint64_t seed = 0;
};
/// Stands on the ground around (0, 0), looking ahead.
void build_vehicle(Builder& b, const VehicleStyle& style);

/// Street furniture and such, in its usual size where `size` is 0. `paint`: its own surface.
/// Lanterns are told by `lantern`: where the light is, relative to its foot.
void build_prop(Builder& b, PropKind kind, V3 size, std::uint16_t paint, std::uint64_t seed);
/// More of it, for show alone: no scenario names these.
enum class Furniture : std::uint8_t {
  traffic_light,
  ticket_machine,
  post_box,
  advertising_column,
  wheelie_bins,
  cafe,
  sandwich_board,
  scooter,
};
void build_furniture(Builder& b, Furniture kind, std::uint64_t seed);
V3 drawn_size(PropKind kind);
V3 lantern_of(V3 size);

}  // namespace kerb::sim
