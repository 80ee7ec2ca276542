// SPDX-License-Identifier: Apache-2.0
// Bodies and gait against published measures.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/test.hpp"
#include "tests/unit/simulator/random_person.hpp"
#include "tools/simulator/people/body.hpp"
#include "tools/simulator/people/gait.hpp"
#include "tools/simulator/people/posture.hpp"

using namespace kerb::sim;
using kerb::test::random_person;
using namespace kerb::sim::people;

namespace {

constexpr double kCoarse = 2;  // shapes are the same, the net is a quarter

PersonSpec adult(bool female, double height) {
  PersonSpec p;
  p.female = female;
  p.height_m = height;
  p.seed = 21;  // no hat
  p.clothing.top = Garment::shirt;
  return p;
}
PersonSpec child(double height) {
  PersonSpec p = adult(false, height);
  p.child = true;
  return p;
}
PersonState standing() { return {}; }
PersonState walking(double metres, double mps) {
  PersonState s;
  s.mps = mps;
  s.velocity = {mps, 0};
  s.walked_m = metres;
  s.place.at = {metres, 0};
  return s;
}

struct Box {
  std::array<double, 3> low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
  void add(const Vertex& v) {
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], static_cast<double>(v.position[i]));
      high[i] = std::max(high[i], static_cast<double>(v.position[i]));
    }
  }
};
Box box_of(const Body& body, const Mesh& mesh) {
  Box box;
  for (std::size_t i = 0; i < body.own_vertices(); ++i) box.add(mesh.vertices[i]);
  return box;
}

TEST(people_are_as_tall_as_their_spec_says) {
  const PersonSpec people[] = {adult(false, 1.60), adult(false, 1.77), adult(false, 1.95),
                               adult(true, 1.52),  adult(true, 1.64),  adult(true, 1.80),
                               child(1.0),         child(1.16),        child(1.45)};
  for (const PersonSpec& p : people) {
    const Body body{p, kCoarse};
    Mesh mesh;
    body.pose(standing(), 0, mesh);
    const Box box = box_of(body, mesh);
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * p.height_m, p.height_m, box.high[2]);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 0, box.low[2]);
  }
}

/// Shoulder (bideltoid) and hip breadth over stature of clothed adults: 0.25..0.36 and 0.17..0.32.
TEST(people_are_as_broad_as_people_are) {
  for (const double build : {-0.8, 0.0, 0.8}) {
    PersonSpec p = adult(false, 1.77);
    p.build = build;
    const Body body{p, kCoarse};
    Mesh mesh;
    body.pose(standing(), 0, mesh);
    double broad = 0, deep = 0;
    for (std::size_t i = 0; i < body.own_vertices(); ++i) {
      const auto& v = mesh.vertices[i].position;
      if (v[2] > 0.76 * p.height_m && v[2] < 0.80 * p.height_m)
        broad = std::max(broad, 2 * std::abs(static_cast<double>(v[1])));
      if (v[2] > 0.60 * p.height_m && v[2] < 0.72 * p.height_m && std::abs(v[1]) < 0.1F)
        deep = std::max(deep, std::abs(static_cast<double>(v[0])));
    }
    TEST_ASSERT_TRUE(broad / p.height_m > 0.25 && broad / p.height_m < 0.36);
    TEST_ASSERT_TRUE(deep > 0.08 && deep < 0.25);
  }
}

