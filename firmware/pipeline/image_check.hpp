// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hal/base/clock.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// What a look at a sparse grid of a grey picture tells of the camera.
struct ImageLook {
  double mean = 0;       ///< grey value, 0..255
  double deviation = 0;  ///< standard deviation of the grey value
  Nanos unchanged{};     ///< for how long every picture has been the same, sample for sample
};

/// Looks at every picture for signs of a camera that is frozen, blinded or dark. A live sensor has
/// noise, so that even a still scene changes in its lowest bits. One thread; allocates nothing;
/// about 4,000 samples a picture.
class ImageCheck {
 public:
  ImageLook look(const ImageView<Space::host, const std::uint8_t>& grey, Nanos captured) noexcept;

 private:
  std::uint64_t last_hash_ = 0;
  Nanos same_since_{};
  bool seen_ = false;
};

}  // namespace kerb
