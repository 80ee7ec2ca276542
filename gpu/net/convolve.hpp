// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

/// Convolutions on the CPU, with the lanes of this machine. For gpu/net and its tests.
namespace kerb::net {

inline constexpr int kQuad = 4;   ///< inputs that are multiplied at a time
inline constexpr int kGroup = 8;  ///< outputs that are summed at a time
inline constexpr int kAlignment = 64;

/// A layer and its place in memory. Values are [row][column][channel] with the layer's border of
/// zeros, channels padded to fours with zeros; so the values under one row of the kernel lie side
/// by side, four by four. Sizes are in bytes.
struct PackedLayer {
  int width = 0, height = 0;  ///< of the results
  int channels = 0;           ///< of the results, padded to fours
  int groups = 0;             ///< of outputs
  int kernel_height = 0;
  int quads = 0;                                      ///< under a row of the kernel
  std::ptrdiff_t in_row = 0, step_x = 0, step_y = 0;  ///< from a result to the next
  std::ptrdiff_t out_row = 0, out_pixel = 0;          ///< 0 in the last layer
  std::ptrdiff_t group_bytes = 0;                     ///< of a group's weights
  const std::int8_t* weights = nullptr;               ///< [group][row][quad][8][4]
  const std::int32_t* bias = nullptr;                 ///< padded to eights, as factor
  const float* factor = nullptr;
};

struct ConvolutionLanes {
  const char* name;
  /// `in` is the first of the border's values; `out` the first result.
  void (*convolve)(const PackedLayer& layer, const std::uint8_t* in, std::uint8_t* out) noexcept;
  /// The last layer: one result of at most kGroup channels, as products.
  void (*finish)(const PackedLayer& layer, const std::uint8_t* in, float* out) noexcept;
};

/// Those for this machine.
[[nodiscard]] ConvolutionLanes convolution_lanes() noexcept;

namespace base {  // on every machine
[[nodiscard]] ConvolutionLanes convolution_lanes() noexcept;
}
namespace avx2 {  // on x86 alone
[[nodiscard]] ConvolutionLanes convolution_lanes() noexcept;
}
namespace dot {  // on arm64 alone
[[nodiscard]] ConvolutionLanes convolution_lanes() noexcept;
}
/// Whether this machine has them; false where they were not built.
[[nodiscard]] bool has_avx2() noexcept;
[[nodiscard]] bool has_dot() noexcept;

}  // namespace kerb::net
