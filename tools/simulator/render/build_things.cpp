// SPDX-License-Identifier: Apache-2.0
// Things of towns that a detector of people must tell from people: as tall, as narrow, or made of
// upright lines.
#include <array>

#include "tools/simulator/base/things.hpp"
#include "tools/simulator/render/parts.hpp"

namespace kerb::sim {
namespace {

constexpr std::uint16_t kPlastic = id_of(Base::black_plastic), kWood = id_of(Base::wood),
                        kTyre = id_of(Base::tyre), kWhite = id_of(Base::sign_face_white),
                        kRed = id_of(Base::sign_face_red);
constexpr float kTau = 6.2831853F;

/// A tube that is closed at both ends.
void rod(Builder& b, V3 a, V3 c, float r, int sides, std::uint16_t m) {
  b.tube(a, c, r, r, sides, m, true);
  b.tube(c, a, r, r, sides, m, true);
}
/// A wheel on the axle along y.
void castor(Builder& b, V3 at, float r, float width) {
  rod(b, {at.x, at.y - width / 2, at.z}, {at.x, at.y + width / 2, at.z}, r, 12, kTyre);
}
/// A box whose bottom is narrower than its top, by shares.
void tapered(Builder& b, V3 low, V3 high, float share, std::uint16_t m) {
  const float cx = (low.x + high.x) / 2, cy = (low.y + high.y) / 2;
  const auto in = [&](float x, float y) {
    return V3{cx + share * (x - cx), cy + share * (y - cy), low.z};
  };
  const std::array<V3, 4> bottom = {in(low.x, low.y), in(high.x, low.y), in(high.x, high.y),
                                    in(low.x, high.y)};
  const std::array<V3, 4> top = {V3{low.x, low.y, high.z}, V3{high.x, low.y, high.z},
                                 V3{high.x, high.y, high.z}, V3{low.x, high.y, high.z}};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t k = (i + 1) % 4;
    b.quad(bottom[i], bottom[k], top[k], top[i], m);
  }
  b.quad(top[0], top[1], top[2], top[3], m);
  b.quad(bottom[3], bottom[2], bottom[1], bottom[0], m);
}
/// Turned about the z axis: radii at heights.
struct Ring {
  float z, r;
  std::uint16_t material;  // from here up to the next
};
void lathe(Builder& b, const std::vector<Ring>& rings, int sides) {
  for (std::size_t i = 0; i + 1 < rings.size(); ++i) {
    const Ring &p = rings[i], &q = rings[i + 1];
    const float dz = q.z - p.z, dr = q.r - p.r, l = std::sqrt(dz * dz + dr * dr);
    if (l < 1e-6F) continue;
    std::uint32_t first = 0;
    for (int k = 0; k <= sides; ++k) {
      const float w = kTau * f32(k) / f32(sides), c = std::cos(w), s = std::sin(w);
      const V3 n{dz / l * c, dz / l * s, -dr / l};
      const float u = w * std::max(p.r, q.r);
      const std::uint32_t at = b.corner({p.r * c, p.r * s, p.z}, n, u, p.z);
      b.corner({q.r * c, q.r * s, q.z}, n, u, p.z + l);
      if (k == 0) first = at;
    }
    for (int k = 0; k < sides; ++k) {
      const std::uint32_t c = first + 2 * static_cast<std::uint32_t>(k);
      if (p.r > 0) b.face(c, c + 2, c + 3, p.material);
      if (q.r > 0) b.face(c, c + 3, c + 1, p.material);
    }
  }
}

void scaffolding(Builder& b, const ThingStyle& t, Dice& dice) {
  const V3 s = t.size;
  const int bays = scaffold_bays(s.x), lifts = scaffold_lifts(s.z);
  const float x = s.x / 2 - 0.03F, y = s.y / 2 - 0.03F, lift = f32(kScaffoldLift);
  const std::uint16_t tube = id_of(dice.chance(0.7F) ? Base::scaffold_tube : Base::metal_grey);
  const float top = lift * f32(lifts) + 1.0F, r = 0.024F;
  for (int i = 0; i <= bays; ++i) {
    const float at = -x + 2 * x * f32(i) / f32(bays);
    for (const float side : {-y, y}) {
      b.tube({at, side, 0}, {at, side, side < 0 || i % 2 == 0 ? top : top - 1}, r, r, 7, tube,
             true);
      b.box({at - 0.075F, side - 0.075F, 0}, {at + 0.075F, side + 0.075F, 0.012F}, tube);
    }
    for (int k = 1; k <= lifts; ++k)
      b.tube({at, -y, lift * f32(k) - 0.1F}, {at, y, lift * f32(k) - 0.1F}, r, r, 6, tube);
  }
  const bool braced_first = dice.chance(0.5F);
  for (int k = 0; k <= lifts; ++k) {
    const float z = k == 0 ? 0.25F : lift * f32(k);
    for (int i = 0; i < bays; ++i) {
      const float a = -x + 2 * x * f32(i) / f32(bays), c = -x + 2 * x * f32(i + 1) / f32(bays);
      if (k == 0) {
        b.tube({a, y, z}, {c, y, z}, r, r, 6, tube);
        continue;
      }
      for (int p = 0; p < 2; ++p)  // two planks and the gap between them
        b.box({a + 0.03F, p == 0 ? -y : 0.01F, z - 0.05F}, {c - 0.03F, p == 0 ? -0.01F : y, z},
              id_of(Base::scaffold_plank), true);
      for (const float up : {0.5F, 1.0F}) b.tube({a, -y, z + up}, {c, -y, z + up}, r, r, 6, tube);
      b.box({a, -y - 0.015F, z}, {c, -y + 0.015F, z + 0.15F}, id_of(Base::scaffold_plank), true);
    }
    // A brace up the outer side, in every other bay.
    if (k < lifts)
      for (int i = braced_first ? 0 : 1; i < bays; i += 2) {
        const float a = -x + 2 * x * f32(i) / f32(bays), c = -x + 2 * x * f32(i + 1) / f32(bays);
        const bool flip = (i + k) % 2 == 0;
        b.tube({flip ? a : c, -y - 0.03F, lift * f32(k) + 0.1F},
               {flip ? c : a, -y - 0.03F, lift * f32(k + 1) - 0.05F}, 0.02F, 0.02F, 6, tube);
      }
  }
  // A ladder inside one bay.
  const int bay = dice.below(bays);
  const float lx = -x + 2 * x * (f32(bay) + 0.5F) / f32(bays);
  for (const float side : {-0.17F, 0.17F})
    b.tube({lx - 0.35F, side, 0}, {lx + 0.2F, side, lift}, 0.018F, 0.018F, 5, tube);
  for (int i = 1; i < 7; ++i) {
    const float k = f32(i) / 7;
    b.tube({lx - 0.35F + 0.55F * k, -0.17F, lift * k}, {lx - 0.35F + 0.55F * k, 0.17F, lift * k},
           0.012F, 0.012F, 5, tube);
  }
  if (!dice.chance(0.55F)) return;
  // The net, from over people's heads to the top, on the outer side and round the ends.
  b.two_sided = true;
  const float z0 = lift + 0.15F, out = -y - 0.028F;
  for (int i = 0; i < bays; ++i) {
    const float a = -x + 2 * x * f32(i) / f32(bays), c = -x + 2 * x * f32(i + 1) / f32(bays);
    b.quad({a, out, z0}, {c, out, z0}, {c, out, top}, {a, out, top}, t.net);
  }
  for (const float end : {-x - 0.028F, x + 0.028F})
    b.quad({end, out, z0}, {end, y, z0}, {end, y, top}, {end, out, top}, t.net);
  b.two_sided = false;
}

/// Goods look to -y.
void market_stall(Builder& b, const ThingStyle& t, Dice& dice) {
  const V3 s = t.size;
  const float x = s.x / 2, y = s.y / 2, eaves = 0.82F * s.z;
  for (const float a : {-0.95F * x, 0.95F * x})
    for (const float c : {-0.85F * y, 0.85F * y})
      b.tube({a, c, 0}, {a, c, eaves}, 0.022F, 0.022F, 7, kGreyMetal);
  // A gabled or a single-pitched roof, with a valance all round.
  b.two_sided = true;
  const bool gable = dice.chance(0.6F);
  const float back = gable ? eaves : s.z, ridge_y = gable ? 0 : y;
  b.quad({-x, -y, eaves}, {x, -y, eaves}, {x, ridge_y, s.z}, {-x, ridge_y, s.z}, t.paint);
  if (gable) b.quad({-x, 0, s.z}, {x, 0, s.z}, {x, y, eaves}, {-x, y, eaves}, t.paint);
  const float drop = 0.22F;
  const std::uint16_t band = id_of(dice.chance(0.5F) ? Base::awning : Base::sign_face_white);
  b.quad({-x, -y, eaves - drop}, {x, -y, eaves - drop}, {x, -y, eaves}, {-x, -y, eaves}, band);
  for (const float a : {-x, x})
    b.quad({a, -y, eaves - drop}, {a, y, back - drop}, {a, y, back}, {a, -y, eaves}, band);
  if (dice.chance(0.6F))  // a cloth at the back
    b.quad({-0.95F * x, 0.85F * y, 0.3F}, {0.95F * x, 0.85F * y, 0.3F},
           {0.95F * x, 0.85F * y, eaves}, {-0.95F * x, 0.85F * y, eaves}, t.paint);
  b.two_sided = false;
  // The table under its cloth, crates of goods in rows that rise to the back.
  const float table = 0.30F * s.z;
  b.box({-0.92F * x, -0.80F * y, 0.04F}, {0.92F * x, 0.35F * y, table},
        id_of(dice.chance(0.5F) ? Base::metal_green : Base::cloth_white), true);
  constexpr Base kGoods[] = {Base::fruit_red, Base::fruit_orange, Base::fruit_green,
                             Base::line_yellow, Base::bread};
  const int across = std::max(3, i32(1.84F * x / 0.5F));
  for (int row = 0; row < 2; ++row)
    for (int i = 0; i < across; ++i) {
      const float w = 1.84F * x / f32(across), a = -0.92F * x + w * f32(i) + 0.02F;
      const float y0 = -0.80F * y + 0.55F * y * f32(row), z = table + 0.09F * f32(row);
      b.box({a, y0, z}, {a + w - 0.04F, y0 + 0.5F * y, z + 0.12F}, kWood);
      const std::uint16_t fruit = id_of(kGoods[dice.below(5)]);
      for (int k = 0; k < 6; ++k)
        b.ball({a + (w - 0.04F) * (f32(k % 3) + 0.5F) / 3, y0 + 0.5F * y * (f32(k / 3) + 0.5F) / 2,
                z + 0.13F},
               {w / 6.5F, 0.11F * y, 0.05F}, 4, fruit);
    }
  // Hanging things: bags or clothes, upright and narrow.
  if (dice.chance(0.6F)) {
    constexpr Base kHung[] = {Base::cloth_blue, Base::cloth_red, Base::cloth_white,
                              Base::metal_dark};
    b.tube({-0.95F * x, -0.84F * y, 0.78F * s.z}, {0.95F * x, -0.84F * y, 0.78F * s.z}, 0.015F,
           0.015F, 6, kGreyMetal);
    const int hung = 1 + dice.below(4);
    for (int i = 0; i < hung; ++i) {
      const float at = dice.between(-0.8F, 0.8F) * x, l = dice.between(0.5F, 1.0F);
      tapered(b, {at - 0.2F, -0.84F * y - 0.05F, 0.77F * s.z - l},
              {at + 0.2F, -0.84F * y + 0.05F, 0.77F * s.z}, 1.15F, id_of(kHung[dice.below(4)]));
    }
  }
}

/// Open to -y; the panel with the advertisement at its +x end.
void shelter(Builder& b, const ThingStyle& t, Dice& dice) {
  const V3 s = t.size;
  const float x = s.x / 2, y = s.y / 2, roof = 0.95F * s.z;
  b.box({-x, -y, roof}, {x, y, s.z}, t.paint, true);
  for (const float a : {-0.96F * x, 0.0F, 0.96F * x})
    b.box({a - 0.04F, 0.84F * y, 0}, {a + 0.04F, 0.84F * y + 0.08F, roof}, t.paint);
  for (const float a : {-0.96F * x, 0.96F * x})
    b.box({a - 0.03F, -0.8F * y - 0.03F, 0}, {a + 0.03F, -0.8F * y + 0.03F, roof}, t.paint);
  // Glass is looked through: its rails and the rows of dots on it are what there is.
  for (const float z : {0.25F, 1.05F, roof - 0.12F})
    b.box({-0.96F * x, 0.84F * y + 0.03F, z}, {0.96F * x, 0.84F * y + 0.05F, z + 0.05F}, t.paint,
          true);
  for (int i = 0; i < i32(s.x / 0.16F) - 2; ++i) {
    const float a = -0.92F * x + 0.16F * f32(i);
    for (const float z : {1.35F, 1.5F})
      b.box({a, 0.84F * y + 0.03F, z}, {a + 0.06F, 0.84F * y + 0.045F, z + 0.06F}, kWhite, true);
  }
  const float p = 0.78F * y;
  b.box({0.96F * x - 0.07F, -p, 0.14F * s.z}, {0.96F * x + 0.07F, p, 0.87F * s.z}, kDarkMetal,
        true);
  const float from = dice.unit();
  for (const float side : {-1.0F, 1.0F}) {
    const float at = 0.96F * x + side * 0.075F, l = p - 0.08F, z0 = 0.18F * s.z, z1 = 0.83F * s.z;
    const std::uint16_t face = t.picture != 0 ? t.picture : id_of(Base::shop);
    if (side < 0)
      b.picture({at, l, z0}, {at, -l, z0}, {at, -l, z1}, {at, l, z1}, face, t.picture ? 0 : from,
                t.picture ? 1 : from + 0.3F);
    else
      b.picture({at, -l, z0}, {at, l, z0}, {at, l, z1}, {at, -l, z1}, face, t.picture ? 0 : from,
                t.picture ? 1 : from + 0.3F);
  }
  // A bench, the timetable, the stop's sign.
  b.box({-0.6F * x, 0.3F * y, 0.44F}, {0.4F * x, 0.75F * y, 0.48F}, kWood, true);
  for (const float a : {-0.5F * x, 0.3F * x})
    b.box({a - 0.03F, 0.5F * y, 0}, {a + 0.03F, 0.58F * y, 0.44F}, kDarkMetal);
  b.box({-0.9F * x, 0.84F * y - 0.02F, 1.0F}, {-0.72F * x, 0.84F * y, 1.75F}, kWhite, true);
  b.box({-0.5F * x, -y + 0.01F, roof + 0.01F}, {0.5F * x, -y + 0.02F, s.z - 0.01F},
        id_of(Base::sign_face_blue), true);
}

void trolley(Builder& b, const ThingStyle& t) {
  // As made: the basket of wire on a frame, narrower ahead and below, the handle behind.
  const float wire = 0.0035F;
  struct Level {
    float z, back, front, half;
  };
  constexpr Level kLow{0.45F, -0.26F, 0.40F, 0.20F}, kHigh{0.90F, -0.38F, 0.49F, 0.27F};
  const auto at = [&](float k, float u, float side) {
    return V3{mix(mix(kLow.back, kHigh.back, k), mix(kLow.front, kHigh.front, k), u),
              side * mix(kLow.half, kHigh.half, k) * mix(1.0F, 0.82F, u), mix(kLow.z, kHigh.z, k)};
  };
  for (int i = 0; i <= 14; ++i)
    for (const float side : {-1.0F, 1.0F})
      b.tube(at(0, f32(i) / 14, side), at(1, f32(i) / 14, side), wire, wire, 3, t.paint);
  for (int k = 0; k <= 5; ++k) {
    const float level = f32(k) / 5, w = k == 5 ? 0.009F : wire;
    for (const float side : {-1.0F, 1.0F})
      b.tube(at(level, 0, side), at(level, 1, side), w, w, 4, t.paint);
    for (const float end : {0.0F, 1.0F})
      b.tube(at(level, end, -1), at(level, end, 1), w, w, 4, t.paint);
  }
  for (int i = 1; i < 9; ++i) {
    const float side = f32(i) / 4.5F - 1;
    for (const float end : {0.0F, 1.0F})
      b.tube(at(0, end, side), at(1, end, side), wire, wire, 3, t.paint);
    b.tube(at(0, 0, side), at(0, 1, side), wire, wire, 3, t.paint);
  }
  const float r = 0.012F;
  for (const float side : {-1.0F, 1.0F}) {
    b.tube({-0.40F, side * 0.25F, 0.14F}, {0.42F, side * 0.19F, 0.14F}, r, r, 6, t.paint);
    b.tube({-0.36F, side * 0.25F, 0.14F}, {-0.42F, side * 0.27F, 0.98F}, r, r, 6, t.paint);
    b.tube({0.10F, side * 0.21F, 0.14F}, {0.20F, side * 0.20F, 0.45F}, r, r, 6, t.paint);
    castor(b, {-0.38F, side * 0.25F, 0.062F}, 0.062F, 0.03F);
    castor(b, {0.40F, side * 0.19F, 0.062F}, 0.062F, 0.03F);
  }
  rod(b, {-0.46F, -0.28F, 1.0F}, {-0.46F, 0.28F, 1.0F}, 0.016F, 8, t.make == 0 ? kRed : kPlastic);
  for (const float side : {-0.27F, 0.27F})
    b.tube({-0.42F, side, 0.96F}, {-0.46F, side, 1.0F}, r, r, 6, t.paint);
  b.box({-0.40F, -0.22F, 0.74F}, {-0.36F, 0.22F, 0.86F}, kPlastic, true);  // the child's seat
}

/// The lid's front, where it opens, to -x: the handle and wheels behind.
void wheelie_bin(Builder& b, const ThingStyle& t, Dice& dice) {
  const V3 s = t.size;
  const float x = s.x / 2, y = s.y / 2;
  constexpr Base kLids[] = {Base::line_yellow, Base::sign_face_blue, Base::bin_brown,
                            Base::hydrant_red, Base::bin_green,      Base::metal_grey};
  const std::uint16_t lid = dice.chance(0.5F) ? t.paint : id_of(kLids[dice.below(6)]);
  const bool four = t.make >= 6, dome = t.make == 9;
  const float base = four ? 0.17F : 0.09F, rim = dome ? 0.72F * s.z : s.z - (four ? 0.12F : 0.09F);
  tapered(b, {-x + 0.02F, -y + 0.03F, base}, {x - (four ? 0.02F : 0.07F), y - 0.03F, rim},
          four ? 0.86F : 0.80F, t.paint);
  b.box({-x + 0.005F, -y + 0.01F, rim - 0.05F},
        {x - (four ? 0.005F : 0.055F), y - 0.01F, rim + 0.01F}, t.paint, true);
  for (const float side : {-0.3F, 0.0F, 0.3F})  // ribs at the front
    b.box({-0.86F * x, side * y - 0.02F, base + 0.3F * s.z},
          {-0.82F * x, side * y + 0.02F, rim - 0.1F}, t.paint, true);
  b.box({-0.90F * x, -0.25F * y, base + 0.42F * s.z}, {-0.855F * x, 0.25F * y, base + 0.55F * s.z},
        id_of(Base::sign_face_white), true);  // the label
  if (dome) {
    for (int i = 0; i < 8; ++i) {
      const float a = 3.14159F * f32(i) / 8, c = 3.14159F * f32(i + 1) / 8, h = s.z - rim;
      const V3 p{-x * std::cos(a), 0, rim + h * std::sin(a)},
          q{-x * std::cos(c), 0, rim + h * std::sin(c)};
      b.quad({p.x, y, p.z}, {p.x, -y, p.z}, {q.x, -y, q.z}, {q.x, y, q.z}, lid);
      for (const float side : {-y, y})
        side < 0 ? b.triangle({0, side, rim}, {q.x, side, q.z}, {p.x, side, p.z}, lid)
                 : b.triangle({0, side, rim}, {p.x, side, p.z}, {q.x, side, q.z}, lid);
    }
  } else {
    // Overfull now and then: the lid stands open on a bag.
    const bool full = dice.chance(0.2F);
    const float gap = full ? 0.10F : 0;
    const float z = rim + 0.01F, up = s.z - (full ? gap : 0) - 0.005F;
    const V3 f0{-x, -y, z + gap}, f1{-x, y, z + gap}, b0{x - 0.03F, -y, z}, b1{x - 0.03F, y, z};
    const V3 h{0, 0, up - z};
    b.quad(f1, f0, f0 + h, f1 + h, lid);
    b.quad(b0, b1, b1 + h, b0 + h, lid);
    b.quad(f0, b0, b0 + h, f0 + h, lid);
    b.quad(b1, f1, f1 + h, b1 + h, lid);
    b.quad(f0 + h, b0 + h, b1 + h, f1 + h, lid);
    b.quad(f1, b1, b0, f0, lid);
    if (full)
      b.ball({-0.35F * x, 0, rim}, {0.5F * x, 0.75F * y, 0.11F}, 6,
             dice.chance(0.5F) ? kPlastic : id_of(Base::cloth_white));
    if (!four)
      rod(b, {x - 0.02F, -0.85F * y, z + 0.02F}, {x - 0.02F, 0.85F * y, z + 0.02F}, 0.017F, 8,
          t.paint);
  }
  if (four) {
    for (const float a : {-0.7F, 0.7F})
      for (const float c : {-0.75F, 0.75F}) {
        castor(b, {a * x, c * y, 0.1F}, 0.1F, 0.05F);
        b.tube({a * x, c * y, 0.1F}, {a * x, c * y, base + 0.02F}, 0.02F, 0.02F, 5, kGreyMetal);
      }
    for (const float side : {-y + 0.02F, y - 0.02F})
      rod(b, {-0.4F * x, side, 0.8F * rim}, {0.4F * x, side, 0.8F * rim}, 0.02F, 6, kGreyMetal);
  } else {
    for (const float side : {-0.86F * y, 0.86F * y}) castor(b, {x - 0.1F, side, 0.1F}, 0.1F, 0.05F);
    b.tube({x - 0.1F, -0.86F * y, 0.1F}, {x - 0.1F, 0.86F * y, 0.1F}, 0.012F, 0.012F, 5,
           kGreyMetal);
    for (const float side : {-0.6F * y, 0.6F * y})  // feet
      b.box({-0.8F * x, side - 0.04F, 0}, {-0.6F * x, side + 0.04F, base + 0.03F}, t.paint, true);
  }
}

void one_bollard(Builder& b, const ThingStyle& t, float r, float h) {
  const std::uint16_t m = t.paint;
  switch (t.make) {
    case 0:  // steel, with a dome
      lathe(b,
            {{0, r * 1.3F, m},
             {0.03F, r * 1.3F, m},
             {0.035F, r, m},
             {h - r, r, m},
             {h - 0.4F * r, 0.8F * r, m},
             {h - 0.1F * r, 0.4F * r, m},
             {h, 0, m}},
            14);
      break;
    case 1:  // square, with a chamfered top and a groove
      b.box({-r, -r, 0}, {r, r, h - 0.22F}, m);
      b.box({-0.85F * r, -0.85F * r, h - 0.22F}, {0.85F * r, 0.85F * r, h - 0.18F}, kDarkMetal);
      tapered(b, {-r, -r, h - 0.18F}, {r, r, h - 0.05F}, 1, m);
      tapered(b, {-0.7F * r, -0.7F * r, h - 0.05F}, {0.7F * r, 0.7F * r, h}, 1.4F, m);
      break;
    case 2:  // cast iron, conical
      lathe(b,
            {{0, r, m},
             {0.1F, r, m},
             {0.13F, 0.75F * r, m},
             {h - 0.25F, 0.45F * r, m},
             {h - 0.22F, 0.62F * r, m},
             {h - 0.17F, 0.62F * r, m},
             {h - 0.15F, 0.45F * r, m},
             {h - 0.1F, 0.6F * r, m},
             {h - 0.03F, 0.4F * r, m},
             {h, 0, m}},
            14);
      break;
    case 3:  // red and white bands
      for (int i = 0; i < 5; ++i)
        lathe(b,
              {{h * f32(i) / 5, r, i % 2 == 0 ? kRed : kWhite},
               {h * f32(i + 1) / 5 - (i == 4 ? 0.01F : 0), r, i % 2 == 0 ? kRed : kWhite},
               {h * f32(i + 1) / 5, i == 4 ? 0 : r, kRed}},
              14);
      break;
    case 4:  // half a ball of concrete
      b.ball({0, 0, 0.28F * h}, {r, r, 0.72F * h}, 10, id_of(Base::concrete));
      lathe(b, {{0, r * 0.95F, id_of(Base::concrete)}, {0.28F * h, r, id_of(Base::concrete)}}, 18);
      break;
    case 5:  // a flexible post of plastic on its foot
      lathe(b,
            {{0, r, kPlastic},
             {0.04F, 0.9F * r, kPlastic},
             {0.06F, 0.42F * r, t.paint},
             {0.55F * h, 0.40F * r, kWhite},
             {0.68F * h, 0.40F * r, t.paint},
             {0.74F * h, 0.40F * r, kWhite},
             {0.87F * h, 0.40F * r, t.paint},
             {h - 0.02F, 0.38F * r, t.paint},
             {h, 0, t.paint}},
            14);
      break;
    case 6:  // as old cannons, with rings
      lathe(b,
            {{0, r, m},
             {0.06F, r, m},
             {0.07F, 0.9F * r, m},
             {0.3F * h, 0.75F * r, m},
             {0.31F * h, 0.85F * r, m},
             {0.36F * h, 0.85F * r, m},
             {0.37F * h, 0.72F * r, m},
             {0.8F * h, 0.62F * r, m},
             {0.81F * h, 0.78F * r, m},
             {0.86F * h, 0.78F * r, m},
             {0.88F * h, 0.5F * r, m},
             {0.93F * h, 0.62F * r, m},
             {0.985F * h, 0.4F * r, m},
             {h, 0, m}},
            16);
      break;
    case 7:  // a stone, hewn
      tapered(b, {-0.85F * r, -0.85F * r, 0}, {0.85F * r, 0.85F * r, 0.85F * h}, 1.17F,
              id_of(Base::stone));
      tapered(b, {-0.45F * r, -0.45F * r, 0.85F * h}, {0.45F * r, 0.45F * r, h}, 1.85F,
              id_of(Base::stone));
      break;
    default:  // round timber with a band
      lathe(b,
            {{0, r, kWood},
             {0.78F * h, r, kWhite},
             {0.86F * h, r, kWood},
             {h - 0.03F, r, kWood},
             {h, 0.7F * r, kWood},
             {h, 0, kWood}},
            14);
  }
}

void bollard(Builder& b, const ThingStyle& t, Dice& dice) {
  const int n = bollards_in(t.size.x);
  const float d = n > 1 ? t.size.y : std::min(t.size.x, t.size.y), h = t.size.z;
  Geometry one;
  Builder own{one};
  one_bollard(own, t, d / 2, h);
  const auto at = [&](int i) {
    return n > 1 ? -t.size.x / 2 + d / 2 + (t.size.x - d) * f32(i) / f32(n - 1) : 0.0F;
  };
  for (int i = 0; i < n; ++i) b.add(one, {at(i), 0, 0});
  const bool rope = dice.chance(0.3F);
  for (int i = 0; i + 1 < n; ++i) {  // chains hang in parabolas
    const float a = at(i), c = at(i + 1), hang = 0.16F * h;
    constexpr int kLinks = 12;
    const auto point = [&](int k) {
      const float u = f32(k) / kLinks;
      return V3{mix(a, c, u), 0, 0.86F * h - 4 * hang * u * (1 - u)};
    };
    for (int k = 0; k < kLinks; ++k)
      b.tube(point(k), point(k + 1), 0.012F, 0.012F, 5,
             rope         ? id_of(Base::cloth_white)
             : k % 2 == 0 ? kDarkMetal
                          : kGreyMetal);
  }
}

void work_cone(Builder& b, const ThingStyle& t, Dice& dice) {
  const V3 s = t.size;
  const std::uint16_t p = t.paint, w = id_of(Base::cone_white);
  const float r = s.x / 2, h = s.z;
  if (t.make == 5) {  // a beacon: a board with slanting stripes, to both sides
    b.box({-r, -s.y * 0.45F, 0}, {r, s.y * 0.45F, 0.1F}, kPlastic, true);
    b.box({-0.02F, -0.5F * s.y, 0.16F}, {0.02F, 0.5F * s.y, h}, kWhite, true);
    rod(b, {0, 0, 0.08F}, {0, 0, 0.2F}, 0.03F, 6, kGreyMetal);
    b.two_sided = true;
    const bool left = dice.chance(0.5F);
    for (const float x : {-0.024F, 0.024F})
      for (int i = 0; i < 4; ++i) {
        const float z = 0.2F + (h - 0.3F) * f32(i) / 4, up = (h - 0.3F) / 8, y = 0.48F * s.y;
        const float a = left ? z : z + 0.06F, c = left ? z + 0.06F : z;
        b.quad({x, -y, a}, {x, y, c}, {x, y, c + up}, {x, -y, a + up}, kRed);
      }
    b.two_sided = false;
    return;
  }
  if (t.make == 6) {  // a drum
    const float q = 0.86F * r;
    lathe(b,
          {{0, r, kTyre},
           {0.08F, r, kTyre},
           {0.09F, q, p},
           {0.3F * h, q, w},
           {0.44F * h, 0.97F * q, p},
           {0.58F * h, 0.94F * q, w},
           {0.72F * h, 0.9F * q, p},
           {0.93F * h, 0.86F * q, p},
           {0.95F * h, 0.6F * q, p},
           {h, 0.5F * q, p},
           {h, 0, p}},
          18);
    return;
  }
  const float base = std::min(0.05F, 0.08F * h), q = t.make == 4 ? 0.34F * r : 0.72F * r;
  const float tip = t.make == 4 ? 0.24F * r : 0.16F * r;
  const int shape = dice.below(3);
  if (shape == 0)
    b.box({-r, -r, 0}, {r, r, base}, kPlastic, true);
  else
    lathe(b, {{0, r, kPlastic}, {base, r, kPlastic}, {base, 0, kPlastic}}, shape == 1 ? 8 : 20);
  const auto at = [&](float u) { return Ring{mix(base, h, u), mix(q, tip, u), p}; };
  const int bands = t.make == 0 ? dice.below(2) : 1 + dice.below(2);
  std::vector<Ring> rings{at(0)};
  for (int i = 0; i < bands; ++i) {
    Ring from = at(bands == 1 ? 0.42F : 0.30F + 0.36F * f32(i));
    from.material = w;
    rings.push_back(from);
    rings.push_back(at(bands == 1 ? 0.72F : 0.50F + 0.34F * f32(i)));
  }
  rings.push_back(at(1));
  rings.push_back({h, 0, p});
  lathe(b, rings, 18);
}

/// The face to -x.
void parking_meter(Builder& b, const ThingStyle& t) {
  const V3 s = t.size;
  const float x = s.x / 2, y = s.y / 2;
  if (t.make < 2) {
    const int heads = t.make + 1;
    const float z = 0.76F * s.z, hy = heads == 1 ? y : 0.46F * s.y / 2;
    lathe(b,
          {{0, 0.07F, kGreyMetal},
           {0.02F, 0.07F, kGreyMetal},
           {0.03F, 0.032F, kGreyMetal},
           {z, 0.03F, kGreyMetal}},
          10);
    if (heads == 2) b.box({-0.03F, -0.6F * y, z - 0.05F}, {0.03F, 0.6F * y, z}, kGreyMetal, true);
    for (int i = 0; i < heads; ++i) {
      const float at = heads == 1 ? 0 : (i == 0 ? -1.0F : 1.0F) * (y - hy), r = x;
      b.box({-r, at - hy, z}, {r, at + hy, 0.9F * s.z}, t.paint, true);
      for (int k = 0; k < 8; ++k) {  // a round top
        const float a = 3.14159F * f32(k) / 8, c = 3.14159F * f32(k + 1) / 8, h = 0.1F * s.z;
        const V3 p{0, hy * std::cos(a), 0.9F * s.z + h * std::sin(a)},
            q{0, hy * std::cos(c), 0.9F * s.z + h * std::sin(c)};
        b.quad({-r, at + q.y, q.z}, {-r, at + p.y, p.z}, {r, at + p.y, p.z}, {r, at + q.y, q.z},
               t.paint);
        for (const float side : {-r, r})
          side < 0 ? b.triangle({side, at, 0.9F * s.z}, {side, at + q.y, q.z},
                                {side, at + p.y, p.z}, kPlastic)
                   : b.triangle({side, at, 0.9F * s.z}, {side, at + p.y, p.z},
                                {side, at + q.y, q.z}, kPlastic);
      }
      b.box({-r - 0.003F, at - 0.6F * hy, z + 0.05F}, {-r, at + 0.6F * hy, z + 0.12F}, kWhite,
            true);
    }
    return;
  }
  const float top = t.make == 3 ? 0.82F * s.z : s.z;
  b.box({-0.8F * x, -0.9F * y, 0}, {0.8F * x, 0.9F * y, top}, t.paint);
  b.box({-0.84F * x, -0.6F * y, 0.62F * s.z}, {-0.78F * x, 0.6F * y, 0.74F * s.z}, kPlastic, true);
  b.box({-0.84F * x, -0.7F * y, 0.76F * s.z}, {-0.78F * x, 0.7F * y, 0.81F * s.z},
        id_of(Base::sign_face_blue), true);
  b.box({-x, -y, top - 0.04F}, {x, y, top}, kGreyMetal, true);
  b.box({-0.86F * x, -0.4F * y, 0.45F * s.z}, {-0.78F * x, 0.4F * y, 0.52F * s.z}, kGreyMetal,
        true);
  if (t.make == 3) {  // a solar panel on its mast
    rod(b, {0, 0, top}, {0, 0, s.z - 0.06F}, 0.025F, 6, kGreyMetal);
    b.box({-x, -y, s.z - 0.06F}, {x, y, s.z}, kPlastic, true);
  }
}

void advertising_column(Builder& b, const ThingStyle& t, Dice& dice) {
  const float r = t.size.x / 2, h = t.size.z, body = 0.86F * r, z0 = 0.1F * h, z1 = 0.82F * h;
  lathe(b,
        {{0, 0.93F * r, id_of(Base::stone)},
         {z0, 0.93F * r, id_of(Base::stone)},
         {z0, body, id_of(Base::stone)}},
        24);
  constexpr int kBills = 10;
  for (int i = 0; i < kBills; ++i) {
    const float w0 = kTau * f32(i) / kBills, w1 = kTau * f32(i + 1) / kBills;
    const V3 a{body * std::cos(w0), body * std::sin(w0), 0},
        c{body * std::cos(w1), body * std::sin(w1), 0};
    const float from = dice.unit(), split = mix(z0, z1, dice.between(0.3F, 0.7F));
    const bool person = t.picture != 0 && dice.chance(0.3F);
    const auto bill = [&](float low, float high, std::uint16_t m, float u0, float u1) {
      b.picture(a + V3{0, 0, low}, c + V3{0, 0, low}, c + V3{0, 0, high}, a + V3{0, 0, high}, m, u0,
                u1);
    };
    if (person) {
      bill(z0, z1, t.picture, 0, 1);
      continue;
    }
    bill(z0, split, id_of(Base::shop), from, from + 0.2F);
    bill(split, z1, id_of(dice.chance(0.5F) ? Base::shop_sign_a : Base::shop_sign_b), from,
         from + 0.3F);
  }
  if (t.make == 1)
    lathe(b,
          {{z1, body, t.paint},
           {z1, r, t.paint},
           {h - 0.05F, r, t.paint},
           {h, 0.94F * r, t.paint},
           {h, 0, t.paint}},
          24);
  else
    lathe(b,
          {{z1, body, t.paint},
           {z1, r, t.paint},
           {0.87F * h, r, t.paint},
           {0.88F * h, 0.85F * r, t.paint},
           {0.94F * h, 0.45F * r, t.paint},
           {0.98F * h, 0.08F * r, t.paint},
           {h, 0.05F * r, t.paint},
           {h, 0, t.paint}},
          24);
}

/// The slot to -x.
void post_box(Builder& b, const ThingStyle& t) {
  const V3 s = t.size;
  const float x = s.x / 2, y = s.y / 2, h = s.z;
  const std::uint16_t p = t.paint;
  if (t.make == 0) {  // a pillar
    lathe(b,
          {{0, x, kPlastic},
           {0.12F, x, kPlastic},
           {0.13F, 0.88F * x, p},
           {0.82F * h, 0.88F * x, p},
           {0.83F * h, x, p},
           {0.87F * h, x, p},
           {0.93F * h, 0.86F * x, p},
           {0.98F * h, 0.4F * x, p},
           {h, 0, p}},
          20);
    b.box({-0.93F * x, -0.35F * y, 0.75F * h}, {-0.84F * x, 0.35F * y, 0.78F * h}, kPlastic, true);
    b.box({-0.92F * x, -0.25F * y, 0.55F * h}, {-0.82F * x, 0.25F * y, 0.68F * h}, kWhite, true);
  } else if (t.make == 2) {  // a box with a round top, on four feet
    const float z = 0.72F * h;
    for (const float a : {-0.8F * x, 0.8F * x})
      for (const float c : {-0.8F * y, 0.8F * y})
        b.box({a - 0.03F, c - 0.03F, 0}, {a + 0.03F, c + 0.03F, 0.16F}, p);
    b.box({-x, -y, 0.14F}, {x, y, z}, p, true);
    for (int k = 0; k < 10; ++k) {
      const float a = 3.14159F * f32(k) / 10, c = 3.14159F * f32(k + 1) / 10, up = h - z;
      const V3 u{x * std::cos(a), 0, z + up * std::sin(a)},
          v{x * std::cos(c), 0, z + up * std::sin(c)};
      b.quad({u.x, -y, u.z}, {u.x, y, u.z}, {v.x, y, v.z}, {v.x, -y, v.z}, p);
      b.triangle({0, y, z}, {v.x, y, v.z}, {u.x, y, u.z}, p);
      b.triangle({0, -y, z}, {u.x, -y, u.z}, {v.x, -y, v.z}, p);
    }
    b.box({-1.02F * x, -0.7F * y, z - 0.02F}, {-x, 0.7F * y, z + 0.08F}, kGreyMetal, true);
  } else {  // a box or two on posts
    const int n = t.make == 3 ? 2 : 1;
    for (int i = 0; i < n; ++i) {
      const float half = y / f32(n) - (n > 1 ? 0.01F : 0),
                  at = n == 1 ? 0 : (i == 0 ? -y / 2 : y / 2);
      rod(b, {0, at, 0}, {0, at, 0.52F * h}, 0.045F, 10, kDarkMetal);
      b.box({-x, at - half, 0.5F * h}, {x, at + half, 0.94F * h}, p, true);
      tapered(b, {-0.8F * x, at - 0.85F * half, 0.94F * h}, {0.8F * x, at + 0.85F * half, h}, 1.22F,
              p);
      b.box({-1.03F * x, at - 0.7F * half, 0.80F * h}, {-0.97F * x, at + 0.7F * half, 0.85F * h},
            kPlastic, true);
      b.box({-1.01F * x, at - 0.5F * half, 0.6F * h}, {-0.99F * x, at + 0.5F * half, 0.74F * h},
            kWhite, true);
    }
  }
}

void flower_tub(Builder& b, const ThingStyle& t, Dice& dice) {
  const V3 s = t.size;
  const float x = s.x / 2, y = s.y / 2;
  const bool square = t.make == 1 || t.make == 3 || t.make == 5;
  const float rim = t.make == 5 ? 0.42F : 0.5F * s.z;
  const std::uint16_t m = t.make == 1 || t.make == 4 ? kWood : t.paint, soil = id_of(Base::soil);
  if (square) {
    tapered(b, {-x, -y, 0.03F}, {x, y, rim - 0.05F}, 0.88F, m);
    b.box({-x, -y, rim - 0.06F}, {x, y, rim}, m, true);
    b.box({-0.9F * x, -0.9F * y, rim}, {0.9F * x, 0.9F * y, rim + 0.01F}, soil);
    for (const float a : {-0.6F * x, 0.6F * x})
      b.box({a - 0.05F, -0.6F * y, 0}, {a + 0.05F, 0.6F * y, 0.04F}, kDarkMetal);
  } else {
    lathe(b,
          {{0, 0.72F * x, m},
           {0.4F * rim, 0.86F * x, t.make == 4 ? kDarkMetal : m},
           {0.5F * rim, 0.9F * x, m},
           {rim - 0.08F, 0.96F * x, m},
           {rim - 0.07F, x, m},
           {rim, x, m},
           {rim, 0.85F * x, m},
           {rim - 0.03F, 0.84F * x, soil},
           {rim - 0.03F, 0, soil}},
          22);
  }
  if (t.make == 5) {  // a clipped conifer
    b.tube({0, 0, rim}, {0, 0, rim + 0.3F}, 0.03F, 0.03F, 6, id_of(Base::bark));
    lathe(b,
          {{rim + 0.12F, 0, id_of(Base::hedge)},
           {rim + 0.2F, 0.8F * x, id_of(Base::hedge)},
           {mix(rim, s.z, 0.5F), 0.62F * x, id_of(Base::hedge)},
           {mix(rim, s.z, 0.9F), 0.2F * x, id_of(Base::hedge)},
           {s.z, 0, id_of(Base::hedge)}},
          14);
    return;
  }
  const int plants = t.make == 3 ? 5 : 4;
  constexpr Base kFlowers[] = {Base::fruit_red, Base::line_yellow, Base::flower_pink,
                               Base::sign_face_white, Base::fruit_orange};
  const std::uint16_t flower = id_of(kFlowers[dice.below(5)]);
  for (int i = 0; i < plants; ++i) {
    const float w = kTau * f32(i) / f32(plants) + dice.unit();
    const V3 at = t.make == 3 ? V3{x * (f32(i) - 2) * 0.4F, 0, rim}
                              : V3{0.42F * x * std::cos(w), 0.42F * y * std::sin(w), rim};
    const float up = (s.z - rim) * dice.between(0.6F, 0.9F);
    const V3 r{std::min(0.42F * x, 0.28F), std::min(0.6F * y, 0.28F), 0.5F * up};
    b.ball(at + V3{0, 0, 0.45F * up}, r, 6, id_of(Base::hedge));
    for (int k = 0; k < 9; ++k) {
      const float a = kTau * dice.unit(), c = std::acos(dice.between(0.0F, 1.0F));
      const V3 d{std::sin(c) * std::cos(a), std::sin(c) * std::sin(a), std::cos(c)};
      b.ball(at + V3{0, 0, 0.45F * up} + V3{r.x * d.x, r.y * d.y, r.z * d.z},
             {0.04F, 0.04F, 0.035F}, 4, flower);
    }
  }
  b.ball({0, 0, rim + 0.55F * (s.z - rim)}, {0.25F * x, 0.25F * y, 0.45F * (s.z - rim)}, 6,
         id_of(Base::hedge));
}

void football(Builder& b, const ThingStyle& t) {
  // Twelve dark patches round the corners of an icosahedron.
  constexpr float kG = 1.618034F;
  std::vector<V3> patches;
  for (const float a : {-1.0F, 1.0F})
    for (const float c : {-kG, kG}) {
      patches.push_back(unit(V3{0, a, c}));
      patches.push_back(unit(V3{a, c, 0}));
      patches.push_back(unit(V3{c, 0, a}));
    }
  const float r = t.size.x / 2;
  constexpr int kRings = 16, kSides = 32;
  std::uint32_t first = 0;
  const auto direction_at = [](float j, float i) {
    const float a = 3.14159265F * j / kRings, w = kTau * i / kSides;
    return V3{std::sin(a) * std::cos(w), std::sin(a) * std::sin(w), std::cos(a)};
  };
  for (int j = 0; j <= kRings; ++j)
    for (int i = 0; i <= kSides; ++i) {
      const V3 d = direction_at(f32(j), f32(i));
      const std::uint32_t c = b.corner(V3{0, 0, r} + r * d, d, 0, 0);
      if (i == 0 && j == 0) first = c;
    }
  const auto corner = [&](int j, int i) {
    return first + static_cast<std::uint32_t>(j * (kSides + 1) + i);
  };
  for (int j = 0; j < kRings; ++j)
    for (int i = 0; i < kSides; ++i) {
      const V3 d = direction_at(f32(j) + 0.5F, f32(i) + 0.5F);
      bool dark = false;
      for (const V3& p : patches) dark = dark || dot(p, d) > 0.93F;
      const std::uint16_t m = dark && t.make != 2 ? kPlastic : t.paint;
      if (j > 0) b.face(corner(j, i), corner(j + 1, i), corner(j, i + 1), m);
      if (j + 1 < kRings) b.face(corner(j + 1, i), corner(j + 1, i + 1), corner(j, i + 1), m);
    }
}

/// The shop's window without its dolls: open to -x.
void shop_window(Builder& b, const ThingStyle& t) {
  const V3 s = t.size;
  const float x = s.x / 2, y = s.y / 2, sill = 0.16F * s.z, head = 0.93F * s.z;
  b.box({-x, -y, 0}, {x, y, sill}, t.paint);
  b.box({-x, -y, head}, {x, y, s.z}, id_of(Base::shop_sign_c), true);
  for (const float side : {-1.0F, 1.0F})
    b.box({-x, side < 0 ? -y : y - 0.08F, sill}, {-x + 0.1F, side < 0 ? -y + 0.08F : y, head},
          t.paint);
  b.box({x - 0.04F, -y, sill}, {x, y, head}, id_of(Base::plaster_cream), true);
  for (const float side : {-1.0F, 1.0F})
    b.box({-x + 0.1F, side < 0 ? -y : y - 0.03F, sill},
          {x - 0.04F, side < 0 ? -y + 0.03F : y, head}, id_of(Base::plaster_white));
  for (int i = 1; i <= t.make; ++i) {  // a bar between the panes, one for each doll
    const float at = s.y * (f32(i) / f32(t.make + 1) - 0.5F);
    b.box({-x, at - 0.02F, sill}, {-x + 0.05F, at + 0.02F, head}, t.paint);
  }
}

/// The picture to -x; a foot behind it.
void cardboard_figure(Builder& b, const ThingStyle& t) {
  const V3 s = t.size;
  const float y = s.y / 2, x = -s.x / 2 + 0.004F;
  b.picture({x, y, 0}, {x, -y, 0}, {x, -y, s.z}, {x, y, s.z}, t.picture);
  b.picture({x + 0.006F, -y, 0}, {x + 0.006F, y, 0}, {x + 0.006F, y, s.z}, {x + 0.006F, -y, s.z},
            t.back);
  b.two_sided = true;
  b.triangle({x + 0.006F, 0, 0}, {s.x / 2, 0, 0}, {x + 0.006F, 0, 0.55F * s.z}, t.paint);
  b.two_sided = false;
  b.box({x + 0.002F, -y, 0}, {x + 0.005F, y, 0.02F}, t.paint, true);
}

}  // namespace

