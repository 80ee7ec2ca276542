// SPDX-License-Identifier: Apache-2.0
// shade.cpp's tiles compiled for AVX2: nothing of this may run before a check of the CPU.
#include "tools/simulator/render/shade_tile_lanes.hpp"

namespace kerb::sim {

void avx2::shade_tile(const DrawView& view, int tile, const TileSamples& samples) {
  shade_whole_tile(view, tile, samples);
}

}  // namespace kerb::sim
