// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/net/network.hpp"

/// A network as CUDA's kernel reads it. For gpu/net alone.
///
/// A layer is a product of matrices: results of 16 pixels and 8 outputs, from 32 values each, are
/// one instruction of a warp (mma.m16n8k32 of signed bytes). A lane of the warp has four values
/// next to each other, a quad, of two pixels; and the weights of the same quads of one output.
namespace kerb::net::tiles {

inline constexpr int kPixels = 16, kOutputs = 8, kLanes = 32;
inline constexpr int kQuadBytes = 4, kQuads = 8;  ///< of a step: 32 values
inline constexpr int kWarps = 16;                 ///< that share the tiles of a layer

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
  std::int32_t offsets_at = 0;          ///< table of where each quad is, from a result's first
  std::int32_t weights_at = 0;          ///< table of two quads a lane: [tile of outputs][step]
  std::int32_t outputs_at = 0;          ///< tables of bias and factor
  std::int32_t out_channels = 0;        ///< padded to fours; in the last layer as they are
  std::int32_t out_first = 0, out_row = 0, out_pixel = 0, out_bytes = 0;  ///< 0 in the last layer
};

struct TwoQuads {
  std::uint32_t low, high;
};

struct NetworkTiles {
  std::vector<LayerTiles> layers;
  std::vector<std::int32_t> offsets;
  std::vector<TwoQuads> weights;
  std::vector<std::int32_t> bias;
  std::vector<float> factor;
  /// The crop, as the first layer's values.
  std::int32_t crop_first = 0, crop_row = 0, crop_pixel = 0, crop_bytes = 0;
  /// Of the values before layers 0, 2, 4 ... and before 1, 3, 5 ..., multiples of 16.
  std::size_t even_bytes = 0, odd_bytes = 0;
};

/// Of a valid network. `spread`: pixels are padded.
[[nodiscard]] NetworkTiles lay_out(const Network& network, bool spread);

}  // namespace kerb::net::tiles
