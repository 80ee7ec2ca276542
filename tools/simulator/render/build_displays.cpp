// SPDX-License-Identifier: Apache-2.0
// What shows people who are none: advertising columns, shop windows, cardboard figures.
#include "tools/simulator/render/build_things.hpp"

namespace kerb::sim::things {

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

}  // namespace kerb::sim::things
