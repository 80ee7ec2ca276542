// SPDX-License-Identifier: Apache-2.0
// The car's ways before and in a turn, and the probability of contact over all of them: against
// plain sampling of turns, driven by an integration of their own in steps of a two-hundredth of a
// second. (3,000 futures a case.)
#include "firmware/risk/turn.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <vector>

#include "firmware/risk/contact.hpp"
#include "firmware/risk/yaw_rate.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/risk/people.hpp"

using namespace kerb;
using kerb::risk::CarPath;
using kerb::risk::CarShape;
using kerb::risk::CarWay;
using kerb::risk::PathSettings;
using kerb::risk::TurnSettings;
using kerb::test::somebody;

namespace {

constexpr double kQuarter = std::numbers::pi / 2;

/// How a car comes to a turn: 30 messages a second.
struct Drive {
  double mps = 5, braking_mps2 = 0;  ///< the speed is that of the end
  double yaw_radps = 0;              ///< for the last `turns_s`
  double turns_s = 0;
  std::optional<TurnSignal> signal = TurnSignal::right;
  double seconds = 2;
  double untold_share = 0;
};
CarPath after(const Drive& d) {
  PathSettings settings;
  settings.turn.untold_share = d.untold_share;
  CarPath path{settings};
  const int frames = static_cast<int>(std::lround(d.seconds * 30));
  for (int i = 0; i <= frames; ++i) {
    const double t = (i - frames) / 30.0;
    ego::VehicleMotion told{d.mps - d.braking_mps2 * t, -t < d.turns_s ? d.yaw_radps : 0.0};
    told.turn_signal = d.signal;
    path.update(Nanos{std::llround((i + 1) * 1e9 / 30)}, told);
  }
  return path;
}

// ---- the oracle

struct Place {
  double x, y, heading, speed, lateral;
};
/// A turn by its numbers alone: where it begins after the first place, its radius, its angle.
std::vector<Place> turn_of(const TurnSettings& s, const risk::CarMotion& now, double later,
                           double radius, double angle, double horizon, double step) {
  const double v0 = *now.speed_mps, side = now.turn.side;
  const double turn_mps = std::sqrt(s.lateral_mps2 * radius);
  const bool begun = now.turn.turned_rad > 0;
  const double brake = std::max(-now.acceleration_mps2, s.braking_mps2);
  const bool too_fast = !begun && v0 > turn_mps;
  const double first = too_fast ? (v0 * v0 - turn_mps * turn_mps) / (2 * brake) : 0;
  const double begins = begun ? 0 : first + later;
  double x = 0, y = 0, heading = 0, v = v0, driven = 0, lateral = 0;
  double bend = side * now.yaw_rate_radps.value_or(0) / v0;
  double left = angle - now.turn.turned_rad;
  std::vector<Place> out;
  for (double t = 0; t <= horizon + 1e-9; t += step) {
    out.push_back({x, y, heading, v, lateral});
    double a = now.acceleration_mps2;
    if (too_fast) {
      const double even = -(v0 * v0 - turn_mps * turn_mps) / (2 * begins);
      a = now.acceleration_mps2 < -0.3 ? even : (driven >= later ? -brake : 0);
      if (v <= turn_mps) a = 0;
    } else if (a > 0 && (v >= turn_mps || t > 1.5)) {
      a = 0;
    }
    v = std::max(v + a * step, 0.0);
    const double way = v * step;
    driven += way;
    if (driven > begins) {
      const double slope = 1 / (radius * s.ramp_m);
      bend = std::min({bend + slope * way, 1 / radius, std::sqrt(2 * slope * std::max(left, 0.0))});
      left -= bend * way;
    }
    heading += side * bend * way;
    x += way * std::cos(heading);
    y += way * std::sin(heading);
    lateral = std::max(lateral, std::abs(v * v * bend));
  }
  return out;
}

bool touches(const Place& p, double px, double py, double ahead, double beside) {
  const CarShape car;
  const double dx = px - p.x, dy = py - p.y;
  const double x = dx * std::cos(p.heading) + dy * std::sin(p.heading) - ahead;
  const double y = dy * std::cos(p.heading) - dx * std::sin(p.heading) - beside;
  const double nx = std::clamp(x, car.axle_to_bumper_m - car.length_m, car.axle_to_bumper_m);
  const double ny = std::clamp(y, -car.width_m / 2, car.width_m / 2);
  return std::hypot(x - nx, y - ny) <= 0.3 && p.speed >= 0.3;
}

/// Of a person who keeps their pace: the share of sampled futures with a contact.
double sampled(const track::Person& person, const CarPath& path, int samples) {
  constexpr double kStep = 0.005, kHorizon = 4;
  const PathSettings s;
  const risk::CarMotion now = path.motion();
  const double soon = now.turn.side * (*now.yaw_rate_radps) / *now.speed_mps;
  std::mt19937 random{815};
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  int hits = 0;
  for (int n = 0; n < samples; ++n) {
    const bool turns = uniform(random) < now.turn.share;
    const double later = uniform(random) * s.turn.within_m;
    double radius =
        s.turn.least_radius_m + uniform(random) * (s.turn.most_radius_m - s.turn.least_radius_m);
    if (soon > 1 / s.turn.most_radius_m) radius = (0.85 + 0.35 * uniform(random)) / soon;
    const double angle = s.turn.angle_rad + s.turn.angle_half_rad * (2 * uniform(random) - 1);
    const double along = normal(random), across = normal(random);
    const double x0 = person.x_m + std::sqrt(person.covariance[0]) * normal(random);
    const double y0 = person.y_m + std::sqrt(person.covariance[5]) * normal(random);
    const double vx = person.vx_mps + std::sqrt(person.covariance[10]) * normal(random);
    const double vy = person.vy_mps + std::sqrt(person.covariance[15]) * normal(random);
    std::vector<Place> way;
    if (turns) way = turn_of(s.turn, now, later, radius, angle, kHorizon, kStep);
    for (int i = 0; i * kStep <= kHorizon; ++i) {
      const double t = i * kStep, v = *now.speed_mps;
      const risk::Pose on = path.after(t);
      Place place{on.x, on.y, on.heading, path.speed_after(t), 0};
      double sigma_across = on.sigma_across;
      if (turns) {
        place = way[static_cast<std::size_t>(i)];
        const double wander = std::min(1.0, v / 3) * s.wander_mps2;
        const double yaw = v * s.yaw_rate_sigma_radps, bend = s.bend_share * place.lateral;
        sigma_across = std::sqrt(wander * wander + yaw * yaw + bend * bend) * t * t / 2;
      }
      if (!touches(place, x0 + vx * t, y0 + vy * t, along * on.sigma_along, across * sigma_across))
        continue;
      ++hits;
      break;
    }
  }
  return static_cast<double>(hits) / samples;
}

risk::Contact judged(const track::Person& person, const CarPath& path) {
  risk::ContactSettings settings;
  settings.pace.stops_share = settings.pace.stops_slowing_share = 0;
  settings.pace.speeds_up_share = settings.pace.along_share = 0;
  return risk::ContactJudge{{}, settings}.judge(person, path);
}

// ---- the ways

TEST(without_an_indicator_there_is_one_way) {
  for (const std::optional<TurnSignal> signal :
       {std::optional<TurnSignal>{}, std::optional{TurnSignal::off},
        std::optional{TurnSignal::hazard}}) {
    const CarPath path = after({.mps = 5, .braking_mps2 = 1.5, .signal = signal});
    TEST_ASSERT_EQUAL(1, path.ways().size());
    TEST_ASSERT_EQUAL_DOUBLE(1, path.ways()[0].share);
    TEST_ASSERT_TRUE(path.ways()[0].likeliest);
  }
}

TEST(the_shares_grow_with_what_speaks_for_a_turn) {
  const TurnSettings s;
  const auto share = [](const Drive& d) { return after(d).motion().turn.share; };
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, s.signalled_share, share({.mps = 13.9}));
  TEST_ASSERT_DOUBLE_WITHIN(0.02, s.slowing_share, share({.mps = 10, .braking_mps2 = 2}));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, s.slowing_share, share({.mps = 4}));
  const double begun = share({.mps = 4, .yaw_radps = -0.5, .turns_s = 1.2});
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, s.begun_share, begun);
  // To the other side it is no turn of this indicator.
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, s.slowing_share,
                            share({.mps = 4, .yaw_radps = 0.5, .turns_s = 1.2}));
  // Once it has been driven, nothing more is expected of this indicator.
  CarPath path = after({.mps = 4, .yaw_radps = -0.5, .turns_s = 3, .seconds = 4});
  for (int i = 1; i <= 30; ++i) {
    ego::VehicleMotion told{4.0, 0.0};
    told.turn_signal = TurnSignal::right;
    path.update(Nanos{std::llround((121 + i) * 1e9 / 30)}, told);
  }
  TEST_ASSERT_EQUAL(1, path.ways().size());
}

