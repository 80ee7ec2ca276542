// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/shade.hpp"

#include "tools/simulator/render/shade_lanes.hpp"

namespace kerb::sim {

float sky_through_fog(const Light& light, float up) noexcept {
  return std::exp(-light.haze * std::min(100 / std::max(up, 0.01F), 2000.0F));
}

void base::shade_tile(const Shading& s, int tile, const TileSamples& samples, Radiance& out) {
  shade_whole_tile(s, tile, samples, out);
}

void shade_tile(const Shading& s, int tile, const TileSamples& samples, Radiance& out) {
#if defined(KERB_AVX2)
  if (__builtin_cpu_supports("avx2")) return avx2::shade_tile(s, tile, samples, out);
#endif
  base::shade_tile(s, tile, samples, out);
}

}  // namespace kerb::sim
