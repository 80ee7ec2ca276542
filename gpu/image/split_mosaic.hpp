// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/memory/stream.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// Sorts the samples of a snapshot multispectral camera into one plane a band. With N = in.mosaic:
///   out.plane(j * N + i) at (x, y)  =  in at (x * N + i, y * N + j)
/// 8-bit samples are widened, 16-bit ones taken as they are (all 16 bits). Columns and rows beyond
/// the last whole N x N tile are ignored.
///   in      a single-sample format with mosaic 2..8; otherwise as to_grey()
///   out     N*N planes of (in.width / N) x (in.height / N), row_stride >= width,
///           plane_stride >= the plane's extent, not overlapping `in`
///   costs   one launch; allocates nothing, synchronises nothing, keeps no state
///   fails   invalid_argument (the above), device (the launch was refused),
///           unsupported (built without CUDA)
Status split_mosaic(StreamRef stream, const RawImageView<Space::device>& in,
                    const PlanesView<Space::device, std::uint16_t>& out);

/// The same contract on the CPU, done on return: the definition.
namespace cpu {
Status split_mosaic(const RawImageView<Space::host>& in,
                    const PlanesView<Space::host, std::uint16_t>& out);
}  // namespace cpu

}  // namespace kerb
