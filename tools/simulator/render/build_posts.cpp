// SPDX-License-Identifier: Apache-2.0
// What stands upright at a kerb: bollards, things of road works, parking meters, post boxes.
#include "tools/simulator/base/things.hpp"
#include "tools/simulator/render/build_things.hpp"

namespace kerb::sim::things {

namespace {

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

}  // namespace

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

}  // namespace kerb::sim::things
