// SPDX-License-Identifier: Apache-2.0
#include "firmware/risk/car_path.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <random>

#include "tests/support/test.hpp"
#include "tests/unit/firmware/risk/people.hpp"

using namespace kerb;
using kerb::risk::CarPath;
using kerb::risk::Pose;
using kerb::test::driven;
using std::chrono::milliseconds;

namespace {

TEST(a_straight_drive_goes_straight_on) {
  const CarPath path = driven(10);
  TEST_ASSERT_TRUE(path.known());
  for (const double t : {0.0, 0.013, 0.5, 1.7, 3.99}) {
    const Pose pose = path.after(t);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 10 * t, pose.x);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, pose.y);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, pose.heading);
  }
}

TEST(a_steady_bend_is_an_arc) {
  struct Case {
    double speed, yaw_rate;
  };
  for (const Case& c : {Case{10, 0.4}, Case{5, -0.6}, Case{20, 0.02}, Case{-2, 0.3}}) {
    const CarPath path = driven(c.speed, c.yaw_rate);
    const double radius = c.speed / c.yaw_rate;
    for (const double t : {0.02, 1.0, 2.5, 4.0}) {
      const Pose pose = path.after(t);
      TEST_ASSERT_DOUBLE_WITHIN(1e-4, radius * std::sin(c.yaw_rate * t), pose.x);
      TEST_ASSERT_DOUBLE_WITHIN(1e-4, radius * (1 - std::cos(c.yaw_rate * t)), pose.y);
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, c.yaw_rate * t, pose.heading);
    }
  }
}

/// The ways of a bend: it goes on, or ends sooner or later, with the probabilities of an end that
/// may come at any time.
TEST(a_bend_may_end) {
  const risk::BendSettings settings;
  const CarPath path = driven(10, 0.15);  // 1.5 m/s^2
  TEST_ASSERT_EQUAL(1 + CarPath::kBendEnds, path.ways().size());
  double shares = 0;
  for (const risk::CarWay& way : path.ways()) shares += way.share;
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, shares);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, std::exp(-1.8 / settings.lasts_s), path.ways()[0].share);
  TEST_ASSERT_TRUE(path.ways()[0].likeliest);
  const auto heading = [](const risk::CarWay& way, std::size_t knot) {
    return std::atan2(way.knots[knot].sin, way.knots[knot].cos);
  };
  constexpr std::size_t kLate = 60, kLater = 80;  // 3 and 4 s from now
  const double on = heading(path.ways()[0], kLater);
  double before = 0;
  for (const risk::CarWay& way : path.ways().subspan(1)) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, heading(way, kLate), heading(way, kLater));  // straight by then
    TEST_ASSERT_TRUE(heading(way, kLater) > before && heading(way, kLater) < on);
    before = heading(way, kLater);
  }
  // Where the yaw rate falls evenly to none, it has turned by half of what it would have.
  const double first = 0.15 * settings.straightens_s / 2;
  TEST_ASSERT_DOUBLE_WITHIN(0.01, first, heading(path.ways()[1], kLater));
}

/// A car in a bend whose yaw rate has changed by this much a second for the last 0.3 s, and is 0.15
/// now.
CarPath turning(double change_radps2, const risk::PathSettings& settings = {}) {
  CarPath path{settings};
  for (int i = 0; i <= 60; ++i) {
    const double since = std::min(0.3, (60 - i) / 30.0);
    path.update(Nanos{std::llround((i + 1) * 1e9 / 30)},
                {.speed_mps = 10, .yaw_rate_radps = 0.15 - change_radps2 * since});
  }
  return path;
}

/// Who turns the wheel back drives out of the bend: more often so, the sooner the yaw rate would be
/// none; who turns it further in does not.
TEST(where_the_steering_is_turned_back_a_bend_ends_sooner) {
  const double steady = turning(0).ways()[0].share;
  const double slowly = turning(-0.1).ways()[0].share, quickly = turning(-0.3).ways()[0].share;
  TEST_ASSERT_TRUE(slowly < 0.75 * steady);
  TEST_ASSERT_TRUE(quickly < 0.75 * slowly);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, steady, turning(0.2).ways()[0].share);
  risk::PathSettings deaf;
  deaf.bend.turned_back_share = 0;
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, steady, turning(-0.3, deaf).ways()[0].share);
}

