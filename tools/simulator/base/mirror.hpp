// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/simulator/base/scenario.hpp"

/// Left-hand traffic: the mirror image of a scenario, across the x axis.
namespace kerb::sim {

[[nodiscard]] constexpr Vec2 mirrored(Vec2 at) noexcept { return {at.x, -at.y}; }
[[nodiscard]] constexpr Place mirrored(const Place& place) noexcept {
  return {mirrored(place.at), -place.heading};
}

/// The scenario with left and right exchanged in everything that has a side: places, headings,
/// bends, the camera's mounting, the sun, the surroundings. Where traffic kept to the right, it
/// keeps to the left. The truth of the result is the mirror image of the truth; mirrored twice, a
/// scenario is itself again. Names and seeds stay.
[[nodiscard]] Scenario mirrored(const Scenario& scenario);

}  // namespace kerb::sim
