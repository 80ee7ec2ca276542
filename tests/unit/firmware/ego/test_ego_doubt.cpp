// SPDX-License-Identifier: Apache-2.0
// What the car tells may be wrong: an offset, late, or stuck. Streets as in test_ego_estimator.cpp.
#include <string_view>
#include <vector>

#include "firmware/ego/ego_estimator.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/ego/drives.hpp"

using namespace kerb;
using namespace kerb::ego;
using namespace kerb::ego::test;

namespace {

/// One drive in three: for builds that look for other mistakes and are slow.
bool g_some = false;

std::vector<Case> chosen(std::vector<Case> cases) {
  if (!g_some) return cases;
  std::vector<Case> out;
  for (std::size_t i = 0; i < cases.size(); i += 3) out.push_back(cases[i]);
  return out;
}

Case wrong_yaw(const char* name, const Drive& d, double offset) {
  Case c{name, d, true, true, false};
  c.yaw_offset = offset;
  return c;
}
Case late_yaw(const char* name, const Drive& d, double late) {
  Case c{name, d, true, true, false};
  c.yaw_swing = 0.4;
  c.yaw_late = late;
  return c;
}
Case stuck(const char* name, const Drive& d, std::optional<double> speed,
           std::optional<double> yaw) {
  Case c{name, d, true, true, false};
  c.stuck_speed = speed;
  c.stuck_yaw = yaw;
  return c;
}

/// As well as people are judged with a car that tells the truth.
void expect_good(const Rates& r, const char* name) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(r.frames, r.valid, name);
  TEST_ASSERT_LESS_OR_EQUAL_INT_MESSAGE(all(r.standing) / 20, r.standing[2], name);
  TEST_ASSERT_GREATER_OR_EQUAL_INT_MESSAGE(all(r.walking) * 8 / 10, r.walking[2], name);
  TEST_ASSERT_LESS_OR_EQUAL_INT_MESSAGE(all(r.walking) / 20, r.walking[1], name);
}

