// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/simulator/render/lanes.hpp"
#include "tools/simulator/render/noise.hpp"
#include "tools/simulator/render/texture.hpp"

/// texture.hpp's and noise.hpp's functions for as many places as there are lanes.
namespace kerb::sim {
namespace {

/// Texture::sample().
KERB_LANE V3N sample(const TextureView& texture, FN u, FN v, FN footprint) {
  const int side = texture.log2_side;
  const IN level = clamp(int_bits(word_bits(footprint * 1.42F) >> 23U) - 127, 0, side);
  const IN n = side - level;
  const FN s = float_bits((n + 127) << 23);  // 2^n
  const IN mask = as_int(s) - 1;
  const FN x = u * s - 0.5F, y = v * s - 0.5F;
  const IN x0 = floor_of(x), y0 = floor_of(y);
  const UN fx = word_bits(as_int((x - as_float(x0)) * 16.0F));
  const UN fy = word_bits(as_int((y - as_float(y0)) * 16.0F));
  IN first{};
  for (int k = 0; k < kLanes; ++k)
    first[k] = static_cast<std::int32_t>(texture.first.data()[level[k]]);
  const IN left = x0 & mask, right = (x0 + 1) & mask;
  const IN row0 = first + ((y0 & mask) << n), row1 = first + (((y0 + 1) & mask) << n);
  const std::uint32_t* t = texture.texels;
  const auto texels = [t](IN i) {
    UN out{};
    for (int k = 0; k < kLanes; ++k) out[k] = t[i[k]];
    return out;
  };
  const UN a = texels(row0 + left), c = texels(row0 + right);
  const UN d = texels(row1 + left), e = texels(row1 + right);
  // Two channels in 16 bits each; the weights sum to 256.
  const UN gx = 16U - fx, gy = 16U - fy, two = each(0x00FF00FFU);
  const UN wa = gx * gy, wc = fx * gy, wd = gx * fy, we = fx * fy;
  const UN rb = (a & two) * wa + (c & two) * wc + (d & two) * wd + (e & two) * we;
  const UN ga =
      (a >> 8U & two) * wa + (c >> 8U & two) * wc + (d >> 8U & two) * wd + (e >> 8U & two) * we;
  constexpr float kScale = 1.41421356F / (255.0F * 256.0F);
  const FN r = as_float(int_bits(rb & 0xFFFFU)) * kScale;
  const FN g = as_float(int_bits(ga & 0xFFFFU)) * kScale;
  const FN b = as_float(int_bits(rb >> 16U)) * kScale;
  return {r * r, g * g, b * b};
}

/// Texture::level_of().
KERB_LANE int level_of(const TextureView& texture, float footprint) {
  const float wide = footprint * 1.42F;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &wide, sizeof bits);
  const int level = static_cast<int>(bits >> 23) - 127;
  return level < 0 ? 0 : level > texture.log2_side ? texture.log2_side : level;
}

/// Whether there is something at these places (-1; else 0): the alpha of the nearest texel of a
/// level.
KERB_LANE I4 solid(const TextureView& texture, F4 u, F4 v, int level) {
  const int n = texture.log2_side - level, mask = (1 << n) - 1;
  const F4 s = all(f32(mask + 1));
  const I4 i = ((floor_int(v * s) & mask) << n) + (floor_int(u * s) & mask) +
               static_cast<std::int32_t>(texture.first.data()[level]);
  const std::uint32_t* t = texture.solid;
  I4 out{};
  for (int k = 0; k < 4; ++k) out[k] = -static_cast<std::int32_t>(t[i[k] >> 5] >> (i[k] & 31) & 1U);
  return out;
}

/// Four places at once, all from the level for `footprint`: channels times `r`, `g` and `b`.
KERB_LANE void tint(const TextureView& texture, F4 u, F4 v, float footprint, F4& r, F4& g, F4& b) {
  const int level = level_of(texture, footprint), n = texture.log2_side - level,
            mask = (1 << n) - 1;
  const F4 s = all(f32(mask + 1)), half = all(0.5F), sixteen = all(16.0F);
  const F4 x = u * s - half, y = v * s - half;
  const I4 x0 = floor_int(x), y0 = floor_int(y);
  const U4 fx = words_of((x - floats_of(x0)) * sixteen);
  const U4 fy = words_of((y - floats_of(y0)) * sixteen);
  const I4 left = x0 & mask, right = (x0 + 1) & mask;
  const I4 row0 = (y0 & mask) << n, row1 = ((y0 + 1) & mask) << n;
  const std::uint32_t* first = texture.texels + texture.first.data()[level];
  const auto texels = [first](I4 i) {
    return U4{first[i[0]], first[i[1]], first[i[2]], first[i[3]]};
  };
  const U4 a = texels(row0 + left), c = texels(row0 + right);
  const U4 d = texels(row1 + left), e = texels(row1 + right);
  // Two channels in 16 bits each; the weights sum to 256.
  const U4 gx = 16U - fx, gy = 16U - fy, two = all(0x00FF00FFU);
  const U4 wa = gx * gy, wc = fx * gy, wd = gx * fy, we = fx * fy;
  const U4 rb = (a & two) * wa + (c & two) * wc + (d & two) * wd + (e & two) * we;
  const U4 ga =
      (a >> 8U & two) * wa + (c >> 8U & two) * wc + (d >> 8U & two) * wd + (e >> 8U & two) * we;
  const F4 scale = all(1.41421356F / (255.0F * 256.0F));
  const F4 red = floats_of(rb & 0xFFFFU) * scale;
  const F4 green = floats_of(ga & 0xFFFFU) * scale;
  const F4 blue = floats_of(rb >> 16U) * scale;
  r *= red * red;
  g *= green * green;
  b *= blue * blue;
}

/// Stains::at_place().
KERB_LANE FN stain(const float* values, FN u, FN v) {
  const IN x0 = floor_of(u), y0 = floor_of(v);
  const FN fx = u - as_float(x0), fy = v - as_float(y0);
  const IN left = x0 & 63, right = (x0 + 1) & 63, row0 = (y0 & 63) * 64,
           row1 = ((y0 + 1) & 63) * 64;
  const auto cells = [values](IN i) {
    FN out{};
    for (int k = 0; k < kLanes; ++k) out[k] = values[i[k]];
    return out;
  };
  return mix(mix(cells(row0 + left), cells(row0 + right), fx),
             mix(cells(row1 + left), cells(row1 + right), fx), fy);
}

KERB_LANE F4 stain_four(const float* values, F4 u, F4 v) {
  const I4 x0 = floor_int(u), y0 = floor_int(v);
  const F4 fx = u - floats_of(x0), fy = v - floats_of(y0);
  const I4 left = x0 & 63, right = (x0 + 1) & 63, row0 = (y0 & 63) * 64,
           row1 = ((y0 + 1) & 63) * 64;
  const auto cells = [values](I4 i) {
    return F4{values[i[0]], values[i[1]], values[i[2]], values[i[3]]};
  };
  const F4 a = cells(row0 + left), b = cells(row0 + right);
  const F4 c = cells(row1 + left), d = cells(row1 + right);
  const F4 top = a + fx * (b - a), low = c + fx * (d - c);
  return top + fy * (low - top);
}

/// hash32(), value_noise() and cloud_noise() without a period.
KERB_LANE UN hash(UN x) {
  x ^= x >> 16U;
  x *= 0x7FEB352DU;
  x ^= x >> 15U;
  x *= 0x846CA68BU;
  return x ^ (x >> 16U);
}
KERB_LANE FN bumps(FN x, FN y, std::uint32_t seed) {
  const IN x0 = floor_of(x), y0 = floor_of(y);
  const FN fx = x - as_float(x0), fy = y - as_float(y0);
  const FN sx = fx * fx * (3.0F - 2.0F * fx), sy = fy * fy * (3.0F - 2.0F * fy);
  const UN left = word_bits(x0) * 0x9E3779B1U, right = word_bits(x0 + 1) * 0x9E3779B1U;
  const UN top = hash(word_bits(y0) + seed * 0x85EBCA77U),
           low = hash(word_bits(y0 + 1) + seed * 0x85EBCA77U);
  const auto unit = [](UN h) { return as_float(int_bits(h >> 8U)) * (1.0F / 16777216.0F); };
  return mix(mix(unit(hash(left ^ top)), unit(hash(right ^ top)), sx),
             mix(unit(hash(left ^ low)), unit(hash(right ^ low)), sx), sy);
}
KERB_LANE FN clouds(FN x, FN y, std::uint32_t seed, int octaves) {
  FN sum = each(0.0F);
  float weight = 0, w = 1;
  for (int i = 0; i < octaves; ++i) {
    sum += w * bumps(x, y, seed + static_cast<std::uint32_t>(i) * 101U);
    weight += w;
    w *= 0.5F;
    x *= 2.0F;
    y *= 2.0F;
  }
  return sum / weight;
}

}  // namespace
}  // namespace kerb::sim
