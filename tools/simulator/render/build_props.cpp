// SPDX-License-Identifier: Apache-2.0
// What stands about in streets.
#include "tools/simulator/base/things.hpp"
#include "tools/simulator/render/parts.hpp"

namespace kerb::sim {
namespace {

void disc(Builder& b, V3 middle, float r, std::uint16_t m, int sides) {  // looks to -x
  const std::uint32_t c = b.corner(middle, {-1, 0, 0}, 0, 0);
  std::uint32_t last = 0;
  for (int i = 0; i <= sides; ++i) {
    const float w = 6.2831853F * f32(i) / f32(sides) + (sides == 3 ? 1.5708F : 0.0F);
    const std::uint32_t k =
        b.corner(middle + V3{0, r * std::cos(w), r * std::sin(w)}, {-1, 0, 0}, 0, 0);
    if (i > 0) b.face(c, k, last, m);
    last = k;
  }
}

/// Boards look back along the street, to whoever comes.
void sign_board(Builder& b, V3 s, Dice& dice) {
  b.tube({0, 0, 0}, {0, 0, s.z}, 0.032F, 0.032F, 8, kGreyMetal, true);
  b.two_sided = true;
  const float z = s.z - 0.34F, x = -0.045F;
  const int kind = dice.below(4);
  if (kind == 0) {  // prohibition
    disc(b, {x, 0, z}, 0.32F, id_of(Base::sign_face_red), 20);
    disc(b, {x - 0.006F, 0, z}, 0.23F, id_of(Base::sign_face_white), 20);
  } else if (kind == 1) {  // warning
    disc(b, {x, 0, z - 0.06F}, 0.42F, id_of(Base::sign_face_red), 3);
    disc(b, {x - 0.006F, 0, z - 0.06F}, 0.27F, id_of(Base::sign_face_white), 3);
  } else if (kind == 2) {
    disc(b, {x, 0, z}, 0.31F, id_of(Base::sign_face_blue), 20);
  } else {
    b.quad({x, 0.32F, z - 0.3F}, {x, -0.32F, z - 0.3F}, {x, -0.32F, z + 0.3F}, {x, 0.32F, z + 0.3F},
           id_of(Base::sign_face_blue));
  }
  if (dice.chance(0.35F))
    b.quad({x, 0.3F, z - 0.62F}, {x, -0.3F, z - 0.62F}, {x, -0.3F, z - 0.42F}, {x, 0.3F, z - 0.42F},
           id_of(Base::sign_face_white));
  b.two_sided = false;
}

void lamp_post(Builder& b, V3 s) {
  b.tube({0, 0, 0}, {0, 0, 1.1F}, 0.095F, 0.085F, 10, kGreyMetal);
  b.tube({0, 0, 1.1F}, {0, 0, s.z - 0.4F}, 0.065F, 0.045F, 8, kGreyMetal);
  const V3 l = lantern_of(s);
  b.tube({0, 0, s.z - 0.4F}, {l.x * 0.7F, l.y * 0.7F, s.z}, 0.04F, 0.035F, 6, kGreyMetal);
  b.box({l.x - 0.14F, l.y - 0.35F, l.z}, {l.x + 0.14F, l.y + 0.3F, l.z + 0.14F}, kGreyMetal);
  b.quad({l.x - 0.1F, l.y + 0.25F, l.z - 0.01F}, {l.x + 0.1F, l.y + 0.25F, l.z - 0.01F},
         {l.x + 0.1F, l.y - 0.3F, l.z - 0.01F}, {l.x - 0.1F, l.y - 0.3F, l.z - 0.01F},
         id_of(Base::lamp_glass));
}

void bench(Builder& b, V3 s) {
  for (int i = 0; i < 3; ++i) {
    const float y = -s.y / 2 + 0.16F * f32(i);
    b.box({-s.x / 2, y, 0.43F}, {s.x / 2, y + 0.12F, 0.46F}, id_of(Base::wood), true);
  }
  for (int i = 0; i < 2; ++i) {
    const float z = 0.56F + 0.16F * f32(i);
    b.box({-s.x / 2, s.y / 2 - 0.05F, z}, {s.x / 2, s.y / 2 - 0.01F, z + 0.11F}, id_of(Base::wood),
          true);
  }
  for (const float x : {-0.4F * s.x, 0.4F * s.x}) {
    b.box({x - 0.03F, -s.y / 2, 0}, {x + 0.03F, -s.y / 2 + 0.06F, 0.43F}, kDarkMetal);
    b.box({x - 0.03F, s.y / 2 - 0.06F, 0}, {x + 0.03F, s.y / 2, 0.82F}, kDarkMetal);
  }
}

void bicycle(Builder& b, V3 s, std::uint16_t paint) {
  const float r = 0.33F, wb = s.x / 2 - r;
  b.two_sided = true;
  for (const float x : {-wb, wb})
    b.picture({x - r, 0, 0}, {x + r, 0, 0}, {x + r, 0, 2 * r}, {x - r, 0, 2 * r},
              id_of(Base::spokes));
  b.two_sided = false;
  const V3 rear{-wb, 0, r}, front{wb, 0, r}, crank{-0.08F, 0, 0.28F}, seat{-0.22F, 0, 0.82F},
      head{wb - 0.16F, 0, 0.85F};
  const auto rod = [&](V3 a, V3 c, float t) { b.tube(a, c, t, t, 5, paint); };
  rod(rear, crank, 0.012F);
  rod(rear, seat, 0.012F);
  rod(crank, seat, 0.018F);
  rod(crank, head, 0.02F);
  rod(seat + V3{0, 0, -0.1F}, head + V3{0, 0, 0.03F}, 0.018F);
  rod(head, front, 0.016F);
  rod(head, head + V3{-0.03F, 0, 0.2F}, 0.014F);
  b.tube(head + V3{-0.02F, -0.28F, 0.2F}, head + V3{-0.02F, 0.28F, 0.2F}, 0.014F, 0.014F, 5,
         kDarkMetal);
  b.ball(seat + V3{0, 0, 0.1F}, {0.13F, 0.07F, 0.035F}, 4, id_of(Base::black_plastic));
}

}  // namespace

V3 drawn_size(PropKind kind) { return to_v3(usual_size(kind)); }

V3 lantern_of(V3 size) { return {0, -1.1F, size.z + 0.02F}; }  // out to its right

void build_prop(Builder& b, PropKind kind, V3 s, std::uint16_t paint, std::uint64_t seed) {
  Dice dice{seed};
  const V3 usual = drawn_size(kind);
  if (s.x <= 0) s.x = usual.x;
  if (s.y <= 0) s.y = usual.y;
  if (s.z <= 0) s.z = usual.z;
  switch (kind) {
    case PropKind::car:
    case PropKind::van:
    case PropKind::truck:
      build_vehicle(b, {kind, s, paint, seed});
      break;
    case PropKind::bicycle:
      bicycle(b, s, paint);
      break;
    case PropKind::pole:
      b.tube({0, 0, 0}, {0, 0, s.z}, s.x / 2, s.x / 2 * 0.9F, 10, paint, true);
      break;
    case PropKind::lamp_post:
      lamp_post(b, s);
      break;
    case PropKind::cone: {
      b.box({-s.x / 2, -s.y / 2, 0}, {s.x / 2, s.y / 2, 0.04F}, id_of(Base::black_plastic));
      const float r = s.x * 0.36F;
      const auto ring = [&](float a, float c, Base m) {
        b.tube({0, 0, mix(0.04F, s.z, a)}, {0, 0, mix(0.04F, s.z, c)}, mix(r, 0.03F, a),
               mix(r, 0.03F, c), 14, id_of(m), c >= 1);
      };
      ring(0, 0.3F, Base::cone_orange);
      ring(0.3F, 0.5F, Base::cone_white);
      ring(0.5F, 0.68F, Base::cone_orange);
      ring(0.68F, 0.82F, Base::cone_white);
      ring(0.82F, 1, Base::cone_orange);
      break;
    }
    case PropKind::sign:
      sign_board(b, s, dice);
      break;
    case PropKind::tree:
      build_tree(b, b, s.z, std::max(s.x, s.y) / 2,
                 static_cast<std::uint16_t>(id_of(Base::leaves_a) + dice.below(3)), seed, 900);
      break;
    case PropKind::bush:
      build_bush(b, s, seed, 220);
      break;
    case PropKind::bin:
      b.tube({0, 0, 0.08F}, {0, 0, s.z - 0.1F}, s.x * 0.42F, s.x / 2, 14, paint);
      b.tube({0, 0, s.z - 0.1F}, {0, 0, s.z}, s.x / 2 * 1.05F, s.x * 0.35F, 14,
             id_of(Base::black_plastic), true);
      b.tube({0, 0, 0}, {0, 0, 0.1F}, 0.06F, 0.06F, 6, kDarkMetal);
      break;
    case PropKind::wall:
      b.box({-s.x / 2, -s.y / 2, 0}, {s.x / 2, s.y / 2, s.z}, paint);
      b.box({-s.x / 2 - 0.03F, -s.y / 2 - 0.05F, s.z},
            {s.x / 2 + 0.03F, s.y / 2 + 0.05F, s.z + 0.08F}, id_of(Base::stone), true);
      break;
    case PropKind::barrier:
      for (const float z : {0.18F, s.z - 0.05F})
        b.tube({-s.x / 2, 0, z}, {s.x / 2, 0, z}, 0.021F, 0.021F, 7, paint);
      for (int i = 0; i <= 16; ++i) {
        const float x = s.x * (f32(i) / 16 - 0.5F);
        b.tube({x, 0, 0.18F}, {x, 0, s.z - 0.05F}, 0.009F, 0.009F, 5, paint);
      }
      for (const float x : {-s.x / 2, s.x / 2}) {
        b.tube({x, 0, 0}, {x, 0, s.z}, 0.021F, 0.021F, 7, paint);
        b.box({x - 0.03F, -0.3F, 0}, {x + 0.03F, 0.3F, 0.03F}, kDarkMetal);
      }
      break;
    case PropKind::bench:
      bench(b, s);
      break;
    case PropKind::poster: {  // the picture looks along -x: to whoever comes along the street
      b.box({-0.05F, -s.y / 2, 0.35F}, {0.05F, s.y / 2, s.z}, id_of(Base::poster_frame), true);
      for (const float y : {-0.4F * s.y, 0.4F * s.y})
        b.box({-0.04F, y - 0.04F, 0}, {0.04F, y + 0.04F, 0.35F}, id_of(Base::poster_frame));
      const float l = s.y / 2 - 0.06F, z0 = 0.41F, z1 = s.z - 0.06F;
      b.picture({-0.055F, l, z0}, {-0.055F, -l, z0}, {-0.055F, -l, z1}, {-0.055F, l, z1}, paint);
      b.picture({0.055F, -l, z0}, {0.055F, l, z0}, {0.055F, l, z1}, {0.055F, -l, z1}, paint);
      break;
    }
    case PropKind::hydrant:
      b.tube({0, 0, 0}, {0, 0, s.z * 0.75F}, s.x * 0.33F, s.x * 0.33F, 12,
             id_of(Base::hydrant_red));
      b.ball({0, 0, s.z * 0.76F}, {s.x * 0.36F, s.x * 0.36F, s.z * 0.22F}, 6,
             id_of(Base::hydrant_red));
      b.tube({0, -s.x / 2, s.z * 0.5F}, {0, s.x / 2, s.z * 0.5F}, 0.06F, 0.06F, 8,
             id_of(Base::hydrant_red), true);
      break;
    default:  // of build_things.hpp
      break;
  }
}

}  // namespace kerb::sim
