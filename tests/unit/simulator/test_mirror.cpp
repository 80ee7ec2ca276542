// SPDX-License-Identifier: Apache-2.0
// Left-hand traffic: its truth is the mirror image of the truth, and its pictures show mirrored
// streets in which writing still reads from left to right.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/support/test.hpp"
#include "tools/simulator/base/mirror.hpp"
#include "tools/simulator/judge/truth.hpp"
#include "tools/simulator/render/geometry.hpp"
#include "tools/simulator/render/renderer.hpp"
#include "tools/simulator/scenario/load.hpp"

using namespace kerb::sim;

namespace {

constexpr double kSame = 1e-9;

/// Some of every suite, and what they do not have: a camera that sits and looks to one side, a
/// thing that drives round a bend.
std::vector<Scenario> scenarios() {
  std::vector<Scenario> out;
  for (const SuiteName& suite : shipped_suites()) {
    const Loaded all = load_suite(suite.name, 3);
    TEST_ASSERT_TRUE(all.ok());
    for (std::size_t i = 0; i < all.scenarios.size(); i += 7)
      if (all.scenarios[i].seconds < 60) out.push_back(all.scenarios[i]);
  }
  Scenario odd = out.front();
  odd.name = "odd";
  odd.camera.left_m = 0.4;
  odd.camera.yaw_deg = 12;
  odd.camera.roll_deg = 3;
  odd.car.start = {{1, 0.5}, 0.1};
  odd.car.way = {{20, 0}, {10, 30, true}, {15, 30}, {40, -25}};
  PropSpec van;
  van.kind = PropKind::van;
  van.size = {5.3, 2, 2.4};
  van.place = {{30, 4}, 3};
  van.speeds = {{0, 6, 3}};
  van.way = {{10, 0}, {30, -40}};
  odd.props.push_back(van);
  out.push_back(odd);
  return out;
}

void expect_mirrored(const Place& a, const Place& b, const char* name) {
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kSame, a.at.x, b.at.x, name);
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kSame, a.at.y, -b.at.y, name);
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kSame, a.heading, -b.heading, name);
}
void expect_same(const std::optional<double>& a, const std::optional<double>& b, const char* name) {
  TEST_ASSERT_TRUE_MESSAGE(a.has_value() == b.has_value(), name);
  if (a) TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kSame, *a, *b, name);
}

TEST(the_truth_of_a_mirrored_scenario_is_the_mirrored_truth) {
  for (const Scenario& s : scenarios()) {
    const char* name = s.name.c_str();
    const World right{s}, left{mirrored(s)};
    TEST_ASSERT_TRUE(left.scenario().street.left_hand != s.street.left_hand);
    Moment a, b;
    std::vector<PersonTruth> p, q;
    for (double t = 0; t <= s.seconds; t += 0.37) {
      right.at(t, a);
      left.at(t, b);
      expect_mirrored(a.car.place, b.car.place, name);
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kSame, a.car.mps, b.car.mps, name);
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kSame, a.car.yaw_radps, -b.car.yaw_radps, name);
      for (std::size_t i = 0; i < a.props.size(); ++i)
        expect_mirrored(a.props[i].place, b.props[i].place, name);
      right.truth(a, p);
      left.truth(b, q);
      for (std::size_t i = 0; i < a.people.size(); ++i) {
        expect_mirrored(a.people[i].place, b.people[i].place, name);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kSame, p[i].distance, q[i].distance, name);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kSame, p[i].ahead, q[i].ahead, name);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kSame, p[i].left, -q[i].left, name);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kSame, p[i].path_offset, -q[i].path_offset, name);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kSame, p[i].relative.x, q[i].relative.x, name);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kSame, p[i].relative.y, -q[i].relative.y, name);
        expect_same(p[i].ttc, q[i].ttc, name);
        expect_same(p[i].contact, q[i].contact, name);
        TEST_ASSERT_TRUE_MESSAGE(p[i].zone == q[i].zone, name);
      }
    }
    TEST_ASSERT_TRUE_MESSAGE(right.contact().has_value() == left.contact().has_value(), name);
    if (!right.contact()) continue;
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kSame, right.contact()->t, left.contact()->t, name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(right.contact()->person, left.contact()->person, name);
    TEST_ASSERT_TRUE_MESSAGE(right.contact()->front == left.contact()->front, name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kSame, right.contact()->across, 1 - left.contact()->across,
                                      name);
  }
}

TEST(who_is_seen_when_is_the_same_on_the_other_side) {
  for (const Scenario& s : scenarios()) {
    const char* name = s.name.c_str();
    const Truth right = find_truth(World{s}), left = find_truth(World{mirrored(s)});
    expect_same(right.half_visible, left.half_visible, name);
    expect_same(right.seen, left.seen, name);
    TEST_ASSERT_EQUAL_MESSAGE(right.close.size(), left.close.size(), name);
    TEST_ASSERT_EQUAL_MESSAGE(right.samples.size(), left.samples.size(), name);
    for (std::size_t i = 0; i < right.samples.size(); ++i) {
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kSame, right.samples[i].left, -left.samples[i].left, name);
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.02, right.samples[i].visible, left.samples[i].visible,
                                        name);
    }
  }
}