/// Every edge is walked once in each direction: each surface is closed, and turned one way.
TEST(the_net_is_closed_and_turned_outwards) {
  for (const Carries carries : {Carries::nothing, Carries::backpack, Carries::bag, Carries::pram,
                                Carries::umbrella, Carries::trolley, Carries::dog}) {
    PersonSpec p = random_person(3);
    p.carries = carries;
    p.phone = carries == Carries::nothing;
    const Body body{p, kCoarse};
    Mesh mesh;
    body.pose(standing(), 0, mesh);
    // Vertices of a seam are the same point; layers are apart by their material.
    using Point = std::tuple<float, float, float, std::uint16_t>;
    std::map<std::pair<Point, Point>, int> edges;
    double volume = 0;
    int with = 0, against = 0;
    for (const Triangle& t : mesh.triangles) {
      std::array<Vec3, 3> c;
      std::array<Point, 3> id;
      Vec3 normal;
      for (std::size_t k = 0; k < 3; ++k) {
        const Vertex& v = mesh.vertices[t.corner[k]];
        c[k] = {v.position[0], v.position[1], v.position[2]};
        id[k] = {v.position[0], v.position[1], v.position[2], t.material};
        normal = normal + Vec3{v.normal[0], v.normal[1], v.normal[2]};
      }
      for (std::size_t k = 0; k < 3; ++k) {
        ++edges[{id[k], id[(k + 1) % 3]}];
        --edges[{id[(k + 1) % 3], id[k]}];
      }
      volume += dot(c[0], cross(c[1], c[2])) / 6;
      const Vec3 face = cross(c[1] - c[0], c[2] - c[0]);
      if (length(face) < 1e-6) continue;
      (dot(face, normal) > 0 ? with : against) += 1;
    }
    int open = 0;
    for (const auto& [edge, count] : edges)
      if (count != 0) ++open;
    TEST_ASSERT_EQUAL_INT(0, open);
    TEST_ASSERT_TRUE(volume > 0.03);  // outwards
    TEST_ASSERT_TRUE(against < 0.02 * with);
  }
}

TEST(who_rides_has_wheels_on_the_ground_and_feet_on_the_pedals) {
  for (const Rides rides : {Rides::bicycle, Rides::scooter, Rides::wheelchair}) {
    PersonSpec p = random_person(4);
    p.rides = rides;
    dress(p, 4);
    const Body body{p, kCoarse};
    Mesh mesh;
    double lowest_shoe = 9, highest_shoe = 0, front = -9;
    for (int i = 0; i < 24; ++i) {
      PersonState state = walking(0.2 * i, 4);
      state.place = {};
      body.pose(state, 0, mesh);
      double ground = 9, shoe = 9;
      for (std::size_t k = 0; k < mesh.vertices.size(); ++k) {
        const auto& v = mesh.vertices[k].position;
        if (k >= body.own_vertices()) {
          ground = std::min(ground, static_cast<double>(v[2]));
          front = std::max(front, static_cast<double>(v[0]));
        }
      }
      for (const Triangle& t : mesh.triangles)
        if (t.material == static_cast<std::uint16_t>(BodyPart::shoes))
          for (const std::uint32_t c : t.corner)
            shoe = std::min(shoe, static_cast<double>(mesh.vertices[c].position[2]));
      TEST_ASSERT_DOUBLE_WITHIN(0.012, 0, ground);
      lowest_shoe = std::min(lowest_shoe, shoe);
      highest_shoe = std::max(highest_shoe, shoe);
    }
    // The lower foot goes up and down by the crank, or stays on its deck or rest.
    if (rides == Rides::bicycle) {
      TEST_ASSERT_TRUE(lowest_shoe > 0.02 && lowest_shoe < 0.18);
      TEST_ASSERT_TRUE(highest_shoe - lowest_shoe > 0.10);
      TEST_ASSERT_DOUBLE_WITHIN(0.08, 0.86, front);
    } else {
      TEST_ASSERT_TRUE(highest_shoe - lowest_shoe < 0.01);
      TEST_ASSERT_TRUE(lowest_shoe > 0.10 && lowest_shoe < 0.18);
    }
  }
}

TEST(who_looks_at_a_phone_bends_the_head) {
  PersonSpec p = random_person(6);
  const auto ahead = [&](bool phone) {
    p.phone = phone;
    const Body body{p, kCoarse};
    Mesh mesh;
    body.pose(walking(0.5, 1.2), 0, mesh);
    double eyes = 0, lips = 0;
    int n = 0, m = 0;
    for (const Triangle& t : mesh.triangles) {
      const double x = static_cast<double>(mesh.vertices[t.corner[0]].position[0]);
      if (t.material == static_cast<std::uint16_t>(BodyPart::eyes)) eyes += x, ++n;
      if (t.material == static_cast<std::uint16_t>(BodyPart::lips)) lips += x, ++m;
    }
    return eyes / n - lips / m;
  };
  // Eyes are about 8 cm over the mouth: with the head bent by 0.4 rad more, 3 cm farther ahead.
  TEST_ASSERT_TRUE(ahead(true) > ahead(false) + 0.015);
}

