// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "tools/flow/field.hpp"

namespace kerb::lab {

using Rgb = std::array<std::uint8_t, 3>;

/// The colour Middlebury's pictures give a vector, whose length is in units of the longest one: the
/// hue is the direction on a wheel of 55 colours, white is no motion, and what is longer than 1 is
/// darkened.
[[nodiscard]] Rgb flow_colour(double u, double v) noexcept;

/// The length that shall be full colour: that of the longest known vector, or 1 if all are 0.
[[nodiscard]] double longest(const Field& field) noexcept;

/// The field as R G B, 3 bytes a pixel; unknown vectors are black. `full` as of longest().
[[nodiscard]] std::vector<std::uint8_t> draw_field(const Field& field, double full);

/// The wheel itself, side x side, as a legend: white in its middle, full colour at its rim, `back`
/// outside.
[[nodiscard]] std::vector<std::uint8_t> draw_wheel(int side, Rgb back);

}  // namespace kerb::lab
