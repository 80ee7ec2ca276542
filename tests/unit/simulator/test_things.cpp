// SPDX-License-Identifier: Apache-2.0
// Things of towns, riders, dogs and doors: as large as they are said to be, drawn where they are.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/support/test.hpp"
#include "tools/simulator/base/things.hpp"
#include "tools/simulator/people/dog.hpp"
#include "tools/simulator/render/camera.hpp"
#include "tools/simulator/render/parts.hpp"
#include "tools/simulator/render/renderer.hpp"

using namespace kerb;
using namespace kerb::sim;

namespace {

constexpr PropKind kNew[] = {
    PropKind::scaffolding,      PropKind::market_stall,  PropKind::shelter,
    PropKind::trolley,          PropKind::wheelie_bin,   PropKind::bollard,
    PropKind::work_cone,        PropKind::parking_meter, PropKind::advertising_column,
    PropKind::post_box,         PropKind::flower_tub,    PropKind::shop_window,
    PropKind::cardboard_figure, PropKind::football};

/// A road through fields, seen through a long lens.
Scenario country() {
  Scenario s;
  s.camera.width = 480;
  s.camera.height = 360;
  s.camera.fov_deg = 24;
  s.street.left = s.street.right = Side::fields;
  s.street.clutter = 0;
  s.street.pavement_m = 0;
  s.seconds = 20;
  return s;
}

struct Extent {
  int pixels = 0;
  double x0 = 1e9, y0 = 1e9, x1 = -1e9, y1 = -1e9;
};
Extent extent_of(const Rendered& r, std::uint16_t object) {
  Extent e;
  for (int y = 0; y < r.height; ++y)
    for (int x = 0; x < r.width; ++x) {
      if (r.objects[at(y * r.width + x)] != object) continue;
      ++e.pixels;
      e.x0 = std::min<double>(e.x0, x);
      e.x1 = std::max<double>(e.x1, x);
      e.y0 = std::min<double>(e.y0, y);
      e.y1 = std::max<double>(e.y1, y);
    }
  return e;
}

TEST(what_is_built_fills_its_size_and_is_turned_outwards) {
  for (const PropKind kind : kNew)
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
      Geometry g;
      Builder b{g};
      const V3 size = to_v3(usual_size(kind, seed));
      build_thing(b, {kind, size, 3, 4, 5, 6, make_of(kind, seed), seed});
      const std::string text =
          "kind " + std::to_string(static_cast<int>(kind)) + " seed " + std::to_string(seed);
      V3 low{1e9F, 1e9F, 1e9F}, high{-1e9F, -1e9F, -1e9F};
      for (const Corner& c : g.corners) {
        low = {std::min(low.x, c.p.x), std::min(low.y, c.p.y), std::min(low.z, c.p.z)};
        high = {std::max(high.x, c.p.x), std::max(high.y, c.p.y), std::max(high.z, c.p.z)};
        TEST_ASSERT_FLOAT_WITHIN_MESSAGE(1e-3F, 1, length(c.n), text.c_str());
      }
      TEST_ASSERT_FLOAT_WITHIN_MESSAGE(1e-3F, 0, low.z, text.c_str());
      TEST_ASSERT_FLOAT_WITHIN_MESSAGE(1e-3F, size.z, high.z, text.c_str());
      TEST_ASSERT_FLOAT_WITHIN_MESSAGE(1e-3F, size.x / 2, high.x, text.c_str());
      TEST_ASSERT_FLOAT_WITHIN_MESSAGE(1e-3F, -size.x / 2, low.x, text.c_str());
      TEST_ASSERT_FLOAT_WITHIN_MESSAGE(1e-3F, size.y / 2, high.y, text.c_str());
      TEST_ASSERT_FLOAT_WITHIN_MESSAGE(1e-3F, -size.y / 2, low.y, text.c_str());
      int against = 0;
      for (const Face& f : g.faces) {
        const Corner &a = g.corners[f.corner[0]], &c = g.corners[f.corner[1]],
                     &d = g.corners[f.corner[2]];
        const V3 face = cross(c.p - a.p, d.p - a.p);
        if (f.two_sided != 0 || length(face) < 1e-7F) continue;
        if (dot(face, a.n + c.n + d.n) < 0) ++against;
      }
      TEST_ASSERT_EQUAL_INT_MESSAGE(0, against, text.c_str());
    }
}

