// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/person_filter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "firmware/track/track.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/track/walkers.hpp"

using namespace kerb;
using test::World;
using test::WorldWalker;
using track::FilterSettings;
using track::PersonFilter;

namespace {

constexpr double kFrame = 1.0 / 30;
constexpr int kRuns = 100;

struct Outcome {
  double off = 0;    // metres ahead, root of the mean square
  double nees = 0;   // of it alone: 1 where it knows itself
  double child = 0;  // mean weight
};

/// People of one height, followed for a while; asked at the end.
Outcome follow(double height, const FilterSettings& f, int frames) {
  Outcome out;
  for (unsigned seed = 0; seed < kRuns; ++seed) {
    World w{900 + seed};
    w.camera.pitch_sigma_rad = 0.004;
    w.pitch = w.camera.pitch_sigma_rad * w.dice.normal();
    w.speed = 8;
    w.wander = 0;
    w.walkers = {{22, -2, 0, 1, height}};
    const auto see = [&] { return track::seen_box(w.camera, f, w.noisy(w.box_of(w.walkers[0]))); };
    PersonFilter filter;
    TEST_ASSERT_TRUE(filter.begin(w.camera, f, see(), 0, w.camera.pitch_sigma_rad, true));
    for (int i = 0; i < frames; ++i) {
      w.move(kFrame);
      filter.predict(w.camera, f, {kFrame, w.speed, 0, 0.001, true});
      filter.see_box(w.camera, f, see());
    }
    const double off = filter.state()[0] - w.from_car(w.walkers[0]).x;
    out.off += off * off / kRuns;
    out.nees += off * off / filter.covariance()(0, 0) / kRuns;
    out.child += filter.child_share() / kRuns;
  }
  out.off = std::sqrt(out.off);
  return out;
}

FilterSettings adults_only() {
  FilterSettings f;
  f.child_share = 0;
  return f;
}

TEST(a_child_is_not_taken_for_an_adult_far_away) {
  const Outcome both = follow(1.15, {}, 10), adults = follow(1.15, adults_only(), 10);
  char line[120];  // for docs/tracking.md
  std::snprintf(line, sizeof line, "1.15 m at 20 m: off by %.1f m; as an adult by %.1f m", both.off,
                adults.off);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE(both.off < 0.5 * adults.off);
  TEST_ASSERT_TRUE(both.child > 0.7);
  TEST_ASSERT_TRUE(both.nees < 2);
}

TEST(adults_are_placed_as_well_as_before) {
  for (const double height : {1.62, 1.7, 1.8}) {
    const Outcome both = follow(height, {}, 10), adults = follow(height, adults_only(), 10);
    TEST_ASSERT_TRUE(both.off < 1.2 * adults.off);
    TEST_ASSERT_TRUE(both.child < 0.2);
  }
}

/// Between the two, it says that it does not know.
TEST(who_may_be_either_is_followed_with_doubt) {
  const Outcome middle = follow(1.45, {}, 10);
  TEST_ASSERT_TRUE(middle.nees < 2.5);
}

TEST(it_is_surer_the_longer_it_looks) {
  TEST_ASSERT_TRUE(follow(1.15, {}, 30).off < 0.5 * follow(1.15, {}, 2).off);
}

/// Legs behind a parked motorcycle: the detector finds the upper two thirds of somebody, who seems
/// half as far again as they are. Once all of them is seen they are soon where they stand, and do
/// not seem to run.
TEST(whose_legs_were_hidden_is_soon_where_they_stand) {
  const FilterSettings f;
  double hidden = 0, off = 0, speed = 0;
  for (unsigned seed = 0; seed < kRuns; ++seed) {
    World w{1300 + seed};
    w.speed = 11;
    w.wander = 0;
    w.walkers = {{32, -3.5, 0, 1.2}};
    const auto see = [&](bool whole) {
      Detection b = w.noisy(w.box_of(w.walkers[0]));
      if (!whole) b.h *= 0.67F;
      return track::seen_box(w.camera, f, b);
    };
    const auto off_now = [&](const PersonFilter& filter) {
      return filter.state()[0] - w.from_car(w.walkers[0]).x;
    };
    PersonFilter filter;
    TEST_ASSERT_TRUE(filter.begin(w.camera, f, see(false), 0, 0.003, true));
    for (int i = 0; i < 24; ++i) {
      w.move(kFrame);
      filter.predict(w.camera, f, {kFrame, w.speed, 0, 0.001, true});
      filter.see_pitch(0, 0.003);
      filter.see_box(w.camera, f, see(i >= 18));
      if (i == 17) hidden += off_now(filter) / kRuns;
    }
    off += off_now(filter) * off_now(filter) / kRuns;
    speed += filter.state()[2] * filter.state()[2] / kRuns;
  }
  char line[120];  // for docs/tracking.md
  std::snprintf(line, sizeof line, "legs hidden: %.1f m too far; 0.2 s later %.1f m, %.1f m/s",
                hidden, std::sqrt(off), std::sqrt(speed));
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE(hidden > 4);
  TEST_ASSERT_TRUE(std::sqrt(off) < 0.15 * hidden);
  TEST_ASSERT_TRUE(std::sqrt(speed) < 1);
}

/// How sure it is that somebody walks, on average over many runs, after each frame. They stand
/// until `starts` seconds, then walk across at `across`; the car drives past.
std::vector<double> belief_in_walking(double across, double starts, int frames) {
  const FilterSettings f;
  std::vector<double> walks(static_cast<std::size_t>(frames));
  for (unsigned seed = 0; seed < kRuns; ++seed) {
    World w{2100 + seed};
    w.speed = 10;
    w.wander = 0;
    w.speed_time = 1e9;
    w.pitch = 0.003 * w.dice.normal();
    w.walkers = {{30, -3, 0, 0}};
    const auto see = [&] { return track::seen_box(w.camera, f, w.noisy(w.box_of(w.walkers[0]))); };
    PersonFilter filter;
    TEST_ASSERT_TRUE(filter.begin(w.camera, f, see(), 0, w.camera.pitch_sigma_rad, true));
    for (int i = 0; i < frames; ++i) {
      if (i * kFrame >= starts) w.walkers[0].vy = across;
      w.move(kFrame);
      filter.predict(w.camera, f, {kFrame, w.speed, 0, 0.001, true});
      filter.see_box(w.camera, f, see());
      walks[static_cast<std::size_t>(i)] += filter.walks() / kRuns;
    }
  }
  return walks;
}

TEST(who_stands_is_believed_to_stand) {
  const std::vector<double> walks = belief_in_walking(0, 0, 45);
  TEST_ASSERT_TRUE(walks[9] < 0.5);
  TEST_ASSERT_TRUE(walks[29] < 0.35);
  TEST_ASSERT_TRUE(walks[44] < 0.3);
}

TEST(who_walks_is_soon_believed_to_walk) {
  const std::vector<double> walks = belief_in_walking(1.4, 0, 30);
  TEST_ASSERT_TRUE(walks[14] > 0.7);
  TEST_ASSERT_TRUE(walks[29] > 0.9);
}

TEST(who_begins_to_walk_is_noticed) {
  const std::vector<double> walks = belief_in_walking(1.4, 0.8, 45);
  TEST_ASSERT_TRUE(walks[23] < 0.4);
  TEST_ASSERT_TRUE(walks[38] > 0.7);  // half a second later
}

/// Driven past, what stands shows its distance: it is placed better than one of whom it is not
/// known.
TEST(what_stands_is_placed_by_its_parallax) {
  FilterSettings f;
  f.kerb_m = 0;  // as in this world
  double standing = 0, walking = 0;
  for (unsigned seed = 0; seed < kRuns; ++seed) {
    World w{3100 + seed};
    w.speed = 10;
    w.wander = 0;
    w.pitch = 0.005 * w.dice.normal();  // as uncertain as it is told
    w.walkers = {{30, -3, 0, 0, 1.6}};
    const auto see = [&] { return track::seen_box(w.camera, f, w.noisy(w.box_of(w.walkers[0]))); };
    PersonFilter filter;
    TEST_ASSERT_TRUE(filter.begin(w.camera, f, see(), 0, w.camera.pitch_sigma_rad, true));
    for (int i = 0; i < 45; ++i) {
      w.move(kFrame);
      filter.predict(w.camera, f, {kFrame, w.speed, 0, 0.001, true});
      filter.see_box(w.camera, f, see());
    }
    const double truth = w.from_car(w.walkers[0]).x;
    standing += std::abs(filter.standing().state[0] - truth) / kRuns;
    walking += std::abs(filter.walking().state[0] - truth) / kRuns;
  }
  TEST_ASSERT_TRUE(standing < 0.8 * walking);
}

/// The car drives with 10 m/s towards something that is this far ahead, stands or walks across.
PersonFilter driven_towards(std::uint64_t seed, const WorldWalker& what, int frames) {
  const FilterSettings f;
  World w{seed};
  w.speed = 10;
  w.wander = 0;
  w.speed_time = 1e9;
  w.pitch = 0.002 * w.dice.normal();
  w.walkers = {what};
  const auto see = [&] { return track::seen_box(w.camera, f, w.noisy(w.box_of(w.walkers[0]))); };
  PersonFilter filter;
  TEST_ASSERT_TRUE(filter.begin(w.camera, f, see(), 0, 0.0027, true));
  for (int i = 0; i < frames; ++i) {
    w.move(kFrame);
    filter.predict(w.camera, f, {kFrame, w.speed, 0, 0.001, true});
    filter.see_pitch(0, 0.0027);
    filter.see_box(w.camera, f, see());
  }
  return filter;
}

/// The evidence for a person against a thing of this height, on average, after a second.
double evidence_for_a_person(double height, double across) {
  double sum = 0;
  for (unsigned seed = 0; seed < kRuns; ++seed)
    sum += driven_towards(4100 + seed, {30, -3, 0, across, height}, 30).person_evidence() / kRuns;
  return sum;
}

TEST(what_is_as_tall_as_nobody_and_stands_is_a_thing) {
  const double bin = evidence_for_a_person(0.7, 0), pole = evidence_for_a_person(2.8, 0);
  const double stands = evidence_for_a_person(1.7, 0), walks = evidence_for_a_person(1.7, 1.4);
  char line[120];  // for docs/tracking.md
  std::snprintf(line, sizeof line,
                "log-odds of a person: bin %.1f, pole %.1f, stands %.1f, walks %.1f", bin, pole,
                stands, walks);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE(bin < -1.5);
  TEST_ASSERT_TRUE(pole < -1.5);
  TEST_ASSERT_TRUE(stands > 0);
  TEST_ASSERT_TRUE(walks > 1);
  TEST_ASSERT_TRUE(walks > stands);
}

/// What the estimated height says, on average, after half a second.
double evidence_of_the_height(double height) {
  double sum = 0;
  for (unsigned seed = 0; seed < kRuns; ++seed)
    sum += driven_towards(4400 + seed, {18, -2, 0, 0, height}, 15).height_evidence({}) / kRuns;
  return sum;
}

TEST(bollards_and_poles_are_not_as_tall_as_people) {
  const double bollard = evidence_of_the_height(0.9), child = evidence_of_the_height(1.2);
  const double adult = evidence_of_the_height(1.72), pole = evidence_of_the_height(2.6);
  char line[120];  // for docs/tracking.md
  std::snprintf(line, sizeof line,
                "log-odds by height: 0.9 m %.1f, 1.2 m %.1f, 1.72 m %.1f, 2.6 m %.1f", bollard,
                child, adult, pole);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE(adult > 1);
  TEST_ASSERT_TRUE(child > bollard + 1);
  TEST_ASSERT_TRUE(bollard < -1);
  TEST_ASSERT_TRUE(pole < -1);
}

/// Boxes that stay in the image, with the noise of a detector, while the car drives at 11 m/s: the
/// edges of one parked car after the other. The evidence for a person after half a second.
double evidence_of_a_pattern(const FilterSettings& f) {
  double sum = 0;
  for (unsigned seed = 0; seed < kRuns; ++seed) {
    World w{4700 + seed};
    w.speed = 11;
    w.walkers = {{12, -2, 0, 0, 1.75}};
    const Detection there = w.box_of(w.walkers[0]);
    const auto see = [&] { return track::seen_box(w.camera, f, w.noisy(there)); };
    PersonFilter filter;
    TEST_ASSERT_TRUE(filter.begin(w.camera, f, see(), 0, 0.0027, true));
    for (int i = 0; i < 15; ++i) {
      filter.predict(w.camera, f, {kFrame, w.speed, 0, 0.001, true});
      filter.see_box(w.camera, f, see());
    }
    sum += filter.person_evidence() / kRuns;
  }
  return sum;
}

TEST(what_stays_in_the_image_while_the_car_drives_is_a_pattern) {
  FilterSettings without;
  without.pattern_trust = 0;
  const double pattern = evidence_of_a_pattern({}), unknown = evidence_of_a_pattern(without);
  char line[120];
  std::snprintf(line, sizeof line,
                "log-odds of a person: pattern %.1f, without its hypothesis %.1f", pattern,
                unknown);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE(pattern < 0);
  TEST_ASSERT_TRUE(pattern < unknown - 2);
}

/// Flow alone makes no person: see person_evidence().
TEST(flow_counts_for_a_person_once_a_box_is_found_where_it_leads) {
  World w{4800};
  const FilterSettings f;
  w.speed = 10;
  w.wander = 0;
  w.speed_time = 1e9;
  w.walkers = {{20, -3, 0, 1.4}};
  const auto see = [&] { return track::seen_box(w.camera, f, w.noisy(w.box_of(w.walkers[0]))); };
  PersonFilter filter;
  TEST_ASSERT_TRUE(filter.begin(w.camera, f, see(), 0, 0.0027, true));
  const double first = filter.person_evidence();
  for (int i = 0; i < 8; ++i) {
    const Detection before = w.box_of(w.walkers[0]);
    w.move(kFrame);
    const Detection after = w.box_of(w.walkers[0]);
    const track::Travelled way{kFrame, w.speed, 0, 0.001, true};
    filter.predict(w.camera, f, way);
    filter.see_flow(w.camera, f, way,
                    static_cast<double>(after.x + after.w / 2 - before.x - before.w / 2), 0.1,
                    static_cast<double>(after.h / before.h) - 1, 0.003);
  }
  TEST_ASSERT_TRUE(filter.walks() > 0.9);
  TEST_ASSERT_TRUE(filter.person_evidence() <= std::max(first, 0.0));
  filter.see_box(w.camera, f, see());
  TEST_ASSERT_TRUE(filter.person_evidence() > 1);
}

TEST(without_a_speed_nobody_is_known_to_stand) {
  World w{5};
  const FilterSettings f;
  w.walkers = {{20, -2, 0, 0}};
  const auto see = [&] { return track::seen_box(w.camera, f, w.noisy(w.box_of(w.walkers[0]))); };
  PersonFilter filter;
  TEST_ASSERT_TRUE(filter.begin(w.camera, f, see(), 0, 0.005, false));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, filter.walks());
  filter.predict(w.camera, f, {kFrame, 0, 0, 0.001, true});
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, f.walks_share, filter.walks());
  filter.predict(w.camera, f, {kFrame, 0, 0, 0.001, false});
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, filter.walks());
}

}  // namespace
