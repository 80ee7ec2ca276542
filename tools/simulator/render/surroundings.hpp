// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tools/simulator/render/geometry.hpp"
#include "tools/simulator/render/light.hpp"
#include "tools/simulator/render/material.hpp"
#include "tools/simulator/render/noise.hpp"
#include "tools/simulator/render/shade.hpp"
#include "tools/simulator/render/street.hpp"

namespace kerb::sim {

/// A tree as it is, and as it is drawn when far.
struct Tree {
  Geometry near, far;
};

/// A piece of street with all that stands along it. Made from the seed and its number alone.
struct Block {
  std::vector<std::unique_ptr<Geometry>> geometries;
  std::vector<std::unique_ptr<Tree>> trees;
  std::vector<Occluder> occluders;  ///< parked cars
  std::vector<Lamp> lamps;
};

/// The street as far as one can see, made piece by piece as the car comes along.
class Surroundings {
 public:
  /// With `mirror`, all of it is the mirror image of the street across the x axis.
  Surroundings(const Street& street, const Light& light, const LightSpec& spec, bool mirror,
               Materials& materials);
  static constexpr double kBlock = 20;
  static constexpr int kTownPaints = 5;  ///< colours of each kind of thing
  /// Makes sure of all blocks from s0 to s1, and forgets those far behind. Returns whether any was
  /// made.
  bool reach(double s0, double s1);
  [[nodiscard]] const std::map<int, Block>& blocks() const noexcept { return blocks_; }
  /// What lies behind everything: ground to the horizon, far trees and roofs. Around a place of
  /// the street, which is mirrored as well.
  void horizon(Vec2 around, Geometry& out) const;

 private:
  void make(int number, Block& out) const;
  void ground(Builder& b, double s0, int side, Dice& dice) const;
  void road(Builder& b, double s0, Dice& dice) const;
  /// Of junctions.cpp: stripes and stop lines, and streets that open into this one.
  void crossings(Builder& b, double s0) const;
  void side_street(Builder& b, const SideStreetSpec& side, Dice& dice) const;
  /// Like strip(), without what lies on the road of a side street.
  void cut_strip(Builder& b, double s0, double s1, double d0, double d1, float z0, float z1,
                 std::uint16_t material, float shade0, float shade1) const;
  /// Whether a side street is near this part of the street; and whether one crosses a piece of
  /// ground beside the street, or its pavement does.
  [[nodiscard]] bool near_side_street(double s) const;
  [[nodiscard]] bool crossed(double s0, double s1, double d0, double d1) const;
  void houses(Builder& b, double s0, int side, Dice& dice) const;
  void park(Block& block, Builder& b, double s0, int side, Dice& dice) const;
  void fields(Block& block, Builder& b, double s0, int side, Dice& dice) const;
  void car_park(Block& block, Builder& b, double s0, int side, Dice& dice) const;
  void long_wall(Block& block, Builder& b, double s0, int side, Dice& dice) const;
  void furniture(Block& block, Builder& b, double s0, int side, Dice& dice) const;
  void more_furniture(Builder& b, double s0, int side, Dice& dice) const;
  void town_things(Builder& b, double s0, int side, Dice& dice) const;
  void parked(Block& block, Builder& b, double s0, int side, Dice& dice) const;
  void tree(Block& block, Vec2 at, double z, float height, Dice& dice) const;
  /// Takes away what of a tree hangs low over the lanes.
  void trim(Geometry& tree) const;
  void strip(Builder& b, double s0, double s1, double d0, double d1, float z0, float z1,
             std::uint16_t material, float shade0, float shade1) const;
  /// A rectangle on the road, turned with the street.
  void mark(Builder& b, double s0, double s1, double d0, double d1, float z,
            std::uint16_t material) const;
  void vehicle(Block& block, Builder& b, Vec2 at, double heading, double z, Dice& dice) const;

  const Street& street_;
  bool lamps_, real_lamps_, mirror_;
  float haze_;
  std::vector<std::uint16_t> paints_;
  std::map<PropKind, std::vector<std::uint16_t>> town_paints_;  // of StreetThings::town
  std::vector<double> side_streets_;                            // s of each
  std::map<int, Block> blocks_;
};

}  // namespace kerb::sim
