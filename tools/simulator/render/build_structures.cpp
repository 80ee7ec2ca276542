// SPDX-License-Identifier: Apache-2.0
// What people walk under or stand in: scaffolding, market stalls, shelters of bus stops.
#include "tools/simulator/base/things.hpp"
#include "tools/simulator/render/build_things.hpp"

namespace kerb::sim::things {

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

}  // namespace kerb::sim::things
