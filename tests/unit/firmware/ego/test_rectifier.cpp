// SPDX-License-Identifier: Apache-2.0
// The same streets through a lens that distorts and a camera that hangs askew: what is told of the
// motion and of the people must be the same.
#include "firmware/ego/rectifier.hpp"

#include <memory>

#include "firmware/ego/configured.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/ego/drives.hpp"

using namespace kerb;
using namespace kerb::ego;
using namespace kerb::ego::test;

namespace {

/// A lens and a roll, written out here once more, the other way round than the code under test.
struct Askew {
  double roll = 0, k1 = 0, k2 = 0, p1 = 0;
  [[nodiscard]] Vec2 see(const Camera& c, Vec2 at) const {
    const double u = (at.x - c.center_x) / c.focal_px, v = (at.y - c.center_y) / c.focal_px;
    const double x = u * std::cos(roll) + v * std::sin(roll);
    const double y = v * std::cos(roll) - u * std::sin(roll);
    const double r2 = x * x + y * y, radial = 1 + k1 * r2 + k2 * r2 * r2;
    return {c.center_x + c.focal_px * (x * radial + 2 * p1 * x * y),
            c.center_y + c.focal_px * (y * radial + p1 * (r2 + 2 * y * y))};
  }
  [[nodiscard]] Camera of(Camera c) const {
    c.roll_rad = roll;
    c.k1 = k1;
    c.k2 = k2;
    c.p1 = p1;
    return c;
  }
  void see(const Camera& c, MotionField& field) const {
    for (int i = 0; i < field.count; ++i) {
      FlowVector& v = field.items[i];
      const Vec2 from = see(c, Vec2{double{v.x}, double{v.y}});
      const Vec2 to = see(c, Vec2{double{v.x} + double{v.dx}, double{v.y} + double{v.dy}});
      v.x = static_cast<float>(from.x);
      v.y = static_cast<float>(from.y);
      v.dx = static_cast<float>(to.x - from.x);
      v.dy = static_cast<float>(to.y - from.y);
    }
  }
  /// A level box as this camera shows it: by the middles of its edges, so that its feet are.
  [[nodiscard]] Region see(const Camera& c, const Region& r) const {
    const Vec2 top = see(c, Vec2{r.x + r.w / 2, r.y}),
               bottom = see(c, Vec2{r.x + r.w / 2, r.y + r.h});
    const double middle = (top.x + bottom.x) / 2;
    return {middle - r.w / 2, top.y, r.w, bottom.y - top.y};
  }
};

constexpr Askew kCases[] = {{0.06, 0, 0, 0},
                            {-0.35, 0, 0, 0},
                            {0, -0.3, 0.1, 0},
                            {0, 0.15, 0, 0.003},
                            {-0.08, -0.32, 0.11, 0.002}};

TEST(the_motion_is_that_of_a_straight_camera) {
  const auto field = std::make_unique<MotionField>();
  for (const Askew& askew : kCases)
    for (const Drive& d : {drive(10), drive(12, 0.2), drive(9, 0, 0.1)}) {
      Street s;
      s.noise = s.wrong = 0;
      s.camera.pitch_rad = -0.03;
      s.camera.yaw_rad = 0.02;
      fill(s, d, 7, *field);
      EgoEstimator straight{s.camera, {}};
      EgoMotion expected;
      for (int i = 0; i < 4; ++i) expected = straight.update(*field, interval_of(d), told(d));
      askew.see(s.camera, *field);
      EgoEstimator ego{askew.of(s.camera), {}};
      EgoMotion m;
      for (int i = 0; i < 4; ++i) m = ego.update(*field, interval_of(d), told(d));
      TEST_ASSERT_EQUAL_STRING("valid", name_of(m.state));
      TEST_ASSERT_DOUBLE_WITHIN(2e-5, expected.yaw_rate_radps, m.yaw_rate_radps);
      TEST_ASSERT_DOUBLE_WITHIN(2e-5, expected.pitch_rate_radps, m.pitch_rate_radps);
      TEST_ASSERT_DOUBLE_WITHIN(2e-5, expected.roll_rate_radps, m.roll_rate_radps);
      TEST_ASSERT_DOUBLE_WITHIN(0.05, expected.foe_x, m.foe_x);
      TEST_ASSERT_DOUBLE_WITHIN(0.05, expected.foe_y, m.foe_y);
      TEST_ASSERT_DOUBLE_WITHIN(0.05, expected.horizon_row, m.horizon_row);
      TEST_ASSERT_DOUBLE_WITHIN(1e-4, expected.pitch_rad, m.pitch_rad);
      TEST_ASSERT_EQUAL_DOUBLE(1, m.inlier_share);
      // And it does matter: the same field taken as straight.
      EgoEstimator wrong{s.camera, {}};
      EgoMotion w;
      for (int i = 0; i < 4; ++i) w = wrong.update(*field, interval_of(d), told(d));
      const double off = std::hypot(w.foe_x - expected.foe_x, w.foe_y - expected.foe_y);
      const double turn = std::hypot(w.yaw_rate_radps - expected.yaw_rate_radps,
                                     w.pitch_rate_radps - expected.pitch_rate_radps);
      TEST_ASSERT_TRUE(w.state != EgoState::valid || w.inlier_share < 0.999 || off > 0.2 ||
                       turn > 2e-3);
    }
}

TEST(people_are_judged_as_a_straight_camera_judges_them) {
  const auto field = std::make_unique<MotionField>();
  for (const Askew& askew : kCases) {
    Street s;
    s.noise = 0.1;
    s.things = {person(-3, 12, {1.5, 0, 0}, 40), person(3, 14, {}, 40)};
    const Drive d = drive(6);
    fill(s, d, 5, *field);
    askew.see(s.camera, *field);
    EgoEstimator ego{askew.of(s.camera), {}};
    std::vector<Region> people;
    for (const Thing& t : s.things) people.push_back(askew.see(s.camera, box_of(s, d, t)));
    for (int i = 0; i < 4; ++i) ego.update(*field, interval_of(d), told(d), people);
    TEST_ASSERT_EQUAL_STRING("valid", name_of(ego.motion().state));
    TEST_ASSERT_EQUAL_STRING("moving", name_of(ego.region(people[0]).verdict));
    TEST_ASSERT_TRUE(ego.region(people[1]).verdict != RegionVerdict::moving);
  }
}

TEST(straight_and_seen_are_each_others_way_back) {
  for (const Askew& askew : kCases) {
    const Camera camera = askew.of(Camera{});
    const Rectifier straightener{camera};
    TEST_ASSERT_FALSE(straightener.does_nothing());
    for (double y = 0; y < 720; y += 90)
      for (double x = 0; x < 1280; x += 80) {
        const Vec2 there = straightener.straight(Vec2{x, y});
        const Vec2 back = straightener.seen(there), again = askew.see(camera, there);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, x, back.x);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, y, back.y);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, x, again.x);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, y, again.y);
      }
  }
  const Rectifier nothing{Camera{}};
  TEST_ASSERT_TRUE(nothing.does_nothing());
  const Region box = nothing.straight(Region{1.25, 2.5, 3, 4});
  TEST_ASSERT_TRUE(box.x == 1.25 && box.y == 2.5 && box.w == 3 && box.h == 4);
}

TEST(the_configuration_reaches_the_camera) {
  CameraSettings settings;
  settings.roll_deg = 3;
  settings.k1 = -0.1;
  settings.k2 = 0.01;
  settings.k3 = 0.001;
  settings.p1 = 0.002;
  settings.p2 = 0.003;
  const Camera camera = ego::camera_of(settings, 1280, 720);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, radians(3), camera.roll_rad);
  TEST_ASSERT_TRUE(camera.k1 == -0.1 && camera.k2 == 0.01 && camera.k3 == 0.001 &&
                   camera.p1 == 0.002 && camera.p2 == 0.003);
}

TEST(straightening_allocates_nothing) {
  Street s;
  const Askew& askew = kCases[4];
  const Drive d = drive(10);
  const auto field = std::make_unique<MotionField>();
  fill(s, d, 3, *field);
  askew.see(s.camera, *field);
  EgoEstimator ego{askew.of(s.camera), {}};
  const std::uint64_t before = kerb::test::allocations();
  ego.update(*field, interval_of(d), told(d));
  static_cast<void>(ego.region({600, 300, 60, 160}));
  TEST_ASSERT_EQUAL_UINT64(before, kerb::test::allocations());
}

}  // namespace
