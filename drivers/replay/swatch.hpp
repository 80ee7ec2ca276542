// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "drivers/replay/picture.hpp"

namespace kerb::replay {

struct Rgb {
  int r = 0, g = 0, b = 0;  // 0..255
};

/// A picture that is drawn once, pixel by pixel, and then copied in spans for every frame, so that
/// the test pattern costs one memcpy of a frame, whatever the format.
class Swatch {
 public:
  /// Pixels repeat their place in the format's grid (chroma pairs, Bayer, mosaic) after this many.
  [[nodiscard]] static int grid(const PictureLayout& layout) noexcept;

  /// Black. Fails as make_layout().
  static Result<Swatch> create(PixelFormat format, int width, int height, int mosaic);
  /// One colour, as wide as `like` and one grid high.
  static Result<Swatch> solid(const PictureLayout& like, Rgb colour);

  /// Each band of a mosaic has its own mixture of the colour: blue in the first, red in the last.
  /// Chroma is that of the first pixel of a pair (nv12: of four).
  void paint(int x, int y, Rgb colour) noexcept;

  /// Copies `count` pixels at (from_x, from_y) to (x, y) of a picture of the same format. The two
  /// places must be alike in the grid, and `count` even for formats with chroma.
  void copy_span(int from_x, int from_y, int count, const PictureLayout& to, std::uint8_t* picture,
                 int x, int y) const noexcept;

  [[nodiscard]] const PictureLayout& layout() const noexcept { return layout_; }

 private:
  explicit Swatch(const PictureLayout& layout) : layout_{layout}, bytes_(layout.bytes) {}

  PictureLayout layout_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace kerb::replay
