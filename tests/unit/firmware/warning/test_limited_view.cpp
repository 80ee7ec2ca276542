// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/limited_view.hpp"

#include <random>

#include "tests/support/test.hpp"

using namespace kerb;
using std::chrono::milliseconds;

namespace {

ViewReport seen(double distance_m, double sigma_m = 1) {
  return {true, distance_m, sigma_m, 45, ViewLimit::light};
}

/// Rounds of 10 ms; whether it is limited after them.
struct Bench {
  bool run(Nanos duration, const std::optional<ViewReport>& view, std::optional<double> kmh) {
    bool limited = false;
    if (kmh) kmh = *kmh / 3.6;
    for (const Nanos end = now + duration; now < end; now += milliseconds{10})
      limited = judge.step(now, view, kmh);
    return limited;
  }
  LimitedViewJudge judge;
  Nanos now = milliseconds{5000};
};

TEST(the_stopping_distance_is_that_of_reaction_and_braking) {
  const LimitedViewSettings settings;  // 1.3 s, 6 m/s^2
  const struct {
    double kmh, metres;
  } kCases[] = {{-10, 0}, {0, 0}, {20, 9.79}, {30, 16.62}, {50, 34.13}, {80, 70.04}};
  for (const auto& c : kCases)
    TEST_ASSERT_DOUBLE_WITHIN(0.01, c.metres, stopping_distance_m(c.kmh / 3.6, settings));
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 13.89 * 2 + 13.89 * 13.89 / 4,
                            stopping_distance_m(13.89, {.reaction_s = 2, .braking_mps2 = 2}));
}

TEST(it_is_told_after_half_a_second_of_too_short_a_view_and_ends_after_two_of_enough) {
  Bench bench;  // 50 km/h: 34.1 m
  TEST_ASSERT_FALSE(bench.run(milliseconds{500}, seen(20), 50));
  TEST_ASSERT_TRUE(bench.run(milliseconds{20}, seen(20), 50));
  TEST_ASSERT_TRUE(bench.run(milliseconds{5000}, seen(36), 50));  // within the margin
  TEST_ASSERT_TRUE(bench.run(milliseconds{2000}, seen(44), 50));
  TEST_ASSERT_FALSE(bench.run(milliseconds{20}, seen(44), 50));
  // The same view is enough at a lower speed: 16.6 m.
  Bench slow;
  TEST_ASSERT_FALSE(slow.run(milliseconds{5000}, seen(20), 30));
}

TEST(one_short_moment_is_no_limited_view) {
  Bench bench;
  for (int i = 0; i < 50; ++i) {
    TEST_ASSERT_FALSE(bench.run(milliseconds{400}, seen(10), 50));
    TEST_ASSERT_FALSE(bench.run(milliseconds{20}, seen(35), 50));
  }
}

TEST(a_view_at_the_limit_does_not_flicker) {
  Bench bench;
  std::mt19937 random{4};
  std::uniform_real_distribution<double> around{0.88 * 34.1, 1.12 * 34.1};
  int changes = 0;
  bool last = false;
  for (int i = 0; i < 6000; ++i) {  // ten minutes
    const bool limited = bench.run(milliseconds{100}, seen(around(random)), 50);
    changes += limited != last;
    last = limited;
  }
  TEST_ASSERT_LESS_OR_EQUAL_INT(1, changes);
}

TEST(an_uncertain_view_must_be_longer_to_end_it) {
  Bench sure, unsure;  // 20 km/h: 9.8 m
  TEST_ASSERT_TRUE(sure.run(milliseconds{600}, seen(7), 20));
  TEST_ASSERT_TRUE(unsure.run(milliseconds{600}, seen(7), 20));
  TEST_ASSERT_FALSE(sure.run(milliseconds{2100}, seen(13, 1), 20));
  TEST_ASSERT_TRUE(unsure.run(milliseconds{2100}, seen(13, 5), 20));
}

TEST(a_clear_view_is_never_limited_however_fast_the_car_is) {
  Bench bench;  // 80 km/h needs 70 m; the camera sees 45
  TEST_ASSERT_FALSE(bench.run(milliseconds{20000}, seen(45), 80));
  TEST_ASSERT_FALSE(bench.run(milliseconds{20000}, seen(37), 80));
  TEST_ASSERT_TRUE(bench.run(milliseconds{600}, seen(30), 80));
  TEST_ASSERT_FALSE(bench.run(milliseconds{2100}, seen(40), 80));
}

TEST(it_needs_a_view_and_a_speed_and_can_be_turned_off) {
  Bench bench;
  TEST_ASSERT_FALSE(bench.run(milliseconds{2000}, std::nullopt, 50));
  TEST_ASSERT_FALSE(bench.run(milliseconds{2000}, ViewReport{}, 50));
  TEST_ASSERT_FALSE(bench.run(milliseconds{2000}, seen(5), std::nullopt));
  TEST_ASSERT_TRUE(bench.run(milliseconds{600}, seen(5), 50));
  TEST_ASSERT_FALSE(bench.run(milliseconds{10}, std::nullopt, 50));
  Bench off;
  off.judge = LimitedViewJudge{{.enabled = false}};
  TEST_ASSERT_FALSE(off.run(milliseconds{2000}, seen(5), 50));
}

}  // namespace
