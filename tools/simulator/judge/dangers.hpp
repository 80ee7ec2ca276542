// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tools/simulator/judge/visibility.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim {

/// A time during which somebody is in danger; seconds.
struct Danger {
  int person = 0;
  double begin = 0;    ///< from here on a warning may be of this person
  double evident = 0;  ///< from here on they would be run over if both went on as now
  double end = 0;      ///< the contact, or when the danger is gone
  double touch = 0;    ///< the contact, or when it was to happen as the danger began
  bool hit = false;    ///< it ends in the contact
};

/// How far ahead a contact is a danger: a warning that comes sooner is a false alarm.
inline constexpr double kDangerAhead_s = 3.5;
/// What would be a danger for a shorter time is none: somebody who speeds up, or turns.
inline constexpr double kLeastDanger_s = 0.5;

/// Everybody's dangers until the first contact (what comes after it is no real picture), by their
/// begin. Two kinds:
///   - who will be touched is in danger in the 3.5 s before, as soon as a tenth of them is visible;
///   - who will not, is in danger as long as they would be run over within 3.5 s if both went on as
///     now: the car along its way with its speed and its change of speed until it stands, the
///     person with their velocity. "Run over": the car's outline reaches their middle. So the
///     danger is gone as soon as the car brakes enough or the person leaves the way in time.
[[nodiscard]] std::vector<Danger> find_dangers(const World& world, const Visibility& visibility);

}  // namespace kerb::sim
