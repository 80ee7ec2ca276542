// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hal/base/pixel_format.hpp"

namespace kerb {

/// The memory space. Part of a view's type: a host pointer cannot reach a kernel by mistake.
enum class Space : std::uint8_t { host, device };

/// A borrowed picture of one sample a pixel. `row_stride` is in samples.
template <Space S, typename T>
struct ImageView {
  T* data = nullptr;
  int width = 0, height = 0;
  std::ptrdiff_t row_stride = 0;

  /// To a view of the same samples as const.
  template <typename U,
            typename = std::enable_if_t<!std::is_same_v<U, T> && std::is_same_v<U, const T>>>
  operator ImageView<S, U>() const noexcept {
    return {data, width, height, row_stride};
  }
};

/// `count` borrowed pictures of one size, one behind the other: the bands of a multispectral frame.
template <Space S, typename T>
struct PlanesView {
  T* data = nullptr;
  int count = 0, width = 0, height = 0;
  std::ptrdiff_t row_stride = 0, plane_stride = 0;  // in samples

  template <typename U,
            typename = std::enable_if_t<!std::is_same_v<U, T> && std::is_same_v<U, const T>>>
  operator PlanesView<S, U>() const noexcept {
    return {data, count, width, height, row_stride, plane_stride};
  }
  [[nodiscard]] ImageView<S, T> plane(int index) const noexcept {
    return {data + index * plane_stride, width, height, row_stride};
  }
};

/// A borrowed camera picture as the camera wrote it: bytes, and how to read them.
template <Space S>
struct RawImageView {
  const std::uint8_t* data = nullptr;
  int width = 0, height = 0;
  std::ptrdiff_t row_stride = 0;         ///< bytes from row to row, >= min_row_bytes(format, width)
  const std::uint8_t* chroma = nullptr;  ///< nv12 only: the U V plane
  std::ptrdiff_t chroma_stride = 0;      ///< nv12 only
  PixelFormat format = PixelFormat::grey8;
  BayerOrder bayer = BayerOrder::rggb;  ///< bayer formats only
  int mosaic = 0;  ///< N for an N x N spectral filter pattern over a single-sample format, else 0
};

}  // namespace kerb
