// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/image_pattern.hpp"

#include <cstddef>

#include "firmware/exact/exact_math.hpp"

namespace kerb::track {

double ImagePattern::see_box(const SeenBox& box) noexcept {
  const std::array<double, 3> seen{box.column, box.foot, box.head}, r = noise(box);
  double fit = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const double off = seen[i] - place_[i], spread = variance_[i] + r[i];
    fit -= 0.5 * (off * off / spread + exact::log(spread));
    const double gain = variance_[i] / spread;
    place_[i] += gain * off;
    variance_[i] *= 1 - gain;
  }
  return fit;
}

}  // namespace kerb::track