TEST(without_an_indicator_a_narrow_bend_may_end_as_turns_do) {
  const auto share = [](double radius, double turned, double untold) {
    Drive d{.mps = 4, .yaw_radps = 4 / radius, .signal = TurnSignal::off, .seconds = 8};
    d.turns_s = turned / d.yaw_radps;
    d.untold_share = untold;
    return after(d).motion().turn.share;
  };
  TEST_ASSERT_EQUAL_DOUBLE(0, share(8, 1.2, 0));  // unless it is set, nothing changes
  TEST_ASSERT_EQUAL_DOUBLE(0, share(8, 0.4, 0.7));
  TEST_ASSERT_DOUBLE_WITHIN(0.08, 0.35, share(8, 0.75, 0.7));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.7, share(8, 1.2, 0.7));
  TEST_ASSERT_EQUAL_DOUBLE(0, share(20, 1.2, 0.7));  // a bend of the road
}

TEST(the_ways_of_a_turn_end_across_and_as_wide_as_turns_are) {
  for (const TurnSignal signal : {TurnSignal::left, TurnSignal::right}) {
    const double side = signal == TurnSignal::left ? 1 : -1;
    const CarPath path = after({.mps = 5, .signal = signal});
    TEST_ASSERT_EQUAL(1 + risk::kTurnWays, path.ways().size());
    double shares = 0;
    for (const CarWay& way : path.ways()) shares += way.share;
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, shares);
    for (const CarWay& way : path.ways().subspan(1)) {
      const risk::PathKnot& end = way.knots.back();
      TEST_ASSERT_DOUBLE_WITHIN(0.3, kQuarter, side * std::atan2(end.sin, end.cos));
      TEST_ASSERT_TRUE(end.x > 6 && end.x < 28 && side * end.y > 3);
    }
  }
}

