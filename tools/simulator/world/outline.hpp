// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>

#include "tools/simulator/base/things.hpp"
#include "tools/simulator/base/vec.hpp"

namespace kerb::sim {

/// A point as the car has it: x ahead of the middle of its front, y to the left.
[[nodiscard]] Vec2 seen_from(Place car, Vec2 point) noexcept;

/// How far a point is from a car's outline, a rectangle behind the middle of its front; negative
/// inside: how deep. `seen` as seen_from() gives it.
[[nodiscard]] double outline_distance(double length_m, double width_m, Vec2 seen) noexcept;

/// The middle of a disc of somebody's outline.
[[nodiscard]] inline Vec2 disc_at(Place person, OutlineDisc disc) noexcept {
  return disc.ahead == 0 ? person.at : person.at + disc.ahead * direction(person.heading);
}

/// The first time in begin..end at which `distance` is 0 or less, to 1e-6 s, where it changes by at
/// most `fastest` a second. Steps as far as the distance allows, so that nothing is stepped over
/// but a graze of less than 1e-4 s.
[[nodiscard]] std::optional<double> first_touch(const std::function<double(double)>& distance,
                                                double fastest, double begin, double end);

}  // namespace kerb::sim
