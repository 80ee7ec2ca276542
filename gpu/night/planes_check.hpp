// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

/// Argument checks of the operators, the same on both backends. For gpu/night alone.
namespace kerb::night {

inline constexpr int kMinSide = 16, kMaxSide = 16384;

/// Sizes and numbers of planes that the operators can be made for.
inline Status check_shape(const char* where, int width, int height, int planes) {
  const auto fits = [](int side) { return side >= kMinSide && side <= kMaxSide; };
  if (!fits(width) || !fits(height))
    return Error{Errc::invalid_argument, 0, where, "sides must be 16..16384 pixels"};
  if (planes != 1 && planes != 3)
    return Error{Errc::invalid_argument, 0, where, "1 plane (grey) or 3 (R, G, B)"};
  return Done{};
}

template <Space S, typename T>
bool has_shape(const PlanesView<S, T>& view, int width, int height, int planes) {
  return view.data != nullptr && view.count == planes && view.width == width &&
         view.height == height && view.row_stride >= width &&
         (planes == 1 || view.plane_stride >= view.row_stride * (height - 1) + width);
}

/// Whether both are what the operator was made for.
template <Space S>
Status check_planes(const char* where, const PlanesView<S, const std::uint8_t>& in,
                    const PlanesView<S, std::uint8_t>& out, int width, int height, int planes) {
  if (!has_shape(in, width, height, planes) || !has_shape(out, width, height, planes))
    return Error{Errc::invalid_argument, 0, where, "not the size or planes it was made for"};
  if (in.data == out.data)
    return Error{Errc::invalid_argument, 0, where, "the output must not be the input"};
  return Done{};
}

}  // namespace kerb::night