TEST(the_same_seed_gives_the_same_mesh_and_another_one_another) {
  const PersonSpec p = random_person(11);
  const Body a{p, kCoarse}, b{p, kCoarse}, c{random_person(12), kCoarse};
  Mesh one, two, other;
  a.pose(walking(1.3, 1.4), 0.5, one);
  b.pose(walking(1.3, 1.4), 0.5, two);
  c.pose(walking(1.3, 1.4), 0.5, other);
  TEST_ASSERT_EQUAL_size_t(one.vertices.size(), two.vertices.size());
  TEST_ASSERT_EQUAL_MEMORY(one.vertices.data(), two.vertices.data(),
                           one.vertices.size() * sizeof(Vertex));
  TEST_ASSERT_TRUE(one.vertices.size() != other.vertices.size() ||
                   one.vertices[100].position != other.vertices[100].position);
}

TEST(normals_and_openness_are_in_range_in_every_pose) {
  const Body body{random_person(5), kCoarse};
  Mesh mesh;
  for (int i = 0; i < 12; ++i) {
    body.pose(walking(0.13 * i, i < 8 ? 1.4 : 3.2), 0.3 * i, mesh);
    for (const Vertex& v : mesh.vertices) {
      const double n = std::sqrt(v.normal[0] * v.normal[0] + v.normal[1] * v.normal[1] +
                                 v.normal[2] * v.normal[2]);
      TEST_ASSERT_DOUBLE_WITHIN(1e-3, 1, n);
      TEST_ASSERT_TRUE(v.open > 0 && v.open <= 1);
    }
  }
}

TEST(posing_again_keeps_the_memory_it_has) {
  const Body body{random_person(2), kCoarse};
  Mesh mesh;
  body.pose(walking(0, 1.4), 0, mesh);
  const Vertex* vertices = mesh.vertices.data();
  const Triangle* triangles = mesh.triangles.data();
  for (int i = 1; i < 20; ++i) body.pose(walking(0.1 * i, 1.4), 0.1 * i, mesh);
  TEST_ASSERT_EQUAL_PTR(vertices, mesh.vertices.data());
  TEST_ASSERT_EQUAL_PTR(triangles, mesh.triangles.data());
}

/// Of the shoes: how low, at moments of a stride.
TEST(feet_stand_on_the_ground_and_never_go_through_it) {
  for (const double mps : {0.8, 1.4, 1.9, 2.8}) {
    PersonSpec p = adult(false, 1.77);
    const Body body{p, kCoarse};
    Mesh mesh;
    const Gait gait{figure_of(p), mps};
    for (int i = 0; i < 24; ++i) {
      body.pose(walking(10 + gait.stride() * i / 24, mps), 0, mesh);
      const Box box = box_of(body, mesh);
      TEST_ASSERT_TRUE(box.low[2] > -0.01);
      if (!gait.runs()) TEST_ASSERT_TRUE(box.low[2] < 0.01);
    }
  }
}

/// The lowest part of the standing foot's sole, between heel strike and toe-off, stays where it is.
TEST(the_standing_foot_does_not_slide) {
  for (const double mps : {0.8, 1.4, 2.0, 2.8}) {
    const Figure f = figure_of(adult(true, 1.66));
    const Gait gait{f, mps};
    // The foot is flat from 0.2 to 0.48 of the time it carries, at any speed.
    double first = 0, least = 1e9, most = -1e9;
    for (int i = 0; i <= 20; ++i) {
      const double phase = gait.duty() * (0.22 + 0.25 * i / 20);
      const Gait::Foot foot = gait.foot(phase);
      const double on_road = foot.x + gait.stride() * phase;
      if (i == 0) first = on_road;
      least = std::min(least, on_road - first);
      most = std::max(most, on_road - first);
      TEST_ASSERT_DOUBLE_WITHIN(0.002, f.ankle_height, foot.z);
    }
    TEST_ASSERT_TRUE(most - least < 0.002);
  }
}

