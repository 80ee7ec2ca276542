// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

namespace kerb::replay {

/// The memory layout of a source's pictures.
struct PictureLayout {
  PixelFormat format = PixelFormat::grey8;
  int mosaic = 0;
  int width = 0, height = 0;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t chroma_offset = 0;  ///< from the buffer's start; 0: no such plane
  std::size_t bytes = 0;

  [[nodiscard]] RawImageView<Space::host> view(const std::uint8_t* data) const noexcept;
};

/// The end of a text that is too long (a path): it says more than the beginning.
template <std::size_t Room>
[[nodiscard]] Text<Room> tail_of(std::string_view text) noexcept {
  static_assert(Room > 3);
  if (text.size() <= Room) return text;
  return Text<Room>{"..."}.append(text.substr(text.size() - (Room - 3)));
}

/// An Error of this folder, with the tail of `what`.
[[nodiscard]] Error failure(Errc code, const char* where, std::string_view what, int native = 0);

/// Rows begin on multiples of 64 bytes. Under a mosaic, Bayer becomes grey of its depth. Fails with
/// invalid_argument for a size the format cannot have or over 16384, a mosaic other than 0
/// and 2..8, or one over a format of several samples a pixel.
Result<PictureLayout> make_layout(PixelFormat format, int width, int height, int mosaic);

/// The format that settings.format asks for, `automatic` for "auto". Fails: unsupported ("mjpeg"),
/// invalid_argument (no such name).
Result<PixelFormat> parse_format(std::string_view name, PixelFormat automatic);

/// Pictures one after the other: what a Playback plays. One thread at a time.
class PictureReader {
 public:
  static constexpr std::uint64_t kEndless = std::numeric_limits<std::uint64_t>::max();

  virtual ~PictureReader() = default;
  [[nodiscard]] virtual Text<64> name() const = 0;
  [[nodiscard]] virtual const PictureLayout& layout() const = 0;
  [[nodiscard]] virtual double rate_hz() const = 0;
  /// Number of pictures, an estimate where the file does not say; kEndless when they loop.
  [[nodiscard]] virtual std::uint64_t length() const = 0;
  /// Skips `count` pictures; fewer where that would take long.
  virtual void skip(std::uint64_t count) = 0;
  /// Writes the next picture to `out`, layout().bytes of it. Fails: damaged (that one is skipped),
  /// end (at every further call), io.
  virtual Status read(std::uint8_t* out) = 0;
};

}  // namespace kerb::replay
