// SPDX-License-Identifier: Apache-2.0
// The street itself: road, kerbs, pavements, markings, what is worn, what is parked.
#include "tools/simulator/render/surroundings.hpp"

#include "tools/simulator/base/things.hpp"
#include "tools/simulator/render/parts.hpp"

namespace kerb::sim {
namespace {
constexpr float kKerb = f32(kKerbHeight);
constexpr PropKind kTownKinds[] = {
    PropKind::scaffolding, PropKind::market_stall,  PropKind::shelter,
    PropKind::trolley,     PropKind::wheelie_bin,   PropKind::bollard,
    PropKind::work_cone,   PropKind::parking_meter, PropKind::advertising_column,
    PropKind::post_box,    PropKind::flower_tub};

Occluder mirrored(Occluder occluder) {
  occluder.at.y = -occluder.at.y;
  occluder.ahead_y = -occluder.ahead_y;
  return occluder;
}
Lamp mirrored(Lamp lamp) {
  for (V3* v : {&lamp.at, &lamp.axis, &lamp.left, &lamp.up}) v->y = -v->y;
  return lamp;
}
}  // namespace

Surroundings::Surroundings(const Street& street, const Light& light, const LightSpec& spec,
                           bool mirror, Materials& materials)
    : street_{street},
      lamps_{spec.street_lamps && light.lamps},
      real_lamps_{spec.lamps == Lamps::real},
      mirror_{mirror},
      haze_{light.haze} {
  constexpr std::array<std::array<double, 3>, 12> kPaints{{{0.75, 0.76, 0.77},
                                                           {0.12, 0.12, 0.13},
                                                           {0.33, 0.34, 0.36},
                                                           {0.80, 0.80, 0.79},
                                                           {0.48, 0.49, 0.51},
                                                           {0.10, 0.15, 0.32},
                                                           {0.48, 0.07, 0.07},
                                                           {0.20, 0.22, 0.24},
                                                           {0.16, 0.25, 0.38},
                                                           {0.60, 0.58, 0.52},
                                                           {0.14, 0.24, 0.18},
                                                           {0.62, 0.63, 0.65}}};
  Material paint;
  paint.gloss = Gloss::paint;
  paint.texture = &texture_of(Paint::plain);
  paint.celsius = 16;
  paint.warming = 14;
  for (const std::array<double, 3>& rgb : kPaints) {
    Surface surface;
    surface.rgb = rgb;
    paints_.push_back(materials.add(surface, paint));
  }
  for (const SideStreetSpec& side : street.spec().side_streets)
    side_streets_.push_back(street.locate(side.place.at).s);
  if (street.spec().things != StreetThings::town) return;
  Random random{mix64(street.spec().seed, 77)};
  for (const PropKind kind : kTownKinds)
    for (int i = 0; i < kTownPaints; ++i) {
      Material m;
      m.texture = &texture_of(kind == PropKind::scaffolding    ? Paint::net
                              : kind == PropKind::market_stall ? Paint::cloth
                                                               : Paint::metal);
      m.cut = kind == PropKind::scaffolding;
      m.gloss = kind == PropKind::market_stall ? Gloss::matt : Gloss::satin;
      town_paints_[kind].push_back(materials.add(usual_surface(kind, random), m));
    }
}

bool Surroundings::reach(double s0, double s1) {
  const int first = static_cast<int>(std::floor(s0 / kBlock));
  const int last = static_cast<int>(std::floor(s1 / kBlock));
  bool made = false;
  for (int k = first; k <= last; ++k) {
    if (blocks_.contains(k)) continue;
    make(k, blocks_[k]);
    made = true;
  }
  std::erase_if(blocks_, [&](const auto& entry) {
    return entry.first < first - 2 || entry.first > last + 2;
  });
  return made;
}

void Surroundings::make(int number, Block& out) const {
  const double s0 = number * kBlock;
  const auto seed =
      mix64(street_.spec().seed + 1000ULL, static_cast<std::uint64_t>(number + 100000));
  Geometry& main = *out.geometries.emplace_back(std::make_unique<Geometry>());
  Builder b{main, mirror_};
  Dice dice{seed};
  road(b, s0, dice);
  for (const int side : {1, -1}) {
    Dice side_dice{mix64(seed, side > 0 ? 1 : 2)};
    // Houses and such have a geometry of their own, seen or not by itself.
    Geometry& geometry = *out.geometries.emplace_back(std::make_unique<Geometry>());
    Builder sb{geometry, mirror_};
    ground(sb, s0, side, side_dice);
    switch (side > 0 ? street_.spec().left : street_.spec().right) {
      case Side::houses:
        houses(sb, s0, side, side_dice);
        break;
      case Side::park:
        park(out, sb, s0, side, side_dice);
        break;
      case Side::fields:
        fields(out, sb, s0, side, side_dice);
        break;
      case Side::car_park:
        car_park(out, sb, s0, side, side_dice);
        break;
      case Side::wall:
        long_wall(out, sb, s0, side, side_dice);
        break;
    }
    Geometry& things = *out.geometries.emplace_back(std::make_unique<Geometry>());
    Builder tb{things, mirror_};
    furniture(out, tb, s0, side, side_dice);
    Dice more{mix64(seed, side > 0 ? 3 : 4)};
    more_furniture(tb, s0, side, more);
    if (street_.spec().things == StreetThings::town) {
      Dice town{mix64(seed, side > 0 ? 5 : 6)};
      town_things(tb, s0, side, town);
    }
    if (street_.spec().parked_cars) parked(out, tb, s0, side, side_dice);
  }
  for (std::size_t i = 0; i < side_streets_.size(); ++i) {
    if (side_streets_[i] < s0 || side_streets_[i] >= s0 + kBlock) continue;
    Builder ab{*out.geometries.emplace_back(std::make_unique<Geometry>()), mirror_};
    Dice own{mix64(seed, 100 + i)};
    side_street(ab, street_.spec().side_streets[i], own);
  }
  for (const std::unique_ptr<Geometry>& g : out.geometries) g->bound();
  if (!mirror_) return;  // what the builders did not
  for (Occluder& occluder : out.occluders) occluder = mirrored(occluder);
  for (Lamp& lamp : out.lamps) lamp = mirrored(lamp);
}

void Surroundings::strip(Builder& b, double s0, double s1, double d0, double d1, float z0, float z1,
                         std::uint16_t material, float shade0, float shade1) const {
  const bool bend = std::abs(street_.curvature((s0 + s1) / 2)) > 1e-6 ||
                    std::abs(street_.curvature(s0)) > 1e-6 ||
                    std::abs(street_.curvature(s1)) > 1e-6;
  const int n = std::max(1, static_cast<int>(std::ceil((s1 - s0) / (bend ? 1.0 : 5.0))));
  const double rise = z1 - z0;
  b.stand(V3{0, 0, 0}, 0);
  std::uint32_t last = 0;
  for (int i = 0; i <= n; ++i) {
    const double s = s0 + (s1 - s0) * i / n;
    // On the inside of a bend it ends before the middle of the circle.
    const double bent = street_.curvature(s), most = std::abs(bent) > 1e-9 ? 0.85 / bent : 0;
    const auto within = [&](double d) {
      return bent > 1e-9 ? std::min(d, most) : bent < -1e-9 ? std::max(d, most) : d;
    };
    const Vec2 a = street_.at(s, within(d0)), c = street_.at(s, within(d1));
    const Vec2 across = left_of(direction(street_.frame(s).heading));
    const double l = std::hypot(d1 - d0, rise);
    const V3 n3{f32(-rise / l * across.x), f32(-rise / l * across.y), f32((d1 - d0) / l)};
    const std::uint32_t k = b.corner({f32(a.x), f32(a.y), z0}, n3, f32(s), f32(d0), shade0);
    b.corner({f32(c.x), f32(c.y), z1}, n3, f32(s), f32(d0 + l), shade1);
    if (i > 0) {
      b.face(last, k, k + 1, material);
      b.face(last, k + 1, last + 1, material);
    }
    last = k;
  }
}

void Surroundings::mark(Builder& b, double s0, double s1, double d0, double d1, float z,
                        std::uint16_t material) const {
  strip(b, s0, s1, d0, d1, z, z, material, 1, 1);
}

void Surroundings::road(Builder& b, double s0, Dice& dice) const {
  const StreetSpec& spec = street_.spec();
  const double s1 = s0 + kBlock, half = street_.half_road(), kerb = street_.kerb();
  const double lane = spec.lane_m;
  strip(b, s0, s1, -kerb, kerb, 0, 0, id_of(Base::asphalt), 0.9F, 0.9F);
  if (kerb > half)  // parking bays
    for (const double side : {-1.0, 1.0}) {
      mark(b, s0, s1, std::min(side * half, side * kerb), std::max(side * half, side * kerb),
           0.004F, id_of(Base::cobbles));
    }
  for (const double d : {-kerb, kerb - 0.35})  // the gutter, darker
    strip(b, s0, s1, d, d + 0.35, 0.005F, 0.005F, id_of(Base::gutter), 0.75F, 0.75F);
  // Lines: broken between lanes, at the edges where there is no pavement or there are bays.
  for (int i = 1; i < spec.lanes; ++i) {
    const double d = -half + i * lane;
    for (int k = 0; k < 3; ++k)
      mark(b, s0 + k * kBlock / 3, s0 + k * kBlock / 3 + 3, d - 0.06, d + 0.06, 0.008F,
           id_of(Base::line_white));
  }
  if (spec.pavement_m <= 0 || kerb > half || spec.lanes > 2)
    for (const double d : {-half + 0.15, half - 0.15})
      mark(b, s0, s1, d - 0.06, d + 0.06, 0.008F, id_of(Base::line_white));
  crossings(b, s0);
  // What is worn: patches, trenches, cracks, covers.
  if (dice.chance(0.6F)) {
    const double s = s0 + 15.0 * dice.unit(), d = dice.between(-0.8F, 0.8F) * half;
    mark(b, s, s + dice.between(1.0F, 4.5F), d - dice.between(0.3F, 0.9F),
         d + dice.between(0.3F, 0.9F), 0.004F, id_of(Base::asphalt_patch));
  }
  if (dice.chance(0.3F)) {
    const double s = s0 + 15.0 * dice.unit();
    mark(b, s, s + 0.6, -half, dice.between(-0.3F, 1.0F) * half, 0.0045F,
         id_of(Base::asphalt_patch));
  }
  const int cracks = 2 + dice.below(4);
  for (int i = 0; i < cracks; ++i) {
    double s = s0 + kBlock * dice.unit(), d = dice.between(-0.95F, 0.95F) * half;
    double turn = dice.chance(0.5F) ? 0.0 : 1.4;
    turn += dice.between(-0.3F, 0.3F);
    for (int k = 0; k < 12; ++k) {
      const double l = dice.between(0.2F, 0.5F), w = dice.between(0.003F, 0.009F);
      turn += dice.between(-0.5F, 0.5F);
      const Vec2 a = street_.at(s, d);
      s += l * std::cos(turn);
      d += l * std::sin(turn);
      if (std::abs(d) > half) break;
      const Vec2 c = street_.at(s, d),
                 across = (w / std::max(length(c - a), 0.01)) * left_of(c - a);
      const auto p = [](Vec2 v) { return V3{f32(v.x), f32(v.y), 0.006F}; };
      b.stand(V3{0, 0, 0}, 0);
      b.quad(p(a - across), p(c - across), p(c + across), p(a + across), id_of(Base::crack));
    }
  }
  if (dice.chance(0.55F)) {
    const Vec2 place = street_.at(s0 + kBlock * dice.unit(), dice.between(-0.8F, 0.8F) * half);
    b.stand({f32(place.x), f32(place.y), 0.007F}, dice.between(0, 3));
    b.picture({-0.33F, -0.33F, 0}, {0.33F, -0.33F, 0}, {0.33F, 0.33F, 0}, {-0.33F, 0.33F, 0},
              id_of(Base::manhole));
  }
}

void Surroundings::ground(Builder& b, double s0, int side, Dice& dice) const {
  const StreetSpec& spec = street_.spec();
  const double s1 = s0 + kBlock, kerb = street_.kerb();
  const bool junction = near_side_street(s0 + kBlock / 2);
  const auto across = [&](double near, double far, float z0, float z1, Base m, float n, float f) {
    if (junction && z0 >= 0 && z1 >= -0.06F && far - near < 45) {
      if (side > 0)
        cut_strip(b, s0, s1, near, far, z0, z1, id_of(m), n, f);
      else
        cut_strip(b, s0, s1, -far, -near, z1, z0, id_of(m), f, n);
    } else if (side > 0)
      strip(b, s0, s1, near, far, z0, z1, id_of(m), n, f);
    else
      strip(b, s0, s1, -far, -near, z1, z0, id_of(m), f, n);
  };
  const Side kind = side > 0 ? spec.left : spec.right;
  const bool green = kind == Side::fields || kind == Side::park;
  if (spec.pavement_m > 0) {
    across(kerb, kerb + 0.0001, 0, kKerb, Base::kerb, 0.6F, 0.9F);
    across(kerb + 0.0001, kerb + 0.14, kKerb, kKerb, Base::kerb, 1, 1);
    across(kerb + 0.14, street_.pavement_end(), kKerb, kKerb,
           spec.seed % 3 == 1 ? Base::cobbles : Base::slabs, 0.95F,
           kind == Side::houses ? 0.5F : 0.9F);
    for (int k = 0; k < static_cast<int>(kBlock); ++k) {  // joints of the kerb stones
      const double s = s0 + k;
      const double a = side * (kerb - 0.002), c = side * (kerb + 0.145);
      if (junction && street_.on_side_street(street_.at(s, side * (kerb + 0.1)), 0)) continue;
      strip(b, s, s + 0.012, std::min(a, c), std::max(a, c), kKerb + 0.002F, kKerb + 0.002F,
            id_of(Base::crack), 1, 1);
    }
  }
  const double edge = street_.pavement_end();
  const float z = spec.pavement_m > 0 ? kKerb : 0.0F;
  if (spec.pavement_m <= 0) across(kerb, kerb + 0.6, 0, 0, Base::soil, 0.9F, 0.9F);
  // Far from the road the ground lies lower than it, so that nothing covers the road round a bend.
  constexpr float kLow = -0.05F;
  switch (kind) {
    case Side::houses: {
      const Base yard = dice.chance(0.4F) ? Base::slabs : Base::grass;
      across(edge, edge + 8, z, z, yard, 0.6F, 0.8F);
      across(edge + 8, edge + 16, z, kLow, yard, 0.8F, 0.8F);
      break;
    }
    case Side::park:
      across(edge, edge + 3, z, kLow, Base::grass, 0.95F, 1);
      across(edge + 3, edge + 60, kLow, kLow, Base::grass, 1, 1);
      break;
    case Side::fields:
      across(edge, edge + 3, z, kLow, Base::grass, 0.95F, 1);
      across(edge + 3, edge + 90, kLow, kLow, Base::field, 1, 1);
      break;
    case Side::car_park:
      across(edge, edge + 40, z, z, Base::asphalt, 0.95F, 0.95F);
      break;
    case Side::wall:
      across(edge, edge + 3, z, kLow, Base::grass, 0.6F, 0.9F);
      across(edge + 3, edge + 30, kLow, kLow, Base::grass, 0.9F, 0.9F);
      break;
  }
  if (green && spec.pavement_m > 0) across(edge, edge + 0.1, z, z + 0.05F, Base::soil, 0.8F, 0.8F);
}

void Surroundings::vehicle(Block& block, Builder& b, Vec2 place, double heading, double z,
                           Dice& dice) const {
  VehicleStyle v;
  v.kind = dice.chance(0.86F) ? PropKind::car : PropKind::van;
  v.size = drawn_size(v.kind);
  v.size.x *= dice.between(0.88F, 1.06F);
  v.size.z *= dice.between(0.96F, 1.1F);
  v.paint = paints_[at(dice.below(i32(paints_.size())))];
  v.seed = dice.bits();
  b.stand({place, heading}, z);
  build_vehicle(b, v);
  const Vec2 ahead = direction(heading);
  block.occluders.push_back({{f32(place.x), f32(place.y), f32(z)},
                             0,
                             f32(ahead.x),
                             f32(ahead.y),
                             0.48F * v.size.x,
                             0.48F * v.size.y});
}

void Surroundings::parked(Block& block, Builder& b, double s0, int side, Dice& dice) const {
  for (int i = 0; i < 3; ++i) {
    const bool there = dice.chance(0.72F);
    const double s = s0 + (i + 0.5) * kBlock / 3 + dice.between(-0.5F, 0.5F);
    const double d = side * (street_.kerb() - 1.0 + dice.between(-0.08F, 0.08F));
    const Vec2 place = street_.at(s, d);
    const double heading =
        street_.frame(s).heading + (side > 0 ? std::numbers::pi : 0) + dice.between(-0.02F, 0.02F);
    Dice own{dice.bits()};
    const Vec2 along = direction(heading);
    bool free = there;
    for (const double k : {-2.6, -1.3, 0.0, 1.3, 2.6})
      free = free && street_.is_free(place + k * along, 1.0);
    if (free) vehicle(block, b, place, heading, 0, own);
  }
}

}  // namespace kerb::sim