TEST(where_a_bend_begins_or_ends_the_path_is_less_sure) {
  const double steady = turning(0).after(2).sigma_across;
  TEST_ASSERT_TRUE(turning(0.3).after(2).sigma_across > 1.2 * steady);
  TEST_ASSERT_TRUE(turning(-0.3).after(2).sigma_across > 1.2 * steady);
  risk::PathSettings sure;
  sure.bend_change_share = 0;
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, steady, turning(0.3, sure).after(2).sigma_across);
}

TEST(of_the_ways_of_a_bend_the_likeliest_is_the_likeliest) {
  for (const double lasts_s : {0.01, 0.5, 2.0, 4.0, 60.0}) {
    risk::PathSettings settings;
    settings.bend.lasts_s = lasts_s;
    CarPath path{settings};
    for (int i = 1; i <= 60; ++i)
      path.update(Nanos{i * 33'000'000}, {.speed_mps = 10, .yaw_rate_radps = 0.15});
    double most = 0, likeliest = 0;
    for (const risk::CarWay& way : path.ways()) {
      most = std::max(most, way.share);
      if (way.likeliest) likeliest += way.share;
    }
    TEST_ASSERT_EQUAL_DOUBLE(most, likeliest);
  }
}

TEST(a_straight_road_has_one_way) {
  TEST_ASSERT_EQUAL(1, driven(10).ways().size());
  TEST_ASSERT_EQUAL(1, driven(10, 0.03).ways().size());  // 0.3 m/s^2
  risk::PathSettings settings;
  settings.bend.lasts_s = 0;
  CarPath path{settings};
  for (int i = 1; i <= 60; ++i)
    path.update(Nanos{i * 33'000'000}, {.speed_mps = 10, .yaw_rate_radps = 0.15});
  TEST_ASSERT_EQUAL(1, path.ways().size());
}

TEST(a_braking_car_stops_and_does_not_go_back) {
  const CarPath path = driven(8, 0, -4);  // stands after 2 s and 8 m
  TEST_ASSERT_DOUBLE_WITHIN(0.05, -4, path.acceleration_mps2());
  TEST_ASSERT_DOUBLE_WITHIN(0.1, 6, path.after(1).x);
  TEST_ASSERT_DOUBLE_WITHIN(0.1, 8, path.after(2).x);
  TEST_ASSERT_EQUAL_DOUBLE(path.after(2.5).x, path.after(5).x);
  TEST_ASSERT_EQUAL_DOUBLE(0, path.speed_after(3));
}

TEST(a_reversing_car_that_brakes_stops_too) {
  const CarPath back = driven(-2);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -4, back.after(2).x);
  const CarPath brakes = driven(-2, 0, 2);  // stands after 1 s and 1 m
  TEST_ASSERT_DOUBLE_WITHIN(0.1, -1, brakes.after(4).x);
}

TEST(braking_is_believed_sooner_than_speeding_up) {
  const auto after = [](double change, int ms) {
    CarPath path = driven(10);
    const Nanos start{std::llround(61e9 / 30)};
    for (int t = 20; t <= ms; t += 20)
      path.update(start + milliseconds{t},
                  {.speed_mps = 10 + change * t * 1e-3, .yaw_rate_radps = 0.0});
    return path.acceleration_mps2();
  };
  TEST_ASSERT_TRUE(after(-6, 200) < -4);
  TEST_ASSERT_TRUE(after(-6, 300) < -5);
  TEST_ASSERT_TRUE(after(3, 200) < 1.2);
  TEST_ASSERT_TRUE(after(3, 1500) > 2.7);
}

TEST(what_no_car_can_do_is_cut_off) {
  CarPath path;
  for (int i = 1; i <= 20; ++i)
    path.update(milliseconds{20 * i}, {.speed_mps = 50 - 1.0 * i, .yaw_rate_radps = 0.0});
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -9, path.acceleration_mps2());
  path.reset();
  for (int i = 1; i <= 100; ++i)
    path.update(milliseconds{20 * i}, {.speed_mps = 1.0 * i, .yaw_rate_radps = 0.0});
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 4, path.acceleration_mps2());
}

