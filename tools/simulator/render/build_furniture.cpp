// SPDX-License-Identifier: Apache-2.0
// What towns put on their pavements: things as tall and as narrow as people, most of them.
#include "tools/simulator/render/parts.hpp"

namespace kerb::sim {
namespace {

constexpr std::uint16_t kBlackPlastic = id_of(Base::black_plastic);

/// For cars, to -x, and for those who cross, to the side.
void traffic_light(Builder& b, Dice& dice) {
  const float top = dice.between(2.9F, 3.4F);
  b.tube({0, 0, 0}, {0, 0, top}, 0.055F, 0.05F, 8, kGreyMetal, true);
  b.box({-0.26F, -0.16F, top - 1.0F}, {-0.06F, 0.16F, top - 0.05F}, kBlackPlastic, true);
  const Base lenses[] = {Base::sign_face_red, Base::under, Base::under};
  for (int i = 0; i < 3; ++i)
    b.tube({-0.24F, 0, top - 0.2F - 0.3F * f32(i)}, {-0.275F, 0, top - 0.2F - 0.3F * f32(i)}, 0.1F,
           0.1F, 12, id_of(lenses[i]), true);
  b.box({-0.14F, 0.07F, top - 1.35F}, {0.14F, 0.25F, top - 0.72F}, kBlackPlastic, true);
  b.box({-0.09F, -0.12F, 0.95F}, {0.09F, -0.05F, 1.2F}, id_of(Base::line_yellow), true);
}

void ticket_machine(Builder& b, Dice& dice) {
  const float h = dice.between(1.5F, 1.75F);
  b.box({-0.17F, -0.2F, 0}, {0.17F, 0.2F, h}, dice.chance(0.5F) ? kGreyMetal : kDarkMetal);
  b.box({-0.185F, -0.13F, h - 0.5F}, {-0.16F, 0.13F, h - 0.25F}, kBlackPlastic, true);
  b.box({-0.19F, -0.16F, h - 0.18F}, {-0.16F, 0.16F, h - 0.04F}, id_of(Base::sign_face_blue), true);
}

void post_box(Builder& b, Dice& dice) {
  const std::uint16_t paint = id_of(dice.chance(0.5F) ? Base::line_yellow : Base::hydrant_red);
  b.tube({0, 0, 0}, {0, 0, 0.75F}, 0.05F, 0.05F, 8, kDarkMetal);
  b.box({-0.2F, -0.24F, 0.72F}, {0.2F, 0.24F, 1.38F}, paint, true);
  b.box({-0.21F, -0.18F, 1.18F}, {-0.19F, 0.18F, 1.24F}, kBlackPlastic, true);
}

void advertising_column(Builder& b, Dice& dice) {
  b.tube({0, 0, 0}, {0, 0, 0.35F}, 0.66F, 0.66F, 20, id_of(Base::stone));
  // Bills of their own all around.
  for (int i = 0; i < 8; ++i) {
    const float w0 = 6.2831853F * f32(i) / 8, w1 = 6.2831853F * f32(i + 1) / 8, r = 0.6F;
    const V3 a{r * std::cos(w0), r * std::sin(w0), 0}, c{r * std::cos(w1), r * std::sin(w1), 0};
    const float from = dice.unit(), split = dice.between(1.1F, 1.8F);
    b.picture(a + V3{0, 0, 0.35F}, c + V3{0, 0, 0.35F}, c + V3{0, 0, split}, a + V3{0, 0, split},
              id_of(Base::shop), from, from + 0.2F);
    b.picture(a + V3{0, 0, split}, c + V3{0, 0, split}, c + V3{0, 0, 2.9F}, a + V3{0, 0, 2.9F},
              id_of(dice.chance(0.5F) ? Base::shop_sign_a : Base::shop_sign_b), from, from + 0.3F);
  }
  b.tube({0, 0, 2.9F}, {0, 0, 3.1F}, 0.72F, 0.66F, 20, kDarkMetal);
  b.tube({0, 0, 3.1F}, {0, 0, 3.6F}, 0.6F, 0.08F, 20, kDarkMetal, true);
}

void wheelie_bins(Builder& b, Dice& dice) {
  const int n = 1 + dice.below(3);
  for (int i = 0; i < n; ++i) {
    const float x = 0.72F * f32(i), h = dice.between(1.0F, 1.12F);
    const std::uint16_t paint = id_of(dice.chance(0.5F) ? Base::bin_green : Base::black_plastic);
    b.box({x - 0.28F, -0.33F, 0.1F}, {x + 0.28F, 0.33F, h - 0.1F}, paint);
    b.box({x - 0.31F, -0.37F, h - 0.1F}, {x + 0.31F, 0.37F, h},
          dice.chance(0.3F) ? id_of(Base::line_yellow) : paint, true);
    b.tube({x - 0.28F, 0.28F, 0.1F}, {x + 0.28F, 0.28F, 0.1F}, 0.1F, 0.1F, 8, kBlackPlastic, true);
  }
}

void chair(Builder& b, float x, float y, float back, std::uint16_t m) {
  b.box({x - 0.2F, y - 0.2F, 0.43F}, {x + 0.2F, y + 0.2F, 0.47F}, m, true);
  b.box({x + back * 0.2F - 0.02F, y - 0.2F, 0.47F}, {x + back * 0.2F + 0.02F, y + 0.2F, 0.88F}, m,
        true);
  for (const float dx : {-0.18F, 0.18F})
    for (const float dy : {-0.18F, 0.18F})
      b.tube({x + dx, y + dy, 0}, {x + dx, y + dy, 0.43F}, 0.015F, 0.015F, 4, kDarkMetal);
}

/// Tables, chairs, and a sunshade that is closed as often as not.
void cafe(Builder& b, Dice& dice) {
  const std::uint16_t m = id_of(dice.chance(0.5F) ? Base::wood : Base::metal_dark);
  b.tube({0, 0, 0}, {0, 0, 0.72F}, 0.03F, 0.03F, 6, kDarkMetal);
  b.tube({0, 0, 0.72F}, {0, 0, 0.75F}, 0.36F, 0.36F, 16, m, true);
  chair(b, 0.6F, 0, 1, m);
  chair(b, -0.6F, 0, -1, m);
  const float y = 0.55F, h = dice.between(2.2F, 2.6F);
  const std::uint16_t cloth = id_of(dice.chance(0.5F) ? Base::awning : Base::hydrant_red);
  b.tube({0, y, 0}, {0, y, h}, 0.025F, 0.025F, 6, id_of(Base::wood));
  if (dice.chance(0.5F)) {
    b.tube({0, y, 0.85F}, {0, y, 1.15F}, 0.1F, 0.17F, 10, cloth);
    b.tube({0, y, 1.15F}, {0, y, h}, 0.17F, 0.05F, 10, cloth, true);
  } else {
    b.two_sided = true;
    b.tube({0, y, h - 0.4F}, {0, y, h}, 1.25F, 0.05F, 8, cloth);
    b.two_sided = false;
  }
}

void sandwich_board(Builder& b, Dice& dice) {
  b.two_sided = true;
  const float h = dice.between(0.95F, 1.2F), w = 0.32F, from = dice.unit();
  const std::uint16_t face = id_of(dice.chance(0.5F) ? Base::shop : Base::shop_sign_c);
  b.picture({-0.25F, w, 0}, {-0.25F, -w, 0}, {0, -w, h}, {0, w, h}, face, from, from + 0.25F);
  b.picture({0.25F, -w, 0}, {0.25F, w, 0}, {0, w, h}, {0, -w, h}, face, from, from + 0.25F);
  b.two_sided = false;
}

void scooter(Builder& b, Dice& dice) {
  constexpr Base kPaints[] = {Base::hydrant_red, Base::metal_dark, Base::frame_white,
                              Base::metal_green};
  const std::uint16_t paint = id_of(kPaints[dice.below(4)]);
  for (const float x : {-0.6F, 0.62F})
    b.tube({x, -0.05F, 0.23F}, {x, 0.05F, 0.23F}, 0.23F, 0.23F, 14, id_of(Base::tyre), true);
  b.ball({-0.45F, 0, 0.5F}, {0.42F, 0.17F, 0.22F}, 6, paint);
  b.ball({-0.38F, 0, 0.76F}, {0.36F, 0.14F, 0.07F}, 5, kBlackPlastic);
  b.box({-0.2F, -0.16F, 0.27F}, {0.3F, 0.16F, 0.34F}, kBlackPlastic, true);
  b.box({0.28F, -0.19F, 0.3F}, {0.36F, 0.19F, 0.88F}, paint, true);
  b.tube({0.62F, 0, 0.23F}, {0.38F, 0, 1.02F}, 0.04F, 0.04F, 6, kGreyMetal);
  b.tube({0.36F, -0.32F, 1.02F}, {0.36F, 0.32F, 1.02F}, 0.02F, 0.02F, 6, kBlackPlastic);
  b.ball({0.42F, 0, 0.98F}, {0.09F, 0.1F, 0.1F}, 5, paint);
}

}  // namespace

void build_furniture(Builder& b, Furniture kind, std::uint64_t seed) {
  Dice dice{seed};
  switch (kind) {
    case Furniture::traffic_light:
      return traffic_light(b, dice);
    case Furniture::ticket_machine:
      return ticket_machine(b, dice);
    case Furniture::post_box:
      return post_box(b, dice);
    case Furniture::advertising_column:
      return advertising_column(b, dice);
    case Furniture::wheelie_bins:
      return wheelie_bins(b, dice);
    case Furniture::cafe:
      return cafe(b, dice);
    case Furniture::sandwich_board:
      return sandwich_board(b, dice);
    case Furniture::scooter:
      return scooter(b, dice);
  }
}

}  // namespace kerb::sim
