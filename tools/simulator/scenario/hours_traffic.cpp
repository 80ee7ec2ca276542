// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/scenario/hours_traffic.hpp"

#include <algorithm>
#include <cmath>

#include "tools/simulator/base/things.hpp"
#include "tools/simulator/world/outline.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim::hours {
namespace {

constexpr double kEvery = 0.1;  // seconds between looks

/// Moves along a line that begins at `start`, from a metre of it on.
std::optional<PropSpec> on_line(Place start, const std::vector<Stretch>& line, double metre,
                                const std::vector<double>& mps, const Manner& manner,
                                PropSpec prop) {
  const Rest rest = rest_of(line, metre);
  if (rest.way.empty() || metre < 0 || rest.metre - metre > 5) return std::nullopt;
  prop.place = Way{start, line}.at(rest.metre);
  prop.way = rest.way;
  const std::vector<double> limits(mps.begin() + static_cast<std::ptrdiff_t>(rest.stretch),
                                   mps.end());
  prop.speeds = plan_speeds(rest.way, limits, {}, limits.front(), manner);
  return prop;
}

double length_of(const std::vector<Stretch>& way) {
  double sum = 0;
  for (const Stretch& stretch : way) sum += stretch.length_m;
  return sum;
}

}  // namespace

void finish_prop(PropSpec& prop, Random& random) {
  prop.seed = static_cast<std::uint32_t>(random.next());
  prop.size = usual_size(prop.kind);
  Random own{prop.seed};
  prop.surface = usual_surface(prop.kind, own);
}

std::optional<PropSpec> car_ahead(const Route& route, const CarSpec& car,
                                  const std::vector<Halt>& halts, const DriveGround& ground,
                                  const Manner& manner, double headway_s, double seconds,
                                  Random& random) {
  PropSpec prop;
  const double kind = random.unit();
  prop.kind = kind < 0.7 ? PropKind::car : kind < 0.9 ? PropKind::van : PropKind::truck;
  finish_prop(prop, random);
  const double half = prop.size.x / 2;
  const double metre = std::max(ground.metre_at(headway_s), 9.0 + half);
  const Rest rest = rest_of(route.way, metre);
  if (rest.way.empty()) return std::nullopt;
  prop.place = Way{car.start, route.way}.at(rest.metre);
  prop.way = rest.way;
  const std::vector<double> limits(route.mps.begin() + static_cast<std::ptrdiff_t>(rest.stretch),
                                   route.mps.end());
  std::vector<Halt> own;
  for (const Halt& halt : halts) {
    const double at = halt.metre + kQueue + 4.4 / 2 - prop.size.x - rest.metre;
    if (at <= 5) continue;
    own.push_back({at, 0, ground.time_at(halt.metre - 0.05) + halt.dwell_s - 0.7});
  }
  prop.speeds = plan_speeds(prop.way, limits, own, ground.mps_at(headway_s), manner);
  const SpeedProfile speed{prop.speeds};
  for (double t = 0; t <= seconds; t += kEvery) {
    const double gap = rest.metre + speed.at(t).metres - half - ground.metre_at(t);
    if (gap < std::max(1.5, 0.9 * ground.mps_at(t))) return std::nullopt;
  }
  return prop;
}

std::optional<PropSpec> oncoming(const Route& route, const StreetSpec& street,
                                 const DriveGround& ground, double meets_s, double mps,
                                 Random& random) {
  PropSpec prop;
  const double kind = random.unit();
  prop.kind = kind < 0.72 ? PropKind::car : kind < 0.92 ? PropKind::van : PropKind::truck;
  finish_prop(prop, random);
  const double offset = street.lane_m;  // of the car's way: the other lane's middle
  const std::vector<Stretch> line = beside(route.way, offset);
  if (line.empty()) return std::nullopt;
  const double whole = length_of(line);
  // Where the car is then, on that line; and back by as far as it comes until then, at about its
  // speed. From the line's other end.
  double here = 0, left = ground.metre_at(meets_s);
  for (std::size_t i = 0; i < line.size() && left > 0; ++i) {
    const double share = std::min(1.0, left / route.way[i].length_m);
    here += share * line[i].length_m;
    left -= route.way[i].length_m;
  }
  const double metre = whole - here - 0.75 * mps * meets_s;
  const std::vector<Stretch> back = reversed(line);
  const Place end = Way{{offset * left_of(Vec2{1, 0}), 0}, line}.at(whole);
  std::vector<double> limits(line.size(), mps);
  return on_line({end.at, end.heading + kPi}, back, metre, limits, {1.5, 2, 2}, prop);
}

void clear_traffic(Scenario& scenario) {
  constexpr double kRoom = 0.5;
  const World world{scenario};
  std::vector<bool> wrong(scenario.props.size());
  Moment now;
  const auto drives = [&](std::size_t i) {
    return !scenario.props[i].speeds.empty() && scenario.props[i].kind != PropKind::football;
  };
  const CarSpec& car = scenario.car;
  for (double t = 0; t <= scenario.seconds; t += kEvery) {
    world.at(t, now);
    for (std::size_t i = 0; i < scenario.props.size(); ++i) {
      if (wrong[i] || !drives(i)) continue;
      const Vec3 size = scenario.props[i].size;
      const Place place = now.props[i].place;
      const Place front{place.at + size.x / 2 * direction(place.heading), place.heading};
      const auto gap = [&](Vec2 point) {
        return outline_distance(size.x, size.y, seen_from(front, point));
      };
      for (std::size_t k = 0; k < now.people.size(); ++k) {
        const Place person = now.people[k].place;
        if (length(person.at - place.at) > size.x + size.y + 2) continue;
        for (const OutlineDisc& disc : outline_of(scenario.people[k]))
          if (gap(disc_at(person, disc)) < kRoom + disc.radius) wrong[i] = true;
      }
      for (std::size_t k = 0; k < scenario.props.size(); ++k) {
        if (k == i || (drives(k) && (k > i || wrong[k]))) continue;
        const Vec3 other = scenario.props[k].size;
        const Vec2 along = 0.5 * other.x * direction(now.props[k].place.heading);
        for (const double u : {-1.0, 0.0, 1.0})
          if (gap(now.props[k].place.at + u * along) < 0.6 + other.y / 2) wrong[i] = true;
      }
      for (double back = 0; back <= car.length_m; back += 0.75) {  // this car
        const Vec2 middle = now.car.place.at - back * direction(now.car.place.heading);
        if (gap(middle) < car.width_m / 2 + 0.45) wrong[i] = true;
      }
    }
  }
  std::vector<PropSpec> kept;
  for (std::size_t i = 0; i < wrong.size(); ++i)
    if (!wrong[i]) kept.push_back(std::move(scenario.props[i]));
  scenario.props = std::move(kept);
}

}  // namespace kerb::sim::hours