TEST(noise_of_the_wheels_is_no_braking) {
  std::mt19937 random{1};
  std::normal_distribution<double> noise{0, 0.02};
  CarPath path;
  double sum = 0;
  for (int i = 1; i <= 3000; ++i) {
    const double speed = std::round((14 + noise(random)) * 100) / 100;
    path.update(milliseconds{33 * i}, {.speed_mps = speed, .yaw_rate_radps = 0.0});
    if (i < 60) continue;
    sum += path.acceleration_mps2();
    TEST_ASSERT_TRUE(std::abs(path.acceleration_mps2()) < 0.8);
  }
  TEST_ASSERT_DOUBLE_WITHIN(0.03, 0, sum / 2940);
}

TEST(a_turn_that_begins_goes_on_to_grow_for_a_while) {
  CarPath path = driven(6);
  const Nanos start{std::llround(61e9 / 30)};
  for (int t = 20; t <= 400; t += 20)
    path.update(start + milliseconds{t}, {.speed_mps = 6, .yaw_rate_radps = 0.5 * t * 1e-3});
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.2, path.yaw_rate_radps());
  TEST_ASSERT_TRUE(path.after(1).heading > 0.2 * 1 + 0.04);
  TEST_ASSERT_TRUE(path.after(1).heading < 0.2 * 1 + 0.25);  // not without end
}

TEST(doubt_grows_with_time_and_in_bends_and_without_a_yaw_rate) {
  const CarPath straight = driven(10), bend = driven(10, 0.3);
  CarPath blind;
  for (int i = 1; i <= 60; ++i)
    blind.update(milliseconds{33 * i}, {.speed_mps = 10, .yaw_rate_radps = {}});
  TEST_ASSERT_TRUE(blind.known());
  TEST_ASSERT_EQUAL_DOUBLE(0, blind.yaw_rate_radps());
  double last = -1;
  for (const double t : {0.0, 0.5, 1.0, 2.0, 4.0}) {
    const Pose pose = straight.after(t);
    TEST_ASSERT_TRUE(pose.sigma_across > last);
    last = pose.sigma_across;
    if (t == 0) continue;
    TEST_ASSERT_TRUE(bend.after(t).sigma_across > pose.sigma_across);
    TEST_ASSERT_TRUE(blind.after(t).sigma_across > 2 * pose.sigma_across);
    TEST_ASSERT_TRUE(pose.sigma_along > 0 && pose.sigma_heading > 0);
  }
}

TEST(what_is_not_told_is_known_for_half_a_second) {
  CarPath path;
  TEST_ASSERT_FALSE(path.known());
  path.update(milliseconds{10}, {});
  TEST_ASSERT_FALSE(path.known());
  path.update(milliseconds{20}, {.speed_mps = 5, .yaw_rate_radps = 0.1});
  for (int t = 40; t <= 520; t += 20) {
    path.update(milliseconds{t}, {});
    TEST_ASSERT_TRUE(path.known());
  }
  path.update(milliseconds{530}, {});
  TEST_ASSERT_FALSE(path.known());
  TEST_ASSERT_EQUAL_DOUBLE(0, path.yaw_rate_radps());
}

TEST(a_gap_or_a_clock_that_goes_back_begins_anew) {
  CarPath path = driven(10, 0, -4);
  path.update(std::chrono::seconds{9}, {.speed_mps = 20, .yaw_rate_radps = 0.0});
  TEST_ASSERT_EQUAL_DOUBLE(0, path.acceleration_mps2());
  TEST_ASSERT_EQUAL_DOUBLE(20, path.speed_mps());
  path.update(std::chrono::seconds{8}, {});
  TEST_ASSERT_FALSE(path.known());
}

TEST(what_is_not_a_number_is_not_told) {
  CarPath path;
  path.update(milliseconds{20}, {.speed_mps = std::numeric_limits<double>::quiet_NaN(),
                                 .yaw_rate_radps = std::numeric_limits<double>::infinity()});
  TEST_ASSERT_FALSE(path.known());
  TEST_ASSERT_EQUAL_DOUBLE(0, path.after(2).y);
}

TEST(the_same_is_told_twice_and_the_paths_are_the_same_bits) {
  const CarPath a = driven(11.3, 0.123, -1.7), b = driven(11.3, 0.123, -1.7);
  TEST_ASSERT_EQUAL_MEMORY(a.knots().data(), b.knots().data(), sizeof(a.knots()));
}

}  // namespace
