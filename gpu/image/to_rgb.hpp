// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/memory/stream.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// Turns a camera picture of any format into three 8-bit planes, R G B, of the same size. Integer
/// arithmetic, the same on both backends bit for bit. With s a sample, of which only the format's
/// bits count (those above are ignored):
///   grey8..16   the top 8 bits of s, three times
///   yuyv, uyvy, nv12   BT.601, limited range (Y 16..235, U and V 16..240), which is what V4L2
///                says these are unless a driver says otherwise. Neighbours share U and V as they
///                stand. In 1/2^20, with y = max(Y - 16, 0), u = U - 128, v = V - 128, each clamped
///                to 0..255:
///                R = (1220542 y + 1673527 v + 2^19) >> 20
///                G = (1220542 y - 852492 v - 409993 u + 2^19) >> 20
///                B = (1220542 y + 2116026 u + 2^19) >> 20
///   rgb24, bgr24   as they are
///   bayer8..12   a pixel's own colour as it is; the others are the means of the nearest samples of
///                that colour: 2, (a + b + 1) >> 1, or 4, (a + b + c + d + 2) >> 2; then the top 8
///                bits. Outside, the picture is mirrored at its edge pixels
///
///   in      unchanged until the stream has passed this call; as to_grey(), but without a mosaic;
///           nv12 with its chroma plane, chroma_stride >= width
///   out     3 planes of the same size, row_stride >= width, plane_stride >= a plane's extent, not
///           overlapping `in`; bytes beyond a row's width stay as they are
///   costs   one launch; allocates nothing, synchronises nothing, keeps no state
///   fails   invalid_argument (the above), device (the launch was refused),
///           unsupported (built without CUDA)
Status to_rgb(StreamRef stream, const RawImageView<Space::device>& in,
              const PlanesView<Space::device, std::uint8_t>& out);

/// The same contract on the CPU, done on return: the definition.
namespace cpu {
Status to_rgb(const RawImageView<Space::host>& in,
              const PlanesView<Space::host, std::uint8_t>& out);
}  // namespace cpu

}  // namespace kerb
