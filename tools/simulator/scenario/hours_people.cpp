// SPDX-License-Identifier: Apache-2.0
// Who is about in a town, and what they do.
#include "tools/simulator/scenario/hours_people.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/simulator/people/dress.hpp"
#include "tools/simulator/scenario/build.hpp"
#include "tools/simulator/scenario/hours_traffic.hpp"

namespace kerb::sim::hours {
namespace {

constexpr int kTries = 8;
constexpr double kWallGap = 0.4;   // of houses and hedges
constexpr double kPersonal = 0.5;  // metres between people who stand

}  // namespace

double PeopleMaker::between(double low, double high) {
  return std::round(random_.between(low, high) * 1000) / 1000;
}

PersonSpec PeopleMaker::somebody(const std::string& does) {
  PersonSpec person;
  person.name = does;
  person.seed = static_cast<std::uint32_t>(random_.next());
  person.child = random_.chance(does == "plays" || does == "runs along" ? 0.8 : 0.12);
  person.female = random_.chance(0.5);
  person.height_m =
      person.child ? between(1.05, 1.5) : (person.female ? 1.66 : 1.78) + between(-0.12, 0.12);
  person.build = between(-0.8, 0.8);
  const double carries = random_.unit();
  const bool phone = random_.chance(0.06), rain = scenario_.weather.rain_mm_h > 0;
  if (does == "plays" || does == "runs along") return person;
  constexpr std::array<std::pair<double, Carries>, 6> kUntil{{{0.06, Carries::pram},
                                                              {0.09, Carries::trolley},
                                                              {0.14, Carries::dog},
                                                              {0.30, Carries::bag},
                                                              {0.46, Carries::backpack},
                                                              {0.80, Carries::umbrella}}};
  for (const auto& [until, what] : kUntil) {
    if (carries >= until) continue;
    const bool for_adults = what == Carries::pram || what == Carries::trolley;
    if ((what != Carries::umbrella || rain) && !(for_adults && person.child)) person.carries = what;
    break;
  }
  const bool both_hands = person.carries == Carries::pram || person.carries == Carries::trolley;
  person.phone = (phone || does == "phone") && !both_hands;
  return person;
}

void PeopleMaker::dress_up(PersonSpec& person) {
  dress(person, person.seed);
  person.name += " " + std::to_string(scenario_.people.size() + 1);
}

/// Along the street from s, in short pieces where it bends.
void PeopleMaker::stroll(PersonSpec& person, double s, double d, double way, double mps,
                         double seconds) {
  person.start = {at(s, d), ground_.heading(s) + (way < 0 ? kPi : 0)};
  double left = mps * seconds + 2;
  while (left > 0) {
    double bent = 0;
    for (int probe = 0; probe <= 40; probe += 4)
      bent = std::max(bent, std::abs(ground_.curvature(s + way * probe)));
    const double step = bent == 0 ? 40 : bent > 1 / 20.0 ? 1.5 : 3;
    s += way * step;
    left -= step;
    person.walk.push_back({.to = at(s, d), .mps = mps});
  }
}

bool PeopleMaker::is_free(const PersonSpec& person) const {
  for (const PersonSpec& other : scenario_.people)
    if (length(other.start.at - person.start.at) < kPersonal) return false;
  return is_walk_free(scenario_.props, person);
}

/// All of them or nobody.
bool PeopleMaker::keep(std::vector<PersonSpec>& people) {
  for (const PersonSpec& person : people)
    if (!is_free(person) || !check_.keeps(person)) return false;
  for (PersonSpec& person : people) {
    dress_up(person);
    scenario_.people.push_back(std::move(person));
  }
  return !people.empty();
}

bool PeopleMaker::add(const std::string& does, double t) {
  for (int i = 0; i < kTries; ++i) {
    std::vector<PersonSpec> people;
    const std::size_t props = scenario_.props.size();
    if (place(does, t + (i == 0 ? 0 : between(-1.5, 1.5)), people) && keep(people)) return true;
    scenario_.props.resize(props);
  }
  return false;
}

bool PeopleMaker::place(const std::string& does, double t, std::vector<PersonSpec>& out) {
  const double seconds = scenario_.seconds;
  if (t < 0 || t > seconds) return false;
  const double s = ground_.s_at(t), kerb = ground_.kerb();
  const double side = random_.chance(0.6) ? -1 : 1;  // the near side is the right
  const double far = kerb + ground_.pavement() - kWallGap;
  const auto across = [&](double from_kerb) { return side * (kerb + from_kerb); };
  const double to_road = ground_.heading(s) - side * kPi / 2;
  PersonSpec p = somebody(does);
  p.start.heading = to_road + between(-0.5, 0.5);
  const auto later = [&](double time) { return std::max(0.0, time); };
  if (does == "waits at kerb") {
    p.start.at = at(s, across(between(0.28, 0.7)));
  } else if (does == "stops at kerb") {
    const double from = between(1.3, std::max(1.4, far - kerb)), to = between(0.28, 0.6);
    const double mps = between(1.0, 1.6), stops = t - between(3.6, 6.5);
    const double starts = stops - (from - to) / mps;
    if (starts < 0) return false;
    p.start.at = at(s, across(from));
    p.start_s = starts;
    p.walk = {{.to = at(s + between(-0.4, 0.4), across(to)), .mps = mps}};
  } else if (does == "turns back") {
    const double starts = t - between(6.5, 9.5), out_m = between(0.5, 1.2);
    if (starts < 0) return false;
    p.start.at = at(s, across(between(0.3, 0.6)));
    p.start_s = starts;
    p.walk = {{.to = at(s, across(-out_m)), .mps = between(1.0, 1.5)},
              {.to = at(s + between(-0.6, 0.6), across(between(0.4, 1.2))),
               .mps = between(1.0, 1.8),
               .wait_s = between(0.2, 0.8)}};
  } else if (does == "hesitates") {
    double here = between(0.5, 0.8);
    p.start.at = at(s, across(here));
    p.start_s = later(t - between(8, 10));
    const int steps = 2 + random_.below(3);
    for (int i = 0; i < steps; ++i) {
      here = i % 2 == 0 ? between(0.28, 0.4) : between(0.5, 0.8);
      p.walk.push_back({.to = at(s + between(-0.2, 0.2), across(here)),
                        .mps = between(0.6, 0.9),
                        .wait_s = between(0.4, 1.3)});
    }
  } else if (does == "crosses ahead" || does == "crosses behind") {
    const double mps = between(1.1, 1.8);
    p.start_s = does == "crosses ahead" ? t - between(8, 13)
                                        : t + 5 / std::max(ground_.mps_at(t), 2.0) + between(1, 4);
    if (p.start_s < 0 || p.start_s > seconds) return false;
    p.start.at = at(s, across(between(0.35, 1.5)));
    p.walk = {
        {.to = at(s + between(-2, 2), -across(between(0.8, 1.5))), .mps = mps, .speed_up_m = 0.5}};
  } else if (does == "between parked") {
    if (!scenario_.street.parked_cars || std::abs(ground_.curvature(s)) > 1e-3) return false;
    p.start.at = at(s, side * (ground_.half_road() + between(0.2, 0.8)));
    p.start.heading = to_road + between(-0.3, 0.3);
    for (const double along : {-1.0, 1.0}) {
      PropSpec car;
      car.kind = random_.chance(0.8) ? PropKind::car : PropKind::van;
      const double back = car.kind == PropKind::car ? 2.2 : 2.65;
      const double where = s + along * (back + between(0.55, 0.9));
      car.place = {at(where, side * (kerb - 1.05)), ground_.heading(where) + (side > 0 ? kPi : 0)};
      finish_prop(car, random_);
      if (random_.chance(0.25)) {  // its door is opened a little, towards the road
        car.door = DoorSpec{};
        car.door->at_s = later(t - between(1, 6));
        car.door->open = between(0.3, 0.6);
      }
      if (ground_.on_side_street(car.place.at, 3)) return false;
      for (const PersonSpec& other : scenario_.people)
        if (is_in_the_way(car, other)) return false;
      for (const PropSpec& other : scenario_.props)
        if (length(other.place.at - car.place.at) < 6.5) return false;
      scenario_.props.push_back(car);
    }
  } else if (does == "runs along") {
    const double way = random_.chance(0.5) ? 1 : -1, mps = between(2.4, 3.6);
    const double run = between(12, 22), begins = later(t - between(2, 6));
    const double d = across(between(0.6, std::max(0.7, far - kerb)));
    p.start.at = at(s - way * run / 2, d);
    p.start.heading = ground_.heading(s) + (way < 0 ? kPi : 0);
    p.start_s = begins;
    for (int i = -3; i <= 4; ++i)
      p.walk.push_back({.to = at(s + way * run * i / 8, d), .mps = mps});
  } else if (does == "phone") {
    const double way = random_.chance(0.5) ? 1 : -1, mps = between(0.7, 1.1);
    const double d = across(between(0.35, 0.9));
    double here = s - way * mps * std::min(t, 12.0);
    p.start = {at(here, d), ground_.heading(here) + (way < 0 ? kPi : 0)};
    p.start_s = later(t - 12);
    for (int i = 0; i < 8; ++i) {
      here += way * between(1.5, 3.5);
      p.walk.push_back(
          {.to = at(here, d), .mps = mps, .wait_s = random_.chance(0.5) ? between(0.5, 2.5) : 0});
    }
  } else if (does == "group") {
    const int count = 2 + random_.below(3);
    const bool walks = random_.chance(0.4);
    const double way = random_.chance(0.5) ? 1 : -1, mps = between(0.9, 1.4);
    const double first = between(0.4, 0.8);
    for (int i = 0; i < count; ++i) {
      PersonSpec one = somebody(does);
      const double wide = std::min(0.62 * i, std::max(0.0, ground_.pavement() - 1.3));
      if (walks) {
        stroll(one, s - way * mps * t + 0.35 * (i % 2), across(first + wide), way, mps, seconds);
      } else {
        const double turn = 2 * kPi * i / count;
        one.start = {at(s + 0.55 * std::cos(turn), across(first + 0.5 + 0.5 * std::sin(turn))),
                     ground_.heading(s) + between(-kPi, kPi)};
      }
      out.push_back(std::move(one));
    }
    return true;
  } else if (does == "plays") {
    const int count = 1 + random_.below(3);
    for (int i = 0; i < count; ++i) {
      PersonSpec one = somebody(does);
      const double d = across(between(0.8, std::max(0.9, far - kerb)));
      double here = s + between(-3, 3);
      one.start = {at(here, d), between(-kPi, kPi)};
      one.start_s = later(t - 12 + between(0, 2));
      const double mps = between(1.4, 2.8);
      for (int k = 0; k < 14; ++k) {
        const double to = s + between(-3.5, 3.5);
        if (std::abs(to - here) < 1) continue;
        here = to;
        one.walk.push_back({.to = at(here, d + side * between(-0.08, 0.08)),
                            .mps = mps,
                            .wait_s = between(0, 0.8)});
      }
      out.push_back(std::move(one));
    }
    return true;
  } else {
    return false;
  }
  if (does != "between parked" && ground_.on_side_street(p.start.at, 0.5)) return false;
  out.push_back(std::move(p));
  return true;
}

void PeopleMaker::add_crowd(double per_100m) {
  const double seconds = scenario_.seconds;
  const double from = -5, to = ground_.s_at(seconds) + 50;
  const int count = std::min(90, static_cast<int>(std::lround(per_100m * (to - from) / 100)));
  const double kerb = ground_.kerb(), room = ground_.pavement() - kWallGap - 0.45;
  for (int i = 0; i < count; ++i) {
    const bool stands = random_.chance(0.2);
    for (int k = 0; k < 4; ++k) {
      std::vector<PersonSpec> one{somebody(stands ? "stands" : "walks")};
      const double s = between(from, to), side = random_.chance(0.5) ? 1 : -1;
      const double d = side * (kerb + 0.45 + random_.unit() * room);
      if (stands) {
        one[0].start = {at(s, d), between(-kPi, kPi)};
        if (ground_.on_side_street(one[0].start.at, 0.3)) continue;
      } else {
        double mps = between(0.95, 1.8);
        const double rides = random_.unit();
        if (rides < 0.05 && !one[0].child) {
          one[0].rides = rides < 0.02 ? Rides::wheelchair : Rides::scooter;
          one[0].carries = Carries::nothing;
          one[0].phone = false;
          if (one[0].rides == Rides::scooter) mps = between(2.2, 4.5);
        }
        stroll(one[0], s, d, random_.chance(0.5) ? 1 : -1, mps, seconds);
      }
      if (keep(one)) break;
    }
  }
}

void PeopleMaker::add_crossing(const Crossing& crossing, double stands_s, double leaves_s) {
  const double s0 = ground_.s_of(crossing.line) + kLineToStripes, kerb = ground_.kerb();
  const int count = 1 + random_.below(4);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < kTries; ++k) {
      std::vector<PersonSpec> one{somebody("crosses in front")};
      PersonSpec& p = one[0];
      const double side = random_.chance(0.5) ? 1 : -1, s = s0 + between(0.4, kStripes - 0.4);
      const double mps = between(1.1, 1.7), wide = 2 * kerb + 1.4;
      p.start = {at(s, side * (kerb + 0.5)), ground_.heading(s) - side * kPi / 2};
      p.start_s = between(stands_s - 0.3, std::max(stands_s, leaves_s - wide / mps - 0.5));
      p.walk = {{.to = at(s, -side * (kerb + 0.9)), .mps = mps, .speed_up_m = 0.4}};
      if (random_.chance(0.6))  // and goes on along the pavement
        p.walk.push_back(
            {.to = at(s + (random_.chance(0.5) ? 12 : -12), -side * (kerb + 1.1)), .mps = mps});
      if (keep(one)) break;
    }
}