TEST(vertices_of_the_standing_sole_slide_less_than_two_centimetres) {
  PersonSpec p = adult(false, 1.77);
  p.walk = {{.to = {30, 0}, .mps = 1.4}};
  const Body body{p, kCoarse};
  const Gait gait{figure_of(p), 1.4};
  Mesh mesh;
  // Which vertices touch the ground, and how far they are then from where they first touched.
  std::map<std::size_t, std::array<float, 3>> touched;
  double worst = 0;
  int seen = 0;
  for (int i = 0; i < 120; ++i) {
    body.pose(walking(10 + gait.stride() * i / 60, 1.4), 0, mesh);
    for (std::size_t v = 0; v < body.own_vertices(); ++v) {
      const auto& at = mesh.vertices[v].position;
      if (at[2] > 0.004F) {
        touched.erase(v);
        continue;
      }
      const auto [entry, first] = touched.emplace(v, at);
      if (first) continue;
      worst = std::max(worst, std::hypot(static_cast<double>(at[0] - entry->second[0]),
                                         static_cast<double>(at[1] - entry->second[1])));
      ++seen;
    }
  }
  TEST_ASSERT_TRUE(seen > 500);
  TEST_ASSERT_TRUE(worst < 0.02);
}

/// Measured strides of adults: Murray (1964) 1.56 m at 1.51 m/s for men; Oeberg (1993) about 1.3 m
/// at 1.25 m/s for women; at 3 m/s of running about 2.1 to 2.3 m (Cavanagh and Williams,
/// 1982: 2.2).
TEST(strides_are_as_long_as_measured_ones) {
  struct Row {
    bool female;
    double height, mps, stride, within;
  };
  for (const Row& r : {Row{false, 1.75, 1.51, 1.56, 0.20}, Row{true, 1.65, 1.25, 1.28, 0.12},
                       Row{false, 1.77, 3.0, 2.2, 0.2}, Row{false, 1.77, 0.8, 1.0, 0.12}}) {
    const Gait gait{figure_of(adult(r.female, r.height)), r.mps};
    TEST_ASSERT_DOUBLE_WITHIN(r.within, r.stride, gait.stride());
  }
  // A child's steps are shorter and quicker at the same speed.
  const Gait grown{figure_of(adult(false, 1.77)), 1.2}, small{figure_of(child(1.16)), 1.2};
  TEST_ASSERT_TRUE(small.stride() < 0.9 * grown.stride());
}

TEST(walking_has_double_support_and_running_a_flight) {
  const Figure f = figure_of(adult(false, 1.77));
  for (const auto& [mps, runs] : {std::pair{1.4, false}, {2.0, false}, {2.78, true}, {4.0, true}}) {
    const Gait gait{f, mps};
    TEST_ASSERT_EQUAL(runs, gait.runs());
    int both = 0, none = 0;
    for (int i = 0; i < 200; ++i) {
      const bool left = gait.foot(i / 200.0).down, right = gait.foot(i / 200.0 + 0.5).down;
      both += left && right ? 1 : 0;
      none += !left && !right ? 1 : 0;
    }
    if (runs) {
      TEST_ASSERT_EQUAL_INT(0, both);
      TEST_ASSERT_TRUE(none > 20);
    } else {
      TEST_ASSERT_EQUAL_INT(0, none);
      TEST_ASSERT_TRUE(both > 20);
    }
  }
  // And the runner's shoes are in the air then.
  PersonSpec p = adult(false, 1.77);
  const Body body{p, kCoarse};
  const Gait gait{f, 2.78};
  Mesh mesh;
  double highest = 0;
  for (int i = 0; i < 48; ++i) {
    body.pose(walking(20 + gait.stride() * i / 48, 2.78), 0, mesh);
    highest = std::max(highest, box_of(body, mesh).low[2]);
  }
  TEST_ASSERT_TRUE(highest > 0.02 && highest < 0.2);
}

