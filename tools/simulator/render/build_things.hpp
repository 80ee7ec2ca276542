// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tools/simulator/render/parts.hpp"

/// What build_thing() is made of: a function for each thing of towns, and the shapes they share. A
/// thing is built about as large as its style says; build_thing() makes it fit.
namespace kerb::sim::things {

inline constexpr std::uint16_t kPlastic = id_of(Base::black_plastic), kWood = id_of(Base::wood),
                               kTyre = id_of(Base::tyre), kWhite = id_of(Base::sign_face_white),
                               kRed = id_of(Base::sign_face_red);
inline constexpr float kTau = 6.2831853F;

/// A tube that is closed at both ends.
void rod(Builder& b, V3 a, V3 c, float r, int sides, std::uint16_t m);
/// A wheel on the axle along y.
void castor(Builder& b, V3 at, float r, float width);
/// A box whose bottom is narrower than its top, by shares.
void tapered(Builder& b, V3 low, V3 high, float share, std::uint16_t m);
/// Turned about the z axis: radii at heights.
struct Ring {
  float z, r;
  std::uint16_t material;  ///< from here up to the next
};
void lathe(Builder& b, const std::vector<Ring>& rings, int sides);

// build_structures.cpp
void scaffolding(Builder& b, const ThingStyle& t, Dice& dice);
void market_stall(Builder& b, const ThingStyle& t, Dice& dice);  ///< goods look to -y
/// Open to -y; the panel with the advertisement at its +x end.
void shelter(Builder& b, const ThingStyle& t, Dice& dice);

// build_containers.cpp
void trolley(Builder& b, const ThingStyle& t);
/// The lid's front, where it opens, to -x: the handle and wheels behind.
void wheelie_bin(Builder& b, const ThingStyle& t, Dice& dice);
void flower_tub(Builder& b, const ThingStyle& t, Dice& dice);

// build_posts.cpp
void bollard(Builder& b, const ThingStyle& t, Dice& dice);
void work_cone(Builder& b, const ThingStyle& t, Dice& dice);
void parking_meter(Builder& b, const ThingStyle& t);  ///< the face to -x
void post_box(Builder& b, const ThingStyle& t);       ///< the slot to -x

// build_displays.cpp
void advertising_column(Builder& b, const ThingStyle& t, Dice& dice);
void shop_window(Builder& b, const ThingStyle& t);       ///< without its dolls: open to -x
void cardboard_figure(Builder& b, const ThingStyle& t);  ///< the picture to -x; a foot behind it

// build_football.cpp
void football(Builder& b, const ThingStyle& t);

}  // namespace kerb::sim::things
