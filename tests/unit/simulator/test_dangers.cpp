// SPDX-License-Identifier: Apache-2.0
// Who is in danger from when to when, against a pencil; and warnings of them that have holes.
#include "tools/simulator/judge/dangers.hpp"

#include <string>

#include "tests/support/test.hpp"
#include "tests/unit/simulator/traces.hpp"
#include "tools/simulator/judge/interruptions.hpp"
#include "tools/simulator/judge/truth.hpp"

using namespace kerb;
using namespace kerb::sim;
using kerb::sim::test::Say;
using kerb::sim::test::Speaker;

namespace {

constexpr auto kInformation = WarningLevel::information;
constexpr auto kCollision = WarningLevel::collision;
constexpr double kStep = 0.021;  // dangers are looked for every 20 ms

/// A car at 10 m/s along x, 1.8 m wide, and somebody who stands.
Scenario street(double x, double y, double seconds = 6) {
  Scenario s;
  s.seconds = seconds;
  s.car.speeds = {{0, 10, 3}};
  PersonSpec person;
  person.start.at = {x, y};
  s.people = {person};
  return s;
}

std::vector<Danger> dangers(const Scenario& s) { return find_dangers(World{s}, Visibility{s}); }

TEST(who_will_be_hit_is_in_danger_from_three_and_a_half_seconds_before) {
  // The front reaches 40.25 - 0.25 m after 4 s.
  const std::vector<Danger> found = dangers(street(40.25, 0));
  TEST_ASSERT_EQUAL_size_t(1, found.size());
  TEST_ASSERT_TRUE(found[0].hit);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 4, found[0].end);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.5, found[0].begin);
  // The middle, a quarter of a metre farther, is 3.5 s away at 0.525 s.
  TEST_ASSERT_DOUBLE_WITHIN(kStep, 0.525, found[0].evident);
}

TEST(who_stands_beside_the_way_or_crosses_far_ahead_is_in_none) {
  TEST_ASSERT_TRUE(dangers(street(40, -1.3)).empty());
  Scenario crosses = street(40, -4);
  crosses.people[0].walk = {{{40, 6}, 3.0, 0}};  // across by 1.7 s
  TEST_ASSERT_TRUE(dangers(crosses).empty());
}

TEST(who_is_grazed_is_hit_but_never_evidently) {
  const std::vector<Danger> found = dangers(street(40, -1.0));  // 0.1 m beside the car
  TEST_ASSERT_EQUAL_size_t(1, found.size());
  TEST_ASSERT_TRUE(found[0].hit);
  TEST_ASSERT_EQUAL_DOUBLE(found[0].end, found[0].evident);
}

TEST(a_danger_is_gone_when_the_car_brakes_enough) {
  // At 2 s the car is 30 m before them; with 5 m/s2 it stands after 10 m.
  Scenario s = street(50, 0);
  s.car.speeds = {{0, 10, 3}, {2.5, 0, 5}};
  const std::vector<Danger> found = dangers(s);
  TEST_ASSERT_EQUAL_size_t(1, found.size());
  TEST_ASSERT_FALSE(found[0].hit);
  TEST_ASSERT_DOUBLE_WITHIN(kStep, 1.5, found[0].begin);  // 35 m
  TEST_ASSERT_DOUBLE_WITHIN(kStep, 2.5, found[0].end);
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 5, found[0].touch);
  // With 1.2 m/s2 it would need 42 m: they are hit, later.
  s.car.speeds = {{0, 10, 3}, {2.5, 0, 1.2}};
  s.seconds = 9;
  TEST_ASSERT_TRUE(dangers(s).at(0).hit);
}

TEST(a_danger_is_gone_when_the_person_leaves_in_time) {
  Scenario s = street(40, 0);
  s.people[0].walk = {{{40, -4}, 3.0, 1.8}};  // waits, then runs: gone 0.3 s later
  const std::vector<Danger> found = dangers(s);
  TEST_ASSERT_EQUAL_size_t(1, found.size());
  TEST_ASSERT_FALSE(found[0].hit);
  TEST_ASSERT_DOUBLE_WITHIN(kStep, 0.5, found[0].begin);
  TEST_ASSERT_DOUBLE_WITHIN(kStep, 1.8, found[0].end);
}

