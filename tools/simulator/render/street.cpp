// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/street.hpp"

namespace kerb::sim {
Street::Street(const Scenario& scenario)
    : spec_{scenario.street},
      way_{street_line(scenario)},
      half_{scenario.street.lanes * scenario.street.lane_m / 2},
      kerb_{kerb_offset(scenario.street)} {
  for (const PersonSpec& person : scenario.people) {
    Vec2 from = person.start.at;
    taken_.push_back({from, from, 0.35});
    for (const WalkLeg& leg : person.walk) {
      taken_.push_back({from, leg.to, 0.35});
      from = leg.to;
    }
  }
  for (const PropSpec& prop : scenario.props) {
    const Vec2 along = direction(prop.place.heading);
    const double l = std::max(prop.size.x, 0.6) / 2;
    taken_.push_back(
        {prop.place.at - l * along, prop.place.at + l * along, std::max(prop.size.y, 0.6) / 2});
  }
  for (const SideStreetSpec& side : spec_.side_streets)
    taken_.push_back({side.place.at, side.place.at + side.length_m * direction(side.place.heading),
                      half_ + 0.3});
  for (const CrossingSpec& crossing : spec_.crossings)
    for (const double d : {-kerb_, kerb_})
      taken_.push_back(
          {at(crossing.at_m - 1.5, d), at(crossing.at_m + 1.5, d), crossing.length_m / 2});
}

Street::Coordinates Street::locate(Vec2 p) const {
  // From each of some places along the way down to the nearest; the best of them counts.
  const Place start = way_.at(0);
  const double straight = dot(p - start.at, direction(start.heading));
  Coordinates best;
  double least = 1e30;
  const auto from = [&](double s) {
    for (int i = 0; i < 12; ++i) {
      const Place f = way_.at(s);
      const double step = dot(p - f.at, direction(f.heading));
      s += std::clamp(step, -30.0, 30.0) * (i < 6 ? 1.0 : 0.7);
      if (std::abs(step) < 1e-4) break;
    }
    const Place f = way_.at(s);
    const double off = length(p - f.at);
    if (off < least) {
      least = off;
      best = {s, dot(p - f.at, left_of(direction(f.heading)))};
    }
  };
  if (way_.length() == 0) return {straight, dot(p - start.at, left_of(direction(start.heading)))};
  from(straight);
  for (int k = 0; 20 * k <= way_.length() + 20; ++k) {
    const double s = 20 * k;
    const double off = length(p - way_.at(s).at);
    if (off < least + 25) from(s);
  }
  return best;
}

double Street::ground(Vec2 p) const {
  if (spec_.pavement_m <= 0) return 0;
  const double d = std::abs(locate(p).d) - kerb_;
  if (d <= -0.15 || on_side_street(p, 0)) return 0;
  if (d >= 0.15) return kKerbHeight;
  const double t = (d + 0.15) / 0.3;
  return kKerbHeight * t * t * (3 - 2 * t);
}

bool Street::on_side_street(Vec2 p, double room) const {
  for (const SideStreetSpec& side : spec_.side_streets) {
    const Vec2 ahead = direction(side.place.heading), to = p - side.place.at;
    const double along = dot(to, ahead);
    if (along > 0 && along < side.length_m && std::abs(cross(ahead, to)) < half_ + room)
      return true;
  }
  return false;
}

bool Street::is_free(Vec2 p, double room) const {
  for (const Taken& t : taken_) {
    const Vec2 along = t.b - t.a;
    const double q = dot(along, along);
    const double k = q > 0 ? std::clamp(dot(p - t.a, along) / q, 0.0, 1.0) : 0;
    if (length(p - t.a - k * along) < t.radius + room) return false;
  }
  return true;
}

}  // namespace kerb::sim
