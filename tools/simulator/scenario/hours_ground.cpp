// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/scenario/hours_ground.hpp"

#include <algorithm>
#include <cmath>

#include "tools/simulator/world/street_line.hpp"

namespace kerb::sim::hours {

DriveGround::DriveGround(const Scenario& scenario)
    : street_{scenario.street},
      car_{scenario.car.start, scenario.car.way},
      line_{street_line(scenario)},
      speed_{scenario.car.speeds},
      seconds_{scenario.seconds},
      half_{scenario.street.lanes * scenario.street.lane_m / 2},
      kerb_{kerb_offset(scenario.street)},
      metres_{0},
      along_{0} {
  for (std::size_t i = 0; i < scenario.car.way.size(); ++i) {
    metres_.push_back(metres_.back() + scenario.car.way[i].length_m);
    along_.push_back(along_.back() + scenario.street.way[i].length_m);
  }
}

double DriveGround::time_at(double metre) const {
  double low = 0, high = seconds_;
  if (metre_at(high) < metre) return high;
  while (high - low > 1e-4) {
    const double middle = (low + high) / 2;
    (metre_at(middle) < metre ? low : high) = middle;
  }
  return high;
}

double DriveGround::s_of(double metre) const {
  if (metre < 0) return metre;
  const auto after = std::upper_bound(metres_.begin(), metres_.end(), metre);
  if (after == metres_.end()) return along_.back() + metre - metres_.back();
  const auto i = static_cast<std::size_t>(after - metres_.begin());
  const double share = (metre - metres_[i - 1]) / (metres_[i] - metres_[i - 1]);
  return along_[i - 1] + share * (along_[i] - along_[i - 1]);
}

Vec2 DriveGround::at(double s, double d) const {
  const Place place = line_.at(s);
  return place.at + d * left_of(direction(place.heading));
}

bool DriveGround::on_side_street(Vec2 p, double room) const {
  return std::ranges::any_of(street_.side_streets, [&](const SideStreetSpec& side) {
    const Vec2 ahead = direction(side.place.heading), to = p - side.place.at;
    const double along = dot(to, ahead);
    return along > 0 && along < side.length_m && std::abs(cross(ahead, to)) < half_ + room;
  });
}

}  // namespace kerb::sim::hours
