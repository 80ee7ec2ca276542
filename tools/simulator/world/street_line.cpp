// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/world/street_line.hpp"

namespace kerb::sim {
namespace {

double middle_left_of_car(const StreetSpec& street) {
  return (street.left_hand ? -1 : 1) * (street.lanes - 1) / 2.0 * street.lane_m;
}

}  // namespace

Way street_line(const Scenario& scenario) {
  const Place& start = scenario.car.start;
  const Vec2 left = left_of(direction(start.heading));
  return Way{{start.at + middle_left_of_car(scenario.street) * left, start.heading},
             scenario.street.way};
}

double kerb_offset(const StreetSpec& street) {
  return street.lanes * street.lane_m / 2 + (street.parked_cars ? kParkingBay : 0);
}

std::vector<Stretch> street_along(const std::vector<Stretch>& way, const StreetSpec& street) {
  // A parallel line: the same turn about the same middle. Exact for straights and circles.
  const double offset = middle_left_of_car(street);
  std::vector<Stretch> out = way;
  for (Stretch& stretch : out) {
    if (stretch.radius_m == 0 || stretch.radius_m - offset == 0) continue;
    const double ratio = (stretch.radius_m - offset) / stretch.radius_m;
    if (ratio <= 0) return {};  // tighter than the street is wide: it leaves it
    stretch.length_m *= ratio;
    stretch.radius_m -= offset;
  }
  return out;
}

}  // namespace kerb::sim
