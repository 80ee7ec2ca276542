// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "tools/simulator/base/vec.hpp"
#include "tools/simulator/scenario/scenario.hpp"

namespace kerb::sim {

struct CarState {
  Place place;  ///< middle of the front bumper
  double mps = 0;
  double yaw_radps = 0;  ///< to the left is positive
  double metres = 0;     ///< driven since the start
};
struct PersonState {
  Place place;
  Vec2 velocity;
  double mps = 0;
  double walked_m = 0;  ///< on foot since the start: drives the gait
  double turned = 0;    ///< rad/s
};
struct PropState {
  Place place;
  double mps = 0;
  double metres = 0;  ///< rolled: turns the wheels
};
/// Where everything is at an instant. Vectors are in the scenario's order.
struct Moment {
  double t = 0;
  CarState car;
  std::vector<PersonState> people;
  std::vector<PropState> props;
};

/// When and where the car would touch somebody, if nobody did anything about it.
struct Contact {
  double t = 0;
  int person = 0;
  /// Where on the front, 0 at its right edge, 1 at its left one; outside 0..1: at the side.
  double across = 0;
  bool front = true;
};

/// A scenario's motion, exact at any time, without state: any instant may be asked for.
class World {
 public:
  explicit World(const Scenario& scenario);
  void at(double t, Moment& out) const;
  /// The first contact of the run, by the outlines (a person is a circle of kPersonRadius).
  [[nodiscard]] std::optional<Contact> contact() const;
  [[nodiscard]] const Scenario& scenario() const noexcept { return scenario_; }
  static constexpr double kPersonRadius = 0.25;

 private:
  Scenario scenario_;
};

}  // namespace kerb::sim
