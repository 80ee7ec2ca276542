// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "tools/simulator/base/random.hpp"
#include "tools/simulator/base/scenario.hpp"
#include "tools/simulator/world/speed_profile.hpp"
#include "tools/simulator/world/way.hpp"

/// Where a car drives and how fast: the routes of the suite `hours`, and of the traffic on them.
namespace kerb::sim::hours {

/// A stop at a place, for a time or until a time.
struct Halt {
  double metre = 0;
  double dwell_s = 0;
  std::optional<double> leave_s;  ///< instead of dwell_s; it stands at least a second
};
/// How somebody drives. Metres per second squared.
struct Manner {
  double accelerates = 1.4, brakes = 2, sideways = 1.8;
};

/// Speeds along a way: each stretch at most as fast as `mps` says (one for each) and as its bends
/// allow, slowed down before and sped up after, 0 at the halts. `start` is the speed at 0 s, if the
/// way allows it.
[[nodiscard]] std::vector<SpeedPoint> plan_speeds(const std::vector<Stretch>& way,
                                                  const std::vector<double>& mps,
                                                  const std::vector<Halt>& halts, double start,
                                                  const Manner& manner);

/// The line that runs `offset` to the left of a way: exact for straights and circles, and within
/// centimetres for the transitions of a street. Empty where a bend is tighter than the offset.
[[nodiscard]] std::vector<Stretch> beside(const std::vector<Stretch>& way, double offset);
/// The same line from its other end.
[[nodiscard]] std::vector<Stretch> reversed(const std::vector<Stretch>& way);
/// What is left of a way from `metre` on, which is moved forward to the next straight or circle
/// where it falls into a transition. `stretch`: the first that is left.
struct Rest {
  std::vector<Stretch> way;
  double metre = 0;
  std::size_t stretch = 0;
};
[[nodiscard]] Rest rest_of(const std::vector<Stretch>& way, double metre);

/// A turning at a junction, in metres of the car's way.
struct Turning {
  double begin = 0, end = 0;
  bool left = false;
  bool goes_on = true;  ///< the street the car leaves goes straight on
  bool crosses = true;  ///< the street the car comes into comes from the other side
};
/// A crossing at which the car stops.
struct Crossing {
  double line = 0;  ///< metre of the stop line
  bool lights = false;
  bool stops = false;  ///< the car does
};
/// A side street, in metres of the car's way.
struct Mouth {
  double metre = 0;
  bool left = false;
};

struct Route {
  std::vector<Stretch> way;
  std::vector<double> mps;  ///< the limit of each stretch
  std::vector<Turning> turnings;
  std::vector<Crossing> crossings;
  std::vector<Mouth> mouths;
};

/// What a route is drawn from.
struct RouteChoice {
  double cruise_mps = 50 / 3.6;
  double length_m = 900;       ///< at least as long
  double bay_m = 0;            ///< width of parking bays: turnings are wider then
  bool turning_first = false;  ///< begins with a turning, after 60..100 m
  bool long_straight = false;  ///< begins with a straight of at least 350 m, and nothing on it
  double features = 1;         ///< chance factor of crossings
};
[[nodiscard]] Route draw_route(const RouteChoice& choice, Random& random);
/// Whether parts of the way that are not near along it stay 45 m apart.
[[nodiscard]] bool keeps_apart(const std::vector<Stretch>& way);

inline constexpr double kStopBeforeLine = 0.6;  ///< metres from the bumper to the line
inline constexpr double kLineToStripes = 1.0, kStripes = 4;

}  // namespace kerb::sim::hours