TEST(makes_differ_and_a_seed_gives_the_same_one_again) {
  for (const PropKind kind : kNew) {
    std::vector<int> seen(static_cast<std::size_t>(makes_of(kind)));
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
      ++seen[static_cast<std::size_t>(make_of(kind, seed))];
      TEST_ASSERT_EQUAL_INT(make_of(kind, seed), make_of(kind, seed));
    }
    for (const int count : seen) TEST_ASSERT_TRUE(count > 0);
    TEST_ASSERT_TRUE(seen.size() > 1);
  }
}

TEST(a_dog_is_closed_turned_outwards_and_as_large_as_it_is_said_to_be) {
  const Vec3 size{0.8, 0.24, 0.62};
  Vec3 low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
  int legs = 0;
  for (const people::DogPart& part : people::dog_parts(size)) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    double volume = 0;
    for (const auto& t : part.skin.triangles) {
      for (std::size_t k = 0; k < 3; ++k) {
        ++edges[{t[k], t[(k + 1) % 3]}];
        --edges[{t[(k + 1) % 3], t[k]}];
      }
      volume += dot(part.skin.points[t[0]], cross(part.skin.points[t[1]], part.skin.points[t[2]]));
    }
    for (const auto& [edge, count] : edges) TEST_ASSERT_EQUAL_INT(0, count);
    TEST_ASSERT_TRUE(volume > 0);
    legs += part.leg >= 0 ? 1 : 0;
    for (const Vec3& p : part.skin.points) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
  }
  TEST_ASSERT_EQUAL_INT(4, legs);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, size.x, high.x - low.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, size.y, high.y - low.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, size.z, high.z);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, low.z);
}

TEST(a_drawn_thing_is_where_its_box_is) {
  for (const PropKind kind : kNew) {
    Scenario s = country();
    PropSpec prop;
    prop.kind = kind;
    prop.seed = 4;
    const Vec3 size = usual_size(kind, prop.seed);
    const double away = std::max({9.0, 3.2 * size.x, 3.2 * size.y, 6.6 * size.z});
    prop.place = {{away + size.x / 2, 0.3}, 0};
    prop.surface.rgb = {0.6, 0.3, 0.2};
    s.props = {prop};
    const World world{s};
    Renderer renderer{s, {.truth = true, .threads = 2}};
    Rendered r;
    renderer.draw(world, 0, r);
    const Extent seen = extent_of(r, ObjectId::kFirstProp);
    // The corners of its box: the drawn thing is within them, and reaches the farther ones.
    Moment now;
    world.at(0, now);
    const Lens lens{s.camera};
    const CameraPose pose = pose_of(s.camera, now.car.place);
    const auto pixel = [&](double x, double y, double z) {
      const Vec3 p = pose.seen({prop.place.at.x + x, prop.place.at.y + y, z});
      return lens.pixel({p.x / p.z, p.y / p.z});
    };
    const double x = size.x / 2, y = size.y / 2;
    const std::string text = "kind " + std::to_string(static_cast<int>(kind));
    const double slack = 2.5;
    TEST_ASSERT_TRUE_MESSAGE(seen.pixels > 100, text.c_str());
    const double left = pixel(-x, y, 0).x, right = pixel(-x, -y, 0).x;
    const double top = std::min(pixel(-x, 0, size.z).y, pixel(x, 0, size.z).y);
    const double bottom = pixel(-x, 0, 0).y;
    TEST_ASSERT_TRUE_MESSAGE(seen.x0 > left - slack && seen.x1 < right + slack, text.c_str());
    TEST_ASSERT_TRUE_MESSAGE(seen.y0 > top - slack && seen.y1 < bottom + slack, text.c_str());
    TEST_ASSERT_TRUE_MESSAGE(seen.x0 < pixel(x, y, 0).x + slack, text.c_str());
    TEST_ASSERT_TRUE_MESSAGE(seen.x1 > pixel(x, -y, 0).x - slack, text.c_str());
    TEST_ASSERT_TRUE_MESSAGE(
        seen.y0 < std::max(pixel(-x, 0, size.z).y, pixel(x, 0, size.z).y) + slack, text.c_str());
    TEST_ASSERT_TRUE_MESSAGE(seen.y1 > pixel(x, 0, 0).y - slack, text.c_str());
  }
}

