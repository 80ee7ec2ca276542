// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/world/world.hpp"

#include <algorithm>
#include <cmath>

#include "tools/simulator/world/outline.hpp"

namespace kerb::sim {

World::World(const Scenario& scenario)
    : scenario_{scenario},
      car_{Way{scenario.car.start, scenario.car.way}, SpeedProfile{scenario.car.speeds}} {
  for (const PersonSpec& person : scenario_.people) {
    walks_.emplace_back(person);
    outlines_.push_back(outline_of(person));
  }
  for (const PropSpec& prop : scenario_.props)
    props_.push_back({Way{prop.place, prop.way}, SpeedProfile{prop.speeds}});
  for (std::size_t i = 0; i < walks_.size(); ++i) contacts_.push_back(contact_with(i));
}

CarState World::car_at(double t) const {
  const SpeedProfile::Now speed = car_.speed.at(t);
  CarState out;
  out.place = car_.way.at(speed.metres);
  out.mps = speed.mps;
  out.mps2 = speed.mps2;
  out.yaw_radps = speed.mps * car_.way.curvature(speed.metres);
  out.metres = speed.metres;
  return out;
}

void World::at(double t, Moment& out) const {
  out.t = t;
  out.car = car_at(t);
  out.people.resize(walks_.size());
  for (std::size_t i = 0; i < walks_.size(); ++i) walks_[i].at(t, out.people[i]);
  out.props.resize(props_.size());
  for (std::size_t i = 0; i < props_.size(); ++i) {
    const SpeedProfile::Now speed = props_[i].speed.at(t);
    out.props[i] = {props_[i].way.at(speed.metres), speed.mps, speed.metres};
    if (const std::optional<DoorSpec>& door = scenario_.props[i].door)
      out.props[i].door = door_angle(*door, t);
  }
}

std::optional<Contact> World::contact_with(std::size_t person) const {
  std::optional<Contact> first;
  for (const OutlineDisc& disc : outlines_[person])
    if (const std::optional<Contact> one = contact_with(person, disc);
        one && (!first || one->t < first->t))
      first = one;
  return first;
}

std::optional<Contact> World::contact_with(std::size_t person, OutlineDisc disc) const {
  const CarSpec& car = scenario_.car;
  const auto seen = [&](double t) {
    PersonState state;
    walks_[person].at(t, state);
    return seen_from(car_at(t).place, disc_at(state.place, disc));
  };
  // The car's farthest corner moves with its speed and with its turning about the front.
  const double reach = std::hypot(car.length_m, car.width_m / 2);
  const double fastest = car_.speed.fastest() * (1 + car_.way.most_curved() * reach) +
                         walks_[person].fastest() +
                         std::abs(disc.ahead) * walks_[person].fastest_turn();
  const std::optional<double> t = first_touch(
      [&](double at) {
        return outline_distance(car.length_m, car.width_m, seen(at)) - disc.radius;
      },
      fastest, 0, scenario_.seconds);
  if (!t) return std::nullopt;
  const Vec2 where = seen(*t);
  Contact out;
  out.t = *t;
  out.person = static_cast<int>(person);
  out.across = (where.y + car.width_m / 2) / car.width_m;
  out.front = where.x >= 0;
  return out;
}

std::optional<Contact> World::contact() const {
  std::optional<Contact> first;
  for (const std::optional<Contact>& one : contacts_)
    if (one && (!first || one->t < first->t)) first = one;
  return first;
}

}  // namespace kerb::sim