TEST(no_turn_begins_before_the_car_can_have_slowed_down_for_it) {
  const CarPath path = after({.mps = 13.9});  // 50 km/h: 30 m at the least
  for (const CarWay& way : path.ways().subspan(1))
    for (const risk::PathKnot& knot : way.knots)
      if (knot.x < 38) TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, knot.y);
}

TEST(in_a_turn_only_the_rest_of_it_is_left) {
  // 60 degrees of it are done: the other 30 follow, and then it is straight.
  const CarPath path =
      after({.mps = 4, .yaw_radps = 0.5, .turns_s = 2.1, .signal = TurnSignal::left});
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 1.05, path.motion().turn.turned_rad);
  for (const CarWay& way : path.ways().subspan(1)) {
    const risk::PathKnot &end = way.knots.back(), &before = way.knots[100];
    TEST_ASSERT_DOUBLE_WITHIN(0.35, kQuarter - 1.05, std::atan2(end.sin, end.cos));
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 0, end.sin - before.sin);
  }
}

// ---- contacts

struct Case {
  const char* name;
  track::Person person;
  Drive drive;
};
TEST(the_probability_over_all_ways_is_that_of_sampling) {
  const Drive slow{.mps = 4.5}, slowing{.mps = 8, .braking_mps2 = 2}, fast{.mps = 11};
  const Drive begun{.mps = 4.2, .yaw_radps = -0.52, .turns_s = 1.2};
  const Drive left{.mps = 5, .yaw_radps = 0.4, .turns_s = 1.5, .signal = TurnSignal::left};
  const Case cases[] = {
      {"straight ahead, slow", somebody(13, -0.5, 0, 0.5, 0.2, 0.2), slow},
      {"crosses ahead, slowing", somebody(17, -2.5, 0, 1.4, 0.2, 0.2), slowing},
      {"crosses ahead, fast", somebody(24, -2.6, 0, 1.4, 0.2, 0.2), fast},
      {"in the side street, slow", somebody(14, -9, -1.0, 0, 0.3, 0.3), slow},
      {"at the corner, slow", somebody(6, -3.2, 0, 0, 0.2, 0.1), slow},
      {"in the side street, begun", somebody(10.5, -4, -1.0, -0.9, 0.2, 0.2), begun},
      {"crosses it, begun", somebody(7.5, -7.5, 0.9, 1.0, 0.2, 0.2), begun},
      {"goes-on's circle, begun", somebody(0.5, -10.5, 0, 0, 0.2, 0.1), begun},
      {"in the side street, left", somebody(10, 6, -0.8, -0.6, 0.2, 0.2), left},
  };
  double worst = 0;
  for (const Case& c : cases) {
    const CarPath path = after(c.drive);
    const double expected = sampled(c.person, path, 3000);
    const double actual = judged(c.person, path).probability;
    std::printf("%-28s turn %.2f, sampled %.3f, judged %.3f\n", c.name, path.motion().turn.share,
                expected, actual);
    worst = std::max(worst, std::abs(expected - actual));
  }
  std::printf("worst difference %.3f\n", worst);
  TEST_ASSERT_TRUE(worst <= 0.06);
}

