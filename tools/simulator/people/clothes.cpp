// SPDX-License-Identifier: Apache-2.0
// Clothes, shoes and hands.
#include <algorithm>
#include <cmath>

#include "tools/simulator/people/layers.hpp"

namespace kerb::sim::people {

std::vector<Section> between(const std::vector<Section>& sections, double from, double to) {
  std::vector<Key> side, front, back, shift;
  for (const Section& s : sections) {
    side.push_back({s.t, s.side});
    front.push_back({s.t, s.front});
    back.push_back({s.t, s.back});
    shift.push_back({s.t, s.shift});
  }
  std::vector<Section> out;
  const auto at = [&](double t) {
    out.push_back({t, curve(side, t), curve(front, t), curve(back, t), curve(shift, t)});
  };
  at(from);
  for (const Section& s : sections)
    if (s.t > from + 0.008 && s.t < to - 0.008) at(s.t);
  at(to);
  return out;
}

double hem_of(Garment top, const Figure& f, const Appearance& look) {
  const double hip = f.joint[kPelvis].z, knee = f.joint[kShank].z;
  switch (top) {
    case Garment::coat:
      return knee + (0.10 - 0.13 * look.hem) * f.scale + 0.05;
    case Garment::dress:
      return knee + (0.02 - 0.10 * look.hem) * f.scale;
    case Garment::shirt:
      return hip + (0.00 - 0.03 * look.hem) * f.scale;
    default:
      return hip - (0.035 + 0.045 * look.hem) * f.scale;
  }
}

namespace {

struct Cloth {
  double ease = 0.01;    // over the skin
  double hang = 0;       // 0 follows the waist, 1 falls straight from the chest
  double folds = 0.004;  // height of the folds
};

/// Lets sections out, and lets cloth fall from where the body is widest above.
std::vector<Section> dressed(std::vector<Section> s, const Cloth& cloth, bool falls) {
  for (Section& x : s) {
    x.side += cloth.ease;
    x.front += cloth.ease;
    x.back += cloth.ease;
  }
  if (!falls || cloth.hang <= 0) return s;
  Section wide = s.back();  // downwards from the top
  for (auto x = s.rbegin(); x != s.rend(); ++x) {
    wide.side = std::max(wide.side, x->side);
    wide.front = std::max(wide.front, x->front + x->shift);
    wide.back = std::max(wide.back, x->back - x->shift);
    x->side += cloth.hang * (wide.side - x->side);
    x->front += cloth.hang * (wide.front - x->front - x->shift);
    x->back += cloth.hang * (wide.back - x->back + x->shift);
  }
  return s;
}

/// Folds: long ones where cloth hangs, rings where limbs bend.
double folds(const Vec3& p, std::uint32_t seed, double height) {
  return height * (0.75 * noise({p.x * 9, p.y * 9, p.z * 5}, seed) +
                   0.5 * noise({p.x * 17, p.y * 17, p.z * 13}, seed + 1));
}
double rings(double along, double where, double reach, const Vec3& p, std::uint32_t seed) {
  const double near = std::exp(-(along - where) * (along - where) / (reach * reach));
  return near * (std::sin(along * 95 + 3 * noise({p.x * 8, p.y * 8, p.z * 8}, seed)) - 0.2);
}

/// A shoulder-high solid with two sleeves.
struct TopShape {
  Loft trunk;
  Loft left, right;
  double elbow, wrist, join_k, fold, bust_side, bust_z, bust_x, bust;
  std::uint32_t seed;
};

Field top_field(const TopShape& shape) {
  return [shape](const Vec3& p) {
    const Loft& sleeve = p.y > 0 ? shape.left : shape.right;
    const double t = sleeve.along(p);
    double trunk = shape.trunk.distance(p);
    if (shape.bust > 0)
      trunk =
          join(trunk,
               ellipsoid({p.x, std::abs(p.y), p.z}, {shape.bust_x, shape.bust_side, shape.bust_z},
                         {shape.bust * 0.9, shape.bust, shape.bust}),
               0.05);
    const double arm = sleeve.distance(p);
    // A fillet at the shoulder, none below the armpit.
    const double k = shape.join_k * (1 - 0.75 * smooth_step(0.05, 0.16, t));
    double d = join(trunk, arm, k);
    const double on_arm = smooth_step(0, 0.03, trunk - arm);
    d -= folds(p, shape.seed, shape.fold);
    d -= on_arm * shape.fold * 0.9 *
         (rings(t, shape.elbow, 0.07, p, shape.seed) +
          rings(t, shape.wrist - 0.03, 0.05, p, shape.seed));
    return d;
  };
}

void add_top(const Figure& f, const PersonSpec& person, const Appearance& look,
             std::vector<Layer>& out) {
  const Garment kind = person.clothing.top;
  Cloth cloth{0.012, 0.45, 0.0055};
  if (kind == Garment::jacket) cloth = {0.024, 0.70, 0.0080};
  if (kind == Garment::coat) cloth = {0.028, 0.75, 0.0075};
  if (kind == Garment::dress) cloth = {0.010, 0.15, 0.0040};
  cloth.ease *= std::sqrt(f.girth);
  const double hem = hem_of(kind, f, look), hip = f.joint[kPelvis].z;
  std::vector<Section> trunk = trunk_sections(f);
  if (hem < trunk.front().t) {  // below the hips it hangs as a tube
    const double flare = kind == Garment::dress ? 1.12 + 0.12 * look.hem : 1.04;
    Section low = trunk[1];
    low.t = hem;
    low.side *= flare;
    low.front = std::max(low.front * flare, 0.125 * f.girth);
    low.back *= flare;
    trunk.erase(trunk.begin());
    trunk.insert(trunk.begin(), low);
  } else {
    trunk = between(trunk, hem, trunk.back().t);
  }
  trunk = dressed(trunk, cloth, true);
  if (kind == Garment::jacket && look.seed % 3 == 0) {  // gathered at the hem
    trunk.front().side -= 0.012;
    trunk.front().front -= 0.010;
    trunk.front().back -= 0.012;
  }
  const double arm = f.upper_arm + f.forearm;
  const double sleeve_end = look.long_sleeves ? arm * 1.0 : f.upper_arm * 0.62;
  std::vector<Section> sleeve =
      dressed(between(arm_sections(f), -0.07 * arm, sleeve_end), cloth, false);
  for (Section& s : sleeve)  // sleeves are straighter than arms
    if (look.long_sleeves && s.t > 0.3 * arm) {
      const double least = (0.040 + (kind == Garment::shirt ? 0 : 0.008)) * f.girth;
      s.side = std::max(s.side, least);
      s.front = std::max(s.front, least * 1.05);
      s.back = std::max(s.back, least * 1.05);
    }
  const auto arm_loft = [&](std::size_t right) {
    return Loft{f.joint[kUpperArm + right],
                f.arm_axis(static_cast<int>(right)),
                {1, 0, 0},
                sleeve,
                2,
                0.022 * f.girth};
  };
  TopShape shape{Loft{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, trunk, 2.35, 0.022},
                 arm_loft(0),
                 arm_loft(1),
                 f.upper_arm,
                 sleeve_end,
                 0.068 * f.girth,
                 cloth.folds,
                 0.068 * f.girth,
                 0,
                 0.07 * f.girth,
                 0,
                 look.seed};
  if (f.female && !f.child) {
    shape.bust = (0.062 + 0.014 * f.build) * f.girth + 0.4 * cloth.ease;
    shape.bust_z = f.joint[kUpperArm].z - 0.082 * f.height;
  }
  const double wide = std::abs(f.joint[kHand].y) + 0.08;
  const bool skirted = hem < hip - 0.06;
  const Field top = top_field(shape);
  Layer layer{top,
              {-0.32, -wide, hem - 0.02},
              {0.36, wide, f.joint[kNeck].z + 0.08},
              0.033,
              BodyPart::top,
              skirted ? Cling::skirt : Cling::body};
  out.push_back(layer);
  // What shows at the neck: a collar, an open front over a shirt, a hood lying on the back.
  const Vec3 neck = f.joint[kNeck];
  const double girth = f.girth * (f.female ? 0.86 : 1);
  const bool outer = kind == Garment::jacket || kind == Garment::coat;
  if (look.collar && kind != Garment::dress) {
    const double r = (outer ? 0.086 : 0.074) * girth, high = (outer ? 0.052 : 0.034) * f.scale;
    const Field collar = [neck, r, high](const Vec3& p) {
      const double z = p.z - neck.z - 0.35 * (-p.x) + 0.012;
      const double round = std::hypot(p.x + 0.014, p.y * 1.02) - r - 0.15 * std::max(0.0, -z);
      return meet(meet(round, z - high, 0.015), -z - 0.06, 0.01);
    };
    out.push_back({collar,
                   {-0.16, -0.16, neck.z - 0.09},
                   {0.16, 0.16, neck.z + 0.12},
                   0.020,
                   outer && !look.scarf ? BodyPart::top : BodyPart::trim});
  }
  if (outer && look.hood_down && look.hat != Hat::hood) {
    const double s = girth;
    const Field hood = [neck, s, look](const Vec3& p) {
      const double bag = ellipsoid(p, {neck.x - 0.060 * s, 0, neck.z - 0.020},
                                   {0.062 * s, 0.105 * s, 0.085 * s}, 0.4);
      const double ring = std::abs(std::hypot(p.x + 0.01, p.y) - 0.088 * s) - 0.022;
      const double roll = std::max(ring, std::abs(p.z - neck.z - 0.2 * p.x * -1 - 0.005) - 0.026);
      return join(bag, roll, 0.03) - 0.004 * noise({p.x * 30, p.y * 30, p.z * 30}, look.seed);
    };
    out.push_back(
        {hood, {-0.25, -0.18, neck.z - 0.15}, {0.16, 0.18, neck.z + 0.10}, 0.021, BodyPart::top});
  }
  if (outer && look.open) {
    const double point = hem - 0.05, slope = 0.11, neck_z = neck.z;
    const Field front = [top, point, slope, neck_z](const Vec3& p) {
      const double half = 0.018 + slope * std::max(0.0, p.z - point) *
                                      (0.55 + 0.45 * smooth_step(point, neck_z, p.z));
      return meet(meet(top(p) - 0.010, (std::abs(p.y) - half) * 0.95, 0.016), -p.x, 0.01);
    };
    out.push_back({front,
                   {0.0, -0.14, hem},
                   {0.36, 0.14, neck.z + 0.05},
                   0.020,
                   BodyPart::trim,
                   skirted ? Cling::skirt : Cling::body});
  }
}

void add_bottom(const Figure& f, const PersonSpec& person, const Appearance& look,
                std::vector<Layer>& out) {
  const Garment kind = person.clothing.bottom;
  const bool dress = person.clothing.top == Garment::dress;
  const bool skirt = kind == Garment::skirt && !dress;
  const bool shorts = kind == Garment::shorts && !dress;
  const bool trousers = !dress && !skirt && !shorts;
  const double hip = f.joint[kPelvis].z;
  // What lies under other cloth is left out, but for a hand's breadth above that one's hem.
  const double over = hem_of(person.clothing.top, f, look) + 0.07 * f.scale;
  const std::vector<Section> body = trunk_sections(f), legs = leg_sections(f);
  const auto leg_loft = [&f](const std::vector<Section>& s, std::size_t right, double rounding) {
    const Vec3 outwards{0, (right != 0 ? -0.011 : 0.011) * f.girth, 0};
    return Loft{f.joint[kThigh + right] + outwards,
                f.joint[kFoot + right] - f.joint[kThigh + right] - outwards,
                {1, 0, 0},
                s,
                2,
                rounding};
  };
  const Vec3 low{-0.30, -0.34, 0}, high{0.33, 0.34, hip + 0.22 * f.scale};
  if (trousers || shorts) {
    Cloth cloth{0.008 + 0.012 * look.trouser_ease, 0, 0.005};
    const double end = f.leg() * (shorts ? 0.50 : 1.045);
    std::vector<Section> leg = dressed(between(legs, -0.03 * f.leg(), end), cloth, false);
    const double least = (shorts ? 0.085 : 0.052 + 0.030 * look.trouser_ease) * f.girth;
    for (Section& s : leg) {
      s.side = std::max(s.side, least);
      s.front = std::max(s.front, least * 1.04);
      s.back = std::max(s.back, least * 1.04);
    }
    std::vector<Section> seat =
        dressed(between(body, hip - 0.035 * f.scale, hip + 0.16 * f.scale), {0.009, 0, 0}, false);
    const Loft trunk{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, seat, 2.2, 0.02};
    const Loft left = leg_loft(leg, 0, 0.018), right = leg_loft(leg, 1, 0.018);
    const double knee = f.thigh, fold = cloth.folds, k = 0.045 * f.girth;
    const std::uint32_t seed = look.seed + 7;
    const Field field = [=](const Vec3& p) {
      const Loft& one = p.y > 0 ? left : right;
      const double t = one.along(p);
      double d = join(one.distance(p), trunk.distance(p), k);
      d -= folds(p, seed, fold * 0.7);
      d -= fold * 0.8 *
           (0.7 * rings(t, knee, 0.08, p, seed) +
            (shorts ? 0 : rings(t, end - 0.05, 0.07, p, seed)));
      return meet(d, p.z - over, 0.02);
    };
    out.push_back({field, low, high, 0.033, BodyPart::bottom, Cling::legs});
  }
  const double skirt_hem = f.joint[kShank].z + (0.03 - 0.10 * look.hem) * f.scale;
  if (skirt) {
    const double hem = skirt_hem;
    std::vector<Section> s = between(body, hip, hip + 0.16 * f.scale);
    Section end = s.front();
    const double flare = 1.10 + 0.10 * look.trouser_ease;
    end = {hem, end.side * flare, std::max(end.front * flare, 0.125 * f.girth), end.back * flare,
           0};
    s.insert(s.begin(), end);
    const Loft loft{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, dressed(s, {0.010, 0, 0}, false), 2.1, 0.020};
    const std::uint32_t seed = look.seed + 7;
    const Field field = [loft, seed, hip, over](const Vec3& p) {
      const double pleat =
          0.010 * smooth_step(hip, hip - 0.35, p.z) *
          std::sin(11 * std::atan2(p.y, p.x) + 2 * noise({p.x * 5, p.y * 5, 0}, seed));
      return std::max(loft.distance(p) - pleat - folds(p, seed, 0.003), p.z - over);
    };
    out.push_back({field, low, high, 0.033, BodyPart::bottom, Cling::skirt});
  }
  if (!trousers) {  // legs show
    const Loft left = leg_loft(between(legs, 0.02 * f.leg(), 1.03 * f.leg()), 0, 0.01);
    const Loft right = leg_loft(between(legs, 0.02 * f.leg(), 1.03 * f.leg()), 1, 0.01);
    const double hem = dress ? over : skirt ? skirt_hem + 0.07 : f.joint[kThigh].z - 0.40 * f.leg();
    const Field field = [=](const Vec3& p) {
      return std::max((p.y > 0 ? left : right).distance(p), p.z - hem);
    };
    out.push_back({field,
                   low,
                   {0.3, 0.34, hip - 0.05},
                   0.026,
                   look.tights ? BodyPart::legwear : BodyPart::skin});
  }
}

void add_feet(const Figure& f, const Appearance& look, std::vector<Layer>& out) {
  for (std::size_t right = 0; right < 2; ++right) {
    const Vec3 a = f.joint[kFoot + right];
    const double l = f.height / 1.75, w = l * (f.female ? 0.92 : 1);
    const double side = right != 0 ? -1 : 1, back = -f.heel_back - 0.016 * l, toe = f.toe_ahead;
    const double whole = toe - back;
    const double top = look.boots ? 0.145 * l : f.ankle_height + 0.004;
    const std::vector<Section> sections = {
        {back, 0.024 * w, 0.034 * l, 0.034 * l, 0},
        {back + 0.06 * whole, 0.033 * w, 0.046 * l, 0.040 * l, 0},
        {back + 0.28 * whole, 0.037 * w, 0.052 * l, 0.040 * l, 0},
        {back + 0.48 * whole, 0.040 * w, 0.048 * l, 0.040 * l, 0},
        {back + 0.68 * whole, 0.047 * w, 0.032 * l, 0.040 * l, 0},
        {back + 0.86 * whole, 0.043 * w, 0.022 * l, 0.040 * l, 0},
        {toe, 0.026 * w, 0.010 * l, 0.036 * l, 0}};
    const Loft loft{
        {a.x, a.y, 0.040 * l}, {1, -0.05 * side, 0}, {0, 0, 1}, sections, 2.4, 0.018 * l};
    const Field shoe = [=](const Vec3& p) {
      const double shaft = cone(p, {a.x - 0.004, a.y, 0.03 * l}, {a.x - 0.002, a.y, top}, 0.046 * w,
                                (look.boots ? 0.052 : 0.038) * w);
      return std::max(join(loft.distance(p), std::max(shaft, p.z - top), 0.03), -p.z);
    };
    const Vec3 low{a.x + back - 0.02, a.y - 0.08, -0.001},
        high{a.x + toe + 0.02, a.y + 0.08, top + 0.01};
    out.push_back({shoe, low, high, 0.022, BodyPart::shoes, Cling::body});
    if (look.pale_soles) {
      const Field sole = [shoe, l](const Vec3& p) {
        return meet(shoe(p) - 0.0055, p.z - 0.026 * l, 0.008);
      };
      out.push_back({sole, low, {high.x, high.y, 0.03}, 0.022, BodyPart::trim, Cling::body});
    }
  }
}

void add_hands(const Figure& f, const Appearance& look, std::vector<Layer>& out) {
  for (std::size_t right = 0; right < 2; ++right) {
    const Vec3 wrist = f.joint[kHand + right], axis = f.arm_axis(static_cast<int>(right));
    const Loft loft{wrist, axis, {1, 0, 0}, hand_sections(f), 2.4, 0.006};
    const double s = f.hand / 0.1855;
    const Vec3 root = wrist + 0.045 * s * axis + Vec3{0.022 * s, 0, 0};
    const Vec3 tip = wrist + 0.105 * s * axis + Vec3{0.052 * s, 0, 0};
    const Loft arm{f.joint[kUpperArm + right],
                   axis,
                   {1, 0, 0},
                   between(arm_sections(f), 0.3 * f.upper_arm, arm_sections(f).back().t),
                   2,
                   0.01};
    const bool bare = !look.long_sleeves;
    const Field field = [=](const Vec3& p) {
      double d = join(loft.distance(p), cone(p, root, tip, 0.016 * s, 0.010 * s), 0.014 * s);
      if (bare) d = join(d, arm.distance(p), 0.02);
      return d;
    };
    const Vec3 first = bare ? f.joint[kUpperArm + right] : wrist - 0.03 * axis;
    const Vec3 last = wrist + (f.hand + 0.02) * axis;
    const Vec3 low{-0.08 * s, std::min(first.y, last.y) - 0.06, last.z - 0.03};
    const Vec3 high{0.09 * s, std::max(first.y, last.y) + 0.06, first.z + 0.04};
    out.push_back({field, low, high, bare ? 0.023 : 0.020});
  }
}

}  // namespace

void add_clothes(const Figure& f, const PersonSpec& person, const Appearance& look,
                 std::vector<Layer>& out) {
  add_top(f, person, look, out);
  add_bottom(f, person, look, out);
  add_feet(f, look, out);
  add_hands(f, look, out);
}

}  // namespace kerb::sim::people
