// SPDX-License-Identifier: Apache-2.0
// The walks of crash tests: from where and when somebody is hit, back to where and when they start.
#include <algorithm>
#include <cmath>

#include "firmware/schema/words.hpp"
#include "tools/simulator/scenario/build.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim {
namespace {

/// Slower than this, a car does not come up to anybody: it is no collision with its front.
constexpr double kLeastClosing = 0.3;

/// Where the person's middle is when the front touches them: `percent` across it.
Vec2 touched_at(const CarSpec& car, Place front, double percent, double ahead_m) {
  const Vec2 ahead = direction(front.heading);
  const double left = (percent / 100 - 0.5) * car.width_m;
  return front.at + ahead_m * ahead + left * left_of(ahead);
}

std::string too_slow(double closing) {
  return "the car approaches at " + schema::decimal(std::round(closing * 36) / 10) +
         " km/h, must be at least " + schema::decimal(std::round(kLeastClosing * 36) / 10) +
         ": the front cannot hit the person otherwise";
}

}  // namespace

std::string walk_into(const ImpactDraft& impact, const CarSpec& car, Place front, double mps,
                      PersonSpec& person) {
  const Vec2 ahead = direction(front.heading);
  const Vec2 across = (impact.from_left ? -1.0 : 1.0) * left_of(ahead);
  const Vec2 along = std::cos(impact.heading) * across + std::sin(impact.heading) * ahead;
  const double closing = mps - impact.mps * std::sin(impact.heading);
  if (closing < kLeastClosing && !impact.ahead_m) return too_slow(closing);
  const Vec2 touched =
      touched_at(car, front, impact.percent, impact.ahead_m.value_or(World::kPersonRadius));
  // From the start, distance_m beside the middle line, to the point of impact.
  const double sideways = impact.distance_m + dot(touched - front.at, across);
  const double way = sideways / std::cos(impact.heading);
  const double arrives = impact.at_s;
  const double ramp = std::min(impact.speed_up_m, way);
  double takes = way / impact.mps;  // of it, the ramp takes twice as long as at full speed
  if (impact.speed_up_m > 0)
    takes = ramp < way ? (way + ramp) / impact.mps
                       : std::sqrt(ramp * impact.speed_up_m) * 2 / impact.mps;
  WalkLeg leg;
  leg.mps = impact.mps;
  person.start.at = touched - way * along;
  person.start_s = 0;
  if (takes <= arrives) {
    person.start_s = arrives - takes;
    leg.speed_up_m = impact.speed_up_m;
  } else if (way < impact.mps * arrives) {  // in a hurry: at full speed sooner
    leg.speed_up_m = impact.mps * arrives - way;
  } else {  // walks already, nearer
    person.start.at = touched - impact.mps * arrives * along;
  }
  person.start.heading = std::atan2(along.y, along.x);
  leg.to = touched + impact.distance_m / std::cos(impact.heading) * along;
  person.walk = {leg};
  return "";
}

std::string walk_ahead(const AlongDraft& along, const CarSpec& car, Place front, double mps,
                       double seconds, PersonSpec& person) {
  const Vec2 ahead = direction(front.heading);
  if (mps - along.mps < kLeastClosing) return too_slow(mps - along.mps);
  double reach = World::kPersonRadius;  // of their outline, backwards
  for (const OutlineDisc& disc : outline_of(person))
    reach = std::max(reach, disc.radius - disc.ahead);
  const Vec2 touched = touched_at(car, front, along.percent, reach);
  person.start = {touched - along.mps * along.at_s * ahead, front.heading};
  person.start_s = 0;
  const double after = std::max(seconds - along.at_s, 0.0) + 2;
  person.walk = {{.to = touched + along.mps * after * ahead, .mps = along.mps}};
  return "";
}

}  // namespace kerb::sim
