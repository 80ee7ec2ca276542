// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/ground_filter.hpp"

#include <Eigen/LU>
#include <cmath>
#include <cstdio>
#include <limits>

#include "firmware/track/track.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/track/walkers.hpp"

using namespace kerb;
using test::World;
using test::WorldWalker;
using track::FilterSettings;
using track::GroundFilter;
using track::SeenBox;
using track::Travelled;

namespace {

constexpr double kFrame = 1.0 / 30;

Travelled way_of(const World& w, double dt) { return {dt, w.speed, w.yaw_rate, 0.001, true}; }

/// One walker followed for a while by a filter alone; what is asked of it at the end.
struct Outcome {
  double nees = 0;              // of x, y, vx, vy: 4 on average for a filter that knows itself
  double place = 0, speed = 0;  // squares of errors
  double across = 0;            // of the velocity to the left
};

struct Drive {
  double speed = 0, yaw_rate = 0;
  bool flow = false;
  int frames = 45;
};

Outcome follow(const Drive& drive, std::uint64_t seed) {
  const FilterSettings f;
  World w{seed};
  w.speed = drive.speed;
  w.yaw_rate = drive.yaw_rate;
  w.wander = f.wander;
  w.speed_time = f.speed_time_s;
  w.row_noise = f.row_jitter;
  w.column_noise = f.column_jitter;
  test::Dice& dice = w.dice;
  // As the filter has it: whoever it may be, however the car may nod.
  w.pitch = w.camera.pitch_sigma_rad * dice.normal();
  w.walkers = {{20 + 25 * dice.uniform(), -3 + 6 * dice.uniform(),
                f.speed_sigma_mps * dice.normal(), f.speed_sigma_mps * dice.normal(),
                f.adult.mean_m + f.adult.sigma_m * dice.normal()}};
  GroundFilter filter;
  Outcome out;
  const auto see = [&] { return track::seen_box(w.camera, f, w.noisy(w.box_of(w.walkers[0]))); };
  if (!filter.begin(w.camera, f, f.adult, see(), 0, w.camera.pitch_sigma_rad, true)) return out;
  for (int i = 0; i < drive.frames; ++i) {
    const Detection before = w.box_of(w.walkers[0]);
    w.move(kFrame);
    const double stays = std::exp(-kFrame / f.pitch_time_s);
    w.pitch =
        w.pitch * stays + w.camera.pitch_sigma_rad * std::sqrt(1 - stays * stays) * dice.normal();
    filter.predict(w.camera, f, way_of(w, kFrame));
    const Detection now = w.box_of(w.walkers[0]);
    if (now.h <= 0 || before.h <= 0) return out;  // it left the picture
    if (drive.flow) {
      const double dx = static_cast<double>(now.x + now.w / 2 - before.x - before.w / 2);
      const double growth = static_cast<double>(now.h) / static_cast<double>(before.h) - 1;
      filter.see_flow(w.camera, f, way_of(w, kFrame), dx + 0.4 * dice.normal(), 0.4,
                      growth + 0.01 * dice.normal(), 0.01);
    }
    filter.see_box(w.camera, f, see());
  }
  const WorldWalker truth = w.from_car(w.walkers[0]);
  Eigen::Vector4d off;
  off << truth.x - filter.state()[0], truth.y - filter.state()[1], truth.vx - filter.state()[2],
      truth.vy - filter.state()[3];
  const Eigen::Matrix4d p = filter.covariance().topLeftCorner<4, 4>();
  out.nees = off.dot(p.inverse() * off);
  out.place = off[0] * off[0] + off[1] * off[1];
  out.speed = off[2] * off[2] + off[3] * off[3];
  out.across = off[3] * off[3];
  return out;
}

Outcome mean_of(const Drive& drive, int runs) {
  Outcome sum;
  int n = 0;
  for (int i = 0; i < runs; ++i) {
    const Outcome o = follow(drive, 77U + static_cast<unsigned>(i));
    if (o.nees == 0) continue;
    ++n;
    sum.nees += o.nees;
    sum.place += o.place;
    sum.speed += o.speed;
    sum.across += o.across;
  }
  TEST_ASSERT_GREATER_THAN(runs / 2, n);
  return {sum.nees / n, sum.place / n, sum.speed / n, sum.across / n};
}

/// For docs/tracking.md.
template <typename... Figures>
void say(const char* format, Figures... figures) {
  char line[160];
  std::snprintf(line, sizeof line, format, figures...);
  TEST_MESSAGE(line);
}

constexpr Drive kStanding{0, 0, false, 60};
constexpr Drive kDriving{8, 0, false, 45};
constexpr Drive kTurning{6, 0.15, false, 45};

TEST(its_errors_are_as_large_as_it_says) {
  // 300 runs of chi-square with 4 degrees: the mean lies within 4 +- 0.65 in 999 cases of 1000;
  // the projection is not linear, so a little more is allowed above.
  for (const Drive& d : {kStanding, kDriving, kTurning}) {
    const Outcome o = mean_of(d, 300);
    say("normalised squared error of 4: %.2f; place %.2f m, speed %.2f m/s, across %.2f m/s",
        o.nees, std::sqrt(o.place), std::sqrt(o.speed), std::sqrt(o.across));
    TEST_ASSERT_TRUE(o.nees > 3.3);
    TEST_ASSERT_TRUE(o.nees < 5.0);
  }
}

TEST(flow_makes_the_speed_better_known) {
  Drive with = kDriving;
  with.flow = true;
  const Outcome plain = mean_of(kDriving, 300), flow = mean_of(with, 300);
  say("variance across the view: %.3f without flow, %.3f with; of both, %.3f and %.3f m2/s2",
      plain.across, flow.across, plain.speed, flow.speed);
  TEST_ASSERT_TRUE(flow.across < 0.92 * plain.across);
  TEST_ASSERT_TRUE(flow.speed < 0.98 * plain.speed);
  TEST_ASSERT_TRUE(flow.nees < 5.0);
}

/// On the road, as the walkers of this world are, and surely so.
FilterSettings on_the_road() {
  FilterSettings f;
  f.kerb_m = 0;
  f.kerb_sigma_m = 1e-3;
  return f;
}

/// Without noise, what see_flow() expects is what the pictures do, whatever the car does.
TEST(flow_expects_what_the_pictures_do) {
  FilterSettings f = on_the_road();
  f.speed_time_s = 1e9;  // they walk on and on
  f.row_jitter = 0.035;  // boxes and flow count for much: it is soon where they lead
  f.flow_doubt = 2;
  for (const Drive& d : {kStanding, kDriving, kTurning}) {
    World w{5};
    w.speed = d.speed;
    w.yaw_rate = d.yaw_rate;
    w.wander = w.row_noise = w.column_noise = 0;
    w.camera.yaw_rad = 0.05;
    w.camera.pitch_rad = -0.03;
    w.walkers = {{25, -2, 1, 1.2, f.adult.mean_m}};
    GroundFilter filter;
    TEST_ASSERT_TRUE(filter.begin(w.camera, f, f.adult,
                                  track::seen_box(w.camera, f, w.box_of(w.walkers[0])), 0, 0.005,
                                  true));
    // Boxes and flow without noise lead to the very velocity.
    for (int i = 0; i < 60; ++i) {
      const Detection before = w.box_of(w.walkers[0]);
      w.move(kFrame);
      const Detection now = w.box_of(w.walkers[0]);
      filter.predict(w.camera, f, way_of(w, kFrame));
      const double dx = static_cast<double>(now.x + now.w / 2 - before.x - before.w / 2);
      filter.see_flow(w.camera, f, way_of(w, kFrame), dx, 0.1,
                      static_cast<double>(now.h) / static_cast<double>(before.h) - 1, 0.001);
      filter.see_box(w.camera, f, track::seen_box(w.camera, f, now));
    }
    const WorldWalker truth = w.from_car(w.walkers[0]);
    TEST_ASSERT_DOUBLE_WITHIN(0.15, truth.x, filter.state()[0]);
    TEST_ASSERT_DOUBLE_WITHIN(0.03, truth.y, filter.state()[1]);
    TEST_ASSERT_DOUBLE_WITHIN(0.15, truth.vx, filter.state()[2]);
    TEST_ASSERT_DOUBLE_WITHIN(0.03, truth.vy, filter.state()[3]);
  }
}

TEST(who_stands_keeps_standing_while_the_car_turns) {
  const FilterSettings f;
  World w{9};
  w.speed = 12;
  w.yaw_rate = 0.3;
  w.wander = 0;
  w.walkers = {{20, 3, 0, 0, 1.7}};
  GroundFilter filter;
  TEST_ASSERT_TRUE(filter.begin(
      w.camera, f, f.adult, track::seen_box(w.camera, f, w.box_of(w.walkers[0])), 0, 0.005, true));
  const double x = filter.state()[0] - w.from_car(w.walkers[0]).x;
  const double y = filter.state()[1] - w.from_car(w.walkers[0]).y;
  const double first = std::hypot(x, y);
  for (int i = 0; i < 30; ++i) {
    w.move(kFrame);
    filter.predict(w.camera, f, way_of(w, kFrame));
  }
  const WorldWalker truth = w.from_car(w.walkers[0]);
  // The same error as at first, turned with the car: nothing was added.
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, first,
                            std::hypot(filter.state()[0] - truth.x, filter.state()[1] - truth.y));
}

