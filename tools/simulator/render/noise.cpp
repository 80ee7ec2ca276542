// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/noise.hpp"

namespace kerb::sim {
namespace {
int wrap(int i, int period) { return period > 0 ? ((i % period) + period) % period : i; }
}  // namespace

float value_noise(float x, float y, std::uint32_t seed, int period) {
  const int x0 = floor_int(x), y0 = floor_int(y);
  const float fx = x - f32(x0), fy = y - f32(y0);
  const float sx = fx * fx * (3 - 2 * fx), sy = fy * fy * (3 - 2 * fy);
  const auto corner = [&](int dx, int dy) {
    return unit_of(hash32(wrap(x0 + dx, period), wrap(y0 + dy, period), seed));
  };
  return mix(mix(corner(0, 0), corner(1, 0), sx), mix(corner(0, 1), corner(1, 1), sx), sy);
}

float cloud_noise(float x, float y, std::uint32_t seed, int octaves, int period) {
  float sum = 0, weight = 0, w = 1;
  for (int i = 0; i < octaves; ++i) {
    sum += w * value_noise(x, y, seed + static_cast<std::uint32_t>(i) * 101U, period);
    weight += w;
    w *= 0.5F;
    x *= 2;
    y *= 2;
    period *= 2;
  }
  return sum / weight;
}

Cell cell_noise(float x, float y, std::uint32_t seed, int period) {
  const int x0 = floor_int(x), y0 = floor_int(y);
  Cell out{9, 9, 0};
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const std::uint32_t h = hash32(wrap(x0 + dx, period), wrap(y0 + dy, period), seed);
      const float px = f32(x0 + dx) + unit_of(h), py = f32(y0 + dy) + unit_of(hash32(h));
      const float d = std::sqrt((px - x) * (px - x) + (py - y) * (py - y));
      if (d < out.first) {
        out.second = out.first;
        out.first = d;
        out.id = h;
      } else if (d < out.second) {
        out.second = d;
      }
    }
  return out;
}

}  // namespace kerb::sim
