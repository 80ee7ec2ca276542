// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/simulator/base/scenario.hpp"

namespace kerb::sim::test {

/// A car at 36 km/h and somebody who crosses from the right, met after 4 s. Small pictures.
inline Scenario crossing() {
  Scenario s;
  s.name = "crossing";
  s.seconds = 5;
  s.camera.width = 160;
  s.camera.height = 96;
  s.car.speeds = {{0, 10, 3}};
  PersonSpec person;
  person.start.at = {40.25, -4};
  person.walk = {{{40.25, 6}, 1.0, 0}};
  s.people = {person};
  s.criteria.impact_expected = true;
  s.criteria.collision_warning_before_impact_s = 1.5;
  return s;
}

}  // namespace kerb::sim::test