TEST(mirrored_twice_is_as_before) {
  for (const Scenario& s : scenarios()) {
    const Scenario again = mirrored(mirrored(s));
    TEST_ASSERT_TRUE(again.street.left_hand == s.street.left_hand);
    TEST_ASSERT_TRUE(again.street.left == s.street.left && again.street.right == s.street.right);
    TEST_ASSERT_TRUE(again.camera.yaw_deg == s.camera.yaw_deg);
    for (std::size_t i = 0; i < s.people.size(); ++i)
      TEST_ASSERT_TRUE(again.people[i].start.at.y == s.people[i].start.at.y);
    for (std::size_t i = 0; i < s.car.indicators.size(); ++i)
      TEST_ASSERT_TRUE(again.car.indicators[i].left == s.car.indicators[i].left);
  }
}

TEST(everything_with_a_side_changes_it) {
  Scenario s;
  s.car.indicators = {{1, 2, true}, {3, 4, false}};
  s.street.side_streets = {{{{20, 3}, 1.5}, 60}};
  s.street.crossings = {{35, 4, true}};
  PropSpec car;
  car.kind = PropKind::car;
  car.door = DoorSpec{};
  car.door->right = true;
  s.props = {car};
  const Scenario m = mirrored(s);
  TEST_ASSERT_TRUE(!m.car.indicators[0].left && m.car.indicators[1].left);
  TEST_ASSERT_EQUAL_DOUBLE(-3, m.street.side_streets[0].place.at.y);
  TEST_ASSERT_EQUAL_DOUBLE(-1.5, m.street.side_streets[0].place.heading);
  TEST_ASSERT_EQUAL_DOUBLE(60, m.street.side_streets[0].length_m);
  TEST_ASSERT_EQUAL_DOUBLE(35, m.street.crossings[0].at_m);
  TEST_ASSERT_FALSE(m.props[0].door->right);
}

/// A street with something on each side.
Scenario street() {
  Scenario s;
  s.camera.width = 320;
  s.camera.height = 180;
  s.camera.noise = 0;
  s.street.left = Side::houses;
  s.street.right = Side::park;
  s.street.clutter = 0.8;
  s.street.parked_cars = true;
  s.street.pavement_m = 3;
  s.car.speeds = {{0, 10, 3}};
  PersonSpec p;
  p.start = {{14, -3.2}, 1.5};
  s.people = {p};
  PropSpec lamp;
  lamp.kind = PropKind::lamp_post;
  lamp.size = {0.2, 0.2, 7};
  lamp.place = {{18, 6.4}, 0};
  s.props = {lamp};
  return s;
}

struct Likeness {
  double depth = 0;    ///< share of pixels at the same distance, within 2 %
  double objects = 0;  ///< share of pixels of the same object
  double grey = 0;     ///< mean difference of brightness, of 255
};
/// Of a picture and the flipped one of the other scenario.
Likeness compare(const Rendered& a, const Rendered& b) {
  Likeness out;
  const auto at = [&](int x, int y) {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(a.width) +
           static_cast<std::size_t>(x);
  };
  for (int y = 0; y < a.height; ++y)
    for (int x = 0; x < a.width; ++x) {
      const std::size_t i = at(x, y), k = at(a.width - 1 - x, y);
      const float p = a.depth[i], q = b.depth[k];
      out.depth += p == q || std::abs(p - q) < 0.02F * std::min(p, q) ? 1 : 0;
      out.objects += a.objects[i] == b.objects[k] ? 1 : 0;
      double here = 0, there = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        here += a.pixels[3 * i + c] / 3.0;
        there += b.pixels[3 * k + c] / 3.0;
      }
      out.grey += std::abs(here - there);
    }
  const double pixels = static_cast<double>(a.width) * a.height;
  return {out.depth / pixels, out.objects / pixels, out.grey / pixels};
}

