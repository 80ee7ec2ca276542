// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "firmware/track/tracker.hpp"

namespace kerb::track {

/// Tells people apart by the colours of their clothes: a histogram of the upper body and one of the
/// lower, 24 bins each, from the picture's R, G and B where the CPU can read them, else from its
/// grey. The distance from an unknown signature is 0.5.
[[nodiscard]] std::unique_ptr<Appearance> make_colour_appearance();

}  // namespace kerb::track