TEST(who_stands_straight_ahead_of_a_bend_is_in_none) {
  Scenario s = street(40, 0);
  s.car.way = {{20, 0, false}, {30, 15, false}};  // to the left, before it comes to them
  TEST_ASSERT_TRUE(dangers(s).empty());
}

TEST(what_is_in_danger_for_a_moment_only_is_not) {
  Scenario s = street(40, 0);
  s.people[0].walk = {{{40, -4}, 3.0, 0.8}};  // 0.3 s
  TEST_ASSERT_TRUE(dangers(s).empty());
}

TEST(who_cannot_be_seen_is_in_danger_once_they_can) {
  Scenario s = street(40.25, 0);
  PropSpec wall;
  wall.kind = PropKind::van;
  wall.size = {1, 2.5, 2.5};
  wall.place.at = {30, 0};
  wall.speeds = {{0, 0, 3}, {2, 20, 12}};  // drives off
  wall.way = {{8, 6, false}};
  s.props = {wall};
  const std::vector<Danger> found = dangers(s);
  TEST_ASSERT_EQUAL_size_t(1, found.size());
  TEST_ASSERT_TRUE_MESSAGE(found[0].begin > 2, "hidden");
}

TEST(after_the_first_contact_nothing_is_judged) {
  Scenario s = street(40.25, 0);
  PersonSpec second;
  second.start.at = {50.25, 0};
  s.people.push_back(second);
  const std::vector<Danger> found = dangers(s);
  TEST_ASSERT_EQUAL_size_t(2, found.size());
  for (const Danger& danger : found) TEST_ASSERT_DOUBLE_WITHIN(1e-3, 4, danger.end);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 5, found[1].touch);
}

TEST(where_no_warning_is_allowed_none_can_be_interrupted) {
  Scenario s = street(50, 0);
  s.car.speeds = {{0, 10, 3}, {2.5, 0, 5}};
  TEST_ASSERT_EQUAL_size_t(1, find_truth(World{s}).dangers.size());
  s.criteria.no_collision_warning = true;
  TEST_ASSERT_TRUE(find_truth(World{s}).dangers.empty());
}

struct Case {
  const char* name;
  std::vector<Danger> dangers;
  std::vector<Say> says;
  bool judged, passes;
  const char* reason;
};

/// Somebody is hit at 4 s, and evidently in the way from 1 s on.
constexpr Danger kHit{.person = 0, .begin = 0.5, .evident = 1, .end = 4, .touch = 4, .hit = true};
/// Somebody else leaves the way at 2.5 s, 0.5 s before they would have been hit.
constexpr Danger kLeft{
    .person = 1, .begin = 0.5, .evident = 0.5, .end = 2.5, .touch = 3, .hit = false};
/// Another would be hit at 5 s, after the first.
constexpr Danger kBehind{
    .person = 2, .begin = 1.5, .evident = 1.5, .end = 4, .touch = 5, .hit = true};

