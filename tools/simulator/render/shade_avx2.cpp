// SPDX-License-Identifier: Apache-2.0
// shade.cpp compiled for AVX2: nothing of this may run before a check of the CPU.
#include "tools/simulator/render/shade_lanes.hpp"

namespace kerb::sim {

void avx2::shade_tile(const Shading& s, int tile, const TileSamples& samples, Radiance& out) {
  shade_whole_tile(s, tile, samples, out);
}

}  // namespace kerb::sim
