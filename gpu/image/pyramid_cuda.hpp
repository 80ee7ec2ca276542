// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/image/pyramid.hpp"
#include "gpu/memory/buffer.hpp"

/// What a level's tables look like to kernels. For gpu/ alone.
namespace kerb {

struct DeviceLevel {
  std::uint32_t offset;  // samples; plans of 4 GiB and more are refused
  std::int32_t row_stride, width, height, x_taps, y_taps;
};

struct PyramidTile {
  std::uint16_t level, x, y, unused;  // in tiles
};

struct PyramidTables::Device {
  static constexpr int kTileWidth = 128, kTileHeight = 16;
  int width = 0, height = 0, tile_count = 0;
  DeviceBuffer<DeviceLevel> levels;
  DeviceBuffer<Tap> taps;
  DeviceBuffer<PyramidTile> tiles;
};

}  // namespace kerb
