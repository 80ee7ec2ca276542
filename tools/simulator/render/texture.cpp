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
  for (std::size_t i = 0; i < texels_.size(); ++i) solid_[i / 32] |= (texels_[i] >> 31) << (i % 32);
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

}  // namespace kerb::sim