TEST(a_yaw_rate_with_an_offset_is_found_out) {
  for (const Case& c : chosen({
           wrong_yaw("straight, +0.03", drive(10), 0.03),
           wrong_yaw("straight, -0.06", drive(10), -0.06),
           wrong_yaw("straight, +0.1", drive(10), 0.1),
           wrong_yaw("bend, -0.1", drive(8, 0.4), -0.1),
           wrong_yaw("ten a second, +0.05", drive(12, 0.2, 0.1, 0, 0.1), 0.05),
           wrong_yaw("ten a second, -0.1", drive(12, 0.2, 0.1, 0, 0.1), -0.1),
           wrong_yaw("standing, +0.05", drive(0), 0.05),
           wrong_yaw("standing, +0.1", drive(0), 0.1),
       })) {
    const Rates r = drive_through(c);
    expect_good(r, c.name);
    TEST_ASSERT_TRUE_MESSAGE(r.rotation < 0.03, c.name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.speed_distrusted, c.name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(r.frames, r.travel[c.drive.speed == 0 ? 0 : 1], c.name);
    if (std::abs(c.yaw_offset) >= 0.1)  // small ones are within what the bus may err
      TEST_ASSERT_GREATER_OR_EQUAL_INT_MESSAGE(r.frames * 9 / 10, r.yaw_distrusted, c.name);
  }
}

// Little more than the bus may err, in a bend, where turning and sliding look alike: not every
// frame finds it out, and one in ten who stand may seem to move.
TEST(an_offset_that_is_hardly_one_does_little_harm) {
  const Case c = wrong_yaw("bend, -0.05", drive(8, 0.4), -0.05);
  const Rates r = drive_through(c);
  TEST_ASSERT_EQUAL_INT(r.frames, r.valid);
  TEST_ASSERT_TRUE(r.rotation < 0.04);
  TEST_ASSERT_LESS_OR_EQUAL_INT(all(r.standing) / 10, r.standing[2]);
  TEST_ASSERT_GREATER_OR_EQUAL_INT(all(r.walking) * 8 / 10, r.walking[2]);
  TEST_ASSERT_EQUAL_INT(0, r.speed_distrusted);
}

TEST(a_yaw_rate_that_comes_late_in_a_turn_is_found_out) {
  for (const Case& c :
       chosen({late_yaw("0.1 s late", drive(8), 0.1), late_yaw("0.2 s late", drive(8), 0.2),
               late_yaw("0.3 s late", drive(8), 0.3)})) {
    const Rates r = drive_through(c, 90);  // one turn to and fro
    expect_good(r, c.name);
    TEST_ASSERT_TRUE_MESSAGE(r.rotation < 0.03, c.name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.speed_distrusted, c.name);
    TEST_ASSERT_GREATER_THAN_INT_MESSAGE(0, r.yaw_distrusted, c.name);
  }
}

TEST(a_yaw_rate_that_is_stuck_is_found_out) {
  for (const Case& c : chosen({stuck("stuck at 0 in a bend", drive(8, 0.4), {}, 0.0),
                               stuck("stuck at 0.3, straight", drive(10), {}, 0.3),
                               stuck("stuck at 0.3, standing", drive(0), {}, 0.3)})) {
    const Rates r = drive_through(c);
    expect_good(r, c.name);
    TEST_ASSERT_TRUE_MESSAGE(r.rotation < 0.03, c.name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(r.frames, r.yaw_distrusted, c.name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.speed_distrusted, c.name);
  }
}

// Nothing is known of distances then, so less is said of people; but nothing wrong.
TEST(a_speed_of_zero_is_not_believed_while_the_street_expands) {
  for (const Case& c : chosen({stuck("stuck speed, fast", drive(10), 0.0, {}),
                               stuck("stuck speed, slow", drive(3), 0.0, {}),
                               stuck("stuck speed, bend", drive(8, 0.2), 0.0, {}),
                               stuck("both stuck, bend", drive(8, 0.3, 0, 0, 0.1), 0.0, 0.0)})) {
    const Rates r = drive_through(c);
    TEST_ASSERT_GREATER_OR_EQUAL_INT_MESSAGE(r.frames - 2, r.speed_distrusted, c.name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(r.speed_distrusted, r.travel[1], c.name);
    TEST_ASSERT_LESS_OR_EQUAL_INT_MESSAGE(all(r.standing) / 25, r.standing[2], c.name);
    TEST_ASSERT_LESS_OR_EQUAL_INT_MESSAGE(all(r.walking) / 20, r.walking[1], c.name);
  }
}

TEST(a_car_that_tells_the_truth_is_believed) {
  for (const Case& c : chosen({
           Case{"straight", drive(10), true, true, false},
           Case{"bend", drive(8, 0.4), true, true, false},
           Case{"ten frames a second", drive(12, 0.2, 0.1, 0, 0.1), true, true, false},
           Case{"reversing in a bend", drive(-3, 0.2), true, true, false},
           Case{"standing", drive(0), true, true, false},
           Case{"standing, engine shakes", drive(0, 0, 0.05, 0.02), true, true, false},
       })) {
    const Rates r = drive_through(c, 30);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.yaw_distrusted, c.name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.speed_distrusted, c.name);
  }
  // Nor does what fills most of the view and agrees with itself change that.
  const auto field = std::make_unique<MotionField>();
  for (const double across : {1.5, 3.0, 8.0})
    for (const double speed : {0.0, 5.0}) {
      Street s;
      s.background = 200;
      s.things = {{{-6, 0, 9}, {9, 3.2, 2.5}, {across, 0, 0}, 320, true}};
      EgoEstimator ego{s.camera, {}};
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Drive d = drive(speed);
        fill(s, d, seed, *field);
        const EgoMotion& m = ego.update(*field, interval_of(d), told(d));
        TEST_ASSERT_FALSE(m.yaw_distrusted);
        TEST_ASSERT_FALSE(m.speed_distrusted);
      }
    }
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  g_some = !words.empty() && words[0] == "--some";
  return Start::run;
}
