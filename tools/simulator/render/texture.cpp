// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/texture.hpp"

namespace kerb::sim {
namespace {

std::uint32_t byte_of(float value, float scale) {
  return static_cast<std::uint32_t>(
      std::lround(std::clamp(std::sqrt(std::max(0.0F, value * scale)) * 255.0F, 0.0F, 255.0F)));
}
std::uint32_t packed(const Texture::Texel& t) {
  const auto alpha = static_cast<std::uint32_t>(std::lround(clamp01(t.alpha) * 255.0F));
  return byte_of(t.rgb.x, 0.5F) | byte_of(t.rgb.y, 0.5F) << 8 | byte_of(t.rgb.z, 0.5F) << 16 |
         alpha << 24;
}

}  // namespace

Texture::Texture(int log2_side, const std::function<Texel(float, float)>& paint)
    : log2_side_{log2_side} {
  const int side = 1 << log2_side;
  std::vector<Texel> texels(at(side * side));
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      texels[at(y * side + x)] = paint((f32(x) + 0.5F) / f32(side), (f32(y) + 0.5F) / f32(side));
  shrink(texels);
}

Texture::Texture(int log2_side, const std::vector<Texel>& texels) : log2_side_{log2_side} {
  shrink(texels);
}

void Texture::shrink(const std::vector<Texel>& texels) {
  std::vector<Texel> now = texels;
  texels_.clear();
  for (int n = log2_side_;; --n) {
    const int side = 1 << n;
    first_[at(log2_side_ - n)] = static_cast<std::uint32_t>(texels_.size());
    for (const Texel& t : now) texels_.push_back(packed(t));
    if (n == 0) break;
    std::vector<Texel> half(now.size() / 4);
    for (int y = 0; y < side / 2; ++y)
      for (int x = 0; x < side / 2; ++x) {
        Texel sum{{0, 0, 0}, 0};
        V3 plain{0, 0, 0};
        for (int k = 0; k < 4; ++k) {
          const Texel& t = now[at((2 * y + k / 2) * side + 2 * x + k % 2)];
          sum.rgb = sum.rgb + t.alpha * t.rgb;
          plain = plain + t.rgb;
          sum.alpha += t.alpha;
        }
        Texel& out = half[at(y * (side / 2) + x)];
        out.rgb = sum.alpha > 0.001F ? (1 / sum.alpha) * sum.rgb : 0.25F * plain;
        out.alpha = sum.alpha / 4;
      }
    now = std::move(half);
  }
  solid_.assign((texels_.size() + 31) / 32, 0);
  for (std::size_t i = 0; i < texels_.size(); ++i)
    solid_[i / 32] |= (texels_[i] >> 31) << (i % 32);
}

V3 Texture::sample_level(float u, float v, int level) const noexcept {
  const int n = log2_side_ - level, mask = (1 << n) - 1;
  const float s = f32(mask + 1), x = u * s - 0.5F, y = v * s - 0.5F;
  const int x0 = floor_int(x), y0 = floor_int(y);
  const auto fx = static_cast<std::uint32_t>((x - f32(x0)) * 16.0F);
  const auto fy = static_cast<std::uint32_t>((y - f32(y0)) * 16.0F);
  const std::uint32_t* first = level_at(level);
  const std::uint32_t* row0 = first + (at(y0 & mask) << n);
  const std::uint32_t* row1 = first + (at((y0 + 1) & mask) << n);
  // Four channels in lanes of 16 bits; the weights sum to 256.
  const auto wide = [](std::uint32_t t) {
    return std::uint64_t{t & 0x00FF00FFU} | std::uint64_t{t & 0xFF00FF00U} << 24;
  };
  const std::uint64_t sum = wide(row0[x0 & mask]) * ((16 - fx) * (16 - fy)) +
                            wide(row0[(x0 + 1) & mask]) * (fx * (16 - fy)) +
                            wide(row1[x0 & mask]) * ((16 - fx) * fy) +
                            wide(row1[(x0 + 1) & mask]) * (fx * fy);
  constexpr float kScale = 1.41421356F / (255.0F * 256.0F);
  const float r = f32(static_cast<std::uint32_t>(sum & 0xFFFFU)) * kScale;
  const float b = f32(static_cast<std::uint32_t>(sum >> 16 & 0xFFFFU)) * kScale;
  const float g = f32(static_cast<std::uint32_t>(sum >> 32 & 0xFFFFU)) * kScale;
  return {r * r, g * g, b * b};
}

void Texture::tint(F4 u, F4 v, float footprint, F4& r, F4& g, F4& b) const noexcept {
  const int level = level_of(footprint), n = log2_side_ - level, mask = (1 << n) - 1;
  const F4 s = all(f32(mask + 1)), half = all(0.5F), sixteen = all(16.0F);
  const F4 x = u * s - half, y = v * s - half;
  const I4 x0 = floor_int(x), y0 = floor_int(y);
  const U4 fx = __builtin_convertvector((x - __builtin_convertvector(x0, F4)) * sixteen, U4);
  const U4 fy = __builtin_convertvector((y - __builtin_convertvector(y0, F4)) * sixteen, U4);
  const I4 left = x0 & mask, right = (x0 + 1) & mask;
  const I4 row0 = (y0 & mask) << n, row1 = ((y0 + 1) & mask) << n;
  const std::uint32_t* first = level_at(level);
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
      (a >> 8 & two) * wa + (c >> 8 & two) * wc + (d >> 8 & two) * wd + (e >> 8 & two) * we;
  const F4 scale = all(1.41421356F / (255.0F * 256.0F));
  const F4 red = __builtin_convertvector(rb & 0xFFFFU, F4) * scale;
  const F4 green = __builtin_convertvector(ga & 0xFFFFU, F4) * scale;
  const F4 blue = __builtin_convertvector(rb >> 16, F4) * scale;
  r *= red * red;
  g *= green * green;
  b *= blue * blue;
}

}  // namespace kerb::sim
