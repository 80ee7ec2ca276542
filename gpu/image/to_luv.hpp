// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/memory/stream.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// Turns R G B planes into CIE 1976 L* u* v*, each scaled to 8 bits, as integral channel features
/// use them: R G B are sRGB, white is D65, and
///   L = L* * 255 / 100,   U = (u* + 134) * 255 / 354,   V = (v* + 140) * 255 / 262
/// rounded to nearest and clamped to 0..255, as OpenCV scales its 8-bit COLOR_RGB2Luv. Grey pixels
/// all have U = 97 and V = 136. In float, in the order luv_math.hpp writes down, without any
/// library function: the same on both backends and on every machine bit for bit; at most 1 from
/// the exact value, and that only where it lies near the middle between two integers.
///   in      3 planes, sides 1..65536, row_stride >= width, plane_stride >= a plane's extent
///   out     3 planes of the same size, not overlapping `in`, or `in` itself; bytes beyond a row's
///           width stay as they are
///   costs   one launch; allocates nothing, synchronises nothing, keeps no state
///   fails   invalid_argument (the above), device (the launch was refused),
///           unsupported (built without CUDA)
Status to_luv(StreamRef stream, const PlanesView<Space::device, const std::uint8_t>& in,
              const PlanesView<Space::device, std::uint8_t>& out);

/// The same contract on the CPU, done on return: the definition.
namespace cpu {
Status to_luv(const PlanesView<Space::host, const std::uint8_t>& in,
              const PlanesView<Space::host, std::uint8_t>& out);
}  // namespace cpu

}  // namespace kerb