void PeopleMaker::add_cyclist(double t, bool overtaken) {
  for (int k = 0; k < kTries; ++k) {
    std::vector<PersonSpec> one{somebody("cycles")};
    PersonSpec& p = one[0];
    p.rides = Rides::bicycle;
    p.phone = false;
    if (p.carries != Carries::backpack) p.carries = Carries::nothing;
    if (p.child) p.height_m = std::max(p.height_m, 1.3);
    const double when = t + (k == 0 ? 0 : between(-6, 6)), mps = between(12, 20) / 3.6;
    if (when < 1) continue;
    const double way = overtaken ? 1 : -1;
    // Who is overtaken is on a path beside the kerb: on the road they would be passed too closely,
    // and a warning of that is not false.
    const double d = overtaken ? -(ground_.kerb() + 0.35) : ground_.half_road() - 0.7;
    stroll(p, ground_.s_at(when) - way * mps * when, d, way, mps, scenario_.seconds);
    if (keep(one)) return;
  }
}

void PeopleMaker::add_corner(const Turning& turning) {
  const int count = 1 + random_.below(4);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < kTries; ++k) {
      std::vector<PersonSpec> one{somebody("corner")};
      const double metre = between(turning.begin - 6, turning.end + 6);
      const double s = ground_.s_of(metre), side = random_.chance(0.5) ? 1 : -1;
      const double d = side * (ground_.kerb() + between(0.35, 1.8));
      one[0].start = {at(s, d), ground_.heading(s) - side * kPi / 2 + between(-0.8, 0.8)};
      if (ground_.on_side_street(one[0].start.at, 0.3)) continue;
      if (keep(one)) break;
    }
}

void PeopleMaker::add_side_crossing(const Mouth& mouth) {
  const double passes = ground_.time_at(mouth.metre);
  for (int k = 0; k < kTries; ++k) {
    std::vector<PersonSpec> one{somebody("crosses side")};
    PersonSpec& p = one[0];
    const double s = ground_.s_of(mouth.metre), way = random_.chance(0.5) ? 1 : -1;
    const double d = (mouth.left ? 1 : -1) * (ground_.kerb() + between(0.8, 1.8));
    const double half = ground_.half_road() + between(1, 3), mps = between(1.1, 1.7);
    p.start = {at(s - way * half, d), ground_.heading(s) + (way < 0 ? kPi : 0)};
    p.start_s = std::max(0.0, passes - between(0, 7));
    p.walk = {{.to = at(s + way * (half + between(2, 10)), d), .mps = mps, .speed_up_m = 0.4}};
    if (keep(one)) return;
  }
}

}  // namespace kerb::sim::hours
