// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "hal/base/clock.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// What a look at a sparse grid of a grey picture tells of the camera.
struct ImageLook {
  double mean = 0;       ///< grey value, 0..255
  double deviation = 0;  ///< standard deviation of the grey value
  Nanos unchanged{};     ///< for how long every picture has been the same, sample for sample
  double dull = 0;       ///< share of the picture that has lost its detail, 0..1
};

/// Looks at every picture for signs of a camera that is frozen, blinded, dark or dirty. A live
/// sensor has noise, so that even a still scene changes in its lowest bits. Dirt, a smear or mist
/// on the glass takes the detail out of the picture, in most of it and at once: each of 8 x 5 parts
/// is compared with what it had over the last seconds. (A camera that is dirty from the start has
/// nothing to be compared with.) One thread; allocates nothing; about 4,000 samples a picture.
class ImageCheck {
 public:
  ImageLook look(const ImageView<Space::host, const std::uint8_t>& grey, Nanos captured) noexcept;

 private:
  static constexpr int kAcross = 8, kDown = 5;  // parts of the picture
  using Parts = std::array<double, kAcross * kDown>;
  double dull(const Parts& detail, Nanos captured) noexcept;

  Parts usual_{};  // detail of each part, over the last seconds
  Nanos looked_{};
  std::uint64_t last_hash_ = 0;
  Nanos same_since_{};
  bool seen_ = false;
};

}  // namespace kerb
