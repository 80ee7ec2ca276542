// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/scenario/hours_route.hpp"

#include <algorithm>
#include <cmath>

namespace kerb::sim::hours {
namespace {

constexpr double kLeastChange = 1e-6;  // m/s that are worth a change of speed

/// So that a number is the same wherever it is printed and read again.
double thousandth(double x) { return std::round(x * 1000) / 1000; }

/// A piece of the way with one limit; the car may have to stand at its end.
struct Leg {
  double length = 0, mps = 0;
  const Halt* halt = nullptr;
};

std::vector<Leg> legs_of(const std::vector<Stretch>& way, const std::vector<double>& mps,
                         const std::vector<Halt>& halts, double sideways) {
  std::vector<Leg> legs;
  double begin = 0;
  std::size_t halt = 0;
  const auto add = [&](double length, double limit) {
    double left = length;
    while (halt < halts.size() && halts[halt].metre <= begin + left) {
      const double to = halts[halt].metre - begin;
      legs.push_back({to, limit, &halts[halt]});
      begin += to;
      left -= to;
      ++halt;
    }
    legs.push_back({left, limit, nullptr});
    begin += left;
  };
  for (std::size_t i = 0; i < way.size(); ++i) {
    double radius = std::abs(way[i].radius_m);  // a transition is as tight as the tighter end
    if (way[i].transition && i > 0 && way[i - 1].radius_m != 0)
      radius = radius == 0 ? std::abs(way[i - 1].radius_m)
                           : std::min(radius, std::abs(way[i - 1].radius_m));
    const double bend = radius == 0 ? 1e9 : std::sqrt(sideways * radius);
    add(way[i].length_m, std::min(mps[i], bend));
  }
  add(1e5, mps.empty() ? 10 : mps.back());  // straight on
  return legs;
}

}  // namespace

std::vector<SpeedPoint> plan_speeds(const std::vector<Stretch>& way, const std::vector<double>& mps,
                                    const std::vector<Halt>& halts, double start,
                                    const Manner& manner) {
  const std::vector<Leg> legs = legs_of(way, mps, halts, manner.sideways);
  const double a = manner.accelerates, b = manner.brakes;
  std::vector<double> at(legs.size() + 1);  // speed where leg i begins
  at[0] = std::min(start, legs[0].mps);
  for (std::size_t i = 1; i < legs.size(); ++i)
    at[i] = legs[i - 1].halt != nullptr ? 0 : std::min(legs[i - 1].mps, legs[i].mps);
  at.back() = legs.back().mps;
  for (std::size_t i = legs.size(); i-- > 0;)
    at[i] = std::min(at[i], std::sqrt(at[i + 1] * at[i + 1] + 2 * b * legs[i].length));
  for (std::size_t i = 0; i < legs.size(); ++i)
    at[i + 1] = std::min(at[i + 1], std::sqrt(at[i] * at[i] + 2 * a * legs[i].length));
  std::vector<SpeedPoint> out{{0, at[0], 3}};
  double t = 0;
  const auto change = [&](double to, double within) {
    if (t == 0 && out.size() == 1) t = 1e-3;  // the first point is the speed at the start
    out.push_back({t, to, within});
  };
  for (std::size_t i = 0; i < legs.size(); ++i) {
    const double u = at[i], w = at[i + 1], length = legs[i].length;
    const double most = std::sqrt((2 * a * b * length + b * u * u + a * w * w) / (a + b));
    const double peak = std::max({std::min(legs[i].mps, most), u, w});
    if (peak > u + kLeastChange) {
      change(peak, a);
      t += (peak - u) / a;
    }
    const double ramps = (peak * peak - u * u) / (2 * a) + (peak * peak - w * w) / (2 * b);
    if (peak > 0) t += std::max(0.0, length - ramps) / peak;
    if (i + 1 == legs.size()) break;
    if (peak > w + kLeastChange) {
      change(w, b);
      t += (peak - w) / b;
    }
    if (const Halt* halt = legs[i].halt)
      t += halt->leave_s ? std::max(1.0, *halt->leave_s - t) : halt->dwell_s;
  }
  return out;
}

namespace {

double metres_before(const std::vector<Stretch>& way, std::size_t end) {
  double sum = 0;
  for (std::size_t i = 0; i < end; ++i) sum += way[i].length_m;
  return sum;
}

/// A line beside a clothoid is not quite one: after each bend the line would be some centimetres
/// off, and more after the next. The straights before and after the bend become as much longer or
/// shorter as it takes.
void meet_straights(const std::vector<Stretch>& way, double offset, std::vector<Stretch>& line) {
  const Way car{{}, way};
  std::size_t before = 0;
  for (std::size_t i = 1; i < way.size(); ++i) {
    if (way[i].radius_m != 0 || way[i].transition) continue;
    const Place there = car.at(metres_before(way, i));
    const Vec2 wanted = there.at + offset * left_of(direction(there.heading));
    const Vec2 is = Way{{offset * left_of(Vec2{1, 0}), 0}, line}.at(metres_before(line, i)).at;
    const Vec2 first = direction(car.at(metres_before(way, before)).heading),
               second = direction(there.heading), off = wanted - is;
    const double turn = cross(first, second);
    if (std::abs(turn) > 0.1) {  // bends turn by 12 degrees or more
      line[before].length_m += cross(off, second) / turn;
      line[i].length_m += cross(first, off) / turn;
    }
    before = i;
  }
}

}  // namespace

std::vector<Stretch> beside(const std::vector<Stretch>& way, double offset) {
  std::vector<Stretch> out = way;
  for (std::size_t i = 0; i < out.size(); ++i) {
    Stretch& stretch = out[i];
    // Coming out of a bend, a transition is as much shorter or longer as the bend itself.
    const double bend = stretch.radius_m != 0         ? stretch.radius_m
                        : stretch.transition && i > 0 ? way[i - 1].radius_m
                                                      : 0;
    if (bend == 0) continue;
    const double ratio = (bend - offset) / bend;
    if (ratio <= 0) return {};
    stretch.length_m *= stretch.radius_m != 0 || stretch.transition ? ratio : 1;
    if (stretch.radius_m != 0) stretch.radius_m -= offset;
  }
  meet_straights(way, offset, out);
  return out;
}

std::vector<Stretch> reversed(const std::vector<Stretch>& way) {
  std::vector<Stretch> out;
  for (std::size_t i = way.size(); i-- > 0;) {
    Stretch stretch = way[i];
    stretch.radius_m = -stretch.radius_m;
    if (stretch.transition) stretch.radius_m = i > 0 ? -way[i - 1].radius_m : 0;
    if (stretch.radius_m == 0) stretch.radius_m = 0;  // never -0
    out.push_back(stretch);
  }
  return out;
}

Rest rest_of(const std::vector<Stretch>& way, double metre) {
  Rest out;
  double begin = 0;
  for (std::size_t i = 0; i < way.size(); ++i) {
    const double end = begin + way[i].length_m;
    if (metre < end && !way[i].transition) {
      out.metre = std::max(metre, begin);
      out.stretch = i;
      out.way.assign(way.begin() + static_cast<std::ptrdiff_t>(i), way.end());
      out.way.front().length_m = end - out.metre;
      return out;
    }
    begin = end;
  }
  out.metre = std::max(metre, begin);
  out.stretch = way.size();
  return out;
}

bool keeps_apart(const std::vector<Stretch>& way) {
  constexpr double kFrom = -60, kStep = 12, kNear = 45, kAlong = 110;
  const Way line{{}, way};
  std::vector<Vec2> points;
  for (int i = 0; kFrom + i * kStep < line.length() + 280; ++i)
    points.push_back(line.at(kFrom + i * kStep).at);
  const auto apart = static_cast<std::size_t>(kAlong / kStep);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t k = i + apart; k < points.size(); ++k)
      if (length(points[i] - points[k]) < kNear) return false;
  return true;
}

