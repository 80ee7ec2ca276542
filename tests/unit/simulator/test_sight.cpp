// SPDX-License-Identifier: Apache-2.0
// Who can be seen, against what a person with a pencil finds.
#include "tools/simulator/judge/visibility.hpp"

#include "tests/support/test.hpp"
#include "tools/simulator/base/things.hpp"
#include "tools/simulator/judge/truth.hpp"

using namespace kerb;
using namespace kerb::sim;

namespace {

/// A car at 10 m/s along x, its camera 1.3 m high and 1.7 m behind the bumper; a person at (x, y).
Scenario street(double x, double y) {
  Scenario s;
  s.seconds = 4;
  s.car.speeds = {{0, 10, 3}};
  PersonSpec person;
  person.height_m = 1.8;
  person.start.at = {x, y};
  s.people = {person};
  return s;
}

double visible(const Scenario& s, double t = 0) {
  Moment now;
  World{s}.at(t, now);
  return Visibility{s}.visible(now, 0);
}

TEST(somebody_in_the_open_is_wholly_visible) {
  TEST_ASSERT_EQUAL_DOUBLE(1, visible(street(20, 0)));
  TEST_ASSERT_EQUAL_DOUBLE(1, visible(street(40, 5)));
}

TEST(nobody_is_seen_behind_or_beside) {
  TEST_ASSERT_EQUAL_DOUBLE(0, visible(street(-10, 0)));
  TEST_ASSERT_EQUAL_DOUBLE(0, visible(street(0, 10)));
  TEST_ASSERT_EQUAL_DOUBLE(0, visible(street(20, 14)));  // 33 degrees to the left, 30 are seen
}

TEST(the_edge_of_the_picture_cuts) {
  // At 30 degrees the middle of the figure is on the edge: half of it is seen.
  const double depth = 20 + 1.7;
  TEST_ASSERT_DOUBLE_WITHIN(0.07, 0.5, visible(street(20, depth * std::tan(radians(30)))));
  // Right in front, the lower edge hides the legs: 720 rows of 1280 at 60 degrees end 18 degrees
  // below the horizon, so at 2 m from the lens all under 1.3 - 2 * tan(18 deg) = 0.65 m.
  const double lowest = 1.3 - 2.0 * std::tan(radians(30)) * 720 / 1280;
  TEST_ASSERT_DOUBLE_WITHIN(0.07, 1 - lowest / 1.8, visible(street(0.3, 0)));
}

TEST(a_parked_car_hides_the_legs_behind_it) {
  Scenario s = street(20, 3);
  PropSpec thing;
  thing.kind = PropKind::wall;
  thing.size = {4.5, 1.8, 1.3};  // as high as the camera: all under 1.3 m is hidden
  thing.place.at = {16, 2.6};
  s.props = {thing};
  TEST_ASSERT_DOUBLE_WITHIN(0.07, 1 - 1.3 / 1.8, visible(s));
  // A car's bonnet is low. It ends 0.06 of the length behind the front, at x = 17.98, 0.61 of the
  // height high; from 1.7 m behind the bumper it hides what is under this at x = 20. The cabin is
  // to the left of the line of sight.
  s.props[0].kind = PropKind::car;
  s.props[0].size = {4.5, 1.8, 1.5};
  s.props[0].place.at = {16, 3.8};
  s.people[0].start.at = {20, 3.4};
  s.people[0].height_m = 1.2;
  const double hidden = 1.3 - (1.3 - 0.61 * 1.5) * (20 + 1.7) / (17.98 + 1.7);
  TEST_ASSERT_DOUBLE_WITHIN(0.07, 1 - hidden / 1.2, visible(s));
  s.people[0].height_m = 1.8;
  s.props[0].place.at = {16, 2.6};
  s.people[0].start.at = {20, 3};
  s.props[0].kind = PropKind::van;
  s.props[0].size = {5.5, 2, 2.4};
  TEST_ASSERT_EQUAL_DOUBLE(0, visible(s));
  s.props[0].place.at = {26, 2.6};  // behind them
  TEST_ASSERT_EQUAL_DOUBLE(1, visible(s));
}

TEST(a_turned_wall_hides_by_its_corners) {
  Scenario s = street(20, 0);
  PropSpec wall;
  wall.kind = PropKind::wall;
  wall.size = {4, 0.2, 3};
  wall.place = {{10, 0}, radians(90)};  // across the road
  s.props = {wall};
  TEST_ASSERT_EQUAL_DOUBLE(0, visible(s));
  s.props[0].place = {{10, 1}, 0};  // along it: 0.9 m to the left of the line of sight
  TEST_ASSERT_EQUAL_DOUBLE(1, visible(s));
}

TEST(a_person_from_behind_a_truck_is_half_visible_when_the_line_of_sight_passes_it) {
  // The truck's near corner is at (18.3, 2). Seen from 1.7 m behind the bumper, the line past it
  // meets the person's row x = 20 at y = 2 * (20 - c) / (18.3 - c), with c the camera's x.
  Scenario s = street(20, 5);
  s.car.speeds = {{0, 5, 3}};
  s.people[0].walk = {{{20, -6}, 1.25, 0}};
  s.seconds = 5;
  PropSpec truck;  // a box
  truck.kind = PropKind::truck;
  truck.size = {5, 2, 2.5};
  truck.place.at = {15.8, 3};
  s.props = {truck};
  const Truth truth = find_truth(World{s});
  TEST_ASSERT_TRUE(truth.contact.has_value());
  TEST_ASSERT_TRUE(truth.half_visible.has_value());
  const double t = *truth.half_visible, camera = 5 * t - 1.7;
  const double line = 2 * (20 - camera) / (18.3 - camera);
  TEST_ASSERT_DOUBLE_WITHIN(0.08, line, 5 - 1.25 * t);
  TEST_ASSERT_TRUE(*truth.seen < t);
}

TEST(half_visible_counts_again_after_somebody_was_hidden) {
  // Seen at first past a truck's far side, then behind it, then out of it again.
  Scenario s = street(20, 6);
  s.car.speeds = {{0, 5, 3}};
  s.people[0].walk = {{{20, -6}, 1.5, 0}};
  s.seconds = 5;
  PropSpec truck;
  truck.kind = PropKind::truck;
  truck.size = {5, 1, 2.5};
  truck.place.at = {15.8, 3};
  s.props = {truck};
  const Truth truth = find_truth(World{s});
  TEST_ASSERT_TRUE(truth.contact.has_value());
  TEST_ASSERT_EQUAL_DOUBLE(0, *truth.seen);
  const double t = *truth.half_visible, camera = 5 * t - 1.7;
  const double line = 2.5 * (20 - camera) / (18.3 - camera);
  TEST_ASSERT_DOUBLE_WITHIN(0.08, line, 6 - 1.5 * t);
}

TEST(the_close_zone_is_entered_and_left_when_the_pencil_says) {
  // A standing truck, 2.5 m wide; somebody crosses 2 m ahead of it at 1 m/s from 4 m to the right.
  Scenario s = street(2, -4);
  s.seconds = 8;
  s.car.speeds = {{0, 0, 3}};
  s.car.width_m = 2.5;
  s.people[0].walk = {{{2, 4}, 1.0, 0}};
  const Truth truth = find_truth(World{s});
  TEST_ASSERT_EQUAL_INT(1, static_cast<int>(truth.close.size()));
  // Their nearest part, 0.25 m ahead of their middle, is 1.25 + 0.5 m from the middle line.
  TEST_ASSERT_DOUBLE_WITHIN(0.002, 4 - 1.75 - 0.25, truth.close[0].begin);
  TEST_ASSERT_DOUBLE_WITHIN(0.002, 4 + 1.75 + 0.25, truth.close[0].end);
  s.car.speeds = {{0, 3, 3}};  // 10.8 km/h: it does not creep
  TEST_ASSERT_EQUAL_INT(0, static_cast<int>(find_truth(World{s}).close.size()));
}

TEST(scaffolding_and_shelters_hide_no_more_than_their_poles) {
  Scenario s = street(20, 0);
  PropSpec thing;
  thing.kind = PropKind::scaffolding;
  thing.place = {{14, 0}, radians(90)};  // across the view
  s.props = {thing};
  TEST_ASSERT_TRUE(visible(s) > 0.7);
  s.props[0].kind = PropKind::shelter;
  TEST_ASSERT_TRUE(visible(s) > 0.6);
  s.props[0].kind = PropKind::trolley;
  TEST_ASSERT_EQUAL_DOUBLE(1, visible(s));
  s.props[0].kind = PropKind::post_box;  // but a solid thing does hide
  s.props[0].place.at = {18.5, 0};
  TEST_ASSERT_TRUE(visible(s) < 0.4);
}

TEST(a_door_hides_when_it_is_open) {
  // The car's left front door: hinge at x = 14 + 0.814, y = 3.1; open at a right angle it covers
  // y = 3.1 .. 4.22, from 0.30 to 0.93 m high.
  Scenario s = street(17, 4);
  PropSpec car;
  car.kind = PropKind::car;
  car.place.at = {14, 2.2};
  car.door = DoorSpec{false, 1, 1, radians(90), {}};
  s.props = {car};
  s.car.speeds = {{0, 0, 3}};
  s.camera.left_m = 2;
  TEST_ASSERT_EQUAL_DOUBLE(1, visible(s, 0));
  // From 1.3 m high and 16.5 m before the door, 2.2 m on: 0.30 m is 0.17 there, 0.93 is 0.88.
  TEST_ASSERT_DOUBLE_WITHIN(0.07, 1 - (0.88 - 0.17) / 1.8, visible(s, 3));
}

TEST(who_sits_is_a_shorter_figure) {
  Scenario s = street(20, 3);
  PropSpec wall;
  wall.kind = PropKind::wall;
  wall.size = {0.3, 4, 1.3};  // as high as the camera
  wall.place.at = {16, 2.6};
  s.props = {wall};
  TEST_ASSERT_DOUBLE_WITHIN(0.07, 1 - 1.3 / 1.8, visible(s));
  s.people[0].rides = Rides::wheelchair;  // 1.464 m
  TEST_ASSERT_DOUBLE_WITHIN(0.07, 1 - 1.3 / 1.464, visible(s));
}

}  // namespace
