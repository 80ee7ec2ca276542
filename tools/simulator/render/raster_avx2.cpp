// SPDX-License-Identifier: Apache-2.0
// raster.cpp's samples compiled for AVX2: nothing of this may run before a check of the CPU.
#include "tools/simulator/render/raster_lanes.hpp"

namespace kerb::sim {

void avx2::draw_four(const Raster& raster, int tile, TileSamples& out, const Materials& materials,
                     const std::vector<Item>& items) {
  draw_samples<true>(raster, tile, out, materials, items);
}

}  // namespace kerb::sim