TEST(who_crosses_the_side_street_is_seen_to_be_in_danger_earlier) {
  // A right turn of 8 m at 4.2 m/s that has just begun, told by the indicator or not. Somebody
  // crosses the other street and will be hit in it, 2 s from now.
  const Drive told{.mps = 4.2, .yaw_radps = -0.15, .turns_s = 0.7};
  Drive untold = told;
  untold.signal = TurnSignal::off;
  const CarWay middle = after(told).ways()[1 + risk::kTurnWays / 2];
  const risk::PathKnot& then = middle.knots[40];
  // In front of the bumper's middle by then, across its way from the right.
  const double x = then.x + 3.7 * then.cos, y = then.y + 3.7 * then.sin;
  const double vx = -then.sin * 1.3, vy = then.cos * 1.3;
  const track::Person person = somebody(x - 2 * vx, y - 2 * vy, vx, vy, 0.2, 0.2);
  const double with = judged(person, after(told)).probability;
  const double without = judged(person, after(untold)).probability;
  std::printf("in danger: told %.2f, untold %.2f\n", with, without);
  TEST_ASSERT_TRUE(with > without + 0.2);
}

TEST(an_indicator_that_lies_hardly_changes_who_is_in_danger_ahead) {
  // A lane change: 50 km/h, no slowing. Somebody crosses 2.2 s ahead, somebody stands at the kerb.
  Drive lies{.mps = 13.9};
  Drive silent = lies;
  silent.signal = TurnSignal::off;
  const track::Person crosses = somebody(3.6 + 13.9 * 2.2, -3, 0, 1.4);
  const track::Person stands = somebody(25, -2.4, 0, 0, 0.2, 0.1);
  TEST_ASSERT_DOUBLE_WITHIN(0.06, judged(crosses, after(silent)).probability,
                            judged(crosses, after(lies)).probability);
  TEST_ASSERT_DOUBLE_WITHIN(0.03, judged(stands, after(silent)).probability,
                            judged(stands, after(lies)).probability);
  // And at the speed of turns it is still more likely than not.
  lies.mps = 5;
  const risk::Contact slow = judged(somebody(3.6 + 5 * 1.5, -1.2, 0, 0.8), after(lies));
  std::printf("straight ahead at 18 km/h, 1.5 s: %.2f\n", slow.probability);
  TEST_ASSERT_TRUE(slow.probability > 0.55);
}

