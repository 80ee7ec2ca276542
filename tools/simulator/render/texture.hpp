// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "tools/simulator/render/vecf.hpp"

namespace kerb::sim {

/// A texture for texture_lanes.hpp: all levels' texels, a bit for each (its alpha is 128 or more),
/// and where a level begins.
struct TextureView {
  const std::uint32_t *texels = nullptr, *solid = nullptr;
  std::array<std::uint32_t, 16> first{};
  int log2_side = 0, count = 0;
};

/// What a surface's own colour is multiplied by, 0..2 a channel, and how much of it is there. A
/// square of 2^n texels that repeats, with all smaller ones. Kept as square roots in 8 bits.
class Texture {
 public:
  struct Texel {
    V3 rgb{1, 1, 1};
    float alpha = 1;
  };
  Texture() = default;
  /// `paint(u, v)` says the texel at 0 <= u, v < 1.
  Texture(int log2_side, const std::function<Texel(float u, float v)>& paint);
  Texture(int log2_side, const std::vector<Texel>& texels);
  /// Bilinear at (u, v), in sides of the texture, from the level where a texel is about `footprint`
  /// sides of level 0's texel wide.
  [[nodiscard]] V3 sample(float u, float v, float footprint) const noexcept {
    return sample_level(u, v, level_of(footprint));
  }
  [[nodiscard]] V3 sample_level(float u, float v, int level) const noexcept;
  /// Whether there is something at a place: the alpha of the nearest texel of a level.
  [[nodiscard]] bool solid(float u, float v, int level) const noexcept {
    const int n = log2_side_ - level, mask = (1 << n) - 1;
    const float s = f32(mask + 1);
    const int i = ((floor_int(v * s) & mask) << n) + (floor_int(u * s) & mask) +
                  static_cast<std::int32_t>(first_.data()[level]);
    return (solid_.data()[i >> 5] >> (i & 31) & 1U) != 0;
  }
  /// The whole part of log2(1.42 footprint), read off the number's exponent.
  [[nodiscard]] int level_of(float footprint) const noexcept {
    const float wide = footprint * 1.42F;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &wide, sizeof bits);
    return std::clamp(static_cast<int>(bits >> 23) - 127, 0, log2_side_);
  }
  [[nodiscard]] int log2_side() const noexcept { return log2_side_; }
  [[nodiscard]] bool empty() const noexcept { return texels_.empty(); }
  [[nodiscard]] TextureView view() const noexcept {
    return {texels_.data(), solid_.data(), first_, log2_side_, i32(texels_.size())};
  }

 private:
  void shrink(const std::vector<Texel>& texels);
  [[nodiscard]] const std::uint32_t* level_at(int level) const noexcept {
    return texels_.data() + first_[at(level)];
  }
  int log2_side_ = 0;
  std::vector<std::uint32_t> texels_;  // level by level, the largest first
  std::vector<std::uint32_t> solid_;   // a bit for each: alpha is 128 or more
  std::array<std::uint32_t, 16> first_{};
};

/// Large, soft stains over other textures: about 1, repeating every 64 units.
class Stains {
 public:
  Stains();
  [[nodiscard]] float at_place(float u, float v) const noexcept {
    const int x0 = floor_int(u), y0 = floor_int(v);
    const float fx = u - f32(x0), fy = v - f32(y0);
    const auto cell = [&](int x, int y) { return value_[at((y & 63) * 64 + (x & 63))]; };
    return mix(mix(cell(x0, y0), cell(x0 + 1, y0), fx),
               mix(cell(x0, y0 + 1), cell(x0 + 1, y0 + 1), fx), fy);
  }
  [[nodiscard]] const float* values() const noexcept { return value_.data(); }  ///< 64 rows of 64

 private:
  std::vector<float> value_;
};
const Stains& stains();

/// Everything procedural that surfaces are painted with.
enum class Paint : std::uint8_t {
  plain,
  asphalt,
  slabs,
  cobbles,
  brick,
  plaster,
  concrete,
  roof_tiles,
  bark,
  leaves,
  hedge,
  grass,
  field,
  metal,
  wood,
  cloth,
  skin,
  hair,
  stripes,
  goods,  ///< what shop windows show
  curtain,
  sign,
  plate,
  grille,
  tyre,
  rim,
  line,  ///< worn road paint
  manhole,
  spokes,
  net,  ///< of a scaffolding: threads with holes between
  count
};
/// Baked once for a process; thread-safe.
const Texture& texture_of(Paint paint);

}  // namespace kerb::sim
