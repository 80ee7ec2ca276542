// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/texture.hpp"

namespace kerb::sim {
namespace {

std::uint32_t byte_of(float value, float scale) {
  return static_cast<std::uint32_t>(
      std::clamp(std::sqrt(std::max(0.0F, value * scale)) * 255.0F + 0.5F, 0.0F, 255.0F));
}
std::uint32_t packed(const Texture::Texel& t) {
  const auto alpha = static_cast<std::uint32_t>(clamp01(t.alpha) * 255.0F + 0.5F);
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
      texels[at(y * side + x)] =
          paint((f32(x) + 0.5F) / f32(side), (f32(y) + 0.5F) / f32(side));
  shrink(texels);
}

Texture::Texture(int log2_side, const std::vector<Texel>& texels) : log2_side_{log2_side} {
  shrink(texels);
}

void Texture::shrink(const std::vector<Texel>& texels) {
  std::vector<Texel> now = texels;
  levels_.clear();
  for (int n = log2_side_;; --n) {
    const int side = 1 << n;
    std::vector<std::uint32_t>& level = levels_.emplace_back(now.size());
    for (std::size_t i = 0; i < now.size(); ++i) level[i] = packed(now[i]);
    if (n == 0) return;
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
}

V3 Texture::sample_level(float u, float v, int level) const noexcept {
  const int n = log2_side_ - level, mask = (1 << n) - 1;
  const float s = f32(mask + 1), x = u * s - 0.5F, y = v * s - 0.5F;
  const int x0 = floor_int(x), y0 = floor_int(y);
  const float fx = x - f32(x0), fy = y - f32(y0);
  const std::uint32_t* level_at = levels_[at(level)].data();
  const std::uint32_t* row0 = level_at + (at(y0 & mask) << n);
  const std::uint32_t* row1 = level_at + (at((y0 + 1) & mask) << n);
  const auto lane = [](std::uint32_t t) {
    return I4{static_cast<std::int32_t>(t & 255U), static_cast<std::int32_t>(t >> 8 & 255U),
              static_cast<std::int32_t>(t >> 16 & 255U), 0};
  };
  const auto wide = [&](std::uint32_t t) { return __builtin_convertvector(lane(t), F4); };
  const F4 a = wide(row0[x0 & mask]), b = wide(row0[(x0 + 1) & mask]);
  const F4 c = wide(row1[x0 & mask]), d = wide(row1[(x0 + 1) & mask]);
  const F4 top = a + all(fx) * (b - a), bottom = c + all(fx) * (d - c);
  const F4 t = (top + all(fy) * (bottom - top)) * all(1.41421356F / 255.0F);
  const F4 q = t * t;
  return {q[0], q[1], q[2]};
}

}  // namespace kerb::sim
