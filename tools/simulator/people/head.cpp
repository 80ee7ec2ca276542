// SPDX-License-Identifier: Apache-2.0
// Head, neck, face, hair and hats.
#include <algorithm>
#include <cmath>

#include "tools/simulator/people/layers.hpp"

namespace kerb::sim::people {
namespace {

/// Straight under the hair: what hair and hats are let out from.
struct Skull {
  Figure f;
  Loft lower;
  explicit Skull(const Figure& figure)
      : f{figure}, lower{{0.004, 0, figure.chin}, {0, 0, 1}, {1, 0, 0},
                         head_sections(figure),   2.2,       0.02} {}
  /// In head heights over the chin, and ahead of the head's axis.
  [[nodiscard]] double up(const Vec3& p) const { return (p.z - f.chin) / f.head_height; }
  [[nodiscard]] double ahead(const Vec3& p) const { return p.x / f.head_height; }
  [[nodiscard]] Vec3 at(double x, double y, double z) const {
    return {0.004 + x * f.head_height, y * f.head_height, f.chin + z * f.head_height};
  }
  [[nodiscard]] double distance(const Vec3& p) const {
    const double h = f.head_height, wide = 1 + 0.04 * f.child_part;
    const double dome =
        ellipsoid(p, at(-0.025, 0, 0.635), {0.428 * h, 0.338 * h * wide, 0.350 * h});
    return join(dome, lower.distance(p), 0.06 * h);
  }
};

Field face_field(const Skull& skull) {
  const Figure& f = skull.f;
  const double h = f.head_height, girth = f.girth * (f.female ? 0.84 : 1);
  const Vec3 root = f.joint[kNeck];
  return [skull, h, girth, root, f](const Vec3& p) {
    double d = skull.distance(p);
    const Vec3 q{p.x, std::abs(p.y), p.z};
    const auto at = [&skull](double x, double y, double z) { return skull.at(x, y, z); };
    d = join(d, ellipsoid(q, at(0.310, 0.175, 0.40), {0.075 * h, 0.095 * h, 0.095 * h}), 0.15 * h);
    // Sockets under the brow, then the nose between them.
    d = meet(d, -ellipsoid(q, at(0.445, 0.155, 0.505), {0.085 * h, 0.100 * h, 0.052 * h}),
             0.09 * h);
    d = join(d, cone(q, at(0.365, 0, 0.52), at(0.440, 0, 0.345), 0.030 * h, 0.043 * h), 0.06 * h);
    d = join(d, ellipsoid(q, at(-0.02, 0.330, 0.46), {0.080 * h, 0.038 * h, 0.135 * h}, 0.2),
             0.012);
    const double neck = cone(p, {root.x + 0.008, 0, root.z - 0.05 * f.scale},
                             {-0.006, 0, f.chin + 0.30 * h}, 0.058 * girth, 0.051 * girth);
    return join(d, neck, 0.03);
  };
}

/// Hair lies where this is negative: above a line that runs from the forehead over the ears to the
/// nape, `lower` head heights further down at the sides and back.
double hair_line(const Skull& s, const Vec3& p, double lower, double fringe) {
  const double x = s.ahead(p), z = s.up(p);
  const double back = smooth_step(0.34, -0.05, x);
  const double line = (0.84 - fringe) + back * (0.30 + fringe - lower - 0.84 + 0.16) -
                      0.16 * smooth_step(-0.1, -0.35, x);
  return (line - z) * s.f.head_height;
}

struct HairShape {
  double thick, lower, fringe, rough;
};
HairShape shape_of(Cut cut) {
  switch (cut) {
    case Cut::cropped:
      return {0.006, 0.0, 0.0, 0.3};
    case Cut::full:
      return {0.026, 0.10, 0.05, 1};
    case Cut::bob:
      return {0.026, 0.34, 0.10, 0.8};
    case Cut::shoulder:
      return {0.024, 0.40, 0.02, 0.8};
    case Cut::tail:
    case Cut::bun:
      return {0.012, 0.04, -0.02, 0.4};
    case Cut::curls:
      return {0.052, 0.20, 0.06, 2.2};
    default:
      return {0.015, 0.02, 0.02, 0.7};
  }
}

Field hair_field(const Skull& skull, const Appearance& look, bool under_hat) {
  HairShape s = shape_of(look.cut);
  if (under_hat) s = {std::min(0.4 * s.thick, 0.007), s.lower, s.fringe, 0.2};
  const Figure f = skull.f;
  const double h = f.head_height;
  return [skull, s, look, f, h, under_hat](const Vec3& p) {
    const double rough = 0.0035 * s.rough * noise({p.x * 38, p.y * 38, p.z * 22}, look.seed);
    const double over =
        (h / 0.23) * s.thick * (0.75 + 0.25 * smooth_step(0.5, 0.9, skull.up(p))) + rough;
    double d = meet(skull.distance(p) - over, hair_line(skull, p, s.lower, s.fringe), 0.018);
    const auto at = [&](double x, double y, double z) {
      return Vec3{x * h, y * h, f.chin + z * h};
    };
    if (look.cut == Cut::tail) {
      d = join(d, cone(p, at(-0.50, 0, 0.72), at(-0.62, 0, 0.30), 0.10 * h, 0.11 * h) - rough,
               0.02);
      d = join(d, cone(p, at(-0.62, 0, 0.30), at(-0.56, 0, -0.15), 0.11 * h, 0.05 * h) - rough,
               0.03);
    } else if (look.cut == Cut::bun && !under_hat) {
      d = join(d, ellipsoid(p, at(-0.42, 0, 0.90), {0.17 * h, 0.17 * h, 0.15 * h}) - rough, 0.01);
    } else if (look.cut == Cut::shoulder) {
      const double back =
          ellipsoid(p, at(-0.22, 0, 0.05), {0.26 * h, 0.40 * h, 0.52 * h}) - 2 * rough;
      const double face = cone(p, at(0.30, 0, 0.75), at(0.34, 0, -0.6), 0.26 * h, 0.30 * h);
      d = join(d, meet(back, -face, 0.02), 0.03);
    } else if (look.cut == Cut::bob) {
      const double sides = ellipsoid(p, at(-0.12, 0, 0.34), {0.40 * h, 0.42 * h, 0.36 * h}) - rough;
      const double face = cone(p, at(0.34, 0, 0.70), at(0.36, 0, -0.2), 0.27 * h, 0.30 * h);
      d = join(d, meet(sides, -face, 0.02), 0.02);
    }
    return d;
  };
}

Field hat_field(const Skull& skull, const Appearance& look) {
  const Figure f = skull.f;
  const double h = f.head_height;
  if (look.hat == Hat::helmet)
    return [skull, h](const Vec3& p) {
      const double vent = 0.004 * std::cos(p.y * 160);
      const double line = 0.72 - 0.10 * smooth_step(0.3, -0.3, skull.ahead(p));
      return meet(skull.distance(p) - 0.024 - vent, (line - skull.up(p)) * h, 0.010);
    };
  if (look.hat == Hat::beanie)
    return [skull, h, look](const Vec3& p) {
      const double rib = 0.0015 * std::sin(std::atan2(p.y, p.x) * 28);
      const double roll = skull.up(p) < 0.72 ? 0.006 : 0.0;
      const double x = skull.ahead(p);
      const double line = 0.66 - 0.14 * smooth_step(0.3, -0.2, x);
      return meet(skull.distance(p) - 0.017 - roll - rib, (line - skull.up(p)) * h, 0.008);
    };
  return [skull, f, h](const Vec3& p) {  // a cap
    double d = meet(skull.distance(p) - 0.015, (0.70 - skull.up(p)) * h, 0.006);
    const Vec3 peak{0.42 * h, 0, f.chin + 0.715 * h - 0.25 * (p.x - 0.42 * h) - 1.2 * p.y * p.y};
    const Vec3 q{p.x - peak.x, p.y, p.z - peak.z};
    const double plan = std::hypot(q.x / (0.32 * h), q.y / (0.34 * h));
    const double brim = std::max({(plan - 1) * 0.32 * h, std::abs(q.z) - 0.0095, -p.x + 0.2 * h});
    return join(d, brim, 0.008);
  };
}

Field hood_field(const Skull& skull) {
  const Figure f = skull.f;
  const double h = f.head_height;
  return [skull, f, h](const Vec3& p) {
    const auto at = [&](double x, double y, double z) {
      return Vec3{x * h, y * h, f.chin + z * h};
    };
    double d = join(skull.distance(p) - 0.024,
                    cone(p, at(-0.10, 0, 0.55), at(-0.08, 0, -0.15), 0.42 * h, 0.40 * h), 0.03);
    const double face = ellipsoid(p, at(0.55, 0, 0.40), {0.36 * h, 0.285 * h, 0.47 * h});
    d = meet(d, -face, 0.015);
    return std::max(d, f.chin - 0.22 * h - p.z);
  };
}

}  // namespace

void add_head(const Figure& f, const Appearance& look, std::vector<Layer>& out) {
  const Skull skull{f};
  const double h = f.head_height;
  const Vec3 low{-0.75 * h, -0.5 * h, f.chin - 0.30 * h}, high{0.62 * h, 0.5 * h, f.chin + 1.1 * h};
  Layer face{face_field(skull), {low.x, low.y, f.joint[kNeck].z - 0.04}, high, 0.0145};
  out.push_back(face);
  const bool covered = look.hat != Hat::none;
  if (look.cut != Cut::bald && look.hat != Hat::hood) {
    Layer hair{hair_field(skull, look, covered),
               {low.x - 0.08, low.y - 0.06, f.chin - 0.55 * h},
               {high.x, high.y + 0.06, high.z + 0.07},
               0.021,
               BodyPart::hair,
               Cling::hair};
    out.push_back(hair);
  }
  if (look.hat == Hat::beanie || look.hat == Hat::cap || look.hat == Hat::helmet)
    out.push_back({hat_field(skull, look),
                   {low.x, low.y, f.chin + 0.3 * h},
                   {high.x + 0.1, high.y, high.z + 0.03},
                   0.0165,
                   BodyPart::hat,
                   Cling::rigid});
  if (look.hat == Hat::hood)
    out.push_back({hood_field(skull),
                   {low.x - 0.05, low.y - 0.05, f.chin - 0.3 * h},
                   {high.x, high.y + 0.05, high.z + 0.05},
                   0.019,
                   BodyPart::top,
                   Cling::hair});
  // Eyes, brows and mouth: patches a hair's breadth over the skin.
  const Field skin = face.field;
  const auto patch = [&](Vec3 at, Vec3 radii, BodyPart part, double cell) {
    const Field field = [skin, at, radii](const Vec3& p) {
      const Vec3 q{p.x, std::abs(p.y), p.z};
      return std::max(skin(p) - 0.0045, ellipsoid(q, at, radii));
    };
    out.push_back({field,
                   {at.x - radii.x, -at.y - radii.y, at.z - radii.z},
                   {at.x + radii.x, at.y + radii.y, at.z + radii.z},
                   cell,
                   part,
                   Cling::rigid});
  };
  const auto at = [&](double x, double y, double z) {
    return Vec3{0.004 + x * h, y * h, f.chin + z * h};
  };
  patch(at(0.37, 0.150, 0.515), {0.08 * h, 0.062 * h, 0.026 * h}, BodyPart::eyes, 0.007);
  if (look.hat != Hat::beanie)
    patch(at(0.37, 0.155, 0.610), {0.08 * h, 0.085 * h, 0.021 * h}, BodyPart::hair, 0.008);
  patch(at(0.40, 0, 0.215), {0.07 * h, 0.098 * h, 0.024 * h}, BodyPart::lips, 0.0065);
}

}  // namespace kerb::sim::people
