// SPDX-License-Identifier: Apache-2.0
// Motion, contact and truth against what a pencil gives.
#include "tools/simulator/world/world.hpp"

#include <cmath>
#include <numbers>

#include "tests/support/test.hpp"
#include "tools/simulator/world/outline.hpp"

using namespace kerb::sim;

namespace {

constexpr double kPi = std::numbers::pi;

Moment moment(const Scenario& scenario, double t) {
  Moment out;
  World{scenario}.at(t, out);
  return out;
}

Scenario drive(double mps, std::vector<Stretch> way = {}) {
  Scenario out;
  out.seconds = 10;
  out.car.speeds = {{0, mps, 3}};
  out.car.way = std::move(way);
  return out;
}

PersonSpec walker(Vec2 from, Vec2 to, double mps) {
  PersonSpec out;
  out.start.at = from;
  out.walk = {{.to = to, .mps = mps}};
  return out;
}

TEST(a_straight_drive_is_speed_times_time) {
  const Moment m = moment(drive(10), 2.5);
  TEST_ASSERT_EQUAL_DOUBLE(25, m.car.place.at.x);
  TEST_ASSERT_EQUAL_DOUBLE(0, m.car.place.at.y);
  TEST_ASSERT_EQUAL_DOUBLE(10, m.car.mps);
  TEST_ASSERT_EQUAL_DOUBLE(0, m.car.yaw_radps);
  TEST_ASSERT_EQUAL_DOUBLE(25, m.car.metres);
}

TEST(a_quarter_circle_ends_beside_its_middle) {
  // 10 m straight, then a quarter of a circle of 20 m: to the left and to the right.
  for (const double side : {1.0, -1.0}) {
    const double arc = 20 * kPi / 2;
    const Scenario s = drive(1, {{10, 0}, {arc, side * 20}});
    const Moment end = moment(s, 10 + arc);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 30, end.car.place.at.x);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, side * 20, end.car.place.at.y);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, side * kPi / 2, end.car.place.heading);
    const Moment middle = moment(s, 10 + arc / 2);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 10 + 20 * std::sqrt(0.5), middle.car.place.at.x);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, side / 20, middle.car.yaw_radps);
    const Moment beyond = moment(s, 10 + arc + 5);  // straight on, now to the side
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 30, beyond.car.place.at.x);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, side * 25, beyond.car.place.at.y);
    TEST_ASSERT_EQUAL_DOUBLE(0, beyond.car.yaw_radps);
  }
}

TEST(a_transition_follows_fresnels_integrals) {
  // From straight to a radius of 50 m over 100 m: heading s * s / 10000, so x = a C(s / a), with
  // a = sqrt(5000 pi) and C, S the tabulated integrals; at s = a: C(1) = 0.7798934, S(1) =
  // 0.4382591.
  const double a = std::sqrt(5000 * kPi);
  const Way way{{}, {{2 * 100, 25, true}}};  // the same clothoid, farther
  const Place at = way.at(a);
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, a * 0.7798934003768228, at.at.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, a * 0.4382591473903548, at.at.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, kPi / 2, at.heading);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, a / 5000, way.curvature(a));
}

TEST(speeds_change_evenly_and_stop_at_what_was_asked) {
  Scenario s = drive(10);
  s.car.speeds = {{0, 10, 3}, {2, 0, 5}, {10, 6, 2}};
  // 20 m, then 2 s of braking: 10 m more; from 10 s on 3 s to 6 m/s: 9 m.
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 20 + 10 * 1 - 2.5, moment(s, 3).car.metres);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 5, moment(s, 3).car.mps);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 30, moment(s, 4).car.metres);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, moment(s, 7).car.mps);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 30, moment(s, 9.9).car.metres);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 39, moment(s, 13).car.metres);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 45, moment(s, 14).car.metres);
  s.car.speeds = {{0, 10, 3}, {2, 0, 5}, {3, 5, 5}};  // before it stood: goes on with 5
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 20 + 7.5 + 5, moment(s, 4).car.metres);
}

TEST(a_walk_waits_speeds_up_and_turns) {
  PersonSpec p;
  p.start = {{0, -4}, kPi / 2};
  p.start_s = 1;
  p.walk = {{.to = {0, 0}, .mps = 2, .wait_s = 0.5, .speed_up_m = 1},
            {.to = {5, 0}, .mps = 1},
            {.to = {5, 3}, .mps = 1, .wait_s = 2}};
  Scenario s;
  s.people = {p};
  const auto state = [&](double t) { return moment(s, t).people[0]; };
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -4, state(1.5).place.at.y);
  // 1 m evenly to 2 m/s takes 1 s; half of the time, a quarter of the way.
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -3.75, state(2).place.at.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, state(2).mps);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -3, state(2.5).place.at.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -1, state(3.5).place.at.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2, state(3.5).velocity.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, state(5).place.at.x);  // round the corner at 4 s
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, kPi / 4, state(4).place.heading);
  TEST_ASSERT_TRUE(state(4).turned < 0);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, state(4.4).place.heading);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 9, state(10).walked_m);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, state(10).mps);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, kPi / 2, state(11).place.heading);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2, state(13).place.at.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3, state(20).place.at.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 12, state(20).walked_m);
}

