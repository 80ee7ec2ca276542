// SPDX-License-Identifier: Apache-2.0
// What cannot be, once everything moves: people in cars, walks through walls, bends taken too fast.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "firmware/schema/words.hpp"
#include "tools/simulator/base/things.hpp"
#include "tools/simulator/scenario/build.hpp"
#include "tools/simulator/world/outline.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim {
namespace {

constexpr double kMostSideways = 9;  // m/s2: a good car on a dry road
constexpr double kBody = 0.2;        // metres: somebody's radius where they pass a thing
constexpr double kStep = 0.05;       // seconds between looks at the car among things

std::string tenth(double value) { return schema::decimal(std::round(value * 10) / 10); }
std::string hundredth(double value) { return schema::decimal(std::round(value * 100) / 100); }

/// As the thing has it: from its middle, its length along x.
Vec2 local(Place place, Vec2 point) { return seen_from(place, point); }

/// How far a point is outside of a rectangle round the origin; 0 inside.
double outside(Vec2 half, Vec2 p) {
  return std::hypot(std::max(std::abs(p.x) - half.x, 0.0), std::max(std::abs(p.y) - half.y, 0.0));
}

using Corners = std::array<Vec2, 4>;
Corners corners(Place middle, Vec2 half) {
  const Vec2 ahead = direction(middle.heading), left = left_of(ahead);
  Corners out;
  std::size_t i = 0;
  for (const double x : {half.x, -half.x})
    for (const double y : {half.y, -half.y}) out[i++] = middle.at + x * ahead + y * left;
  return out;
}

/// Whether no line along one of a's sides keeps a and b apart.
bool overlaps_along(Place a, Vec2 half, const Corners& b) {
  double low_x = 1e30, high_x = -1e30, low_y = 1e30, high_y = -1e30;
  for (const Vec2 corner : b) {
    const Vec2 p = local(a, corner);
    low_x = std::min(low_x, p.x);
    high_x = std::max(high_x, p.x);
    low_y = std::min(low_y, p.y);
    high_y = std::max(high_y, p.y);
  }
  return low_x < half.x && high_x > -half.x && low_y < half.y && high_y > -half.y;
}

bool rectangles_overlap(Place a, Vec2 half_a, Place b, Vec2 half_b) {
  if (length(a.at - b.at) > length(half_a) + length(half_b)) return false;
  return overlaps_along(a, half_a, corners(b, half_b)) &&
         overlaps_along(b, half_b, corners(a, half_a));
}

/// The middle of an open door, its length along the heading.
Place door_place(const PropSpec& prop, const PropState& state) {
  const DoorShape door = door_of(prop.kind, size_of(prop));
  const double side = prop.door->right ? -1 : 1;
  const Vec2 ahead = direction(state.place.heading);
  const Vec2 hinge = state.place.at + door.hinge.x * ahead + side * door.hinge.y * left_of(ahead);
  const double heading = state.place.heading + std::numbers::pi - side * state.door;
  return {hinge + door.length / 2 * direction(heading), heading};
}

/// What stands in nobody's way: walls and poles do, but a thing's shadow does not.
void check_people(const Built& built, schema::Reader& reader) {
  const Scenario& s = built.scenario;
  const World world{s};
  Moment start;
  world.at(0, start);
  std::vector<PersonTruth> truth;
  world.truth(start, truth);
  for (std::size_t i = 0; i < s.people.size(); ++i) {
    const std::string& key = built.people[i];
    if (truth[i].distance <= 0)
      reader.report(key, "",
                    "is inside the car at the start: must be at least 0.25 m (their radius) from "
                    "its outline, is " +
                        hundredth(std::max(0.0, truth[i].distance + World::kPersonRadius)));
    for (std::size_t k = 0; k < s.props.size(); ++k) {
      const PropSpec& prop = s.props[k];
      if (inside(prop, prop.place, s.people[i].start.at)) {
        reader.report(key, "", "is inside " + built.props[k] + " at the start");
        continue;
      }
      if (!prop.speeds.empty()) continue;
      Vec2 from = s.people[i].start.at;
      for (const WalkLeg& leg : s.people[i].walk) {
        if (walks_through(prop, from, leg.to)) {
          reader.report(key, "", "walks through " + built.props[k]);
          break;
        }
        from = leg.to;
      }
    }
  }
}

void check_car(const Built& built, schema::Reader& reader) {
  const Scenario& s = built.scenario;
  Scenario alone = s;  // people cost time and change nothing here
  alone.people.clear();
  const World world{alone};
  const Vec2 half_car{s.car.length_m / 2, s.car.width_m / 2};
  std::vector<bool> hit(s.props.size());
  bool skids = false;
  Moment now;
  for (int i = 0; i * kStep <= s.seconds; ++i) {
    world.at(i * kStep, now);
    const double sideways = std::abs(now.car.mps * now.car.yaw_radps);
    if (sideways > kMostSideways && !skids) {
      skids = true;
      reader.report("car.way", "",
                    "is driven at " + tenth(now.car.mps * 3.6) + " km/h with " + tenth(sideways) +
                        " m/s2 sideways at " + hundredth(now.t) + " s, must be at most " +
                        tenth(kMostSideways) + ": slower, or a wider bend");
    }
    const Place middle{now.car.place.at - half_car.x * direction(now.car.place.heading),
                       now.car.place.heading};
    for (std::size_t k = 0; k < s.props.size(); ++k) {
      const Vec2 half = 0.5 * foot_print(s.props[k]);
      const bool touches =
          rectangles_overlap(middle, half_car, now.props[k].place, half) ||
          (now.props[k].door > 0 &&
           rectangles_overlap(middle, half_car, door_place(s.props[k], now.props[k]),
                              {door_of(s.props[k].kind, size_of(s.props[k])).length / 2, 0.04}));
      if (hit[k] || !touches) continue;
      hit[k] = true;
      reader.report(built.props[k], "",
                    i == 0 ? "is inside the car at the start"
                           : "is hit by the car at " + hundredth(now.t) + " s");
    }
  }
}

void check_criteria(const Built& built, schema::Reader& reader) {
  const Scenario& s = built.scenario;
  const std::optional<Contact> contact = World{s}.contact();
  const Criteria& c = s.criteria;
  if ((c.impact_expected || c.collision_warning_before_impact_s) && !contact)
    reader.report(c.impact_expected ? "criteria.impact_expected"
                                    : "criteria.collision_warning_before_impact_s",
                  "", "asks for an impact, but the car touches nobody");
  if (c.no_collision_warning && contact)
    reader.report("criteria.no_collision_warning", "true",
                  "forbids a warning, but the car touches " +
                      built.people[static_cast<std::size_t>(contact->person)] + " at " +
                      hundredth(contact->t) + " s");
  if (c.fault_told_within_s && s.faults.empty())
    reader.report("criteria.fault_told_within_s", "", "asks about a fault, but there is none");
  if ((c.information_within_s || c.collision_warning_after_half_visible_s) && s.people.empty())
    reader.report("criteria", "", "asks about people, but there are none");
}

}  // namespace

