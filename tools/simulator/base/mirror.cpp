// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/base/mirror.hpp"

#include <utility>

namespace kerb::sim {
namespace {

void mirror(std::vector<Stretch>& way) {
  for (Stretch& stretch : way) stretch.radius_m = -stretch.radius_m;
}

}  // namespace

Scenario mirrored(const Scenario& scenario) {
  Scenario out = scenario;
  out.camera.left_m = -out.camera.left_m;
  out.camera.yaw_deg = -out.camera.yaw_deg;
  out.camera.roll_deg = -out.camera.roll_deg;
  out.car.start = mirrored(out.car.start);
  mirror(out.car.way);
  out.street.left_hand = !out.street.left_hand;
  std::swap(out.street.left, out.street.right);
  mirror(out.street.way);
  for (SideStreetSpec& side : out.street.side_streets) side.place = mirrored(side.place);
  for (IndicatorSpec& indicator : out.car.indicators) indicator.left = !indicator.left;
  if (out.light.sun_azimuth_deg) out.light.sun_azimuth_deg = -*out.light.sun_azimuth_deg;
  for (PersonSpec& person : out.people) {
    person.start = mirrored(person.start);
    for (WalkLeg& leg : person.walk) leg.to = mirrored(leg.to);
  }
  for (PropSpec& prop : out.props) {
    prop.place = mirrored(prop.place);
    mirror(prop.way);
    if (prop.door) prop.door->right = !prop.door->right;
  }
  return out;
}

}  // namespace kerb::sim