TEST(a_walk_slows_down_evenly_and_stands_at_its_end) {
  PersonSpec p;
  p.walk = {{.to = {5, 0}, .mps = 2, .speed_up_m = 1, .slow_down_m = 2},
            {.to = {3, 0}, .mps = 1, .wait_s = 1.5, .speed_up_m = 0.5}};
  Scenario s;
  s.people = {p};
  const auto state = [&](double t) { return moment(s, t).people[0]; };
  // 1 m in 1 s, 2 m at 2 m/s in 1 s, then 2 m at 1 m/s on average in 2 s.
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3, state(2).place.at.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3 + 2 - 0.5, state(3).place.at.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, state(3).mps);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 5, state(4).place.at.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, state(4).mps);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 5, state(5.4).place.at.x);
  // Turns back within the wait, then 0.5 m in 1 s and 1.5 m in 1.5 s.
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, kPi, std::abs(state(5.5).place.heading));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 4.5, state(6.5).place.at.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 3, state(8.1).place.at.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 7, state(9).walked_m);
}

TEST(a_leg_too_short_for_its_speed_peaks_between) {
  PersonSpec p;
  p.walk = {{.to = {2, 0}, .mps = 2, .speed_up_m = 2, .slow_down_m = 6}};
  Scenario s;
  s.people = {p};
  const auto state = [&](double t) { return moment(s, t).people[0]; };
  // A quarter of both: 0.5 m up at 1 m/s2 to 1 m/s in 1 s, 1.5 m down at 1/3 m/s2 in 3 s.
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5, state(1).place.at.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, state(1).mps);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5 + 1.5 - 1.5 * 1.5 / 6, state(2.5).place.at.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5, state(2.5).mps);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2, state(4).place.at.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, state(4.1).mps);
}

TEST(a_cyclist_is_touched_at_the_wheels) {
  // Ahead, going the same way at 5 m/s, the car at 10: the rear disc ends 0.85 m behind the middle.
  Scenario s = drive(10);
  PersonSpec p = walker({30, 0}, {200, 0}, 5);
  p.rides = Rides::bicycle;
  s.people = {p};
  const std::optional<Contact> behind = World{s}.contact();
  TEST_ASSERT_TRUE(behind.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, (30 - 0.85) / 5, behind->t);
  // Across: all three discs meet the front at once, where it is wide enough.
  p = walker({20, -8}, {20, 20}, 4);
  p.rides = Rides::bicycle;
  s.people = {p};
  const std::optional<Contact> across = World{s}.contact();
  TEST_ASSERT_TRUE(across.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, (20 - 0.25) / 10, across->t);
  // And a wheel alone: the middle is 1.4 m beside the car's middle then, the wheel within 0.9.
  p = walker({20, -1.4 - 4 * 1.975}, {20, 20}, 4);
  s.people = {p};
  TEST_ASSERT_FALSE(World{s}.contacts()[0] && World{s}.contacts()[0]->front &&
                    World{s}.contacts()[0]->t < 1.976);
  s.people[0].rides = Rides::bicycle;
  const std::optional<Contact> wheel = World{s}.contact();
  TEST_ASSERT_TRUE(wheel.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, 1.975, wheel->t);
  std::vector<PersonTruth> truth;
  const World world{s};
  world.truth(moment(s, 1), truth);
  // At 1 s the front is 10 m nearer; of the wheel's disc only its corner distance counts.
  const double y = -1.4 - 4 * 0.975 + 0.6;
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, std::hypot(10, y + s.car.width_m / 2) - 0.25, truth[0].distance);
}

TEST(a_door_opens_smoothly_and_shuts) {
  Scenario s = drive(5);
  PropSpec car;
  car.kind = PropKind::car;
  car.place.at = {30, 6};
  car.door = DoorSpec{true, 1, 2, 1.2, 6.0};
  s.props = {car};
  const auto door = [&](double t) { return moment(s, t).props[0].door; };
  TEST_ASSERT_EQUAL_DOUBLE(0, door(0.9));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.2 * (3 * 0.0625 - 2 * 0.015625), door(1.5));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.6, door(2));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.2, door(4));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.6, door(7));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, door(8.1));
}

