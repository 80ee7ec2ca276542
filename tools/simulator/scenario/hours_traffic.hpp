// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "tools/simulator/base/random.hpp"
#include "tools/simulator/scenario/hours_ground.hpp"
#include "tools/simulator/scenario/hours_route.hpp"

namespace kerb::sim::hours {

/// Size, paint and seed of a thing whose kind is known.
void finish_prop(PropSpec& prop, Random& random);

/// A car that drives ahead on the same route, `headway_s` before this one, and waits before it
/// where it waits. None if the distance would ever be less than a careful driver keeps.
[[nodiscard]] std::optional<PropSpec> car_ahead(const Route& route, const CarSpec& car,
                                                const std::vector<Halt>& halts,
                                                const DriveGround& ground, const Manner& manner,
                                                double headway_s, double seconds, Random& random);
/// Front to front, where both stand in a queue.
inline constexpr double kQueue = 6.6;

/// A vehicle of the other direction that meets the car at a time.
[[nodiscard]] std::optional<PropSpec> oncoming(const Route& route, const StreetSpec& street,
                                               const DriveGround& ground, double meets_s,
                                               double mps, Random& random);

/// Takes out vehicles that would come within half a metre of somebody or of each other.
void clear_traffic(Scenario& scenario);

}  // namespace kerb::sim::hours
