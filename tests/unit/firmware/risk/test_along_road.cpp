// SPDX-License-Identifier: Apache-2.0
// Who walks along the road: the probability against plain numerical integration of both priors,
// and what is left of the velocity.
#include <cmath>

#include "firmware/risk/along_road.hpp"
#include "firmware/risk/contact.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/risk/people.hpp"

using namespace kerb;
using kerb::risk::along_road;
using kerb::risk::AlongRoad;
using kerb::risk::PaceSettings;
using kerb::test::driven;
using kerb::test::somebody;

namespace {

double normal(double x, double mean, double sigma) {
  const double z = (x - mean) / sigma;
  return std::exp(-z * z / 2) / sigma;
}

/// The evidence of a velocity for the prior (mean, sigma) rather than (0, used), summed over a
/// grid: what was seen is the filter's result divided by the filter's prior.
double summed(double now, double now_sigma, double used, double mean, double sigma) {
  double other = 0, own = 0;
  for (double v = -8; v <= 8; v += 0.002) {
    const double seen = normal(v, now, now_sigma) / normal(v, 0, used);
    other += seen * normal(v, mean, sigma);
    own += seen * normal(v, 0, used);
  }
  return other / own;
}

double expected(const PaceSettings& s, double along, double across, double sigma) {
  const double ratio =
      s.along_share / (1 - s.along_share) / 2 *
      summed(along, sigma, s.any_way_mps, std::copysign(s.usual_mps, along), s.along_sigma_mps) *
      summed(across, sigma, s.any_way_mps, 0, s.across_sigma_mps);
  return ratio / (1 + ratio);
}

TEST(the_probability_is_that_of_both_priors) {
  const PaceSettings settings;
  for (const double along : {-1.5, -0.6, 0.3, 1.2, 2.0})
    for (const double across : {-1.0, -0.3, 0.0, 0.2, 0.6})
      for (const double sigma : {0.1, 0.25, 0.5}) {
        const AlongRoad out = along_road(settings, somebody(25, -2.7, along, across, 0.2, sigma),
                                         driven(10).ways()[0]);
        TEST_ASSERT_DOUBLE_WITHIN(0.01, expected(settings, along, across, sigma), out.probability);
      }
}

TEST(who_crosses_is_not_taken_for_one_who_walks_along) {
  const PaceSettings settings;
  const risk::CarPath path = driven(10);
  const auto share = [&](double vx, double vy, double sigma) {
    return along_road(settings, somebody(25, -2.7, vx, vy, 0.2, sigma), path.ways()[0]).probability;
  };
  TEST_ASSERT_TRUE(share(0, 1.4, 0.25) < 0.01);    // crosses
  TEST_ASSERT_TRUE(share(0, 0.4, 0.25) < 0.2);     // has just begun to
  TEST_ASSERT_TRUE(share(1.3, 0.15, 0.25) > 0.8);  // along the pavement
  TEST_ASSERT_TRUE(share(-1.3, 0, 0.25) > 0.8);    // towards the car
}

TEST(the_road_has_the_direction_of_the_way_where_they_are) {
  const PaceSettings settings;
  const risk::CarPath path =
      driven(8, 0.25);  // 20 m ahead it has turned by more than half a radian
  const risk::PathKnot& there = path.ways()[0].knots[50];
  const auto share = [&](double vx, double vy) {
    return along_road(settings, somebody(there.x, there.y, vx, vy, 0.2, 0.2), path.ways()[0])
        .probability;
  };
  TEST_ASSERT_TRUE(share(1.4 * there.cos, 1.4 * there.sin) > 0.8);
  TEST_ASSERT_TRUE(share(1.4, 0) < 0.1);
}

/// What is seen of a velocity, with another prior, summed over a grid: mean and variance.
struct Moments {
  double mean = 0, variance = 0;
};
Moments with_prior(double now, double now_sigma, double used, double mean, double sigma) {
  double sum = 0, first = 0, second = 0;
  for (double v = -8; v <= 8; v += 0.002) {
    const double w = normal(v, now, now_sigma) / normal(v, 0, used) * normal(v, mean, sigma);
    sum += w;
    first += w * v;
    second += w * v * v;
  }
  return {first / sum, second / sum - first / sum * (first / sum)};
}

TEST(the_velocity_is_that_of_the_walkers_prior) {
  const PaceSettings s;
  for (const double across : {-0.8, -0.2, 0.3}) {
    track::Person person = somebody(25, -2.7, 0.9, across, 0.2, 0.4);
    const AlongRoad out = along_road(s, person, driven(10).ways()[0]);
    const Moments x = with_prior(0.9, 0.4, s.any_way_mps, s.usual_mps, s.along_sigma_mps);
    const Moments y = with_prior(across, 0.4, s.any_way_mps, 0, s.across_sigma_mps);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, x.mean, out.person.vx_mps);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, y.mean, out.person.vy_mps);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, x.variance, out.person.covariance[10]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, y.variance, out.person.covariance[15]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, -2.7, out.person.y_m);
    // A place whose error goes with that of the velocity moves along.
    person.covariance[7] = person.covariance[13] = 0.5 * 0.2 * 0.4;
    const AlongRoad together = along_road(s, person, driven(10).ways()[0]);
    const double slope = person.covariance[7] / person.covariance[15];
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, -2.7 + slope * (y.mean - across), together.person.y_m);
  }
}

TEST(the_velocity_turns_with_the_road) {
  const PaceSettings settings;
  const risk::CarPath path = driven(8, 0.25);
  const risk::PathKnot& there = path.ways()[0].knots[40];
  const AlongRoad out =
      along_road(settings, somebody(there.x, there.y, 1.4 * there.cos, 1.4 * there.sin, 0.2, 0.4),
                 path.ways()[0]);
  const double across = there.cos * out.person.vy_mps - there.sin * out.person.vx_mps;
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, across);
  const auto& p = out.person.covariance;
  TEST_ASSERT_TRUE(there.sin * there.sin * p[10] - 2 * there.sin * there.cos * p[11] +
                       there.cos * there.cos * p[15] <
                   settings.across_sigma_mps * settings.across_sigma_mps);
  TEST_ASSERT_EQUAL_DOUBLE(p[11], p[14]);
}

TEST(a_walker_on_the_pavement_is_less_in_danger_for_it_one_in_the_lane_is_not) {
  risk::ContactSettings with, without;
  without.pace.along_share = 0;
  const risk::CarPath path = driven(13.6);
  const auto probability = [&](const risk::ContactSettings& settings, double y) {
    return risk::ContactJudge{{}, settings}
        .judge(somebody(31, y, 0.9, 0.35, 0.25, 0.25), path)
        .probability;
  };
  TEST_ASSERT_TRUE(probability(with, -1.75) < 0.7 * probability(without, -1.75));
  TEST_ASSERT_TRUE(probability(with, -0.3) > 0.6);
}

}  // namespace
