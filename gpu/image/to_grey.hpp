// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/memory/stream.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// Turns a camera picture of any format into 8-bit grey of the same size. Integer arithmetic, the
/// same on both backends bit for bit. With s a sample, of which only the format's bits count (those
/// above are ignored):
///   grey8..16   the top 8 bits of s
///   yuyv, uyvy, nv12   the Y sample as it is; chroma is not read
///   rgb24, bgr24   (9798 R + 19235 G + 3735 B + 16384) >> 15: the weights of BT.601 in 1/32768
///   bayer8..12   of the 2 x 2 samples from (min(x, width-2), min(y, height-2)) on, which hold
///                one R, two G and one B:
///                l = (19596 R + 19235 (G + G') + 7470 B + 32768) >> 16, then the top 8 bits
///                of l. The picture keeps its size, and lies half a pixel up and to the left
///   mosaic N (over any single-sample format, Bayer's too)   of the N x N samples from
///                (clamp(x - (N-1)/2, 0, width-N), the same for y) on, which hold each band once:
///                m = (sum + N*N/2) / N*N, then the top 8 bits of m
///
///   in      unchanged until the stream has passed this call; sides 1..65536, at least N, as
///           size_fits() allows; row_stride >= min_row_bytes(); 16-bit samples at even addresses
///           and strides; mosaic 0 or 2..8
///   out     the same size, row_stride >= width, not overlapping `in`; bytes beyond a row's width
///           stay as they are
///   costs   one launch; allocates nothing, synchronises nothing, keeps no state
///   fails   invalid_argument (the above), device (the launch was refused),
///           unsupported (built without CUDA)
Status to_grey(StreamRef stream, const RawImageView<Space::device>& in,
               const ImageView<Space::device, std::uint8_t>& out);

/// The same contract on the CPU, done on return: the definition.
namespace cpu {
Status to_grey(const RawImageView<Space::host>& in,
               const ImageView<Space::host, std::uint8_t>& out);
}  // namespace cpu

}  // namespace kerb
