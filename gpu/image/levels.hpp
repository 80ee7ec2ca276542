// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/base/result.hpp"

namespace kerb {

/// The source of a level.
enum class Scaling : std::uint8_t {
  plain,  ///< the picture itself, whatever the scale, as OpenCV's detectors do: a level of scale 4
          ///< uses one pixel in four each way, and fine texture becomes noise
  octaves,  ///< from a scale of 2 on the picture averaged over 2 x 2 pixels, from 4 on over 4 x 4,
            ///< and so on (Octave)
};

/// The picture averaged over blocks of 2^shift x 2^shift pixels: (sum + half) >> 2 * shift of each.
/// Columns and rows beyond the last whole block are ignored. In a buffer of 8-bit samples its
/// first one is at `offset`.
struct Octave {
  int shift = 0, width = 0, height = 0;
  std::size_t offset = 0;  ///< samples; a multiple of kLevelAlign
  int row_stride = 0;      ///< samples; a multiple of kLevelAlign
};
inline constexpr int kMaxOctave = 4;  ///< so that a block's sum fits 16 bits
inline constexpr int kLevelAlign = 64;

/// One scaled copy of a picture, or a part of it. The whole picture would be `image_width` x
/// `image_height`; kept is the area from (x0, y0) on, which may begin left of and above the picture
/// and end right of and below it: what lies outside is the picture mirrored at its edge pixels
/// (dcb|abcd|cba). Around the area stands a rim of one pixel, made the same way, so that centred
/// gradients need no special case. In a buffer of 8-bit samples the rim's corner is at `offset`,
/// and area pixel (x, y) at offset + (y + 1) * row_stride + (x + 1).
struct Level {
  double scale = 1;  ///< picture pixels to one of this level's
  int image_width = 0, image_height = 0;
  int x0 = 0, y0 = 0, width = 0, height = 0;  ///< the area
  std::size_t offset = 0;                     ///< samples; a multiple of kLevelAlign
  int row_stride = 0;                         ///< samples; a multiple of kLevelAlign
  int x_taps = 0, y_taps = 0;                 ///< where this level's begin in PyramidPlan::taps
  int octave = 0;                             ///< made from the picture; else from that Octave

  /// Where area pixel (x, y) is in the level's plane that starts at `base`.
  template <typename T>
  [[nodiscard]] T* at(T* base, int x, int y) const noexcept {
    return base + offset + static_cast<std::ptrdiff_t>(y + 1) * row_stride + (x + 1);
  }
};

/// How one column (or row) of a level, rim included, comes from the picture's (or octave's):
///   sample = ((256 - weight) * in[index] + weight * in[index + 1]) / 256
/// With weight 0 only in[index] is read. As in OpenCV's INTER_LINEAR_EXACT, the centre of pixel
/// i lies at i + 1/2 in both (in an octave at (i + 1/2) * 2^shift of the picture), and weights are
/// rounded to 1/256 (half to even).
struct Tap {
  std::uint16_t index = 0, weight = 0;
};

/// All levels of one picture size, and the tables to compute them. Plain data, made once.
struct PyramidPlan {
  int width = 0, height = 0;  ///< of the picture
  std::vector<Level> levels;
  std::vector<Octave> octaves;  ///< number i has shift i + 1; as many as the levels need
  std::vector<Tap> taps;
  std::size_t samples = 0;  ///< one plane of all levels, and after them, of all octaves
  /// Where the octaves begin among the samples.
  [[nodiscard]] std::size_t octaves_at() const noexcept {
    return octaves.empty() ? samples : octaves.front().offset;
  }
};

/// The wanted part of a level, in pixels of the scaled picture; see Level.
struct LevelArea {
  double scale = 1;
  int x0 = 0, y0 = 0, width = 0, height = 0;
};

/// The scaled picture's size: each side divided by the scale, rounded to nearest, half to even.
[[nodiscard]] int scaled_side(int side, double scale) noexcept;
/// The taps of `count` columns (or rows) from `first` on, of a side of `in` pixels scaled to `out`,
/// made from the octave with that shift.
void append_taps(int in, int out, int first, int count, int shift, std::vector<Tap>& taps);

/// Levels for these areas, one after the other in the buffer. Fails: invalid_argument (a side of
/// the picture not within 1..65535, an area without pixels or of more than 69631 a side, a scaled
/// picture of more than 65535 a side).
Result<PyramidPlan> plan_pyramid(int width, int height, const std::vector<LevelArea>& areas,
                                 Scaling scaling = Scaling::plain);

}  // namespace kerb
