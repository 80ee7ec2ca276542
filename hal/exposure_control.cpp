// SPDX-License-Identifier: Apache-2.0
#include "hal/exposure_control.hpp"

#include <algorithm>
#include <cmath>

namespace kerb {

double GainScale::gain_of(std::int64_t steps) const noexcept {
  const double above = static_cast<double>(std::clamp(steps, minimum, maximum) - minimum) / unit;
  return kind == GainKind::linear ? 1 + above : std::pow(10.0, above / 20);
}

std::int64_t GainScale::steps_for(double gain) const noexcept {
  if (!adjustable()) return minimum;
  if (!(gain > 1)) return minimum;
  const std::int64_t size = std::max<std::int64_t>(step, 1);
  const std::int64_t count = (maximum - minimum) / size;  // the last step may lie below the maximum
  const double above = kind == GainKind::linear ? (gain - 1) * unit : 20 * std::log10(gain) * unit;
  const double wanted = std::min(above / static_cast<double>(size), static_cast<double>(count));
  const auto below = static_cast<std::int64_t>(wanted);
  const std::int64_t low = minimum + below * size;
  if (below >= count) return low;
  const std::int64_t high = low + size;
  return gain / gain_of(low) <= gain_of(high) / gain ? low : high;  // nearest as a ratio
}

Nanos ExposureRange::at_most(Nanos time) const noexcept {
  if (time <= shortest) return shortest;
  const Nanos size = std::max(step, Nanos{1});
  return shortest + (std::min(time, longest) - shortest) / size * size;
}

Nanos ExposureRange::nearest(Nanos time) const noexcept {
  const Nanos below = at_most(time);
  const Nanos above = below + std::max(step, Nanos{1});
  return time - below <= above - time || above > longest ? below : above;
}

}  // namespace kerb
