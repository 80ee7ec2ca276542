// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <type_traits>

#include "gpu/image/float4.hpp"
#include "gpu/memory/stream.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// inclusive: out[x] = in[0] + .. + in[x];  exclusive: out[x] = in[0] + .. + in[x - 1], out[0] = 0.
enum class ScanKind : std::uint8_t { inclusive, exclusive };

/// A row is summed in segments of 16, and 16 segments are a group. This fixes the order of all
/// additions, so that floats give the same bits on both backends:
///   p   the sum from the segment's first element on, from left to right
///   S   the sum of the group's earlier segments, from left to right, starting with 0
///   G   the sum of the row's earlier groups, from left to right, starting with 0
///   inclusive = (G + S) + p;  exclusive is the inclusive one of the element before
/// It is also more exact than adding a whole row from left to right.
inline constexpr int kScanSegment = 16, kScanGroup = 256;

/// Sums along each row by itself. T: std::uint32_t (wraps around), float, double or Float4.
///   in      width and height >= 1, row_stride >= width
///   out     the same size; not overlapping `in`, or for inclusive `in` itself. What lies beyond a
///           row's width stays as it is
///   costs   one launch; allocates nothing, synchronises nothing, keeps no state
///   fails   invalid_argument (the above), device (the launch was refused),
///           unsupported (built without CUDA)
template <typename T>
Status scan_rows(StreamRef stream, const ImageView<Space::device, std::add_const_t<T>>& in,
                 ScanKind kind, const ImageView<Space::device, T>& out);

/// The same contract on the CPU, done on return: the definition.
namespace cpu {
template <typename T>
Status scan_rows(const ImageView<Space::host, std::add_const_t<T>>& in, ScanKind kind,
                 const ImageView<Space::host, T>& out);
}  // namespace cpu

}  // namespace kerb