/// On a kerb of 0.12 m, with a pitch that is well known: taken for the road, it places people too
/// far away.
TEST(who_stands_on_a_kerb_is_not_placed_too_far_away) {
  const auto placed = [](const FilterSettings& f, double kerb) {
    double sum = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
      World w{900 + seed};
      w.row_noise = f.row_jitter;
      w.column_noise = f.column_jitter;
      w.wander = 0;
      w.walkers = {{15, -3, 0, 0, f.adult.mean_m + f.adult.sigma_m * w.dice.normal()}};
      World seen = w;  // the same, from a camera that is lower by the kerb
      seen.camera.height_m -= kerb;
      const auto see = [&] {
        return track::seen_box(w.camera, f, seen.noisy(seen.box_of(w.walkers[0])));
      };
      GroundFilter filter;
      TEST_ASSERT_TRUE(filter.begin(w.camera, f, f.adult, see(), 0, 0.002, true));
      for (int i = 0; i < 30; ++i) {
        filter.predict(w.camera, f, way_of(w, kFrame));
        filter.see_pitch(0, 0.002);
        filter.see_box(w.camera, f, see());
      }
      sum += filter.state()[GroundFilter::kX] / 100;
    }
    return sum;
  };
  const double before = placed(on_the_road(), 0.12), now = placed({}, 0.12), road = placed({}, 0);
  say("on a kerb at 15 m: placed at %.2f m, by the road alone at %.2f m; on the road at %.2f m",
      now, before, road);
  TEST_ASSERT_TRUE(before > 15.6);
  TEST_ASSERT_TRUE(now - 15 < 0.6 * (before - 15));
  TEST_ASSERT_DOUBLE_WITHIN(0.6, 15, road);
}

