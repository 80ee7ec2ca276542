// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/image/both.hpp"
#include "gpu/net/network.hpp"

/// A network as CUDA's kernel reads it. For gpu/net alone.
///
/// A layer is a product of matrices: results of 16 pixels and 8 outputs, from 32 values each, are
/// one instruction of a warp (mma.m16n8k32 of signed bytes). A lane of the warp has four values
/// next to each other, a quad, of two pixels; and the weights of the same quads of one output.
///
/// A task of a warp is a tile of 16 pixels and a group of 1, 2 or 4 tiles of outputs. The
/// instruction leaves two outputs of each tile in a lane. Which output is computed in which column
/// of a tile is free: they are dealt such that all outputs of a lane, 2, 4 or 8, are next to each
/// other, and the lane stores them as words (output_of()).
namespace kerb::net::tiles {

inline constexpr int kPixels = 16, kOutputs = 8, kLanes = 32;
inline constexpr int kQuadBytes = 4, kQuads = 8;  ///< of a step: 32 values
inline constexpr int kWarps = 16;                 ///< of a block
inline constexpr int kMaxBlocks = 8;              ///< that share a crop: what every cluster allows
inline constexpr int kMaxRegions = 3;

/// Values are [row][column][channel] with the layer's border of zeros; channels are padded to fours
/// with zeros, and pixels so that the lanes of a warp read from different banks. Sizes in bytes,
/// but for the places in tables.
struct LayerTiles {
  std::int32_t width = 0, pixels = 0;   ///< of the results
  std::int32_t pixel_tiles = 0;         ///< of kPixels
  std::int32_t output_groups = 0;       ///< of `group` tiles of kOutputs
  std::int32_t group = 1;               ///< tiles of outputs that a warp sums up at a time: 1, 2, 4
  std::int32_t steps = 0;               ///< of kQuads quads
  std::int32_t step_x = 0, step_y = 0;  ///< of the values, from a result to the next
  std::int32_t offsets_at = 0;          ///< in NetworkTiles::offsets
  std::int32_t weights_at = 0;          ///< in NetworkTiles::weights
  std::int32_t outputs_at = 0;          ///< in NetworkTiles::bias and factor
  std::int32_t out_channels = 0;        ///< padded to fours; in the last layer as they are
  std::int32_t out_first = 0, out_row = 0, out_pixel = 0, out_bytes = 0;  ///< 0 in the last layer
};

struct TwoQuads {
  std::uint32_t low, high;
};
struct TwoOffsets {
  std::int32_t low, high;
};

struct NetworkTiles {
  std::vector<LayerTiles> layers;
  /// Where the quads are, from a result's first value on: [step][lane % 4], quads lane % 4 and that
  /// + 4 of the step.
  std::vector<TwoOffsets> offsets;
  /// Of the same quads: [group of outputs][step][lane][tile of the group].
  std::vector<TwoQuads> weights;
  std::vector<std::int32_t> bias;
  std::vector<float> factor;
  /// The crop, as the first layer's values; a pixel of it is a word.
  std::int32_t crop_first = 0, crop_row = 0, crop_bytes = 0;
  /// Values before layer i are in region i % regions of the shared memory. Sizes are multiples of
  /// 16. With three regions the one that is written next can be cleared during the layer before.
  int regions = kMaxRegions;
  std::size_t region_bytes[kMaxRegions] = {};
};

struct LayoutChoice {
  int blocks = 1;             ///< that share a crop
  bool spread = true;         ///< pixels are padded, for reads from different banks
  int regions = kMaxRegions;  ///< 2 or 3
};

/// Of a valid network.
[[nodiscard]] NetworkTiles lay_out(const Network& network, const LayoutChoice& choice);

/// The output that column `column` (0..7) of tile `tile` of a group stands for. A lane has columns
/// 2 (lane % 4) and the next of all tiles: outputs 2 size (lane % 4) to that + 2 size - 1.
KERB_BOTH int output_of(int group, int size, int tile, int column) {
  return (group * kOutputs + column / 2 * 2) * size + 2 * tile + column % 2;
}

}  // namespace kerb::net::tiles