TEST(an_open_door_reaches_as_far_as_its_length_says) {
  for (const bool right : {false, true}) {
    Scenario s = country();
    PropSpec car;
    car.kind = PropKind::car;
    car.place = {{24, 0.5}, 0};  // seen from behind
    car.door = DoorSpec{right, 1, 1, radians(65), 5.0};
    s.props = {car};
    const World world{s};
    Renderer renderer{s, {.truth = true, .threads = 2}};
    Rendered shut, open, again;
    renderer.draw(world, 0.5, shut);
    renderer.draw(world, 3, open);
    renderer.draw(world, 6.5, again);
    const Extent a = extent_of(shut, ObjectId::kFirstProp),
                 b = extent_of(open, ObjectId::kFirstProp),
                 c = extent_of(again, ObjectId::kFirstProp);
    TEST_ASSERT_DOUBLE_WITHIN(1.1, a.x0, c.x0);
    TEST_ASSERT_DOUBLE_WITHIN(1.1, a.x1, c.x1);
    const Vec3 size = usual_size(PropKind::car);
    const DoorShape door = door_of(PropKind::car, size);
    // Its far edge: from the hinge back and out; the camera is 1.7 m behind the bumper.
    const double depth = 24 + door.hinge.x - door.length * std::cos(radians(65)) + 1.7;
    const double out = door.hinge.y + door.length * std::sin(radians(65));
    const double focal = 240 / std::tan(radians(12));
    const double edge = 240 - focal * (0.5 + (right ? -out : out)) / depth;
    TEST_ASSERT_DOUBLE_WITHIN(4, edge, right ? b.x1 : b.x0);
    // The other side: but for the mirror, as it was.
    TEST_ASSERT_DOUBLE_WITHIN(1.1, right ? a.x0 : a.x1, right ? b.x0 : b.x1);
  }
}

TEST(a_rider_is_as_high_as_the_truth_says_and_what_is_ridden_is_told_apart) {
  for (const Rides rides : {Rides::bicycle, Rides::scooter, Rides::wheelchair})
    for (const double height : {1.35, 1.62, 1.75, 1.88}) {
      Scenario s = country();
      s.camera.fov_deg = 30;
      PersonSpec p;
      p.height_m = height;
      p.child = height < 1.5;
      p.rides = rides;
      p.seed = 8;  // no hat and no helmet: they add to the height
      p.clothing.top = Garment::shirt;
      p.start = {{9, -2}, std::numbers::pi / 2};
      p.walk = {{.to = {9, 8}, .mps = 2}};
      s.people = {p};
      const World world{s};
      Renderer renderer{s, {.truth = true, .threads = 2}};
      Rendered r;
      renderer.draw(world, 1, r);
      const Renderer::Outline o = renderer.outline(world, 0, 1);
      // The head's top: the camera is 1.3 m high, 10.7 m behind them.
      const double focal = 240 / std::tan(radians(15));
      const double top = 1.3 + (r.height / 2.0 - o.y0) * 10.7 / focal;
      TEST_ASSERT_DOUBLE_WITHIN(0.03, top_of(p), top);
      int carried = 0, own = 0;
      double wheel = 1e9;
      for (int y = 0; y < r.height; ++y)
        for (int x = 0; x < r.width; ++x) {
          const std::size_t i = at(y * r.width + x);
          if (r.objects[i] != ObjectId::kFirstPerson) continue;
          (r.carried[i] != 0 ? carried : own) += 1;
          if (r.carried[i] != 0) wheel = std::min(wheel, 1.3 + (r.height / 2.0 - y) * 10.7 / focal);
        }
      TEST_ASSERT_TRUE(carried > 100);
      TEST_ASSERT_DOUBLE_WITHIN(0.05 * o.pixels + 0.35 * carried, o.pixels, own);
      TEST_ASSERT_DOUBLE_WITHIN(0.05, 0, wheel);  // wheels stand on the ground
    }
}

TEST(a_rolling_ball_and_a_walking_dog_move_as_their_speed_says) {
  Scenario s = country();
  PropSpec ball, dog;
  ball.kind = PropKind::football;
  ball.place = {{8, -1}, std::numbers::pi / 2};
  ball.speeds = {{0, 1, 3}};
  dog.kind = PropKind::dog;
  dog.place = {{10, 1.5}, -std::numbers::pi / 2};
  dog.speeds = {{0, 1.2, 3}};
  s.props = {ball, dog};
  const World world{s};
  Renderer renderer{s, {.truth = true, .threads = 2}};
  Rendered r;
  const double focal = 240 / std::tan(radians(12));
  for (const double t : {0.0, 0.7, 1.4}) {
    renderer.draw(world, t, r);
    const Extent b = extent_of(r, ObjectId::kFirstProp), d = extent_of(r, ObjectId::kFirstProp + 1);
    TEST_ASSERT_DOUBLE_WITHIN(2, 240 - focal * (-1 + t) / 9.7, (b.x0 + b.x1) / 2);
    TEST_ASSERT_DOUBLE_WITHIN(2, focal * 0.22 / 9.7, b.x1 - b.x0 + 1);
    TEST_ASSERT_DOUBLE_WITHIN(6, 240 - focal * (1.5 - 1.2 * t) / 11.7, (d.x0 + d.x1) / 2);
  }
}

