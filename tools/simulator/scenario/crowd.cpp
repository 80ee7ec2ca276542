// SPDX-License-Identifier: Apache-2.0
// People on the pavements, drawn at random.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tools/simulator/base/things.hpp"
#include "tools/simulator/people/dress.hpp"
#include "tools/simulator/scenario/build.hpp"
#include "tools/simulator/world/street_line.hpp"

namespace kerb::sim {
namespace {

constexpr double kWallGap = 0.35;  // of houses and hedges
constexpr int kTries = 30;         // to find a walk round all things

struct Stroll {
  double start_m, offset;  // along the street, to its left
  double direction;        // 1 with the car, -1 against it
  double mps;
};

Vec2 on(const Way& line, double metres, double offset) {
  const Place place = line.at(metres);
  return place.at + offset * left_of(direction(place.heading));
}

/// Straight where the street is, in short pieces where it bends.
void walk_along(const Way& line, const Stroll& stroll, double seconds, PersonSpec& person) {
  person.start.at = on(line, stroll.start_m, stroll.offset);
  const Place place = line.at(stroll.start_m);
  person.start.heading = place.heading + (stroll.direction < 0 ? std::numbers::pi : 0);
  double left = stroll.mps * seconds + 2;
  for (double at = stroll.start_m; left > 0;) {
    const double ahead = at + stroll.direction * 40;
    bool bends = false;
    for (int probe = 0; probe <= 40; probe += 4)
      bends = bends || line.curvature(at + stroll.direction * probe) != 0;
    const double step = bends ? 3 : std::abs(ahead - at);
    at += stroll.direction * step;
    left -= step;
    person.walk.push_back({.to = on(line, at, stroll.offset), .mps = stroll.mps});
  }
}

}  // namespace

std::string add_crowd(const CrowdDraft& crowd, Scenario& scenario) {
  const StreetSpec& street = scenario.street;
  const double room = street.pavement_m - crowd.kerb_m - kWallGap;
  if (room < 0)
    return "there is no room on the pavement: street.pavement_m must be at least kerb_m + 0.35";
  if (crowd.to_m < crowd.from_m) return "to_m must not be less than from_m";
  if (crowd.fastest_mps < crowd.slowest_mps) return "fastest_kmh must not be less than slowest_kmh";
  const Way line = street_line(scenario);
  Random random{crowd.seed * 0x9e3779b97f4a7c15u + scenario.seed};
  const double kerb = kerb_offset(street);
  for (int i = 0; i < crowd.people; ++i) {
    PersonSpec person;
    person.name = "passer-by " + std::to_string(i + 1);
    person.seed = static_cast<std::uint32_t>(random.next());
    person.child = random.chance(crowd.children);
    person.female = random.chance(0.5);
    person.height_m = person.child ? random.between(1.05, 1.5)
                                   : (person.female ? 1.66 : 1.78) + random.between(-0.12, 0.12);
    person.build = random.between(-0.8, 0.8);
    if (!person.child && random.chance(crowd.prams))
      person.carries = Carries::pram;
    else if (random.chance(0.4))
      person.carries = random.chance(0.5) ? Carries::bag : Carries::backpack;
    // Drawn from numbers of their own, so that a crowd without them stays as it was.
    Random more{person.seed * 0x2545f4914f6cdd1du + 77};
    if (!person.child && person.carries != Carries::pram) {
      const double kind = more.unit();
      if (kind < crowd.wheelchairs) {
        person.rides = Rides::wheelchair;
        person.carries = Carries::nothing;
      } else if (kind < crowd.wheelchairs + crowd.trolleys) {
        person.carries = Carries::trolley;
      } else if (kind < crowd.wheelchairs + crowd.trolleys + crowd.dogs) {
        person.carries = Carries::dog;
      }
    }
    if (person.rides == Rides::nothing && person.carries != Carries::pram &&
        person.carries != Carries::trolley)
      person.phone = more.chance(crowd.phones);
    dress(person, person.seed);
    const bool stands = random.chance(crowd.standing);
    for (int k = 0; k < kTries; ++k) {
      Stroll stroll{};
      stroll.start_m = random.between(crowd.from_m, crowd.to_m);
      stroll.offset = kerb + crowd.kerb_m + random.unit() * room;
      const bool left = crowd.on == CrowdDraft::On::left ||
                        (crowd.on == CrowdDraft::On::both && random.chance(0.5));
      if (!left) stroll.offset = -stroll.offset;
      stroll.direction = crowd.way == CrowdDraft::Way::with      ? 1
                         : crowd.way == CrowdDraft::Way::against ? -1
                         : random.chance(0.5)                    ? 1
                                                                 : -1;
      stroll.mps = random.between(crowd.slowest_mps, crowd.fastest_mps);
      person.walk.clear();
      if (stands) {
        person.start = {on(line, stroll.start_m, stroll.offset),
                        random.between(-std::numbers::pi, std::numbers::pi)};
      } else {
        walk_along(line, stroll, scenario.seconds, person);
      }
      if (!is_walk_free(scenario.props, person)) continue;
      scenario.people.push_back(std::move(person));
      break;
    }
  }
  return "";
}

}  // namespace kerb::sim
