// SPDX-License-Identifier: Apache-2.0
// Where other streets open into this one, and where people cross.
#include "tools/simulator/render/parts.hpp"
#include "tools/simulator/render/surroundings.hpp"

namespace kerb::sim {
namespace {

constexpr float kKerbTop = f32(kKerbHeight);
constexpr double kHalfTurn = std::numbers::pi;
constexpr double kCell = 0.5;  // metres of what is cut out or left at a mouth

}  // namespace

bool Surroundings::near_side_street(double s) const {
  for (const double side : side_streets_)
    if (std::abs(side - s) < kBlock + 12) return true;
  return false;
}

bool Surroundings::crossed(double s0, double s1, double d0, double d1) const {
  if (!near_side_street((s0 + s1) / 2)) return false;
  const double room = street_.spec().pavement_m + 0.3;
  const int n = std::max(2, static_cast<int>(std::ceil(std::abs(s1 - s0) / 2)));
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k <= 3; ++k) {
      const Vec2 p = street_.at(s0 + (s1 - s0) * i / n, d0 + (d1 - d0) * k / 3);
      if (street_.on_side_street(p, room)) return true;
    }
  return false;
}

void Surroundings::cut_strip(Builder& b, double s0, double s1, double d0, double d1, float z0,
                             float z1, std::uint16_t material, float shade0, float shade1) const {
  const int across = std::max(1, static_cast<int>(std::ceil((d1 - d0) / 1.5)));
  const int along = std::max(1, static_cast<int>(std::ceil((s1 - s0) / kCell)));
  for (int k = 0; k < across; ++k) {
    const auto share = [&](double from, double to, int i) {
      return from + (to - from) * i / across;
    };
    const double a = share(d0, d1, k), c = share(d0, d1, k + 1);
    const auto height = [&](int i) { return f32(share(z0, z1, i)); };
    const auto shade = [&](int i) { return f32(share(shade0, shade1, i)); };
    int begin = -1;  // of the run of cells that are left
    for (int i = 0; i <= along; ++i) {
      const double s = s0 + (s1 - s0) * (i + 0.5) / along;
      const bool left = i < along && !street_.on_side_street(street_.at(s, (a + c) / 2), 0);
      if (left && begin < 0) begin = i;
      if (left || begin < 0) continue;
      strip(b, s0 + (s1 - s0) * begin / along, s0 + (s1 - s0) * i / along, a, c, height(k),
            height(k + 1), material, shade(k), shade(k + 1));
      begin = -1;
    }
  }
}

void Surroundings::crossings(Builder& b, double s0) const {
  const double half = street_.half_road(), kerb = street_.kerb();
  for (const CrossingSpec& crossing : street_.spec().crossings) {
    if (crossing.at_m < s0 || crossing.at_m >= s0 + kBlock) continue;
    const double from = crossing.at_m - crossing.length_m / 2, to = from + crossing.length_m;
    for (double d = -kerb + 0.35; d + 0.5 < kerb - 0.3; d += 1)
      mark(b, from, to, d, d + 0.5, 0.009F, id_of(Base::line_white));
    // Each direction has its line before the stripes.
    mark(b, from - 1.4, from - 1, -half, -0.1, 0.009F, id_of(Base::line_white));
    mark(b, to + 1, to + 1.4, 0.1, half, 0.009F, id_of(Base::line_white));
    if (!crossing.lights) continue;
    for (const int side : {1, -1}) {
      const double s = side > 0 ? to + 1.2 : from - 1.2;
      b.stand({street_.at(s, side * (kerb + 0.4)),
               street_.frame(s).heading + (side > 0 ? kHalfTurn : 0)},
              street_.spec().pavement_m > 0 ? kKerbHeight : 0);
      build_furniture(b, Furniture::traffic_light, 7);
    }
  }
}

