// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "drivers/v4l2/device.hpp"
#include "hal/base/pixel_format.hpp"
#include "hal/base/text.hpp"

namespace kerb::v4l2 {

/// A kernel format that is supported, and the pixels it gives.
struct FormatEntry {
  std::uint32_t fourcc;
  PixelFormat pixels;  ///< what the frames hold
  BayerOrder bayer;    ///< Bayer formats only
  bool compressed;     ///< MJPEG: decoded into `pixels`
  [[nodiscard]] const char* name() const noexcept { return compressed ? "mjpeg" : name_of(pixels); }
};

/// Every format we read, in the order in which "auto" prefers them: luma as it is needed, with
/// colour (nv12, yuyv, uyvy); luma alone (grey8, grey10, grey12, grey14, grey16); raw
/// colour (bayer8, bayer10, bayer12); rgb24, bgr24; mjpeg last, for it costs a decoder's time and
/// delay. Packed (MIPI) and big-endian raw formats are not among them: 10, 12 and 14 bits come in
/// 16-bit words only.
[[nodiscard]] std::span<const FormatEntry> known_formats() noexcept;
/// The same, for a camera under a filter mosaic: single-sample formats only, those with most bits
/// first.
[[nodiscard]] std::span<const FormatEntry> mosaic_formats() noexcept;
/// The same, for a thermal camera: its counts (most bits first), then pictures that it has reduced
/// to 8 bits itself (grey8, or the luma of nv12, yuyv, uyvy). Not R G B or JPEG, which hold false
/// colours: their brightness does not rise with the temperature.
[[nodiscard]] std::span<const FormatEntry> thermal_formats() noexcept;
/// Null when it is not supported.
[[nodiscard]] const FormatEntry* find_format(std::uint32_t fourcc) noexcept;
/// Whether a configuration may say this: a format's name or "auto".
[[nodiscard]] bool is_format_name(std::string_view name) noexcept;

/// For messages: its PixelFormat's name, or its four characters.
[[nodiscard]] Text<8> format_label(std::uint32_t fourcc) noexcept;

/// Where the picture lies in a buffer.
struct PictureLayout {
  int row_stride = 0;         ///< bytes
  std::size_t chroma_at = 0;  ///< nv12: where the U V plane begins
  std::size_t bytes = 0;      ///< the least a whole picture takes
};
/// Of an uncompressed picture. False when the kernel's own numbers contradict each other (rows
/// shorter than their pixels, a buffer smaller than the picture).
[[nodiscard]] bool layout_of(const KernelFormat& format, PixelFormat pixels,
                             PictureLayout& layout) noexcept;

/// Grey of the same bit depth: what a Bayer format is when a filter mosaic lies over the sensor
/// instead.
[[nodiscard]] PixelFormat without_bayer(PixelFormat format) noexcept;

}  // namespace kerb::v4l2