void build_thing(Builder& out, const ThingStyle& style) {
  Dice dice{style.seed};
  Geometry made;
  Builder b{made};
  switch (style.kind) {
    case PropKind::scaffolding:
      scaffolding(b, style, dice);
      break;
    case PropKind::market_stall:
      market_stall(b, style, dice);
      break;
    case PropKind::shelter:
      shelter(b, style, dice);
      break;
    case PropKind::trolley:
      trolley(b, style);
      break;
    case PropKind::wheelie_bin:
      wheelie_bin(b, style, dice);
      break;
    case PropKind::bollard:
      bollard(b, style, dice);
      break;
    case PropKind::work_cone:
      work_cone(b, style, dice);
      break;
    case PropKind::parking_meter:
      parking_meter(b, style);
      break;
    case PropKind::advertising_column:
      advertising_column(b, style, dice);
      break;
    case PropKind::post_box:
      post_box(b, style);
      break;
    case PropKind::flower_tub:
      flower_tub(b, style, dice);
      break;
    case PropKind::shop_window:
      shop_window(b, style);
      break;
    case PropKind::cardboard_figure:
      cardboard_figure(b, style);
      break;
    case PropKind::football:
      football(b, style);
      break;
    default:
      return;
  }
  fit(made, style.size);
  out.add(made, {});
}

void fit(Geometry& made, V3 size) {
  if (made.corners.empty()) return;
  V3 low = made.corners.front().p, high = low;
  for (const Corner& c : made.corners) {
    low = {std::min(low.x, c.p.x), std::min(low.y, c.p.y), std::min(low.z, c.p.z)};
    high = {std::max(high.x, c.p.x), std::max(high.y, c.p.y), std::max(high.z, c.p.z)};
  }
  const V3 k{size.x / std::max(high.x - low.x, 1e-4F), size.y / std::max(high.y - low.y, 1e-4F),
             size.z / std::max(high.z - low.z, 1e-4F)};
  for (Corner& c : made.corners) {
    c.p = {(c.p.x - (low.x + high.x) / 2) * k.x, (c.p.y - (low.y + high.y) / 2) * k.y,
           (c.p.z - low.z) * k.z};
    c.n = unit(V3{c.n.x / k.x, c.n.y / k.y, c.n.z / k.z});
  }
}

}  // namespace kerb::sim