namespace {

/// Puts a route together, piece by piece.
class RouteMaker {
 public:
  RouteMaker(const RouteChoice& choice, Random& random) : choice_{choice}, random_{random} {}

  Route make() {
    if (choice_.long_straight) {
      straight(thousandth(random_.between(350, 420)), false);
    } else {
      straight(choice_.turning_first ? between(60, 100) : between(50, 130), false);
      if (choice_.turning_first) turning();
    }
    while (driven_ < choice_.length_m) {
      const double what = random_.unit();
      if (what < 0.30) {
        bend();
      } else if (what < 0.62) {
        turning();
      } else if (what < 0.62 + 0.20 * choice_.features) {
        crossing();
      } else {
        slow_part();
      }
      straight(between(35, 140), true);
    }
    return std::move(out_);
  }

 private:
  double between(double low, double high) { return thousandth(random_.between(low, high)); }
  void add(double length, double radius, bool transition, double mps) {
    out_.way.push_back({length, radius, transition});
    out_.mps.push_back(mps);
    driven_ += length;
  }
  double cruise() { return choice_.cruise_mps * between(0.88, 1.0); }

  void straight(double length, bool mouths) {
    const double begin = driven_;
    add(length, 0, false, cruise());
    if (!mouths || length < 60 || !random_.chance(0.5)) return;
    const double metre = begin + between(22, length - 30);
    const bool left = random_.chance(0.5);
    out_.mouths.push_back({metre, left});
    if (random_.chance(0.4)) out_.mouths.push_back({metre, !left});
  }
  void bend() {
    const double radius = between(28, 140), angle = radians(between(12, 60));
    const double sign = random_.chance(0.5) ? 1 : -1;
    const double ramp = thousandth(std::min(between(8, 18), 0.8 * radius * angle));
    const double arc = thousandth(radius * angle - ramp);  // the ramps turn by half of theirs
    const double mps = cruise();
    add(ramp, sign * radius, true, mps);
    if (arc > 0.2) add(arc, sign * radius, false, mps);
    add(ramp, 0, true, mps);
  }
  void turning() {
    const bool left = random_.chance(0.45);
    const double radius = left ? between(11.5, 15) : between(8, 10.5) + choice_.bay_m * 0.9;
    const double ramp = between(3, 4);
    const double arc = radius * std::numbers::pi / 2 - ramp;
    const double mps = between(3.6, 5.2), sign = left ? 1 : -1;
    Turning t;
    t.begin = driven_;
    t.left = left;
    const double kind = random_.unit();
    t.goes_on = kind < 0.7;
    t.crosses = kind >= 0.4;
    add(ramp, sign * radius, true, mps);
    add(arc, sign * radius, false, mps);
    add(ramp, 0, true, mps);
    t.end = driven_;
    out_.turnings.push_back(t);
  }
  void crossing() {
    const double mps = cruise();
    add(between(12, 25), 0, false, mps);
    Crossing c;
    c.line = driven_;
    c.lights = random_.chance(0.6);
    c.stops = random_.chance(0.75);
    out_.crossings.push_back(c);
    add(between(15, 25), 0, false, mps);
  }
  void slow_part() { add(between(15, 40), 0, false, between(10, 25) / 3.6); }

  const RouteChoice& choice_;
  Random& random_;
  Route out_;
  double driven_ = 0;
};

}  // namespace

Route draw_route(const RouteChoice& choice, Random& random) {
  return RouteMaker{choice, random}.make();
}

}  // namespace kerb::sim::hours
