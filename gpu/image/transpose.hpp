// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <type_traits>

#include "gpu/memory/stream.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

namespace kerb {

namespace transposing {
/// One side of a transposition without its type; the stride in elements. For transpose() alone.
struct Side {
  const void* data;
  int width, height;
  std::ptrdiff_t row_stride;
};
Status run(StreamRef stream, std::size_t element, const Side& in, const Side& out);
Status run_on_cpu(std::size_t element, const Side& in, const Side& out);
template <typename T>
inline constexpr bool kFits = std::is_trivially_copyable_v<T> &&
                              (sizeof(T) == 1 || sizeof(T) == 4 || sizeof(T) == 8 ||
                               sizeof(T) == 16);
}  // namespace transposing

/// out(y, x) = in(x, y). Elements of 1, 4, 8 or 16 bytes, each at a multiple of its size.
///   in      sides 1..65536, row_stride >= width
///   out     in.height wide and in.width high, row_stride >= width, not overlapping `in`; what lies
///           beyond a row's width stays as it is
///   costs   one launch; allocates nothing, synchronises nothing, keeps no state
///   fails   invalid_argument (the above), device (the launch was refused),
///           unsupported (built without CUDA)
template <typename T>
Status transpose(StreamRef stream, const ImageView<Space::device, std::add_const_t<T>>& in,
                 const ImageView<Space::device, T>& out) {
  static_assert(transposing::kFits<T>);
  // Named, not braces in the call: nvcc hands those on wrongly.
  const transposing::Side from{in.data, in.width, in.height, in.row_stride};
  const transposing::Side to{out.data, out.width, out.height, out.row_stride};
  return transposing::run(stream, sizeof(T), from, to);
}

/// The same contract on the CPU, done on return: the definition.
namespace cpu {
template <typename T>
Status transpose(const ImageView<Space::host, std::add_const_t<T>>& in,
                 const ImageView<Space::host, T>& out) {
  static_assert(transposing::kFits<T>);
  const transposing::Side from{in.data, in.width, in.height, in.row_stride};
  const transposing::Side to{out.data, out.width, out.height, out.row_stride};
  return transposing::run_on_cpu(sizeof(T), from, to);
}
}  // namespace cpu

}  // namespace kerb