TEST(streets_have_the_things_of_towns_only_where_they_are_asked_for) {
  Scenario s;
  s.camera.width = 320;
  s.camera.height = 180;
  s.street.clutter = 1;
  s.street.pavement_m = 4;
  s.street.seed = 5;
  Rendered usual, town;
  const World world{s};
  Renderer{s, {.truth = true, .threads = 2}}.draw(world, 0, usual);
  s.street.things = StreetThings::town;
  Renderer{s, {.truth = true, .threads = 2}}.draw(World{s}, 0, town);
  int nearer = 0, farther = 0;
  for (std::size_t i = 0; i < usual.depth.size(); ++i) {
    nearer += town.depth[i] < usual.depth[i] - 0.05F ? 1 : 0;
    farther += town.depth[i] > usual.depth[i] + 0.05F ? 1 : 0;
  }
  TEST_ASSERT_TRUE(nearer > 300);     // things were added
  TEST_ASSERT_EQUAL_INT(0, farther);  // and nothing was taken away
}

TEST(dolls_are_cold_where_people_are_warm) {
  Scenario s = country();
  s.camera.sensor = Sensor::thermal;
  s.camera.noise = 0;
  PropSpec window;
  window.kind = PropKind::cardboard_figure;
  window.place = {{9, 0.8}, 0};
  window.surface.rgb = {0.6, 0.5, 0.4};
  s.props = {window};
  PersonSpec p;
  p.start = {{9, -0.8}, std::numbers::pi};
  s.people = {p};
  Rendered r;
  Renderer{s, {.truth = true, .threads = 2}}.draw(World{s}, 0, r);
  double warm = 0, cold = 0;
  int n = 0, m = 0;
  for (std::size_t i = 0; i < r.objects.size(); ++i) {
    if (r.objects[i] == ObjectId::kFirstPerson) warm += r.pixels[i], ++n;
    if (r.objects[i] == ObjectId::kFirstProp) cold += r.pixels[i], ++m;
  }
  TEST_ASSERT_TRUE(n > 500 && m > 500);
  TEST_ASSERT_TRUE(warm / n > cold / m + 30);
}

/// Suites and their results rest on streets that do not change: means of 4 x 6 cells of a picture
/// with everything the first versions drew, made by the version before things of towns.
TEST(streets_of_the_first_versions_are_what_they_were) {
  constexpr double kMeans[4][6] = {{106.51, 151.10, 220.75, 187.88, 112.68, 104.20},
                                   {95.32, 125.64, 162.29, 121.48, 105.94, 90.84},
                                   {118.10, 128.79, 126.82, 110.05, 86.32, 115.17},
                                   {116.41, 107.84, 105.20, 107.92, 131.31, 127.44}};
  Scenario s;
  s.camera.width = 192;
  s.camera.height = 108;
  s.camera.noise = 0;
  s.street.clutter = 1;
  s.street.parked_cars = true;
  s.street.seed = 9;
  s.street.pavement_m = 3;
  PersonSpec p;
  p.start = {{9, -1}, 1.5};
  p.walk = {{{9, 8}, 1.4, 0}};
  s.people = {p};
  PropSpec cone;
  cone.kind = PropKind::cone;
  cone.place.at = {8, 1.5};
  s.props = {cone};
  Rendered r;
  Renderer{s, {.truth = false, .threads = 2}}.draw(World{s}, 0.5, r);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 6; ++x) {
      double sum = 0;
      for (int j = 27 * y; j < 27 * y + 27; ++j)
        for (int i = 96 * x; i < 96 * x + 96; ++i) sum += r.pixels[at(192 * 3 * j + i)];
      TEST_ASSERT_DOUBLE_WITHIN(0.3, kMeans[y][x], sum / (27 * 96));
    }
}

}  // namespace