TEST(feet_and_size_together_find_a_child) {
  const FilterSettings f;
  World w{21};
  w.wander = 0;
  w.camera.pitch_sigma_rad = 0.002;
  w.walkers = {{14, 1, 0, 0, 1.2}};
  GroundFilter filter;
  const auto see = [&] { return track::seen_box(w.camera, f, w.noisy(w.box_of(w.walkers[0]))); };
  TEST_ASSERT_TRUE(filter.begin(w.camera, f, f.adult, see(), 0, w.camera.pitch_sigma_rad, true));
  for (int i = 0; i < 30; ++i) {
    w.move(kFrame);
    filter.predict(w.camera, f, way_of(w, kFrame));
    filter.see_box(w.camera, f, see());
  }
  TEST_ASSERT_DOUBLE_WITHIN(0.12, 1.2, filter.state()[GroundFilter::kHeight]);
  TEST_ASSERT_DOUBLE_WITHIN(1.0, 14, filter.state()[GroundFilter::kX]);
}

TEST(pitch_that_is_known_makes_distance_better_known) {
  const FilterSettings f;
  World w{31};
  w.camera.pitch_sigma_rad = 0.02;
  w.walkers = {{20, 1, 0, 0, 1.7}};
  const SeenBox box = track::seen_box(w.camera, f, w.box_of(w.walkers[0]));
  GroundFilter vague, told;
  TEST_ASSERT_TRUE(vague.begin(w.camera, f, f.adult, box, 0, 0.02, true));
  told = vague;
  told.see_pitch(0, 0.002);
  TEST_ASSERT_TRUE(told.covariance()(0, 0) < 0.7 * vague.covariance()(0, 0));
  TEST_ASSERT_DOUBLE_WITHIN(
      1e-9, 0.002, std::sqrt(told.covariance()(GroundFilter::kPitch, GroundFilter::kPitch)));
  // Told again and again by the same witness: no better known for that.
  for (int i = 0; i < 100; ++i) told.see_pitch(0, 0.002);
  TEST_ASSERT_DOUBLE_WITHIN(
      1e-9, 0.002, std::sqrt(told.covariance()(GroundFilter::kPitch, GroundFilter::kPitch)));
}

