// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tools/simulator/base/scenario.hpp"
#include "tools/simulator/world/way.hpp"

namespace kerb::sim::hours {

/// What makes a collision warning wrong: docs/suites.md#hours has it in words.
///
/// At every instant at which the car drives at least `slow_mps`, a person is taken on from where
/// they are with the velocity they have. The car goes on along its real way, (a) with its real
/// speeds and (b) with the speed it has now. In neither case may the outlines come within `room_m`
/// of each other in the next `look_ahead_s`, and not if the person were up to `gap_s` earlier or
/// later, either. Nor do they really come so near. A slower car is never nearer than `slow_room_m`
/// to anybody.
struct QuietRule {
  double look_ahead_s = 3.5;  ///< a warning before that is too early even for a true impact
  double gap_s = 1.5;
  double room_m = 0.4;
  double slow_mps = 10 / 3.6;  ///< below, people in front are a matter of information
  double slow_room_m = 0.3;
};

/// Checks people against the rule, for one car; of who rides, the whole outline. Looks 20 times a
/// second.
class QuietCheck {
 public:
  QuietCheck(const CarSpec& car, double seconds, const QuietRule& rule);
  [[nodiscard]] bool keeps(const PersonSpec& person) const;

 private:
  struct Instant {
    Place front;
    double mps = 0, metres = 0;
  };
  /// A disc of somebody's outline, and how it moves on.
  struct Disc {
    Vec2 at, velocity;
    double radius = 0;
  };
  [[nodiscard]] double distance(Place front, const Disc& disc, double after = 0) const;
  [[nodiscard]] bool comes_near(const Instant& car, std::size_t at, const Disc& disc) const;
  [[nodiscard]] bool touches(Place front, double after, const Disc& disc) const;
  CarSpec car_;
  QuietRule rule_;
  Way way_;
  std::vector<Instant> instants_;  // every 0.05 s, until look_ahead_s after the end
  std::size_t count_ = 0;          // of those before the end
};

}  // namespace kerb::sim::hours