/// Angles in the sagittal plane from the posture: hip (thigh against the vertical) and knee.
std::pair<double, double> angles(const Figure& f, const Gait& gait, double phase) {
  Posture posture;
  take_posture(f, {}, gait, {phase, 1}, 0, 0, posture);
  const Vec3 hip = posture[kThigh].at, knee = posture[kShank].at, ankle = posture[kFoot].at;
  const double thigh = std::atan2(knee.x - hip.x, hip.z - knee.z);
  const double shank = std::atan2(ankle.x - knee.x, knee.z - ankle.z);
  return {degrees(thigh), degrees(thigh - shank)};
}

/// Normal walking (Winter, 1991; Perry, 1992): knee flexed about 15..20 degrees after heel strike,
/// 60 at most in swing at 70..75 % of the stride; the thigh swings over some 40 degrees.
TEST(joint_angles_are_those_of_normal_walking) {
  const Figure f = figure_of(adult(false, 1.77));
  const Gait gait{f, 1.4};
  double most_knee = 0, at = 0, most_thigh = -99, least_thigh = 99, loading = 0, before = 0;
  for (int i = 0; i < 100; ++i) {
    const double phase = i / 100.0;
    const auto [thigh, knee] = angles(f, gait, phase);
    if (knee > most_knee) {
      most_knee = knee;
      at = phase;
    }
    if (phase < 0.3) loading = std::max(loading, knee);
    most_thigh = std::max(most_thigh, thigh);
    least_thigh = std::min(least_thigh, thigh);
    TEST_ASSERT_TRUE(knee >= 0);                                // never the wrong way
    if (i > 0) TEST_ASSERT_TRUE(std::abs(knee - before) < 14);  // without jerks
    before = knee;
  }
  TEST_ASSERT_DOUBLE_WITHIN(12, 60, most_knee);
  TEST_ASSERT_DOUBLE_WITHIN(0.06, 0.72, at);
  TEST_ASSERT_DOUBLE_WITHIN(12, 18, loading);
  TEST_ASSERT_DOUBLE_WITHIN(10, 44, most_thigh - least_thigh);
}

TEST(the_gait_is_the_same_on_both_sides) {
  const Figure f = figure_of(adult(false, 1.77));
  for (const double mps : {1.4, 3.0}) {
    const Gait gait{f, mps};
    for (int i = 0; i < 20; ++i) {
      Posture now, half;
      take_posture(f, {}, gait, {i / 20.0, 1}, 0, 0, now);
      take_posture(f, {}, gait, {i / 20.0 + 0.5, 1}, 0, 0, half);
      for (const std::size_t bone : {kUpperArm, kForearm, kHand, kThigh, kShank, kFoot, kToes}) {
        const Vec3 left = now[bone].at, right = half[bone + 1].at;
        TEST_ASSERT_DOUBLE_WITHIN(0.012, left.x, right.x);
        TEST_ASSERT_DOUBLE_WITHIN(0.012, left.y, -right.y);
        TEST_ASSERT_DOUBLE_WITHIN(0.012, left.z, right.z);
      }
    }
  }
}

/// The trunk rises and falls twice in a stride, by 2 to 6 cm (walking) and 5 to 12 cm (running).
TEST(the_trunk_bobs_as_measured) {
  const Figure f = figure_of(adult(false, 1.77));
  for (const auto& [mps, low, high] : {std::tuple{1.4, 0.02, 0.06}, {3.0, 0.05, 0.12}}) {
    const Gait gait{f, mps};
    double least = 9, most = 0;
    for (int i = 0; i < 100; ++i) {
      const double z = gait.pelvis_height(i / 100.0);
      least = std::min(least, z);
      most = std::max(most, z);
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, z, gait.pelvis_height(i / 100.0 + 0.5));
    }
    TEST_ASSERT_TRUE(most - least > low && most - least < high);
  }
}

