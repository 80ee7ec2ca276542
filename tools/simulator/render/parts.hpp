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
/// Things of towns, in exactly this size: from scaffolding to footballs, but dogs.
struct ThingStyle {
  PropKind kind = PropKind::wheelie_bin;
  V3 size;
  std::uint16_t paint = 0;    ///< its own surface
  std::uint16_t net = 0;      ///< a scaffolding's
  std::uint16_t picture = 0;  ///< of a person: on a shelter's panel, a column, a cardboard figure
  std::uint16_t back = 0;     ///< of a cardboard figure
  int make = 0;               ///< as make_of() has it
  std::uint64_t seed = 0;
};
void build_thing(Builder& b, const ThingStyle& style);
/// Scales what was built so that it fills this size, on the ground round (0, 0).
void fit(Geometry& made, V3 size);
/// Where and how something turns: corners of a geometry about an axis.
struct Hinge {
  std::uint32_t first = 0, last = 0;
  V3 at, axis{0, 1, 0};
  enum class Drive : std::uint8_t { roll, leg, door, doorway } drive = Drive::roll;
  float amount = 0;                ///< roll: 1 / radius; leg: radians; door: 1 left, -1 right
  float per_metre = 0, phase = 0;  ///< of a leg's cycle
};
/// A dog, as the people's folder makes it.
void build_dog(Builder& b, V3 size, std::uint16_t paint, std::uint64_t seed,
               std::vector<Hinge>& hinges);
/// A door over a vehicle's side and the dark opening behind it.
void build_door(Builder& b, PropKind kind, V3 size, bool right, std::uint16_t paint,
                std::uint64_t seed, std::vector<Hinge>& hinges);
V3 drawn_size(PropKind kind);
V3 lantern_of(V3 size);

}  // namespace kerb::sim