bool inside(const PropSpec& prop, Place place, Vec2 point) {
  if (lets_people_through(prop.kind)) return false;
  return outside(0.5 * foot_print(prop), local(place, point)) < kBody;
}

bool walks_through(const PropSpec& prop, Vec2 from, Vec2 to) {
  if (lets_people_through(prop.kind)) return false;
  // The rectangle grown by a body: clipped against the walk. Its round corners count as square.
  const Vec2 half = 0.5 * foot_print(prop) + Vec2{kBody, kBody};
  const Vec2 a = local(prop.place, from), b = local(prop.place, to);
  double begin = 0, end = 1;
  for (const bool across : {false, true}) {
    const double start = across ? a.y : a.x, change = (across ? b.y : b.x) - start;
    const double limit = across ? half.y : half.x;
    if (change == 0) {
      if (std::abs(start) >= limit) return false;
      continue;
    }
    const double t0 = (-limit - start) / change, t1 = (limit - start) / change;
    begin = std::max(begin, std::min(t0, t1));
    end = std::min(end, std::max(t0, t1));
  }
  return begin < end;
}

bool is_in_the_way(const PropSpec& prop, const PersonSpec& person) {
  Vec2 from = person.start.at;
  if (inside(prop, prop.place, from)) return true;
  for (const WalkLeg& leg : person.walk) {
    if (walks_through(prop, from, leg.to)) return true;
    from = leg.to;
  }
  return false;
}

bool is_walk_free(const std::vector<PropSpec>& props, const PersonSpec& person) {
  return std::none_of(props.begin(), props.end(), [&](const PropSpec& prop) {
    return prop.speeds.empty() && is_in_the_way(prop, person);
  });
}

void check_motion(const Built& built, schema::Reader& reader) {
  check_people(built, reader);
  check_car(built, reader);
  if (reader.ok()) check_criteria(built, reader);
}

}  // namespace kerb::sim
