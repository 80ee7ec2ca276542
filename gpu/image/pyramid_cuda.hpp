// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/image/pyramid.hpp"
#include "gpu/memory/buffer.hpp"

/// What a level's tables look like to kernels. For gpu/ alone.
namespace kerb {

struct DeviceLevel {
  std::uint32_t offset;  // samples; plans of 4 GiB and more are refused
  std::int32_t row_stride, width, height, x_taps, y_taps, octave;
};

struct PyramidTile {
  std::uint16_t level, x, y, unused;  // in tiles
};

/// Where a level's pixels come from: the picture, or an octave in the output buffer.
struct PyramidSource {
  const std::uint8_t* data;
  std::ptrdiff_t row_stride;
  int width;
};

struct DeviceOctave {
  std::uint32_t offset;
  std::int32_t row_stride, width, height, shift, first_row;  // first_row: of all octaves' rows
};

struct PyramidTables::Device {
  static constexpr int kTileWidth = 128, kTileHeight = 16;
  int width = 0, height = 0, tile_count = 0;
  int octave_count = 0, octave_rows = 0;  // rows of all octaves together
  DeviceOctave octaves[kMaxOctave] = {};  // a kernel's argument
  DeviceBuffer<DeviceLevel> levels;
  DeviceBuffer<Tap> taps;
  DeviceBuffer<PyramidTile> tiles;
};

}  // namespace kerb
