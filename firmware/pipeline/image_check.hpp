// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "hal/base/clock.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// Statistics of a sparse grid of a grey picture, to judge the camera by.
struct ImageStatistics {
  double mean = 0;       ///< grey value, 0..255
  double deviation = 0;  ///< standard deviation of the grey value
  Nanos unchanged{};     ///< time for which all samples have been the same
  double dull = 0;       ///< share of the picture that has lost its detail, 0..1
};

/// From where on nobody can be found in a picture.
struct PictureLimits {
  double blinded_mean = 256, dark_mean = -1;  ///< mean grey value, and above; and below
  double dull = 2;                            ///< share that has lost its detail, and above
  [[nodiscard]] bool shows_people(const ImageStatistics& picture) const noexcept {
    return picture.mean < blinded_mean && picture.mean > dark_mean && picture.dull < dull;
  }
};

/// How fast the view moves sideways, by the brightness of its columns, and how far it has moved
/// lately. In picture widths; to the right is positive. Allocates nothing.
class ViewPan {
 public:
  static constexpr int kMostColumns = 160;
  using Columns = std::array<float, kMostColumns>;
  /// `count` columns' mean grey values.
  void update(const Columns& columns, int count, double dt) noexcept;
  /// The view moves now, or has moved so far that what is seen is not what was seen.
  [[nodiscard]] bool turned() const noexcept;

 private:
  [[nodiscard]] double shift(const Columns& now) const noexcept;  // columns

  Columns before_{};  // without their mean
  int count_ = 0;
  double rate_ = 0, moved_ = 0;  // widths per second; widths
};

/// Checks every picture for signs of a frozen, blinded, dark or dirty camera. A live sensor has
/// noise, so that even a still scene changes in its lowest bits. A camera that stalls may show all
/// the pictures in its buffers again, in turn: so a picture that was there a moment ago is no new
/// one. Dirt, a smear or mist on the glass removes detail from most of the picture at once: each of
/// 8 x 5 parts is compared with its mean over the last seconds. (A camera that is dirty from the
/// start has nothing to compare with.) While the view turns each part shows something else, perhaps
/// a wall: then only what most of the picture loses within a tenth of a second counts. One thread;
/// allocates nothing; about 4,000 samples per picture.
class ImageCheck {
 public:
  static constexpr int kMostRemembered = 32;
  /// How many pictures back one counts as the same; at first 1. A recording may loop, a camera's
  /// noise does not.
  void remember(int pictures) noexcept {
    remembered_ = static_cast<std::size_t>(std::clamp(pictures, 1, kMostRemembered));
  }
  ImageStatistics update(const ImageView<Space::host, const std::uint8_t>& grey,
                         Nanos captured) noexcept;

 private:
  static constexpr int kAcross = 8, kDown = 5;  // parts of the picture
  using Parts = std::array<double, kAcross * kDown>;
  double dull(const Parts& detail, double dt) noexcept;

  Parts usual_{};   // detail of each part, over the last seconds
  Parts recent_{};  // the most of the last tenth of a second
  ViewPan pan_;
  bool dulled_ = false;  // it lost its detail, and has not got it back
  Nanos updated_{};
  std::array<std::uint64_t, kMostRemembered> hashes_{};  // of the last pictures that were new
  std::size_t remembered_ = 1, hashed_ = 0;
  Nanos same_since_{};
  bool seen_ = false;
};

}  // namespace kerb