// ---- the yaw rate

TEST(one_source_is_passed_on_and_two_are_weighed_by_their_variance) {
  const PathSettings s;
  ego::VehicleMotion told{10.0, 0.123};
  TEST_ASSERT_EQUAL_DOUBLE(0.123, risk::fuse_yaw_rate(s, told, 0.2, false, 10)->radps);
  TEST_ASSERT_EQUAL_DOUBLE(0.2, risk::fuse_yaw_rate(s, told, 0.2, true, 10)->radps);
  told.steering_rad = 0.04;
  const double steered = 10 / (2.7 * (1 + 0.16)) * std::tan(0.04);
  const double sigma =
      std::hypot(10 / (2.7 * 1.16) * s.steering_sigma_rad, s.steering_share * steered);
  const double a = 1 / (s.yaw_rate_sigma_radps * s.yaw_rate_sigma_radps), b = 1 / (sigma * sigma);
  const std::optional<risk::YawRate> both = risk::fuse_yaw_rate(s, told, {}, false, 10);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, (a * 0.123 + b * steered) / (a + b), both->radps);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1 / std::sqrt(a + b), both->sigma_radps);
  TEST_ASSERT_FALSE(risk::fuse_yaw_rate(s, {10.0, {}}, {}, false, 10).has_value());
}

TEST(a_car_without_a_yaw_rate_is_followed_by_its_steering_or_the_flow) {
  CarPath steered, seen, blind;
  for (int i = 1; i <= 60; ++i) {
    const Nanos at{std::llround(i * 1e9 / 30)};
    ego::VehicleMotion told{8.0, std::nullopt};
    blind.update(at, told);
    seen.update(at, told, i % 3 == 0 ? std::optional{0.25 + 0.01 * (i % 2)} : std::nullopt);
    told.steering_rad = std::atan(0.25 / 8 * 2.7 * (1 + 0.1024));
    steered.update(at, told);
  }
  TEST_ASSERT_DOUBLE_WITHIN(0.002, 0.25, steered.yaw_rate_radps());
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 0.255, seen.yaw_rate_radps());
  TEST_ASSERT_TRUE(steered.after(2).sigma_across < blind.after(2).sigma_across);
  TEST_ASSERT_TRUE(seen.after(2).sigma_across < blind.after(2).sigma_across);
  TEST_ASSERT_EQUAL_DOUBLE(0, blind.after(2).y);
}

TEST(a_sensor_that_the_flow_contradicts_is_not_believed_for_long) {
  CarPath path;
  int until = 0;
  for (int i = 1; i <= 60; ++i) {
    path.update(Nanos{std::llround(i * 1e9 / 30)}, {8.0, 0.0}, 0.3);
    if (path.yaw_rate_radps() < 0.1) until = i;
  }
  TEST_ASSERT_TRUE(until >= 8 && until <= 12);  // 0.3 s
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.3, path.yaw_rate_radps());
}

TEST(another_path_set_to_the_motion_has_the_same_ways) {
  const CarPath path = after({.mps = 4, .yaw_radps = -0.5, .turns_s = 0.7});
  CarPath again;
  again.set(Nanos{1}, path.motion());
  TEST_ASSERT_EQUAL(path.ways().size(), again.ways().size());
  for (std::size_t i = 0; i < path.ways().size(); ++i)
    TEST_ASSERT_EQUAL_MEMORY(path.ways()[i].knots.data(), again.ways()[i].knots.data(),
                             sizeof path.ways()[i].knots);
}

}  // namespace
