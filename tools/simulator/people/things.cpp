// SPDX-License-Identifier: Apache-2.0
// What people carry and push.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tools/simulator/base/things.hpp"
#include "tools/simulator/people/dog.hpp"
#include "tools/simulator/people/layers.hpp"
#include "tools/simulator/people/ride.hpp"

namespace kerb::sim::people {

namespace {
constexpr double kPi = std::numbers::pi;
}

Skin turned(const Vec3& a, const Vec3& b, const std::vector<Key>& radii, int sides) {
  Skin skin;
  const Vec3 axis = unit(b - a);
  const Vec3 side = unit(cross(axis, std::abs(axis.z) < 0.9 ? Vec3{0, 0, 1} : Vec3{1, 0, 0}));
  const Vec3 up = cross(axis, side);
  const auto n = static_cast<std::uint32_t>(sides);
  for (std::size_t i = 0; i < radii.size(); ++i) {
    const Key& k = radii[i];
    const std::size_t before = i == 0 ? 0 : i - 1, after = std::min(i + 1, radii.size() - 1);
    const double run = (radii[after].x - radii[before].x) * length(b - a);
    const double rise = radii[after].y - radii[before].y, slope = std::hypot(run, rise);
    for (std::uint32_t s = 0; s < n; ++s) {
      const double angle = 2 * kPi * s / n;
      const Vec3 out = std::cos(angle) * side + std::sin(angle) * up;
      skin.points.push_back(a + k.x * (b - a) + k.y * out);
      skin.normals.push_back(unit((run / slope) * out - (rise / slope) * axis + 1e-9 * out));
    }
  }
  const auto at = [n](std::size_t ring, std::uint32_t s) {
    return static_cast<std::uint32_t>(ring) * n + s % n;
  };
  for (std::size_t i = 0; i + 1 < radii.size(); ++i)
    for (std::uint32_t s = 0; s < n; ++s) {
      skin.triangles.push_back({at(i, s), at(i, s + 1), at(i + 1, s + 1)});
      skin.triangles.push_back({at(i, s), at(i + 1, s + 1), at(i + 1, s)});
    }
  for (std::uint32_t s = 1; s + 1 < n; ++s) {
    skin.triangles.push_back({at(0, 0), at(0, s + 1), at(0, s)});
    const std::size_t end = radii.size() - 1;
    skin.triangles.push_back({at(end, 0), at(end, s), at(end, s + 1)});
  }
  return skin;
}
Skin tube(const Vec3& a, const Vec3& b, double r) {
  return turned(a, b, {{0, 0.6 * r}, {0.01, r}, {0.99, r}, {1, 0.6 * r}}, 7);
}

namespace {

struct Packer {
  std::vector<Layer>& out;
  Bone bone;
  void add(Skin skin, BodyPart part) {
    Layer layer;
    layer.ready = std::move(skin);
    layer.part = part;
    layer.cling = Cling::rigid;
    layer.bone = bone;
    layer.own = false;
    out.push_back(std::move(layer));
  }
  void add(Field field, Vec3 low, Vec3 high, double cell, BodyPart part) {
    Layer layer{std::move(field), low, high, cell, part, Cling::rigid, bone, false};
    out.push_back(std::move(layer));
  }
};

double round_box(const Vec3& p, const Vec3& centre, const Vec3& half, double r) {
  const Vec3 q{std::abs(p.x - centre.x) - half.x + r, std::abs(p.y - centre.y) - half.y + r,
               std::abs(p.z - centre.z) - half.z + r};
  return std::min(std::max({q.x, q.y, q.z}), 0.0) - r +
         length(Vec3{std::max(q.x, 0.0), std::max(q.y, 0.0), std::max(q.z, 0.0)});
}

/// The clothes on the trunk, without sleeves far from it.
Field clothes_of(const std::vector<Layer>& layers) {
  for (const Layer& layer : layers)
    if (layer.part == BodyPart::top && layer.field) return layer.field;
  return [](const Vec3&) { return 1.0; };
}

void add_backpack(const Figure& f, const Appearance& look, std::vector<Layer>& out) {
  Packer pack{out, kChest};
  const double s = f.girth, z = f.joint[kUpperArm].z - 0.115 * f.height;
  const double back = -0.155 * s - 0.012 * f.height;
  const double h = 0.135 * f.height;
  const std::uint32_t seed = look.seed;
  pack.add(
      [=](const Vec3& p) {
        const double body = round_box(p, {back - 0.055, 0, z}, {0.085, 0.150 * s, h}, 0.06);
        const double pocket =
            round_box(p, {back - 0.130, 0, z - 0.35 * h}, {0.045, 0.110 * s, 0.5 * h}, 0.035);
        return join(body, pocket, 0.02) - 0.004 * noise({p.x * 20, p.y * 20, p.z * 20}, seed);
      },
      {back - 0.22, -0.2, z - h - 0.02}, {back + 0.06, 0.2, z + h + 0.02}, 0.030, BodyPart::thing);
  const Field over = clothes_of(out);
  for (const double side : {-1.0, 1.0}) {  // straps over the shoulders, down the chest, then back
    const double y = side * 0.092 * s, top = f.joint[kUpperArm].z + 0.08 * f.height;
    const double turn = f.joint[kUpperArm].z - 0.095 * f.height;
    pack.add(
        [=](const Vec3& p) {
          const double drift = side * 0.30 * std::max(0.0, turn + 0.12 - p.z);
          return meet(meet(over(p) - 0.012, std::abs(p.y - y - drift) - 0.024, 0.012),
                      std::max(turn - p.z, back - p.x), 0.01);
        },
        {back, std::min(y - 0.05, y - 0.1), turn - 0.02}, {0.24, std::max(y + 0.05, y + 0.1), top},
        0.018, BodyPart::thing_dark);
  }
}

void add_bag(const Figure& f, const Appearance& look, std::vector<Layer>& out) {
  const std::uint32_t seed = look.seed;
  if (look.shoulder_bag) {
    Packer pack{out, kPelvis};
    const double side = look.manner.side, s = f.girth;
    const double y = side * 0.215 * s, z = f.joint[kPelvis].z + 0.01;
    pack.add(
        [=](const Vec3& p) {
          return round_box(p, {-0.03, y, z}, {0.155 * s, 0.055, 0.12 * s}, 0.04) -
                 0.004 * noise({p.x * 18, p.y * 18, p.z * 18}, seed);
        },
        {-0.25, y - 0.1, z - 0.16}, {0.2, y + 0.1, z + 0.16}, 0.028, BodyPart::thing);
    // A strap across the body, from the other shoulder.
    const Field over = clothes_of(out);
    const double top = f.joint[kNeck].z + 0.03;
    const Vec3 high{0, -side * 0.078 * s, f.joint[kUpperArm].z + 0.03 * f.height};
    const Vec3 low{0, side * 0.200 * s, z + 0.10 * s};
    const Vec3 normal = unit(cross(high - low, {1, 0, 0}));
    const auto strap = [=](const Vec3& p) {
      return meet(meet(over(p) - 0.009, std::abs(dot(p - low, normal)) - 0.017, 0.010), low.z - p.z,
                  0.01);
    };
    Layer band{strap,
               {-0.25, -0.22, low.z - 0.01},
               {0.27, 0.22, top},
               0.017,
               BodyPart::thing_dark,
               Cling::body,
               kChest,
               false};
    out.push_back(std::move(band));
    return;
  }
  Packer pack{out, kThing};  // hangs from the hand
  const double k = f.scale, drop = 0.10 + 0.13 * k;
  pack.add(
      [=](const Vec3& p) {
        return round_box(p, {0, 0, -drop - 0.10 * k}, {0.19 * k, 0.060 * k, 0.16 * k}, 0.035) -
               0.006 * noise({p.x * 14, p.y * 14, p.z * 14}, seed);
      },
      {-0.26, -0.1, -drop - 0.30}, {0.26, 0.1, 0}, 0.030, BodyPart::thing);
  for (const double y : {-0.03, 0.03})
    for (const double x : {-0.09, 0.09})
      pack.add(tube({0.2 * x, 0.2 * y, 0}, {x * k, y * k, -drop + 0.07 * k}, 0.007),
               BodyPart::thing_dark);
}

void add_umbrella(const Figure& f, std::vector<Layer>& out) {
  Packer pack{out, kThing};
  const double up = 0.42 * f.height, r = 0.50;
  pack.add(tube({0, 0, -0.10}, {0, 0, up}, 0.008), BodyPart::thing_dark);
  // A shell: the outside, and the inside a little below.
  const double rise = 0.26;
  std::vector<Key> radii;
  for (int i = 0; i <= 6; ++i) {
    const double a = 0.5 * kPi * i / 6;
    radii.push_back({1 - std::cos(a), 0.015 + r * std::sin(a)});
  }
  for (int i = 6; i >= 0; --i) {
    const double a = 0.5 * kPi * i / 6;
    radii.push_back({1 - std::cos(a) + 0.02, 0.010 + (r - 0.006) * std::sin(a)});
  }
  pack.add(turned({0, 0, up}, {0, 0, up - rise}, radii, 16), BodyPart::thing);
}

void add_pram(const Figure& f, std::vector<Layer>& out) {
  Packer pack{out, kGround};
  const double grip_x = 0.275 * f.height + 0.055, grip_z = 0.585 * f.height - 0.01;
  const double x = grip_x + 0.36, wheel = 0.13;
  pack.add(
      [=](const Vec3& p) {  // the tub, its hood over the near half
        double d = ellipsoid(p, {x + 0.06, 0, 0.60}, {0.43, 0.235, 0.22}, 0.1);
        d = meet(d, p.z - 0.66, 0.03);
        double hood = ellipsoid(p, {x - 0.06, 0, 0.66}, {0.30, 0.235, 0.34});
        hood =
            meet(meet(hood, 0.60 - p.z, 0.02), (p.x - x - 0.02) * 0.8 - (p.z - 0.66) * 0.35, 0.03);
        return join(d, hood, 0.012);
      },
      {x - 0.45, -0.28, 0.34}, {x + 0.55, 0.28, 1.05}, 0.035, BodyPart::thing);
  for (const double y : {-0.25, 0.25}) {
    pack.add(tube({grip_x, y, grip_z}, {x - 0.10, y, 0.50}, 0.014), BodyPart::thing_dark);
    pack.add(tube({x - 0.10, y, 0.50}, {x + 0.40, y, wheel}, 0.014), BodyPart::thing_dark);
    pack.add(tube({x + 0.30, y, 0.50}, {x - 0.30, y, wheel}, 0.014), BodyPart::thing_dark);
    for (const double wx : {x - 0.30, x + 0.40})
      pack.add(
          turned({wx, y - 0.022, wheel}, {wx, y + 0.022, wheel},
                 {{0, 0.05}, {0.02, wheel * 0.96}, {0.5, wheel}, {0.98, wheel * 0.96}, {1, 0.05}},
                 16),
          BodyPart::thing_dark);
  }
  pack.add(tube({grip_x, -0.26, grip_z}, {grip_x, 0.26, grip_z}, 0.017), BodyPart::thing_dark);
  pack.add(tube({x + 0.40, -0.25, wheel}, {x + 0.40, 0.25, wheel}, 0.010), BodyPart::thing_dark);
  pack.add(tube({x - 0.30, -0.25, wheel}, {x - 0.30, 0.25, wheel}, 0.010), BodyPart::thing_dark);
}

/// A shop's trolley of wire, pushed ahead.
void add_trolley(const Figure& f, std::vector<Layer>& out) {
  Packer pack{out, kGround};
  const double grip_x = 0.275 * f.height + 0.055, grip_z = 0.585 * f.height - 0.01;
  const auto wire = [&](Vec3 a, Vec3 b, double r, BodyPart part) { pack.add(tube(a, b, r), part); };
  const auto at = [&](double level, double u, double side) {  // of the basket
    const double back = grip_x + 0.08 + 0.12 * (1 - level),
                 front = grip_x + 0.95 - 0.09 * (1 - level);
    return Vec3{back + u * (front - back), side * (0.20 + 0.07 * level) * (1 - 0.18 * u),
                0.45 + level * (grip_z - 0.08 - 0.45)};
  };
  for (const double side : {-1.0, 1.0}) {
    for (int i = 0; i <= 9; ++i)
      wire(at(0, i / 9.0, side), at(1, i / 9.0, side), 0.004, BodyPart::thing);
    for (int k = 0; k <= 3; ++k)
      wire(at(k / 3.0, 0, side), at(k / 3.0, 1, side), k == 3 ? 0.010 : 0.004, BodyPart::thing);
    wire({grip_x, side * 0.25, grip_z}, at(1, 0, side), 0.012, BodyPart::thing);
    wire(at(1, 0, side), {grip_x + 0.10, side * 0.25, 0.14}, 0.012, BodyPart::thing);
    wire({grip_x + 0.10, side * 0.25, 0.14}, {grip_x + 0.88, side * 0.19, 0.14}, 0.012,
         BodyPart::thing);
    for (const double x : {grip_x + 0.12, grip_x + 0.86})
      pack.add(turned({x, side * 0.21 - 0.015, 0.062}, {x, side * 0.21 + 0.015, 0.062},
                      {{0, 0.03}, {0.05, 0.06}, {0.5, 0.062}, {0.95, 0.06}, {1, 0.03}}, 12),
               BodyPart::thing_dark);
  }
  for (const double end : {0.0, 1.0})
    for (int k = 0; k <= 3; ++k)
      wire(at(k / 3.0, end, -1), at(k / 3.0, end, 1), 0.005, BodyPart::thing);
  for (int i = 1; i < 7; ++i) {
    const double side = i / 3.5 - 1;
    wire(at(0, 1, side), at(1, 1, side), 0.004, BodyPart::thing);
    wire(at(0, 0, side), at(0, 1, side), 0.004, BodyPart::thing);
  }
  wire({grip_x, -0.27, grip_z}, {grip_x, 0.27, grip_z}, 0.016, BodyPart::thing_dark);
}

/// A dog on its lead, ahead and to the side of the holding hand.
void add_dog(const Figure& f, const Appearance& look, std::vector<Layer>& out) {
  const Vec3 size = usual_size(PropKind::dog, look.seed), stand = dog_beside(f, look.manner);
  Vec3 collar = stand + Vec3{0.3 * size.x, 0, 0.8 * size.z};
  for (DogPart& part : dog_parts(size)) {
    Packer pack{out, part.leg < 0 ? kGround : kTurning + static_cast<Bone>(part.leg)};
    for (Vec3& p : part.skin.points) p = p + (part.leg < 0 ? stand : -1.0 * part.pivot);
    pack.add(std::move(part.skin), part.dark ? BodyPart::thing_dark : BodyPart::thing);
  }
  Layer lead;
  lead.ready = turned({0, 0, 0}, collar, {{0, 0.006}, {1, 0.006}}, 5);
  lead.part = BodyPart::thing_dark;
  lead.cling = Cling::lead;
  lead.own = false;
  out.push_back(std::move(lead));
}

void add_phone(std::vector<Layer>& out) {
  Packer pack{out, kThing};
  pack.add(
      [](const Vec3& p) {
        return round_box(p, {0.03, 0, 0.03}, {0.006, 0.037, 0.075}, 0.005);
      },
      {0.0, -0.06, -0.07}, {0.06, 0.06, 0.13}, 0.012, BodyPart::thing_dark);
}

}  // namespace

void add_things(const Figure& f, const PersonSpec& person, const Appearance& look,
                std::vector<Layer>& out) {
  if (person.phone) add_phone(out);
  if (person.rides != Rides::nothing) add_ride(f, person, look, out);
  switch (person.carries) {
    case Carries::backpack:
      add_backpack(f, look, out);
      return;
    case Carries::bag:
      add_bag(f, look, out);
      return;
    case Carries::umbrella:
      add_umbrella(f, out);
      return;
    case Carries::pram:
      add_pram(f, out);
      return;
    case Carries::trolley:
      add_trolley(f, out);
      return;
    case Carries::dog:
      add_dog(f, look, out);
      return;
    case Carries::nothing:
      break;
  }
}

}  // namespace kerb::sim::people