/// Share of the head (chin to crown) in the stature: a fifth at two years (0.87 m), a sixth at six
/// (1.16 m), a seventh at twelve (1.5 m), adults 1/7 to 1/8.
TEST(children_have_childrens_heads_and_legs) {
  const Figure two = figure_of(child(0.87)), six = figure_of(child(1.16)),
               twelve = figure_of(child(1.50)), man = figure_of(adult(false, 1.77));
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 1 / 5.0, two.head_height / two.height);
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 1 / 6.0, six.head_height / six.height);
  TEST_ASSERT_DOUBLE_WITHIN(0.008, 1 / 7.0, twelve.head_height / twelve.height);
  TEST_ASSERT_TRUE(man.head_height / man.height > 1 / 8.0 - 0.003);
  TEST_ASSERT_TRUE(man.head_height / man.height < 1 / 7.0);
  TEST_ASSERT_TRUE(two.joint[kPelvis].z / two.height < six.joint[kPelvis].z / six.height);
  TEST_ASSERT_TRUE(six.joint[kPelvis].z / six.height < man.joint[kPelvis].z / man.height);
  // Drillis and Contini's shares of an adult's stature.
  TEST_ASSERT_DOUBLE_WITHIN(0.015, 0.285, man.joint[kShank].z / man.height);
  TEST_ASSERT_DOUBLE_WITHIN(0.02, 0.530, man.joint[kPelvis].z / man.height);
  TEST_ASSERT_DOUBLE_WITHIN(0.015, 0.186, man.upper_arm / man.height);
  TEST_ASSERT_DOUBLE_WITHIN(0.010, 0.146, man.forearm / man.height);
  TEST_ASSERT_DOUBLE_WITHIN(0.010, 0.108, man.hand / man.height);
}

/// From standing to walking and back, a frame of 1/30 s moves nothing by more than a running foot.
TEST(starting_and_stopping_is_without_jumps) {
  PersonSpec p = adult(true, 1.66);
  p.walk = {{.to = {4, 0}, .mps = 1.4}};
  const Body body{p, kCoarse};
  Mesh before, now;
  for (int i = 0; i <= 100; ++i) {
    const double metres = std::clamp(1.4 * (i - 5) / 30.0, 0.0, 4.0);
    const bool moves = metres > 0 && metres < 4;
    body.pose(walking(metres, moves ? 1.4 : 0), i / 30.0, now);
    if (i > 0)
      for (std::size_t v = 0; v < body.own_vertices(); ++v) {
        const auto &a = before.vertices[v].position, &b = now.vertices[v].position;
        const double moved =
            std::hypot(static_cast<double>(a[0] - b[0]), static_cast<double>(a[1] - b[1]),
                       static_cast<double>(a[2] - b[2]));
        TEST_ASSERT_TRUE(moved < 0.25);
      }
    std::swap(before, now);
  }
}

TEST(what_is_carried_comes_after_the_person) {
  PersonSpec p = adult(false, 1.77);
  p.clothing.top = Garment::jacket;
  const Body alone{p, kCoarse};
  Mesh mesh;
  for (const Carries carries :
       {Carries::backpack, Carries::bag, Carries::pram, Carries::umbrella}) {
    p.carries = carries;
    const Body body{p, kCoarse};
    body.pose(walking(7, 1.3), 0, mesh);
    TEST_ASSERT_EQUAL_size_t(alone.own_vertices(), body.own_vertices());
    TEST_ASSERT_TRUE(mesh.vertices.size() > body.own_vertices());
    for (const Triangle& t : mesh.triangles) {
      const auto part = static_cast<BodyPart>(t.material);
      const bool thing = part == BodyPart::thing || part == BodyPart::thing_dark;
      TEST_ASSERT_EQUAL(thing, t.corner[0] >= body.own_vertices());
    }
    Box box;
    for (std::size_t i = body.own_vertices(); i < mesh.vertices.size(); ++i)
      box.add(mesh.vertices[i]);
    TEST_ASSERT_TRUE(box.low[2] > -0.01);
    if (carries == Carries::umbrella) TEST_ASSERT_TRUE(box.high[2] > p.height_m + 0.05);
    if (carries == Carries::pram) TEST_ASSERT_DOUBLE_WITHIN(0.02, 0, box.low[2]);
  }
}

}  // namespace
