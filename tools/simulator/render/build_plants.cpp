// SPDX-License-Identifier: Apache-2.0
// Trees: a trunk that forks, and a crown of cards with leaves on them, lit as a ball of clumps.
#include "tools/simulator/render/parts.hpp"

namespace kerb::sim {
namespace {

/// A square of leaves, lit as if it were part of the crown's outside.
void card(Builder& b, V3 place, float size, V3 normal, float shade, Dice& dice, std::uint16_t m) {
  const V3 axis = unit(V3{dice.bell(), dice.bell(), dice.bell() + 0.01F});
  const V3 side = unit(cross(axis, std::abs(axis.z) > 0.8F ? V3{1, 0, 0} : V3{0, 0, 1}));
  const V3 up = cross(axis, side);
  const V3 s = (0.5F * size) * side, u = (0.5F * size) * up;
  const std::uint32_t i = b.corner(place - s - u, normal, 0, 0, shade);
  b.corner(place + s - u, normal, 1, 0, shade);
  b.corner(place + s + u, normal, 1, 1, shade);
  b.corner(place - s + u, normal, 0, 1, shade);
  b.face(i, i + 1, i + 2, m);
  b.face(i, i + 2, i + 3, m);
}

struct Clump {
  V3 at;
  float radius;
};

void fill(Builder& b, const Clump* clumps, int n, V3 middle, int cards, float size, Dice& dice,
          std::uint16_t m) {
  for (int i = 0; i < cards; ++i) {
    const Clump& c = clumps[i % n];
    const V3 d = unit(V3{dice.bell(), dice.bell(), dice.bell() + 0.001F});
    const float r = c.radius * std::sqrt(dice.unit());
    const V3 p = c.at + r * d;
    const V3 out = unit(0.6F * d + 0.5F * unit(p - middle) + V3{0, 0, 0.15F});
    const float deep = r / c.radius;
    const float shade = (0.30F + 0.55F * deep) * (0.75F + 0.25F * d.z) * dice.between(0.7F, 1.15F);
    card(b, p, size * dice.between(0.7F, 1.3F), out, shade, dice, m);
  }
}

}  // namespace

void build_tree(Builder& trunk, Builder& crown, float height, float spread, std::uint16_t leaves,
                std::uint64_t seed, int cards) {
  Dice dice{seed};
  const std::uint16_t bark = id_of(Base::bark);
  const float r = 0.028F * height * dice.between(0.8F, 1.2F),
              fork = height * dice.between(0.26F, 0.36F);
  const V3 lean{dice.between(-0.04F, 0.04F) * fork, dice.between(-0.04F, 0.04F) * fork, fork};
  trunk.shade = 0.75F;
  trunk.tube({0, 0, -0.05F}, {0.02F, 0, 0.35F}, r * 1.35F, r, 9, bark);
  trunk.tube({0.02F, 0, 0.35F}, lean, r, r * 0.8F, 9, bark);
  Clump clumps[16];
  const int n = 9 + dice.below(6);
  const V3 middle = lean + V3{0, 0, 0.32F * height};
  for (int i = 0; i < n; ++i) {
    const float turn = 6.2832F * (f32(i) + dice.unit() * 0.7F) / f32(n) * 2.4F;
    const float out = spread * dice.between(0.25F, 0.72F), up = dice.between(0.10F, 0.58F) * height;
    const V3 place = lean + V3{out * std::cos(turn), out * std::sin(turn), up};
    clumps[i] = {place, spread * dice.between(0.32F, 0.5F)};
    trunk.shade = 0.5F;
    const V3 knee = mix(lean, place, 0.45F) + V3{0, 0, 0.05F * height};
    trunk.tube(lean - V3{0, 0, 0.1F}, knee, r * 0.5F, r * 0.3F, 6, bark);
    trunk.tube(knee, place, r * 0.3F, r * 0.08F, 5, bark);
  }
  trunk.shade = 1;
  fill(crown, clumps, n, middle, cards,
       std::clamp(0.2F * spread * 3.2F / std::sqrt(f32(cards) / 300), 0.35F, 1.3F), dice, leaves);
}

void build_bush(Builder& b, V3 size, std::uint64_t seed, int cards) {
  Dice dice{seed};
  Clump clumps[6];
  const float r = std::min(size.x, size.y) * 0.36F;
  for (Clump& c : clumps)
    c = {
        {dice.between(-0.5F, 0.5F) * (size.x - 2 * r), dice.between(-0.5F, 0.5F) * (size.y - 2 * r),
         dice.between(0.35F, 1.0F) * std::max(size.z - r, 0.1F)},
        r * dice.between(0.8F, 1.1F)};
  fill(b, clumps, 6, {0, 0, size.z * 0.3F}, cards, 0.34F * std::max(0.6F, size.z), dice,
       id_of(Base::bush));
}

}  // namespace kerb::sim