TEST(a_parked_car_pulls_out_by_its_way_and_speeds) {
  // Two arcs of 10 m radius, 4 m each: 0.4 rad left, then right again: 2 * 10 (1 - cos 0.4) aside.
  Scenario s = drive(0);
  PropSpec car;
  car.kind = PropKind::car;
  car.place.at = {20, -2.8};
  car.way = {{4, 10}, {4, -10}};
  car.speeds = {{0, 0, 3}, {2, 4, 1}};
  s.props = {car};
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 20, moment(s, 2).props[0].place.at.x);
  // 8 m at 1 m/s2 take 4 s.
  const PropState out = moment(s, 6).props[0];
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 8, out.metres);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -2.8 + 20 * (1 - std::cos(0.4)), out.place.at.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 20 + 20 * std::sin(0.4), out.place.at.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, out.place.heading);
}

TEST(a_turn_is_the_integral_of_its_rate_by_the_short_way) {
  PersonSpec p = walker({0, 0}, {-1, -0.1}, 1);
  p.start.heading = 3;
  p.start_s = 2;
  Scenario s;
  s.people = {p};
  const World world{s};
  double heading = 3;
  Moment m;
  for (int i = 0; i < 3000; ++i) {
    world.at((i + 0.5) * 1e-3, m);
    heading += m.people[0].turned * 1e-3;
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, heading, m.people[0].place.heading);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, std::atan2(-0.1, -1) + 2 * kPi, m.people[0].place.heading);
}

TEST(things_drive_and_stand) {
  Scenario s;
  PropSpec standing, driving;
  standing.place = {{3, 4}, 1};
  driving.place = {{50, 3.5}, kPi};
  driving.speeds = {{0, 12, 3}};
  s.props = {standing, driving};
  const Moment m = moment(s, 2);
  TEST_ASSERT_EQUAL_DOUBLE(4, m.props[0].place.at.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 26, m.props[1].place.at.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 24, m.props[1].metres);
}

TEST(contact_with_the_front_is_where_and_when_the_circle_touches) {
  // The car's front reaches x = 30 - 0.25 at 2.975 s; the walker's middle is then at -0.45: a
  // quarter of 1.8 m from the right edge.
  Scenario s = drive(10);
  const double t = 2.975;
  s.people = {walker({30, -0.45 - 1.5 * t}, {30, 5}, 1.5)};
  const auto c = World{s}.contact();
  TEST_ASSERT_TRUE(c.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, t, c->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.25, c->across);
  TEST_ASSERT_TRUE(c->front);
}

TEST(contact_with_a_corner_is_by_distance) {
  // A person stands 0.15 m outside of the left edge: the corner comes within 0.25 m when the front
  // is 0.2 m short of them (3-4-5).
  Scenario s = drive(10);
  s.people = {walker({30, 0.9 + 0.15}, {30, 1.05}, 1)};
  const auto c = World{s}.contact();
  TEST_ASSERT_TRUE(c.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2.98, c->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1 + 0.15 / 1.8, c->across);
}

TEST(contact_with_the_side_is_told_apart) {
  // Somebody walks at 2 m/s into the side of a standing car, 2 m behind its front.
  Scenario s = drive(0);
  s.people = {walker({-2, 4.9}, {-2, 0}, 2)};
  const auto c = World{s}.contact();
  TEST_ASSERT_TRUE(c.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, (4.9 - 0.9 - 0.25) / 2, c->t);
  TEST_ASSERT_FALSE(c->front);
  TEST_ASSERT_TRUE(c->across > 1);
}

TEST(a_near_miss_is_none_and_a_graze_is_one) {
  Scenario s = drive(10);
  s.people = {walker({30, 0.9 + 0.25 + 1e-5}, {30, 1.15}, 1)};
  s.people[0].walk.clear();
  TEST_ASSERT_FALSE(World{s}.contact().has_value());
  s.people[0].start.at.y = 0.9 + 0.25 - 1e-5;
  TEST_ASSERT_TRUE(World{s}.contact().has_value());
}

TEST(contact_in_a_bend_agrees_with_small_steps) {
  Scenario s = drive(12, {{20, 0}, {30, 40, true}, {40, 40}});
  s.people = {walker({60, 18}, {60, 0}, 1.7), walker({75, 30}, {70, 22}, 0.9)};
  s.seconds = 8;
  const World world{s};
  Moment m;
  std::optional<Contact> brute;
  for (int i = 0; i < 80'000 && !brute; ++i) {
    world.at(i * 1e-4, m);
    for (int k = 0; k < 2 && !brute; ++k) {
      // The rectangle's nearest point, found anew: clamp in the car's axes.
      const double c = std::cos(m.car.place.heading), q = std::sin(m.car.place.heading);
      const Vec2 d = m.people[static_cast<std::size_t>(k)].place.at - m.car.place.at;
      const double x = c * d.x + q * d.y, y = -q * d.x + c * d.y;
      const double nx = x - std::fmin(0, std::fmax(-4.5, x));
      const double ny = y - std::fmin(0.9, std::fmax(-0.9, y));
      if (nx * nx + ny * ny <= 0.0625) brute = Contact{i * 1e-4, k, (y + 0.9) / 1.8, x >= 0};
    }
  }
  const auto found = world.contact();
  TEST_ASSERT_TRUE(brute.has_value() && found.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(1.1e-4, brute->t, found->t);
  TEST_ASSERT_EQUAL_INT(brute->person, found->person);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, brute->across, found->across);
}

