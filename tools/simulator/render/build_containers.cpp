// SPDX-License-Identifier: Apache-2.0
// What is filled: trolleys, wheelie bins, flower tubs.
#include "tools/simulator/render/build_things.hpp"

namespace kerb::sim::things {

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

}  // namespace kerb::sim::things
