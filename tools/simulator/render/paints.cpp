// SPDX-License-Identifier: Apache-2.0
// What surfaces are painted with: each a function of a place in a square that repeats.
#include <array>
#include <mutex>

#include "tools/simulator/render/noise.hpp"
#include "tools/simulator/render/texture.hpp"

namespace kerb::sim {
namespace {

using Texel = Texture::Texel;

Texel grey(float x) { return {{x, x, x}, 1}; }

Texel asphalt(float u, float v) {  // a square of 2.56 m
  const Cell stone = cell_noise(u * 128, v * 128, 3, 128);
  const float pebble = unit_of(hash32(stone.id));
  float x = 0.72F + 0.55F * pebble * smooth(0.62F, 0.2F, stone.first);
  x *= 0.8F + 0.4F * cloud_noise(u * 8, v * 8, 5, 4, 8);
  x += 0.22F * (unit_of(hash32(i32(u * 512), i32(v * 512), 9)) - 0.5F);
  return {{x, x * 0.99F, x * 0.97F}, 1};
}

Texel slabs(float u, float v) {  // 2 x 2 m, slabs of 0.5 x 0.4 m
  const float rows = 5, columns = 4;
  const int j = i32(v * rows);
  const float x = u * columns + ((j & 1) != 0 ? 0.5F : 0.0F), y = v * rows;
  const int i = i32(x) & 3;
  const float fx = x - f32(floor_int(x)), fy = y - f32(j);
  const float edge = std::min(std::min(fx, 1 - fx) * 0.5F, std::min(fy, 1 - fy) * 0.4F);
  const float tone = 0.86F + 0.28F * unit_of(hash32(i, j, 31));
  float t = tone * (0.85F + 0.3F * cloud_noise(u * 32, v * 32, 33, 3, 32));
  t += 0.12F * (unit_of(hash32(i32(u * 512), i32(v * 512), 35)) - 0.5F);
  t *= 0.42F + 0.58F * smooth(0.003F, 0.010F, edge);
  return {{t, t * 0.985F, t * 0.95F}, 1};
}

Texel cobbles(float u, float v) {  // 1.6 x 1.6 m
  const Cell c = cell_noise(u * 14, v * 14, 41, 14);
  const float joint = smooth(0.02F, 0.16F, c.second - c.first);
  float t = (0.7F + 0.6F * unit_of(hash32(c.id, 1, 2))) * (0.35F + 0.65F * joint);
  t *= 0.8F + 0.4F * cloud_noise(u * 64, v * 64, 43, 2, 64);
  return grey(t);
}

Texel brick(float u, float v) {  // 1 x 1 m: 4 bricks wide, 12 courses
  const int j = i32(v * 12);
  const float x = u * 4 + ((j & 1) != 0 ? 0.5F : 0.0F);
  const int i = i32(x) & 3;
  const float fx = x - f32(floor_int(x)), fy = v * 12 - f32(j);
  const float edge = std::min(std::min(fx, 1 - fx) * 0.25F, std::min(fy, 1 - fy) / 12);
  const float tone = 0.72F + 0.56F * unit_of(hash32(i, j, 51));
  const float rough = 0.8F + 0.4F * cloud_noise(u * 64, v * 64, 53, 3, 64);
  const float in = smooth(0.003F, 0.008F, edge);
  const V3 stone = tone * rough * V3{1.05F, 0.95F, 0.92F};
  return {mix(V3{1.35F, 1.5F, 1.6F}, stone, in), 1};
}

Texel plaster(float u, float v) {  // 4 x 4 m
  float t = 0.9F + 0.2F * cloud_noise(u * 6, v * 3, 61, 5, 0 + 6);
  t += 0.10F * (cloud_noise(u * 128, v * 128, 63, 2, 128) - 0.5F);
  const float run = value_noise(u * 48, v * 2, 65, 48);  // what the rain left
  t *= 1 - 0.16F * smooth(0.6F, 0.95F, run) * value_noise(u * 16, v * 4, 67, 16);
  return {{t, t * 0.995F, t * 0.98F}, 1};
}

Texel concrete(float u, float v) {  // 3 x 3 m
  float t = 0.8F + 0.4F * cloud_noise(u * 8, v * 8, 71, 5, 8);
  t += 0.12F * (unit_of(hash32(i32(u * 256), i32(v * 256), 73)) - 0.5F);
  const Cell hole = cell_noise(u * 24, v * 24, 75, 24);
  if (hole.first < 0.07F) t *= 0.55F;
  return grey(t);
}

Texel roof_tiles(float u, float v) {  // 2 x 2 m, v down the slope
  const float x = u * 8, y = v * 6;
  const int i = i32(x), j = i32(y);
  const float fx = x - f32(i), fy = y - f32(j);
  float t = 0.75F + 0.5F * unit_of(hash32(i, j, 81));
  t *= 0.55F + 0.6F * std::sin(fx * 3.1416F);
  t *= 0.5F + 0.5F * smooth(0.0F, 0.15F, fy);
  t *= 0.85F + 0.3F * cloud_noise(u * 16, v * 16, 83, 3, 16);
  return grey(t);
}

Texel bark(float u, float v) {  // 1 x 1 m, v up the trunk
  const float wave = 0.04F * (value_noise(u * 8, v * 4, 91, 8) - 0.5F);
  const float ridge = cloud_noise((u + wave) * 24, v * 6, 93, 3, 24);
  float t = 0.4F + 1.15F * ridge * ridge * 1.6F;
  t *= 0.7F + 0.6F * cloud_noise(u * 4, v * 4, 95, 3, 4);
  return {{t * 1.02F, t, t * 0.94F}, 1};
}

/// A spray of leaves on a card of about half a metre.
Texel leaves(float u, float v) {
  Texel out{{0.8F, 0.8F, 0.8F}, 0};
  float top = -1;
  Dice dice{97};
  for (int i = 0; i < 60; ++i) {
    const float x = dice.between(0.1F, 0.9F), y = dice.between(0.1F, 0.9F);
    const float turn = dice.between(0, 6.2832F), size = dice.between(0.05F, 0.10F);
    const float tone = dice.between(0.55F, 1.5F), order = dice.unit();
    if ((x - 0.5F) * (x - 0.5F) + (y - 0.5F) * (y - 0.5F) > 0.17F) continue;
    const float c = std::cos(turn), s = std::sin(turn);
    const float a = ((u - x) * c + (v - y) * s) / size, b = ((v - y) * c - (u - x) * s) / size;
    if (a * a > 1 || a * a + 3.2F * b * b * (1 + 0.6F * a) > 1 || order < top) continue;
    top = order;
    const float vein = std::abs(b) < 0.08F ? 1.2F : 1.0F;
    out = {{tone * vein * (0.9F + 0.2F * order), tone * vein, tone * vein * 0.8F}, 1};
  }
  return out;
}

Texel hedge(float u, float v) {  // 1 x 1 m, closed
  const Cell a = cell_noise(u * 26, v * 26, 101, 26);
  const float depth = cloud_noise(u * 7, v * 7, 103, 3, 7);
  const float tone = 0.35F + 1.1F * unit_of(hash32(a.id, 3, 4)) * smooth(0.7F, 0.1F, a.first);
  const float t = tone * (0.3F + 1.3F * depth * depth * 1.4F);
  return {{t, t, t * 0.8F}, 1};
}

Texel grass(float u, float v) {  // 3 x 3 m
  const float blades = cloud_noise(u * 96, v * 96, 111, 3, 96);
  const float patch = cloud_noise(u * 5, v * 5, 113, 4, 5);
  const float t = (0.35F + 1.2F * blades * blades * 1.5F) * (0.6F + 0.8F * patch);
  return {{t * (0.75F + 0.6F * patch), t, t * 0.85F}, 1};
}

Texel field(float u, float v) {  // 20 x 20 m
  const float furrow = 0.5F + 0.5F * std::sin(u * 6.2832F * 24);
  const float t = (0.7F + 0.25F * furrow) * (0.6F + 0.8F * cloud_noise(u * 24, v * 24, 121, 4, 24));
  return {{t * 1.05F, t, t * 0.9F}, 1};
}

Texel metal(float u, float v) {  // 1 x 1 m
  float t = 0.9F + 0.2F * cloud_noise(u * 6, v * 3, 131, 4, 6);
  const float rust = cloud_noise(u * 10, v * 10, 133, 4, 10);
  if (rust > 0.64F) t *= 1 - 1.1F * (rust - 0.64F);
  return {{t, t * 0.99F, t * 0.97F}, 1};
}

Texel wood(float u, float v) {  // planks along v, 1 x 1 m
  const int i = i32(u * 8);
  const float fx = u * 8 - f32(i);
  float t = 0.75F + 0.4F * unit_of(hash32(i, 0, 141));
  t *= 0.75F + 0.5F * cloud_noise(u * 64 + f32(i) * 7, v * 4, 143, 4, 64);
  if (fx < 0.06F || fx > 0.94F) t *= 0.35F;
  return {{t * 1.04F, t, t * 0.9F}, 1};
}

/// Folds and weave: 0.8 x 0.8 m of cloth.
Texel cloth(float u, float v) {
  const float bend = 1.6F * cloud_noise(u * 3, v * 3, 151, 2, 3);
  const float fold = cloud_noise(u * 6 + bend, v * 4 + bend, 153, 3, 0);
  const float crease = cloud_noise(u * 14, v * 10, 155, 3, 14);
  float t = 0.62F + 0.5F * fold + 0.30F * crease;
  t += 0.10F * (unit_of(hash32(i32(u * 256), i32(v * 256), 157)) - 0.5F);
  // The folds do not repeat by themselves: fade across the seam.
  const float seam = smooth(0.0F, 0.06F, std::min(std::min(u, 1 - u), std::min(v, 1 - v)));
  t = mix(1.0F, t, seam);
  return grey(t);
}
float weave(float u, float v) { return cloth(u, v).rgb.x; }

Texel skin(float u, float v) {
  const float t = 0.9F + 0.2F * cloud_noise(u * 8, v * 8, 161, 4, 8);
  return {{t * 1.01F, t, t * 0.98F}, 1};
}
Texel hair(float u, float v) { return grey(0.5F + 1.0F * cloud_noise(u * 48, v * 4, 171, 3, 48)); }
Texel stripes(float u, float v) {  // 0.8 m: rings round the body
  const float t = weave(u, v) * ((i32(v * 12) & 1) != 0 ? 0.35F : 1.25F);
  return grey(t);
}
/// A lit shop window's back: shelves, boxes, figures, posters, warm.
Texel goods(float u, float v) {
  V3 back =
      mix(V3{0.9F, 0.75F, 0.55F}, V3{0.35F, 0.3F, 0.3F}, cloud_noise(u * 4, v * 4, 181, 3, 4));
  for (int k = 0; k < 22; ++k) {
    Dice dice{mix64(183, static_cast<std::uint64_t>(k))};
    const float w = dice.between(0.02F, 0.11F), h = dice.between(0.03F, 0.28F);
    const float x = dice.unit(), shelf = 0.08F + 0.3F * f32(dice.below(3));
    const V3 colour{dice.between(0.1F, 1.7F), dice.between(0.1F, 1.5F), dice.between(0.1F, 1.4F)};
    float dx = std::abs(u - x);
    dx = std::min(dx, 1 - dx);
    if (dx < w / 2 && v > shelf && v < shelf + h)
      back = (0.75F + 0.4F * value_noise(u * 40, v * 40, 185, 40)) * colour;
  }
  const float y = v * 3.3F - 0.2F;
  if (y - std::floor(y) < 0.05F) back = V3{0.25F, 0.22F, 0.2F};
  return {back, 1};
}
Texel curtain(float u, float v) {  // a window's inside: dark, or drawn curtains at the sides
  const float open = 0.2F + 0.12F * value_noise(v * 3, 1, 191, 3);
  const float side = std::min(u, 1 - u);
  const float fold = 0.7F + 0.4F * std::sin(side * 120);
  if (side < open) return grey(1.5F * fold);
  const float t = 0.22F + 0.3F * cloud_noise(u * 3, v * 3, 193, 3, 3);
  return grey(t);
}
Texel sign(float u, float v) {  // letters of no alphabet on a board, 4 x 1 cells repeated
  const int cell = i32(u * 12);
  const float fx = u * 12 - f32(cell), fy = v;
  const std::uint32_t h = hash32(cell, 0, 201);
  bool ink = false;
  if (fy > 0.25F && fy < 0.78F && fx > 0.12F && fx < 0.85F && (h & 7U) != 0) {
    const float y = (fy - 0.25F) / 0.53F, x = (fx - 0.12F) / 0.73F;
    ink = (x < 0.28F && (h & 8U) != 0) || (x > 0.72F && (h & 16U) != 0) ||
          (y < 0.18F && (h & 32U) != 0) || (y > 0.82F && (h & 64U) != 0) ||
          (std::abs(y - 0.5F) < 0.1F && (h & 128U) != 0) ||
          (std::abs(x - 0.5F) < 0.14F && (h & 256U) != 0);
  }
  return ink ? Texel{{1.9F, 1.9F, 1.85F}, 1}
             : grey(0.6F + 0.1F * value_noise(u * 30, v * 30, 203, 30));
}
Texel plate(float u, float v) {  // of a car
  const Texel s = sign(u * 0.75F, v);
  return s.rgb.x > 1.5F ? grey(0.08F) : grey(1.7F);
}
Texel grille(float, float v) { return grey(std::fmod(v * 9, 1.0F) < 0.55F ? 0.35F : 1.3F); }
Texel tyre(float u, float v) {
  const bool tread = std::fmod(u * 24, 1.0F) < 0.3F;
  return grey((tread ? 0.6F : 1.0F) * (0.8F + 0.4F * value_noise(u * 32, v * 32, 211, 32)));
}
Texel rim(float u, float v) {  // u round the wheel, v from the hub outwards
  const float spoke = std::abs(std::fmod(u * 7, 1.0F) - 0.5F);
  const bool solid = v < 0.3F || v > 0.86F || spoke < 0.24F - 0.06F * v;
  return grey(solid ? 1.4F : 0.12F);
}
Texel line(float u, float v) {  // worn road paint: 2 x 2 m
  const float wear = cloud_noise(u * 24, v * 24, 221, 5, 24);
  const float stone = unit_of(hash32(cell_noise(u * 100, v * 100, 3, 100).id));
  const float worn = smooth(0.50F, 0.72F, wear + 0.16F * (stone - 0.5F));
  const float t = mix(1.0F, 0.28F, worn) * (0.88F + 0.2F * cloud_noise(u * 8, v * 8, 223, 3, 8));
  return {{t, t, t * 0.97F}, 1};
}
Texel manhole(float u, float v) {
  const float x = u - 0.5F, y = v - 0.5F, r = std::sqrt(x * x + y * y);
  if (r > 0.49F) return {{0.8F, 0.8F, 0.8F}, 0};
  const float ring = r > 0.42F ? 0.55F : 1.0F;
  const bool knob = (i32(u * 16) + i32(v * 16)) % 2 == 0;
  return grey(ring * (knob ? 1.1F : 0.7F) * (0.8F + 0.4F * value_noise(u * 20, v * 20, 231, 20)));
}
Texel spokes(float u, float v) {  // a bicycle's wheel
  const float x = u - 0.5F, y = v - 0.5F, r = std::sqrt(x * x + y * y);
  const float a = std::atan2(y, x) * (24 / 6.2832F);
  const bool wire = std::abs(a - std::floor(a) - 0.5F) < 0.05F / std::max(r * 2, 0.1F) * 0.5F;
  const bool solid = (r < 0.5F && r > 0.44F) || r < 0.04F || (r < 0.46F && wire);
  return {{0.6F, 0.6F, 0.6F}, solid ? 1.0F : 0.0F};
}
Texel net(float u, float v) {
  const float x = u * 16 - std::floor(u * 16), y = v * 16 - std::floor(v * 16);
  const float sag = 0.82F + 0.25F * cloud_noise(u * 4, v * 4, 241, 3, 4);
  const bool hole = x > 0.42F && y > 0.42F;
  const bool seam = v < 0.02F || u < 0.012F;
  return {{sag, sag, sag}, hole && !seam ? 0.0F : 1.0F};
}

struct Baker {
  int log2_side;
  Texel (*paint)(float, float);
};
Texel plain(float, float) { return grey(1); }
constexpr std::array<Baker, static_cast<std::size_t>(Paint::count)> kBakers{{
    {0, plain},    {9, asphalt},    {8, slabs},   {8, cobbles}, {8, brick},  {8, plaster},
    {8, concrete}, {7, roof_tiles}, {8, bark},    {8, leaves},  {8, hedge},  {8, grass},
    {8, field},    {7, metal},      {8, wood},    {8, cloth},   {7, skin},   {7, hair},
    {8, stripes},  {8, goods},      {7, curtain}, {7, sign},    {7, plate},  {5, grille},
    {7, tyre},     {7, rim},        {8, line},    {7, manhole}, {8, spokes}, {8, net},
}};

}  // namespace

Stains::Stains() : value_(at(64 * 64)) {
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      const float u = f32(x) / 64, v = f32(y) / 64;
      float t = 0.70F + 0.60F * cloud_noise(u * 6, v * 6, 21, 4, 6);
      const float spot = value_noise(u * 32, v * 32, 23, 32);
      if (spot > 0.8F) t *= 1 - 0.9F * (spot - 0.8F);
      value_[at(y * 64 + x)] = t;
    }
}
const Stains& stains() {
  static const Stains made;
  return made;
}

const Texture& texture_of(Paint paint) {
  static std::array<Texture, kBakers.size()> baked;
  static std::array<std::once_flag, kBakers.size()> once;
  const auto i = static_cast<std::size_t>(paint);
  std::call_once(once[i], [&] { baked[i] = Texture{kBakers[i].log2_side, kBakers[i].paint}; });
  return baked[i];
}

}  // namespace kerb::sim
