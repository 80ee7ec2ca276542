// SPDX-License-Identifier: Apache-2.0
// What stands along the street: houses, parks, fields, car parks, walls, and the furniture.
#include <algorithm>

#include "tools/simulator/base/things.hpp"
#include "tools/simulator/render/parts.hpp"
#include "tools/simulator/render/surroundings.hpp"

namespace kerb::sim {
namespace {
constexpr double kPi = std::numbers::pi;
}

void Surroundings::houses(Builder& b, double s0, int side, Dice& dice) const {
  const double split = dice.chance(0.3F) ? kBlock : kBlock * dice.between(0.42F, 0.58F);
  double s = 0;
  const bool town = street_.spec().seed % 4 != 3;  // else a suburb: gardens, gaps, two floors
  for (const double end : {split, kBlock}) {
    if (end - s < 1) continue;
    const double deep = side * (street_.pavement_end() + 12);
    if (!street_.owns(s0 + s, deep) || !street_.owns(s0 + end, deep) ||
        !street_.owns(s0 + (s + end) / 2, deep) || crossed(s0 + s, s0 + end, deep / 2, deep)) {
      s = end;
      continue;
    }
    const double gap = town ? 0 : dice.between(1.0F, 3.5F);
    HouseStyle h;
    h.width = f32(end - s - gap);
    h.depth = dice.between(9, 12);
    h.floors = town ? 2 + dice.below(4) : 1 + dice.below(2) + (dice.chance(0.4F) ? 1 : 0);
    h.shop = town && dice.chance(0.45F);
    h.gable = dice.chance(town ? 0.6F : 0.9F);
    h.seed = dice.bits();
    const double garden = h.shop ? 0.05
                          : town ? (dice.chance(0.3F) ? 2.2 : 0.05)
                                 : dice.between(3.0F, 6.0F);
    const double d = side * (street_.pavement_end() + garden);
    // The front's left corner as one looks at it; x runs to the right of whoever looks at it.
    const double from = s0 + s + gap / 2, to = s0 + end - gap / 2;
    const Vec2 a = street_.at(side > 0 ? from : to, d), c = street_.at(side > 0 ? to : from, d);
    const double heading = std::atan2(c.y - a.y, c.x - a.x);
    h.width = f32(length(c - a));
    const double z = street_.spec().pavement_m > 0 ? kKerbHeight : 0;
    // Seen from the street, x must run so that +y goes away from it.
    b.stand({f32(a.x), f32(a.y), f32(z)}, f32(heading));
    build_house(b, h);
    if (garden > 1) {
      const double line = side * (street_.pavement_end() + 0.2);
      const Vec2 e = street_.at(side > 0 ? s0 + s : s0 + end, line);
      const Vec2 g = street_.at(side > 0 ? s0 + end : s0 + s, line);
      b.stand({f32(e.x), f32(e.y), f32(z)}, f32(std::atan2(g.y - e.y, g.x - e.x)));
      const float l = f32(length(g - e)), gate = dice.between(0.2F, 0.7F) * l;
      const int kind = dice.below(4);
      build_garden_wall(b, gate, kind, dice);
      const Vec2 k = e + ((gate + 1.1) / l) * (g - e);
      b.stand({f32(k.x), f32(k.y), f32(z)}, f32(std::atan2(g.y - e.y, g.x - e.x)));
      if (l - gate - 1.1F > 0.5F) build_garden_wall(b, l - gate - 1.1F, kind, dice);
    }
    s = end;
  }
}

void Surroundings::tree(Block& block, Vec2 place, double z, float height, Dice& dice) const {
  const double beside = std::abs(street_.locate(place).d);
  if (beside < street_.kerb() + 0.3) return;  // another part of the road
  if (street_.on_side_street(place, 1)) return;
  // Twice: as it is, and with a quarter of the cards for when it is far.
  Tree& tree = *block.trees.emplace_back(std::make_unique<Tree>());
  const Place where{place, 6.28 * dice.unit()};
  const auto leaves = static_cast<std::uint16_t>(id_of(Base::leaves_a) + dice.below(3));
  const float spread = height * dice.between(0.28F, 0.38F);
  const bool reaches_lanes = beside < street_.half_road() + 2 * static_cast<double>(spread);
  const std::uint64_t seed = dice.bits();
  for (const bool far : {false, true}) {
    Geometry& g = far ? tree.far : tree.near;
    Builder b{g, mirror_};
    b.stand(where, z);
    build_tree(b, b, height, spread, leaves, seed, far ? 170 : 700);
    if (reaches_lanes && street_.spec().trimmed_trees) trim(g);
    g.bound();
  }
}

void Surroundings::trim(Geometry& tree) const {
  constexpr float kClearance_m = 2.5F;
  const auto hangs_low = [&](const Face& face) {
    const auto is_low = [&](std::uint32_t i) { return tree.corners[i].p.z < kClearance_m; };
    if (std::none_of(face.corner.begin(), face.corner.end(), is_low)) return false;
    return std::any_of(face.corner.begin(), face.corner.end(), [&](std::uint32_t i) {
      const V3 p = tree.corners[i].p;  // as drawn: the street is not mirrored
      const Vec2 place{static_cast<double>(p.x), static_cast<double>(mirror_ ? -p.y : p.y)};
      return std::abs(street_.locate(place).d) < street_.half_road();
    });
  };
  std::erase_if(tree.faces, hangs_low);
}

void Surroundings::park(Block& block, Builder& b, double s0, int side, Dice& dice) const {
  const double z = street_.spec().pavement_m > 0 ? kKerbHeight : 0, edge = street_.pavement_end();
  const int trees = 3 + dice.below(4);
  for (int i = 0; i < trees; ++i) {
    const double s = s0 + kBlock * dice.unit(), d = edge + 1.5 + 26 * dice.unit() * dice.unit();
    const Vec2 p = street_.at(s, side * d);
    if (street_.is_free(p, 1.0)) tree(block, p, z, dice.between(6, 13), dice);
  }
  for (int i = 0; i < 3; ++i) {
    const Vec2 p = street_.at(s0 + kBlock * dice.unit(), side * (edge + dice.between(2, 14)));
    if (!street_.is_free(p, 1.2)) continue;
    b.stand({p, 6.28 * dice.unit()}, z);
    build_bush(b, {dice.between(1.2F, 2.6F), dice.between(1.2F, 2.4F), dice.between(0.8F, 1.8F)},
               dice.bits(), 160);
  }
  if (dice.chance(0.4F)) {
    const double s = s0 + 5 + 10 * dice.unit();
    const Vec2 p = street_.at(s, side * (edge + 0.8));
    b.stand({p, street_.frame(s).heading + (side > 0 ? 0 : kPi)}, z);
    if (street_.is_free(p, 1.0)) build_prop(b, PropKind::bench, {}, 0, 1);
  }
  if (street_.spec().seed % 2 == 0 && !crossed(s0, s0 + kBlock, side * edge, side * (edge + 1)) &&
      street_.owns(s0, side * (edge + 0.3)) && street_.owns(s0 + kBlock, side * (edge + 0.3))) {
    const Vec2 e = street_.at(s0, side * (edge + 0.3)),
               g = street_.at(s0 + kBlock, side * (edge + 0.3));
    b.stand({f32(e.x), f32(e.y), f32(z)}, f32(std::atan2(g.y - e.y, g.x - e.x)));
    Dice own{7};
    build_garden_wall(b, f32(length(g - e)), 1, own);
  }
}

void Surroundings::fields(Block& block, Builder& b, double s0, int side, Dice& dice) const {
  const double z = street_.spec().pavement_m > 0 ? kKerbHeight : 0, edge = street_.pavement_end();
  for (int k = 0; k < 5; ++k) {  // a wire fence
    const double s = s0 + 4 * k;
    if (!street_.owns(s, side * (edge + 2.6))) continue;
    if (crossed(s, s + 4, side * (edge + 2), side * (edge + 3))) continue;
    const Vec2 p = street_.at(s, side * (edge + 2.6));
    b.stand({p, street_.frame(s).heading}, z);
    b.box({-0.05F, -0.05F, 0}, {0.05F, 0.05F, 1.15F}, id_of(Base::wood));
    for (const float h : {0.45F, 0.8F, 1.1F})
      b.tube({0, 0, h}, {4, 0, h}, 0.006F, 0.006F, 3, id_of(Base::metal_grey));
  }
  if (dice.chance(0.35F)) {
    const Vec2 p = street_.at(s0 + kBlock * dice.unit(), side * (edge + dice.between(3.5F, 30)));
    if (street_.is_free(p, 1.0)) tree(block, p, z, dice.between(6, 12), dice);
  }
  for (int i = 0; i < 4; ++i) {
    const Vec2 p = street_.at(s0 + kBlock * dice.unit(), side * (edge + dice.between(1.4F, 2.4F)));
    if (!street_.is_free(p, 0.8)) continue;
    b.stand({p, 6.28 * dice.unit()}, z);
    build_bush(b, {dice.between(0.6F, 1.6F), dice.between(0.6F, 1.4F), dice.between(0.4F, 1.2F)},
               dice.bits(), 90);
  }
}

void Surroundings::car_park(Block& block, Builder& b, double s0, int side, Dice& dice) const {
  const double z = street_.spec().pavement_m > 0 ? kKerbHeight : 0, edge = street_.pavement_end();
  const float fz = f32(z) + 0.006F;
  for (int k = 0; k < 8; ++k)
    for (const double row : {3.0, 14.0, 20.0}) {
      const double s = s0 + 2.5 * k;
      const double a = side * (edge + row), c = side * (edge + row + 5);
      mark(b, s, s + 0.1, std::min(a, c), std::max(a, c), fz, id_of(Base::line_white));
      const Vec2 p = street_.at(s + 1.25, side * (edge + row + 2.5));
      if (!dice.chance(0.6F) || !street_.is_free(p, 2.6) ||
          !street_.owns(s + 1.25, side * (edge + row + 2.5)))
        continue;
      const double heading = street_.frame(s).heading + (dice.chance(0.5F) ? kPi / 2 : -kPi / 2);
      vehicle(block, b, p, heading, z, dice);
    }
  if (dice.chance(0.5F)) {
    const Vec2 p = street_.at(s0 + kBlock * dice.unit(), side * (edge + 1.4));
    if (street_.is_free(p, 1.0)) tree(block, p, z, dice.between(5, 8), dice);
  }
  // A hall at the back.
  const double d = side * (edge + 32);
  if (crossed(s0, s0 + kBlock, d, d + side * 20)) return;
  // Inside a sharp bend it would stand across the road.
  for (const double s : {s0, s0 + kBlock / 2, s0 + kBlock})
    if (!street_.owns(s, d)) return;
  const Vec2 a = street_.at(side > 0 ? s0 : s0 + kBlock, d),
             c = street_.at(side > 0 ? s0 + kBlock : s0, d);
  b.stand({f32(a.x), f32(a.y), f32(z)}, f32(std::atan2(c.y - a.y, c.x - a.x)));
  HouseStyle h;
  h.width = f32(length(c - a));
  h.depth = 20;
  h.floors = 2;
  h.shop = true;
  h.gable = false;
  h.seed = street_.spec().seed;
  build_house(b, h);
}

void Surroundings::long_wall(Block& block, Builder& b, double s0, int side, Dice& dice) const {
  const double z = street_.spec().pavement_m > 0 ? kKerbHeight : 0, edge = street_.pavement_end();
  const std::uint16_t m = id_of(street_.spec().seed % 2 == 0 ? Base::brick_red : Base::concrete);
  const int n = std::abs(street_.curvature(s0 + kBlock / 2)) > 1e-6 ? 8 : 2;
  for (int i = 0; i < n; ++i) {
    const double from = s0 + kBlock * i / n, to = from + kBlock / n, d = side * (edge + 0.2);
    if (crossed(from, to, d, d + side) || !street_.owns(from, d) || !street_.owns(to, d)) continue;
    const Vec2 a = street_.at(side > 0 ? from : to, d), c = street_.at(side > 0 ? to : from, d);
    const float l = f32(length(c - a));
    b.stand({f32(a.x), f32(a.y), f32(z)}, f32(std::atan2(c.y - a.y, c.x - a.x)));
    b.quad_shaded({0, 0, 0}, {l, 0, 0}, {l, 0, 2.6F}, {0, 0, 2.6F}, m, 0.6F, 0.95F);
    b.quad({l, 0.3F, 0}, {0, 0.3F, 0}, {0, 0.3F, 2.6F}, {l, 0.3F, 2.6F}, m);
    b.box({0, -0.06F, 2.6F}, {l, 0.36F, 2.7F}, id_of(Base::stone), true);
    b.box({0, -0.12F, 0}, {0.5F, 0, 2.6F}, m);
  }
  const int trees = 1 + dice.below(3);
  for (int i = 0; i < trees; ++i)
    tree(block, street_.at(s0 + kBlock * dice.unit(), side * (edge + dice.between(3, 14))), z,
         dice.between(6, 12), dice);
}

void Surroundings::furniture(Block& block, Builder& b, double s0, int side, Dice& dice) const {
  const StreetSpec& spec = street_.spec();
  const double z = spec.pavement_m > 0 ? kKerbHeight : 0, kerb = street_.kerb();
  const auto clutter = f32(spec.clutter);
  const auto put = [&](double s, double d, PropKind kind, std::uint16_t paint, double turn,
                       double room) {
    const Vec2 p = street_.at(s, side * d);
    const auto seed = dice.bits();
    if (!street_.is_free(p, room)) return false;
    b.stand({p, street_.frame(s).heading + turn}, z);
    build_prop(b, kind, {}, paint, seed);
    return true;
  };
  const double near = kerb + 0.45, far = street_.pavement_end() - 0.4;
  const bool wide = spec.pavement_m >= 1.4;
  const auto number = static_cast<int>(std::floor(s0 / kBlock + 0.5));
  // A lantern every other block, its arm over the road, sides taking turns.
  if (((number % 2 + 2) % 2 == 0) == (side > 0) && (clutter > 0 || lamps_)) {
    const double s = s0 + 3, turn = side > 0 ? 0 : kPi;
    if (put(s, near + 0.1, PropKind::lamp_post, 0, turn, 0.1)) {
      const Vec2 p = street_.at(s, side * (near + 0.1 - 1.1));
      if (lamps_ && real_lamps_) {
        block.lamps.push_back(real_lantern({f32(p.x), f32(p.y), f32(z) + 7.0F}));
        block.lamps.back().extinction = haze_;
      } else if (lamps_) {
        block.lamps.push_back(
            {{f32(p.x), f32(p.y), f32(z) + 7.0F}, {0, 0, -1}, {2.4F, 1.95F, 1.35F}, 20, false});
      }
    }
  }
  if (!wide) return;
  if (dice.chance(0.55F * clutter))
    put(s0 + 17 * dice.unit(), near, PropKind::sign, 0, side > 0 ? kPi : 0, 0.05);
  if (dice.chance(0.5F * clutter))
    put(s0 + 17 * dice.unit(), dice.chance(0.5F) ? near : far, PropKind::bin,
        id_of(Base::bin_green), 0, 0.25);
  if (dice.chance(0.35F * clutter))
    put(s0 + 17 * dice.unit(), far, PropKind::bench, 0, side > 0 ? 0 : kPi, 0.5);
  if (dice.chance(0.10F * clutter)) put(s0 + 17 * dice.unit(), near, PropKind::hydrant, 0, 0, 0.15);
  const int bollards = dice.chance(0.35F * clutter) ? 3 + dice.below(5) : 0;
  const double first = s0 + 10 * dice.unit();
  for (int i = 0; i < bollards; ++i) {
    const Vec2 p = street_.at(first + 1.5 * i, side * (near - 0.1));
    if (!street_.is_free(p, 0.05)) continue;
    b.stand({p, 0}, z);
    b.tube({0, 0, 0}, {0, 0, 0.85F}, 0.06F, 0.06F, 8, id_of(Base::metal_dark));
    b.ball({0, 0, 0.88F}, {0.075F, 0.075F, 0.06F}, 4, id_of(Base::metal_dark));
  }
  const int bicycles = dice.chance(0.4F * clutter) ? 1 + dice.below(4) : 0;
  const double rack = s0 + 12 * dice.unit();
  for (int i = 0; i < bicycles; ++i)
    put(rack + 0.7 * i, far - 0.6, PropKind::bicycle,
        id_of(dice.chance(0.5F) ? Base::metal_dark : Base::hydrant_red),
        kPi / 2 + 0.25 * dice.unit(), 0.8);
  const Side kind = side > 0 ? spec.left : spec.right;
  if (kind == Side::houses && spec.pavement_m >= 2 && dice.chance(0.45F * clutter)) {
    const Vec2 p = street_.at(s0 + 4 + 12 * dice.unit(), side * (near + 0.25));
    if (street_.is_free(p, 0.2)) tree(block, p, z, dice.between(5, 8), dice);
  }
  if (dice.chance(0.2F * clutter)) {  // a cabinet
    const double s = s0 + 17 * dice.unit();
    const Vec2 p = street_.at(s, side * far);
    if (street_.is_free(p, 0.6)) {
      b.stand({p, street_.frame(s).heading}, z);
      b.box({-0.4F, -0.18F, 0}, {0.4F, 0.18F, 1.25F}, id_of(Base::metal_green));
    }
  }
}

void Surroundings::more_furniture(Builder& b, double s0, int side, Dice& dice) const {
  const StreetSpec& spec = street_.spec();
  if (spec.pavement_m < 1.4 || spec.clutter <= 0) return;
  const double z = kKerbHeight, near = street_.kerb() + 0.4, far = street_.pavement_end() - 0.5;
  const auto clutter = f32(spec.clutter);
  const bool town = (side > 0 ? spec.left : spec.right) == Side::houses;
  const double to_road = side > 0 ? -kPi / 2 : kPi / 2;
  struct Kind {
    Furniture kind;
    float chance;  // in a block, at most
    bool at_kerb, towns;
    double turn, room;
  };
  const Kind kinds[] = {
      {Furniture::traffic_light, 0.22F, true, false, side > 0 ? kPi : 0, 0.1},
      {Furniture::ticket_machine, 0.22F, true, false, to_road + kPi / 2, 0.2},
      {Furniture::post_box, 0.12F, false, true, to_road + kPi / 2, 0.2},
      {Furniture::advertising_column, 0.08F, false, false, 0, 0.7},
      {Furniture::wheelie_bins, 0.35F, false, true, side > 0 ? 0 : kPi, 0.45},
      {Furniture::cafe, 0.45F, false, true, 0, 0.8},
      {Furniture::sandwich_board, 0.30F, false, true, 0.0, 0.3},
      {Furniture::scooter, 0.40F, true, false, kPi / 2, 0.35},
  };
  for (const Kind& k : kinds) {
    const bool there = dice.chance(k.chance * clutter);
    const double s = s0 + 1 + 16 * dice.unit();
    const int most = k.kind == Furniture::cafe || k.kind == Furniture::scooter ? 3 : 1;
    const int n = 1 + dice.below(most);
    for (int i = 0; i < n; ++i) {
      const std::uint64_t seed = dice.bits();
      const double along = s + (k.kind == Furniture::cafe ? 2.0 : 0.85) * i;
      const double off = k.at_kerb ? near + (k.kind == Furniture::scooter ? 0.45 : 0.0) : far - 0.1;
      const Vec2 p = street_.at(along, side * off);
      if (!there || (k.towns && !town) || !street_.is_free(p, k.room)) continue;
      if (spec.pavement_m < 2.2 && k.room > 0.4) continue;
      b.stand({p, street_.frame(along).heading + k.turn + 0.2 * (f32(seed % 64) / 32.0 - 1)}, z);
      build_furniture(b, k.kind, seed);
    }
  }
}

void Surroundings::town_things(Builder& b, double s0, int side, Dice& dice) const {
  const StreetSpec& spec = street_.spec();
  if (spec.pavement_m < 1.2 || spec.clutter <= 0) return;
  const double kerb = street_.kerb() + 0.35, wall = street_.pavement_end();
  const bool houses = (side > 0 ? spec.left : spec.right) == Side::houses;
  const double along_street = side > 0 ? kPi : 0;  // -y of a thing is then the road's side
  struct Kind {
    PropKind kind;
    float chance;  // in a block, where the clutter is 1
    int most;      // in a row
    double apart;  // m, in the row
    bool at_kerb, towns;
    double turn;
    double width_m;  // pavements that are narrower have none
  };
  const Kind kinds[] = {
      {PropKind::scaffolding, 0.30F, 1, 0, false, true, along_street, 1.6},
      {PropKind::market_stall, 0.18F, 3, 3.6, false, false, along_street, 3.0},
      {PropKind::shelter, 0.10F, 1, 0, false, false, along_street, 2.4},
      {PropKind::wheelie_bin, 0.60F, 5, 0.75, false, true, along_street + kPi / 2, 1.4},
      {PropKind::bollard, 0.55F, 6, 1.6, true, false, 0, 1.2},
      {PropKind::work_cone, 0.25F, 6, 1.3, true, false, 0, 1.2},
      {PropKind::parking_meter, 0.35F, 1, 0, true, false, along_street + kPi / 2, 1.4},
      {PropKind::advertising_column, 0.06F, 1, 0, false, false, 0, 2.6},
      {PropKind::post_box, 0.15F, 1, 0, false, false, along_street + kPi / 2, 1.4},
      {PropKind::flower_tub, 0.40F, 4, 1.7, true, false, 0, 2.0},
      {PropKind::trolley, 0.12F, 2, 1.1, false, true, 0.3, 1.6},
  };
  for (const Kind& k : kinds) {
    const bool there = dice.chance(k.chance * f32(spec.clutter));
    const double from = s0 + 1 + 17 * dice.unit();
    const int count = 1 + dice.below(k.most);
    const auto row = dice.bits();  // of one row, one make, but for bins
    const std::uint16_t paint =
        town_paints_.at(k.kind)[at(static_cast<int>(row % std::uint32_t{kTownPaints}))];
    for (int i = 0; i < count; ++i) {
      const std::uint32_t own = dice.bits(), seed = k.kind == PropKind::wheelie_bin ? own : row;
      if (!there || (k.towns && !houses) || spec.pavement_m < k.width_m) continue;
      PropSpec prop;
      prop.kind = k.kind;
      prop.seed = seed;
      const Vec3 size = usual_size(k.kind, seed);
      const bool lengthways = k.turn == along_street;
      const double deep = lengthways ? size.y : std::max(size.x, size.y);
      const double s = from + k.apart * i;
      const double d = k.at_kerb ? kerb + deep / 2 : wall - deep / 2 - 0.15;
      // As far as it reaches along the street, it must be free.
      bool is_free = street_.owns(s, side * d);
      const double half = (lengthways ? size.x : deep) / 2;
      for (double at_s = -half; at_s <= half + 0.01; at_s += std::max(half, 0.05))
        is_free = is_free && street_.is_free(street_.at(s + at_s, side * d),
                                             lets_people_through(k.kind) ? 0 : deep / 2 + 0.1);
      if (!is_free) continue;
      b.stand({street_.at(s, side * d), street_.frame(s).heading + k.turn}, kKerbHeight);
      ThingStyle style{k.kind, to_v3(size), paint, paint, 0, 0, make_of(k.kind, seed), own};
      build_thing(b, style);
    }
  }
}

void Surroundings::horizon(Vec2 around, Geometry& out) const {
  out.corners.clear();
  out.faces.clear();
  Builder b{out, mirror_};
  b.stand({around, 0}, -0.06);
  const bool town = street_.spec().left == Side::houses || street_.spec().right == Side::houses;
  const std::uint16_t soil = id_of(Base::grass);
  for (int i = 0; i < 24; ++i) {  // rings of ground
    const float w0 = 6.2831853F * f32(i) / 24, w1 = 6.2831853F * f32(i + 1) / 24;
    const V3 a{std::cos(w0), std::sin(w0), 0}, c{std::cos(w1), std::sin(w1), 0};
    float last = 3;
    for (const float r : {12.0F, 40.0F, 120.0F, 400.0F, 1600.0F}) {
      b.u0 = f32(around.x) + last * a.x;
      b.quad(last * a, r * a, r * c, last * c, soil);
      last = r;
    }
  }
  b.u0 = 0;
  Dice dice{mix64(street_.spec().seed, 4242)};
  for (int i = 0; i < 160; ++i) {  // far trees, far roofs
    const float w = 6.2831853F * (f32(i) + 0.4F * dice.unit()) / 160, r = dice.between(330, 620);
    const float h = town ? dice.between(8, 22) : dice.between(7, 15), half = dice.between(9, 22);
    const V3 p{r * std::cos(w), r * std::sin(w), 0}, s{-half * std::sin(w), half * std::cos(w), 0};
    const bool house = town && dice.chance(0.6F);
    const V3 up{0, 0, h};
    b.two_sided = true;
    if (house) {
      b.quad(p - s, p + s, p + s + up, p - s + up, id_of(Base::far_houses));
      b.triangle(p - s + up, p + s + up, p + up + V3{0, 0, 0.35F * half}, id_of(Base::roof_red));
    } else {
      V3 before = p - 1.4F * s;
      float high = 0.5F * h;
      for (int k = 1; k <= 6; ++k) {
        const V3 next = p + (f32(k) / 3 - 1) * 1.4F * s;
        const float to = h * dice.between(0.5F, 1.0F);
        b.quad(before, next, next + V3{0, 0, to}, before + V3{0, 0, high}, id_of(Base::far_trees));
        before = next;
        high = to;
      }
    }
    b.two_sided = false;
  }
  out.bound();
}

}  // namespace kerb::sim