TEST(the_truth_on_a_straight_road) {
  Scenario s = drive(10);
  s.people = {walker({40.25, -6}, {40.25, 6}, 1.5)};  // in the car's path from 3.233 to 5 s
  const World world{s};
  Moment m;
  std::vector<PersonTruth> truth;
  world.at(1, m);
  world.truth(m, truth);
  const PersonTruth& p = truth[0];
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 30.25, p.ahead);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -4.5, p.left);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -4.5, p.path_offset);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, std::hypot(30.25, 3.6) - 0.25, p.distance);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -10, p.relative.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.5, p.relative.y);
  TEST_ASSERT_TRUE(p.ttc.has_value() && p.contact.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 3, *p.ttc);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 3, *p.contact);
  TEST_ASSERT_EQUAL(Zone::elsewhere, p.zone);
  world.at(3.5, m);  // at -0.75: on the path
  world.truth(m, truth);
  TEST_ASSERT_EQUAL(Zone::path, truth[0].zone);
  world.at(3.7, m);  // 3.25 m ahead
  world.truth(m, truth);
  TEST_ASSERT_EQUAL(Zone::close, truth[0].zone);
  world.at(4.5, m);  // the contact is over: none will be
  world.truth(m, truth);
  TEST_ASSERT_FALSE(truth[0].contact.has_value());
}

TEST(the_truth_in_a_bend_knows_the_arc) {
  // Round a circle of 50 m about (0, 50). Somebody stands on it, 60 degrees on; somebody else
  // straight ahead, where the car would go without its yaw rate.
  Scenario s = drive(10, {{500, 50}});
  const Vec2 on_circle{50 * std::sin(kPi / 3), 50 - 50 * std::cos(kPi / 3)};
  s.people = {walker(on_circle, on_circle, 1), walker({30, 0}, {30, 0}, 1)};
  Moment m;
  std::vector<PersonTruth> truth;
  const World world{s};
  world.at(0, m);
  world.truth(m, truth);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, truth[0].path_offset);
  TEST_ASSERT_EQUAL(Zone::path, truth[0].zone);
  TEST_ASSERT_TRUE(truth[0].ttc.has_value() && truth[0].contact.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, *truth[0].contact, *truth[0].ttc);
  TEST_ASSERT_DOUBLE_WITHIN(2e-3, (50 * kPi / 3 - 0.25) / 10, *truth[0].ttc);  // chord, not arc
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 50 - std::hypot(50, 30), truth[1].path_offset);
  TEST_ASSERT_FALSE(truth[1].ttc.has_value());
  TEST_ASSERT_EQUAL(Zone::elsewhere, truth[1].zone);
}

TEST(the_prediction_differs_from_what_will_be) {
  // Somebody walks towards the path, and will stop at the kerb: predicted, but not to be.
  Scenario s = drive(10);
  s.people = {walker({30.25, -6}, {30.25, -2}, 2)};
  Moment m;
  std::vector<PersonTruth> truth;
  const World world{s};
  world.at(1, m);
  world.truth(m, truth);
  TEST_ASSERT_TRUE(truth[0].ttc.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2, *truth[0].ttc);  // then at y = 0
  TEST_ASSERT_FALSE(truth[0].contact.has_value());
}

TEST(a_standing_car_and_a_backing_one) {
  Scenario s = drive(0);
  s.people = {walker({2, 3}, {2, -3}, 1), walker({-8, 0}, {-8, 0}, 1)};
  Moment m;
  std::vector<PersonTruth> truth;
  World{s}.at(3, m);
  World{s}.truth(m, truth);
  TEST_ASSERT_EQUAL(Zone::close, truth[0].zone);
  TEST_ASSERT_FALSE(truth[0].ttc.has_value());
  s.car.speeds = {{0, -2, 3}};
  const auto c = World{s}.contact();
  TEST_ASSERT_TRUE(c.has_value());
  TEST_ASSERT_EQUAL_INT(1, c->person);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, (8 - 4.5 - 0.25) / 2, c->t);
  TEST_ASSERT_FALSE(c->front);
}

}  // namespace