void Surroundings::side_street(Builder& b, const SideStreetSpec& side, Dice& dice) const {
  const StreetSpec& spec = street_.spec();
  const double half = street_.half_road(), pavement = spec.pavement_m;
  const Vec2 ahead = direction(side.place.heading), left = left_of(ahead);
  const auto place = [&](double x, double y) { return side.place.at + x * ahead + y * left; };
  const auto outside = [&](double x, double y) {  // of the street's own road
    return std::abs(street_.locate(place(x, y)).d) > street_.kerb();
  };
  b.stand({side.place.at, side.place.heading}, 0);
  const auto flat = [&](double x0, double x1, double y0, double y1, float z, std::uint16_t m,
                        float shade) {
    const auto corner = [&](double x, double y) {
      return b.corner({f32(x), f32(y), z}, {0, 0, 1}, f32(x), f32(y), shade);
    };
    const std::uint32_t a = corner(x0, y0), c = corner(x1, y0), d = corner(x1, y1),
                        e = corner(x0, y1);
    b.face(a, c, d, m);
    b.face(a, d, e, m);
  };
  for (double x = 0; x < side.length_m; x += 5)  // below the street's own, where both are
    flat(x, std::min(x + 5, side.length_m), -half, half, -0.004F, id_of(Base::asphalt), 0.9F);
  for (double x = 2; x + 3 < side.length_m; x += 7)
    if (outside(x - 2, 0)) flat(x, x + 3, -0.06, 0.06, 0.006F, id_of(Base::line_white), 1);
  const std::uint16_t slabs = id_of(spec.seed % 3 == 1 ? Base::cobbles : Base::slabs);
  for (const double y : {1.0, -1.0})
    for (double x = 0; pavement > 0 && x < side.length_m; x += kCell) {
      const double middle = x + kCell / 2;
      if (!outside(middle, y * (half + 0.1))) continue;
      if (street_.on_side_street(place(middle, y * (half + 0.1)), 0)) continue;  // another's
      const double a = y * half, c = y * (half + 0.14), e = y * (half + pavement);
      flat(x, x + kCell, std::min(a, c), std::max(a, c), kKerbTop + 0.002F, id_of(Base::kerb), 1);
      const V3 n{0, f32(-y), 0};
      const std::uint32_t k = b.corner({f32(x), f32(a), 0}, n, f32(x), 0, 0.6F);
      b.corner({f32(x + kCell), f32(a), 0}, n, f32(x + kCell), 0, 0.6F);
      b.corner({f32(x + kCell), f32(a), kKerbTop}, n, f32(x + kCell), 0.1F, 0.9F);
      b.corner({f32(x), f32(a), kKerbTop}, n, f32(x), 0.1F, 0.9F);
      if (y < 0) {
        b.face(k, k + 2, k + 1, id_of(Base::kerb));
        b.face(k, k + 3, k + 2, id_of(Base::kerb));
      } else {
        b.face(k, k + 1, k + 2, id_of(Base::kerb));
        b.face(k, k + 2, k + 3, id_of(Base::kerb));
      }
      if (outside(middle, y * (half + pavement)))
        flat(x, x + kCell, std::min(c, e), std::max(c, e), kKerbTop + 0.002F, slabs, 0.95F);
    }
  // Houses along it, beyond those of the street itself, and across its end.
  const auto house = [&](Vec2 from, double heading, double width) {
    HouseStyle h;
    h.width = f32(width);
    h.depth = dice.between(8, 11);
    h.floors = 2 + dice.below(3);
    h.shop = dice.chance(0.3F);
    h.gable = dice.chance(0.6F);
    h.seed = dice.bits();
    const Vec2 x = direction(heading), y = left_of(x);
    for (const double u : {0.0, 0.5, 1.0})
      for (const double v : {0.02, 0.5, 1.0}) {
        const Vec2 p = from + u * width * x + (v * static_cast<double>(h.depth)) * y;
        if (std::abs(street_.locate(p).d) < street_.pavement_end() + 1) return;
        if (street_.on_side_street(p, pavement - 0.1)) return;
      }
    b.stand({f32(from.x), f32(from.y), pavement > 0 ? kKerbTop : 0.0F}, f32(heading));
    build_house(b, h);
  };
  const double edge = half + pavement + 0.05;
  for (double x = street_.pavement_end() + 13; x + 10 < side.length_m; x += 10) {
    house(place(x, edge), side.place.heading, 10);
    house(place(x + 10, -edge), side.place.heading + kHalfTurn, 10);
  }
  house(place(side.length_m, edge), side.place.heading - kHalfTurn / 2, 2 * edge);
}

}  // namespace kerb::sim