/// Scenes of things that know left from right.
struct SidedScene {
  const char* name;
  void (*change)(Scenario&);
  double grey = 6;  ///< most mean difference, of 255
};
PropSpec thing(PropKind kind, Place place) {
  PropSpec prop;
  prop.kind = kind;
  prop.place = place;
  return prop;
}
DoorSpec open_door(bool right) {
  DoorSpec door;
  door.right = right;
  door.at_s = 0;
  door.takes_s = 0.2;
  return door;
}
const SidedScene kSided[] = {
    {"overcast", [](Scenario& s) { s.light.kind = Daylight::overcast; }},
    {"low sun", [](Scenario& s) { s.light.kind = Daylight::low_sun; }},
    {"a door on the right",
     [](Scenario& s) {
       s.props.push_back(thing(PropKind::car, {{13, 1.5}, 3.0}));
       s.props.back().size = {4.4, 1.8, 1.5};
       s.props.back().door = open_door(true);
     }},
    {"a door on the left",
     [](Scenario& s) {
       s.props.push_back(thing(PropKind::van, {{14, -2}, 0.1}));
       s.props.back().size = {5.3, 2, 2.4};
       s.props.back().door = open_door(false);
     }},
    {"a dog and a ball",
     [](Scenario& s) {
       s.props.push_back(thing(PropKind::dog, {{9, 1}, 2}));
       s.props.back().speeds = {{0, 1.2, 3}};
       s.props.push_back(thing(PropKind::football, {{8.5, -0.5}, 1}));
       s.props.back().speeds = {{0, 2, 3}};
     }},
    {"things of towns",
     [](Scenario& s) {
       s.street.things = StreetThings::town;
       s.props.push_back(thing(PropKind::scaffolding, {{16, 6.6}, 0}));
       s.props.push_back(thing(PropKind::cardboard_figure, {{11, -2}, 2.8}));
       s.props.push_back(thing(PropKind::shelter, {{15, -4.5}, 3.1}));
     }},
    {"a junction",
     [](Scenario& s) {
       s.street.parked_cars = false;
       s.street.side_streets = {{{{22, 1.75}, 1.5707963}, 60}};
       s.street.crossings = {{13, 4, true}};
     }},
    {"night, oncoming lights",
     [](Scenario& s) {
       s.light.kind = Daylight::night;
       s.light.lamps = Lamps::real;
       s.light.headlamps = true;
       s.weather.glare = 1;
       s.props.push_back(thing(PropKind::car, {{40, 3.5}, 3.14159265}));
       s.props.back().size = {4.4, 1.8, 1.5};
       s.props.back().lights = true;
     }},
    {"wet night under lanterns",
     [](Scenario& s) {
       s.light.kind = Daylight::night;
       s.light.lamps = Lamps::real;
       s.light.headlamps = s.light.street_lamps = true;
       s.weather.wet = 1;
     }},
};

TEST(the_picture_shows_the_mirrored_street) {
  for (const SidedScene& scene : kSided) {
    Scenario s = street();
    scene.change(s);
    const Scenario m = mirrored(s);
    const auto name = [&](const char* what, double value) {
      return std::string{scene.name} + ": " + what + " " + std::to_string(value);
    };
    const World right{s}, left{m};
    Rendered a, b;
    Renderer{s, {.truth = true, .threads = 2}}.draw(right, 0.5, a);
    Renderer{m, {.truth = true, .threads = 2}}.draw(left, 0.5, b);
    const Likeness like = compare(a, b);
    // People walk with the same foot first, and clouds and stains are elsewhere.
    std::printf("%s: depth %.4f, objects %.4f, grey %.2f\n", scene.name, like.depth, like.objects,
                like.grey);
    TEST_ASSERT_TRUE_MESSAGE(like.depth > 0.98, name("depth", like.depth).c_str());
    TEST_ASSERT_TRUE_MESSAGE(like.objects > 0.995, name("objects", like.objects).c_str());
    TEST_ASSERT_TRUE_MESSAGE(like.grey < scene.grey, name("grey", like.grey).c_str());
    // Which means something: not flipped, they have little in common.
    Rendered turned = b;
    for (int y = 0; y < b.height; ++y)
      for (int x = 0; x < b.width; ++x)
        turned.depth[static_cast<std::size_t>(y * b.width + x)] =
            b.depth[static_cast<std::size_t>(y * b.width + b.width - 1 - x)];
    TEST_ASSERT_TRUE(compare(a, turned).depth < 0.8);
  }
}

TEST(what_is_built_is_mirrored_but_writing_is_not) {
  Geometry plain, mirror;
  for (Geometry* g : {&plain, &mirror}) {
    Builder b{*g, g == &mirror};
    b.stand(V3{10, 2, 0}, 0.3F);
    b.box({0, 0, 0}, {1, 2, 3}, 0);
    b.picture({0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}, 1);
  }
  TEST_ASSERT_EQUAL(plain.corners.size(), mirror.corners.size());
  for (std::size_t i = 0; i < plain.corners.size(); ++i) {
    TEST_ASSERT_EQUAL_FLOAT(plain.corners[i].p.x, mirror.corners[i].p.x);
    TEST_ASSERT_EQUAL_FLOAT(plain.corners[i].p.y, -mirror.corners[i].p.y);
    TEST_ASSERT_EQUAL_FLOAT(plain.corners[i].n.y, -mirror.corners[i].n.y);
  }
  for (const Geometry* g : {&plain, &mirror})
    for (const Face& f : g->faces) {
      const Corner &a = g->corners[f.corner[0]], &b = g->corners[f.corner[1]],
                   &c = g->corners[f.corner[2]];
      const V3 n = cross(b.p - a.p, c.p - a.p);
      TEST_ASSERT_TRUE(dot(n, a.n) > 0);  // anti-clockwise from outside
      if (f.material != 1) continue;
      // Seen from in front of it, u grows to the right: along cross(up, normal).
      const V3 right = cross(V3{0, 0, 1}, a.n);
      for (const auto& [p, q] : {std::pair{&a, &b}, std::pair{&b, &c}, std::pair{&c, &a}}) {
        const float along = dot(q->p - p->p, right);
        if (std::abs(along) > 0.1F) TEST_ASSERT_TRUE((q->u > p->u) == (along > 0));
      }
    }
}

}  // namespace
