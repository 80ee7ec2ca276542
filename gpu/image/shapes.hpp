// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

/// Argument checks of the operators, the same on both backends. For gpu/image alone.
namespace kerb::shapes {

inline constexpr int kMaxSide = 65536;
inline constexpr int kMinMosaic = 2, kMaxMosaic = 8;

/// Checks format, size and mosaic of a picture.
Status check_kind(PixelFormat format, int width, int height, int mosaic);
/// ... and its memory. The Space does not matter.
Status check_input(const void* data, PixelFormat format, int width, int height,
                   std::ptrdiff_t row_stride, int mosaic);

/// Checks that pixels are counts of more than 8 bits: grey10..grey16 without mosaic.
Status check_counts(PixelFormat format, int mosaic);

/// Whether a view has pixels and no overlapping rows.
template <Space S, typename T>
bool is_whole(const ImageView<S, T>& view) {
  return view.data != nullptr && view.width >= 1 && view.height >= 1 && view.width <= kMaxSide &&
         view.height <= kMaxSide && view.row_stride >= view.width;
}
/// ... and `count` planes that do not overlap either.
template <Space S, typename T>
bool is_whole(const PlanesView<S, T>& view, int count) {
  return view.count == count && count >= 1 && is_whole(view.plane(0)) &&
         view.plane_stride >= view.row_stride * (view.height - 1) + view.width;
}

template <Space S>
Status check(const RawImageView<S>& in, const ImageView<S, std::uint8_t>& out) {
  if (Status ok = check_input(in.data, in.format, in.width, in.height, in.row_stride, in.mosaic);
      !ok)
    return ok;
  if (out.data == nullptr || out.width != in.width || out.height != in.height ||
      out.row_stride < out.width)
    return Error{Errc::invalid_argument, 0, "to_grey", "the output must be as large as the input"};
  return Done{};
}

template <Space S>
Status check(const RawImageView<S>& in, const PlanesView<S, std::uint16_t>& out) {
  if (in.mosaic == 0)
    return Error{Errc::invalid_argument, 0, "split_mosaic", "the input has no mosaic"};
  if (Status ok = check_input(in.data, in.format, in.width, in.height, in.row_stride, in.mosaic);
      !ok)
    return ok;
  if (out.data == nullptr || out.count != in.mosaic * in.mosaic ||
      out.width != in.width / in.mosaic || out.height != in.height / in.mosaic ||
      out.row_stride < out.width ||
      out.plane_stride < out.row_stride * (out.height - 1) + out.width)
    return Error{Errc::invalid_argument, 0, "split_mosaic",
                 "the output must be N*N planes of 1/N the size"};
  return Done{};
}

/// For to_rgb().
template <Space S>
Status check(const RawImageView<S>& in, const PlanesView<S, std::uint8_t>& out) {
  if (Status ok = check_input(in.data, in.format, in.width, in.height, in.row_stride, in.mosaic);
      !ok)
    return ok;
  const auto refuse = [](const char* what) {
    return Error{Errc::invalid_argument, 0, "to_rgb", what};
  };
  if (in.mosaic != 0) return refuse("the bands of a mosaic are not R G B");
  if (in.format == PixelFormat::nv12 && (in.chroma == nullptr || in.chroma_stride < in.width))
    return refuse("no chroma plane, or its rows overlap");
  if (!is_whole(out, 3) || out.width != in.width || out.height != in.height)
    return refuse("the output must be 3 planes as large as the input");
  return Done{};
}

/// For to_luv().
template <Space S>
Status check(const PlanesView<S, const std::uint8_t>& in, const PlanesView<S, std::uint8_t>& out) {
  if (!is_whole(in, 3) || !is_whole(out, 3) || in.width != out.width || in.height != out.height)
    return Error{Errc::invalid_argument, 0, "to_luv", "input and output must be 3 equal planes"};
  return Done{};
}

}  // namespace kerb::shapes
