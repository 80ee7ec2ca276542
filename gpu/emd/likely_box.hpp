// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

/// Boxes in a picture of likelihoods (targets.hpp), on the CPU: the most likely one, and the
/// likelihood of a given one. Nothing here allocates.
namespace kerb::emd {

using LikelyView = ImageView<Space::host, const std::uint8_t>;

struct LikelyBox {
  bool known = false;  ///< false: the picture has no room for the box and something beside it
  float x = 0, y = 0;  ///< the middle of what is likely in it, finer than a pixel
  float inside = 0;    ///< mean likelihood in it, 0..255
  float beside = 0;    ///< mean likelihood more than half its width away; none there: as inside
};
/// Where a box of that size holds the most likelihood: the peak, and mean shift from there. Sizes
/// are 1 at least. Fails: as cpu::find_peaks() and cpu::mean_shift().
Result<LikelyBox> find_likely(const LikelyView& likely, int width, int height);

/// The mean likelihood, 0..255, of the whole pixels whose middle is in a box, or at least of the
/// one in its middle. Below 0 where less than half of the box is in the picture, or it has no area.
[[nodiscard]] float mean_likelihood(const LikelyView& likely, float left, float top, float right,
                                    float bottom) noexcept;

}  // namespace kerb::emd