TEST(a_warning_of_somebody_in_danger_must_not_be_interrupted) {
  const Case cases[] = {
      {"whole", {kHit}, {{kCollision, 2, 5}}, true, true, "from 2.00 s to the impact at 4.00 s, w"},
      {"never warned", {kHit}, {}, false, true, ""},
      {"only after it", {kHit}, {{kCollision, 4.2, 5}}, false, true, ""},
      {"a hole of 0.19 s",
       {kHit},
       {{kCollision, 2, 3}, {kCollision, 3.19, 5}},
       true,
       true,
       "silent for 0.19 s, at most 0.20"},
      {"a hole of 0.21 s",
       {kHit},
       {{kCollision, 2, 3}, {kCollision, 3.21, 5}},
       true,
       false,
       "silent for 0.21 s, at most 0.20 allowed; longest from 3.00 to 3.21 s"},
      {"holes of 0.15 and 0.1 s",
       {kHit},
       {{kCollision, 1, 2}, {kCollision, 2.15, 3}, {kCollision, 3.1, 5}},
       true,
       false,
       "silent for 0.25 s, at most 0.20 allowed; longest from 2.00 to 2.15 s"},
      {"gives up 0.19 s before", {kHit}, {{kCollision, 2, 3.81}}, true, true, "silent for 0.19 s"},
      {"gives up 0.21 s before", {kHit}, {{kCollision, 2, 3.79}}, true, false, "silent for 0.21 s"},
      {"information is silence",
       {kHit},
       {{kCollision, 2, 3}, {kInformation, 3, 3.5}, {kCollision, 3.5, 5}},
       true,
       false,
       "silent for 0.50 s"},
      {"too early, for somebody else",
       {kHit},
       {{kCollision, 0.2, 0.45}, {kCollision, 2, 5}},
       true,
       true,
       "from 2.00 s"},
      {"ends when the danger is gone",
       {kLeft},
       {{kCollision, 1, 2.5}},
       true,
       true,
       "until the danger was gone at 2.50 s, without a break"},
      {"a hole after the danger is gone",
       {kLeft},
       {{kCollision, 1, 2.6}, {kCollision, 3.2, 4}},
       true,
       true,
       "from 1.00 s until the danger was gone"},
      {"ends before the danger is gone",
       {kLeft},
       {{kCollision, 1, 2.2}},
       true,
       false,
       "silent for 0.30 s"},
      // Two people, whose warnings are one to the driver.
      {"a second person's follows at once",
       {kLeft, kHit},
       {{kCollision, 1, 2.3}, {kCollision, 2.3, 5}},
       true,
       true,
       "without a break"},
      {"a second person's comes when it is due",
       {{kLeft}, {1, 0.5, 2.6, 4, 4, true}},
       {{kCollision, 1, 2.5}, {kCollision, 3, 5}},
       true,
       true,
       "without a break"},
      {"of who is hit later, begun before",
       {kHit, kBehind},
       {{kCollision, 2, 2.8}, {kCollision, 3.2, 5}},
       true,
       false,
       "from 2.00 s to the impact at 4.00 s: silent for 0.40 s"},
      // It runs on for the second, whose danger is known: theirs, too.
      {"a second person's is cut short",
       {kLeft, kHit},
       {{kCollision, 0.8, 3}, {kCollision, 3.5, 5}},
       true,
       false,
       "from 1.50 s to the impact at 4.00 s: silent for 0.50 s"},
  };
  for (const Case& c : cases) {
    Speaker speaker;
    speaker.says = c.says;
    Truth truth;
    truth.dangers = c.dangers;
    const std::optional<Verdict> verdict = judge_not_interrupted(
        truth, decode_trace(speaker.trace(), speaker.seconds), CommonRules{}, false);
    TEST_ASSERT_EQUAL_MESSAGE(c.judged, verdict.has_value(), c.name);
    if (!verdict) continue;
    const std::string said = std::string{c.name} + ": " + verdict->reason;
    TEST_ASSERT_EQUAL_MESSAGE(c.passes, verdict->passed, said.c_str());
    TEST_ASSERT_TRUE_MESSAGE(verdict->reason.find(c.reason) != std::string::npos, said.c_str());
  }
}

TEST(an_information_must_not_be_interrupted_while_somebody_is_close) {
  struct CloseCase {
    const char* name;
    std::vector<Say> says;
    bool informs, judged, passes;
  };
  for (const CloseCase& c : {
           CloseCase{"whole", {{kInformation, 1.8, 4.2}}, true, true, true},
           CloseCase{"a hole of 0.19 s",
                     {{kInformation, 2, 3}, {kInformation, 3.19, 5}},
                     true,
                     true,
                     true},
           CloseCase{"a hole of 0.21 s",
                     {{kInformation, 2, 3}, {kInformation, 3.21, 5}},
                     true,
                     true,
                     false},
           CloseCase{"more than information",
                     {{kInformation, 2, 3}, {kCollision, 3, 5}},
                     true,
                     true,
                     true},
           CloseCase{"not asked", {{kInformation, 2, 3}}, false, false, true},
       }) {
    Speaker speaker;
    speaker.says = c.says;
    Truth truth;
    truth.close = {{0, 2, 4}};
    const std::optional<Verdict> verdict = judge_not_interrupted(
        truth, decode_trace(speaker.trace(), speaker.seconds), CommonRules{}, c.informs);
    TEST_ASSERT_EQUAL_MESSAGE(c.judged, verdict.has_value(), c.name);
    if (verdict) TEST_ASSERT_EQUAL_MESSAGE(c.passes, verdict->passed, verdict->reason.c_str());
  }
}

}  // namespace
