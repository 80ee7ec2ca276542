// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gpu/image/float4.hpp"
#include "gpu/image/scan.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/stream.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// The integral image: out(x, y) is the sum of in(i, j) over all i < x and j < y, so that the first
/// row and column are 0 and the sum of any rectangle takes four values.
///
/// From In to T: std::uint8_t or std::uint32_t to std::uint32_t, which wraps around (rectangles
/// whose own sum fits come out right all the same), float to float, double to double, Float4 to
/// Float4. Integers are exact. For floats the order of additions is fixed, and the same on both
/// backends bit for bit. Rows are taken in bands of 16; with R the inclusive scan_rows() of a row,
/// in its order:
///   c_y  the sums of columns from the band's first row down to y, from top to bottom, from 0 on
///   V    the sums of columns of all earlier bands: their last c, from top to bottom, from 0 on
///   out(x + 1, y + 1) = R(V)(x) + R(c_y)(x)
///
///   in       sides 1..65536, row_stride >= width
///   scratch  integral_scratch() elements or more, which no other work on another stream uses
///   out      one wider and one higher than `in`; or of its size, and then without the last column
///            and row (the form of Chapter 6 of the thesis); not overlapping `in`. What lies beyond
///            a row's width stays as it is
///   costs    four launches, which read `in` twice and write `out` once; allocates nothing,
///            synchronises nothing
///   fails    invalid_argument (the above), device (a launch was refused),
///            unsupported (built without CUDA)
template <typename In, typename T>
Status integral(StreamRef stream, const ImageView<Space::device, const In>& in,
                const DeviceBuffer<T>& scratch, const ImageView<Space::device, T>& out);
/// Elements.
[[nodiscard]] std::size_t integral_scratch(int width, int height) noexcept;

/// The same sums the way of the thesis, to measure against: scan the rows by the work-efficient
/// algorithm (a tree in shared memory over segments of 512, the segments' sums scanned likewise and
/// added), transpose, scan again. Exclusive, of the input's size; `form` says whether it stays
/// transposed, as the thesis leaves it. T: std::uint32_t, float, double or Float4. Floats add up in
/// the order of the trees, the same on both backends bit for bit.
///   in       sides 1..65536, row_stride >= width
///   scratch  tree_integral_scratch() elements or more
///   out      of the input's size, or transposed; row_stride >= width
///   costs    up to 8 launches; reads and writes the picture up to 6 times each
///   fails    as integral()
enum class TreeForm : std::uint8_t { upright, transposed };
template <typename T>
Status tree_integral(StreamRef stream, const ImageView<Space::device, std::add_const_t<T>>& in,
                     TreeForm form, const DeviceBuffer<T>& scratch,
                     const ImageView<Space::device, T>& out);
[[nodiscard]] std::size_t tree_integral_scratch(int width, int height) noexcept;

/// The same contracts on the CPU, done on return: the definition. integral() needs no scratch, and
/// tree_integral() allocates its own.
namespace cpu {
template <typename In, typename T>
Status integral(const ImageView<Space::host, const In>& in, const ImageView<Space::host, T>& out);
template <typename T>
Status tree_integral(const ImageView<Space::host, std::add_const_t<T>>& in, TreeForm form,
                     const ImageView<Space::host, T>& out);
}  // namespace cpu

}  // namespace kerb