TEST(a_box_cut_by_the_lower_edge_tells_nothing_of_the_feet) {
  const FilterSettings f;
  Camera m;
  const SeenBox whole = track::seen_box(m, f, {600, 300, 100, 250, 10});
  TEST_ASSERT_EQUAL(3, whole.rows);
  const SeenBox cut = track::seen_box(m, f, {600, 300, 100, 420, 10});
  TEST_ASSERT_EQUAL(2, cut.rows);
  TEST_ASSERT_TRUE(cut.foot_sigma >= SeenBox::kUnknown && cut.head_sigma < 100);
  const SeenBox side = track::seen_box(m, f, {-20, 300, 100, 250, 10});
  TEST_ASSERT_TRUE(side.column_sigma > 3 * whole.column_sigma);
}

/// Along the line of sight, the doubt grows with the square of the distance where the feet decide.
TEST(doubt_grows_with_distance) {
  const FilterSettings f;
  World w{41};
  double last = 0;
  for (const double x : {10.0, 20.0, 40.0, 60.0}) {
    w.walkers = {{x, 0, 0, 0, 1.7}};
    GroundFilter filter;
    TEST_ASSERT_TRUE(filter.begin(w.camera, f, f.adult,
                                  track::seen_box(w.camera, f, w.box_of(w.walkers[0])), 0,
                                  w.camera.pitch_sigma_rad, true));
    const double sigma = std::sqrt(filter.covariance()(0, 0));
    TEST_ASSERT_TRUE(sigma > 1.7 * last || last == 0 || x == 60);
    TEST_ASSERT_TRUE(sigma < 0.15 * x);
    last = sigma;
  }
}

TEST(boxes_that_cannot_be_are_refused_or_survived) {
  const FilterSettings f;
  const Camera m;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  GroundFilter filter;
  SeenBox upside_down{640, 300, 400, 3, 5, 5, 3}, unknown{nan, nan, nan, 3, 5, 5, 3};
  TEST_ASSERT_FALSE(filter.begin(m, f, f.adult, upside_down, 0, 0.01, true));
  TEST_ASSERT_FALSE(filter.begin(m, f, f.adult, unknown, 0, 0.01, true));
}

/// While the car does not tell its speed, people's is as the car has it. Once it does, that was the
/// car's: nobody is taken to run towards it.
TEST(a_speed_that_becomes_known_was_not_theirs) {
  const FilterSettings f;
  World w{21};
  w.speed = 12;
  w.wander = w.row_noise = w.column_noise = 0;
  w.walkers = {{50, -2, 0, 0, f.adult.mean_m}};
  const auto box = [&] { return track::seen_box(w.camera, f, w.box_of(w.walkers[0])); };
  GroundFilter filter;
  TEST_ASSERT_TRUE(filter.begin(w.camera, f, f.adult, box(), 0, 0.005, false));
  Travelled untold = way_of(w, kFrame);
  untold.speed_mps = 0;
  untold.speed_known = false;
  for (int i = 0; i < 15; ++i) {
    w.move(kFrame);
    filter.predict(w.camera, f, untold);
    filter.see_box(w.camera, f, box());
  }
  TEST_ASSERT_TRUE(filter.state()[GroundFilter::kVx] < -5);
  w.move(kFrame);
  filter.predict(w.camera, f, way_of(w, kFrame));
  TEST_ASSERT_TRUE(std::abs(filter.state()[GroundFilter::kVx]) < 0.1);
  for (int i = 0; i < 15; ++i) {
    filter.see_box(w.camera, f, box());
    TEST_ASSERT_TRUE(std::abs(filter.state()[GroundFilter::kVx]) < 1.5);
    w.move(kFrame);
    filter.predict(w.camera, f, way_of(w, kFrame));
  }
}

}  // namespace
