// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/image/counts.hpp"
#include "hal/base/result.hpp"

namespace kerb {

/// How the range of counts that is shown in 8 bits is found.
struct CountRangeSettings {
  /// Share of the pixels that may be black, and that may be white, in 1/10000: 0..4000. More: a
  /// small hot or cold thing takes less contrast from all others; it is shown as a flat patch.
  int black_permyriad = 50, white_permyriad = 50;
  /// Counts from black to white, at least: 1..65535. Less: more contrast in a nearly uniform scene,
  /// and more visible noise. With 255 a count is never more than a grey level.
  int min_span = 255;
  /// Time constant of the range, frames: 1..255. More: the picture changes more slowly, and stays
  /// black or white for longer where the scene changes.
  int smooth_frames = 30;
  /// Frames for which a picture that has lost its contrast leaves the range as it is: 0..10000.
  /// More: a longer calibration with a closed shutter is bridged; fog that comes suddenly is shown
  /// without contrast for longer.
  int hold_frames = 90;
};

/// The automatic range of a thermal camera: from the histogram of each picture to the counts that
/// become black and white. Integer arithmetic; the same pictures give the same ranges everywhere.
///
/// Of the n counts of a picture, sorted ascending as v[0..n-1]:
///   dark   = v[n * black_permyriad / 10000]
///   bright = v[n - 1 - n * white_permyriad / 10000]
///   middle = v[n / 2]
/// The picture asks for black at `dark` and white at `bright`; where they are closer than min_span,
/// for min_span counts around their mean (within the counts that the format has, where it has as
/// many). The range then is, of these, the first that applies:
///   the first picture             what it asks for
///   the same histogram again      unchanged. A camera that repeats a picture while it calibrates
///                                 thus repeats it in 8 bits, too, and can be seen to stand still
///   contrast lost                 unchanged for hold_frames pictures: the shutter is closed. Lost:
///                                 bright - dark is under min_span and under a quarter of the range
///   `middle` out of the range     what the picture asks for: more than half of it would be black
///                                 or white. The camera switched its gain, or shows another scene
///   otherwise                     each end moves by 1 / smooth_frames of its way, in 1/256 of a
///                                 count; a way longer than the range counts as long as it. So what
///                                 stays in the scene changes by 510 / smooth_frames levels at
///                                 most (and 3 of rounding), however hot the thing is that came
class CountRange {
 public:
  /// For samples of `bits` bits, 9..16. Fails: invalid_argument (a setting beyond its limits).
  static Result<CountRange> create(const CountRangeSettings& settings, int bits);

  /// The map for a picture of this histogram: 1 << bits elements with a sum of `pixels`. One thread
  /// at a time; allocates nothing. Without pixels: the last map.
  CountMap update(const std::uint32_t* histogram, std::uint64_t pixels) noexcept;

  /// The next picture is the first.
  void forget() noexcept { *this = CountRange{settings_, bits_}; }

  [[nodiscard]] CountMap map() const noexcept;  ///< of the last picture

 private:
  struct Marks {
    std::uint32_t dark = 0, middle = 0, bright = 0;
    std::uint64_t hash = 0;  ///< of the histogram
  };
  struct Ends {
    std::uint32_t low = 0, high = 0;
  };

  CountRange(const CountRangeSettings& settings, int bits) noexcept
      : settings_{settings}, bits_{bits} {}
  [[nodiscard]] Marks find(const std::uint32_t* histogram, std::uint64_t pixels) const noexcept;
  [[nodiscard]] Ends wanted(const Marks& marks) const noexcept;
  [[nodiscard]] bool lost_contrast(const Marks& marks) const noexcept;

  CountRangeSettings settings_;
  int bits_;
  std::int32_t low_ = 0, high_ = 0;  ///< 1/256 of a count
  std::uint64_t last_hash_ = 0;
  int held_ = 0;  ///< pictures without contrast, in a row
  bool seen_ = false;
};

}  // namespace kerb
