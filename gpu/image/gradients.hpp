// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/memory/stream.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// Into which bins of direction; gradient_math.hpp says where each begins.
struct GradientParams {
  int bins = 9;  ///< 9 or 6
  bool half_shifted = false;
};

/// Centred gradients, packed as magnitude in eighths << 4 | bin of the direction: the definition
/// is in gradient_math.hpp.
///   dx = in(x + 1, y) - in(x - 1, y),   dy = in(x, y + 1) - in(x, y - 1)
/// Outside, the picture is mirrored at its edge pixels, so that the gradient across an edge is 0.
/// The same on both backends bit for bit.
///   in      sides 1..65536, row_stride >= width
///   out     the same size, row_stride >= width, not overlapping `in`; what lies beyond a row's
///           width stays as it is
///   costs   one launch; allocates nothing, synchronises nothing, keeps no state
///   fails   invalid_argument (the above, other bins), device (the launch was refused),
///           unsupported (built without CUDA)
Status gradients(StreamRef stream, const ImageView<Space::device, const std::uint8_t>& in,
                 const GradientParams& params, const ImageView<Space::device, std::uint16_t>& out);

/// The same of three planes: at each pixel the gradient of the plane where dx^2 + dy^2 is largest,
/// of the first one of equals.
///   in      3 planes; otherwise as above
Status gradients(StreamRef stream, const PlanesView<Space::device, const std::uint8_t>& in,
                 const GradientParams& params, const ImageView<Space::device, std::uint16_t>& out);

/// The same contracts on the CPU, done on return: the definition.
namespace cpu {
Status gradients(const ImageView<Space::host, const std::uint8_t>& in, const GradientParams& params,
                 const ImageView<Space::host, std::uint16_t>& out);
Status gradients(const PlanesView<Space::host, const std::uint8_t>& in,
                 const GradientParams& params, const ImageView<Space::host, std::uint16_t>& out);
}  // namespace cpu

}  // namespace kerb
