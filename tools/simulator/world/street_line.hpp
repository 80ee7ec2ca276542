// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/simulator/base/scenario.hpp"
#include "tools/simulator/world/way.hpp"

namespace kerb::sim {

/// The street's middle line. The car starts beside it, in the middle of the rightmost lane; of the
/// leftmost where traffic keeps to the left.
[[nodiscard]] Way street_line(const Scenario& scenario);
/// From the middle line to the kerbs: half of the lanes, and bays for parked cars.
[[nodiscard]] double kerb_offset(const StreetSpec& street);
/// The way of the middle line of a street on which a car drives `way` in its lane.
[[nodiscard]] std::vector<Stretch> street_along(const std::vector<Stretch>& way,
                                                const StreetSpec& street);
inline constexpr double kParkingBay = 2.1;

}  // namespace kerb::sim
