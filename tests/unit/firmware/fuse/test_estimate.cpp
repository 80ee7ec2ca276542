// SPDX-License-Identifier: Apache-2.0
#include "firmware/fuse/estimate.hpp"

#include <cmath>
#include <random>

#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::fuse;

namespace {

double determinant(const Place& p) {
  return p.covariance[0] * p.covariance[3] - p.covariance[1] * p.covariance[2];
}

TEST(an_intersection_is_never_less_sure_than_the_better_one) {
  std::mt19937_64 random{1};
  std::uniform_real_distribution<double> u{-1, 1};
  for (int i = 0; i < 500; ++i) {
    Place a, b, out;
    for (Place* p : {&a, &b}) {
      const double l0 = 0.2 + std::abs(u(random)) * 3, l1 = u(random),
                   l2 = 0.2 + std::abs(u(random));
      p->covariance = {l0 * l0, l0 * l1, l0 * l1, l1 * l1 + l2 * l2};
    }
    const double w = intersect(a, b, out);
    TEST_ASSERT_TRUE(w >= 0 && w <= 1);
    TEST_ASSERT_TRUE(determinant(out) <= std::min(determinant(a), determinant(b)) * (1 + 1e-9));
    // By brute force.
    double best = 1e9;
    for (int k = 0; k <= 1000; ++k) {
      const double v = k / 1000.0, da = determinant(a), db = determinant(b);
      const double xx = v * a.covariance[3] / da + (1 - v) * b.covariance[3] / db;
      const double yy = v * a.covariance[0] / da + (1 - v) * b.covariance[0] / db;
      const double xy = -v * a.covariance[1] / da - (1 - v) * b.covariance[1] / db;
      best = std::min(best, 1 / (xx * yy - xy * xy));
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * best, best, determinant(out));
  }
}

/// Whatever the correlation of the two errors, the stated covariance is not less than the true one.
TEST(an_intersection_is_not_too_sure_of_errors_that_depend_on_each_other) {
  std::mt19937_64 random{2};
  std::normal_distribution<double> normal;
  for (const double shared : {0.0, 0.5, 0.9, 1.0}) {
    double sum = 0;
    const int runs = 4000;
    for (int i = 0; i < runs; ++i) {
      const double cx = normal(random), cy = normal(random);
      Place a, b, out;
      a.covariance = {4, 0, 0, 0.25};
      b.covariance = {1, 0, 0, 1};
      const double own = std::sqrt(1 - shared * shared);
      a.mean = {2 * (shared * cx + own * normal(random)),
                0.5 * (shared * cy + own * normal(random))};
      b.mean = {shared * cx + own * normal(random), shared * cy + own * normal(random)};
      intersect(a, b, out);
      const double det = determinant(out);
      sum += (out.covariance[3] * out.mean[0] * out.mean[0] -
              2 * out.covariance[1] * out.mean[0] * out.mean[1] +
              out.covariance[0] * out.mean[1] * out.mean[1]) /
             det;
    }
    TEST_ASSERT_TRUE(sum / runs < 2.1);  // two dimensions: 2 where it is just right
  }
}

TEST(two_who_disagree_beyond_chance_make_an_unsure_one) {
  Place a, b, near, far;
  a.covariance = b.covariance = {0.04, 0, 0, 0.04};
  b.mean = {0.2, 0};
  intersect(a, b, near);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.04, near.covariance[0]);
  b.mean = {3, 0};
  intersect(a, b, far);
  TEST_ASSERT_TRUE(far.covariance[0] > 1.5);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.04, far.covariance[3]);
}

TEST(people_are_moved_on_as_the_car_drives_and_turns) {
  // The car drives an arc of 10 m/s and 0.2 rad/s for a second; somebody stands at (20, 3), another
  // walks from there.
  const double h = 0.2, x = 10 / 0.2 * std::sin(h), y = 10 / 0.2 * (1 - std::cos(h));
  const auto seen = [&](double px, double py, double out[2]) {
    out[0] = std::cos(h) * (px - x) + std::sin(h) * (py - y);
    out[1] = std::cos(h) * (py - y) - std::sin(h) * (px - x);
  };
  const Way way{1, 10, 0.2, true, true};
  Place stands;
  stands.mean = {20, 3};
  stands.covariance = {1, 0.2, 0.2, 0.5};
  advance(stands, way);
  double expected[2];
  seen(20, 3, expected);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, expected[0], stands.mean[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, expected[1], stands.mean[1]);
  Moving walks;
  walks.mean = {20, 3, -0.5, 1.2};
  for (std::size_t i = 0; i < 4; ++i) walks.covariance[5 * i] = 0.1;
  const double before = walks.covariance[0];
  advance(walks, way);
  seen(19.5, 4.2, expected);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, expected[0], walks.mean[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, expected[1], walks.mean[1]);
  TEST_ASSERT_TRUE(walks.covariance[0] > before);
  // In steps it is the same but for the velocity that decays.
  Moving steps;
  steps.mean = {20, 3, 0, 0};
  steps.covariance = walks.covariance;
  for (int i = 0; i < 10; ++i) advance(steps, {0.1, 10, 0.2, true, true});
  seen(20, 3, expected);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, expected[0], steps.mean[0]);
}

TEST(one_person_is_likelier_than_two_where_place_and_velocity_agree) {
  Moving a, b;
  a.mean = b.mean = {15, 2, 0, 1.2};
  for (Moving* m : {&a, &b})
    for (std::size_t i = 0; i < 4; ++i) m->covariance[5 * i] = 0.1;
  const double same = one_person(a, b).value_or(-100);
  TEST_ASSERT_TRUE(same > 4);
  b.mean[1] += 1;
  const double apart = one_person(a, b).value_or(-100);
  TEST_ASSERT_TRUE(apart < same - 1);
  b.mean = a.mean;
  b.mean[3] = -1.2;  // they meet, but walk to different sides
  TEST_ASSERT_TRUE(one_person(a, b).value_or(-100) < 0);
  b.mean[0] += 30;
  TEST_ASSERT_FALSE(one_person(a, b).has_value());
  b.mean[0] = std::nan("");
  TEST_ASSERT_FALSE(one_person(a, b).has_value());
}

track::Person somebody(double x, double sigma) {
  track::Person p;
  p.x_m = p.walking.x_m = p.standing.x_m = x;
  p.vy_mps = p.walking.vy_mps = 1;
  for (std::size_t i = 0; i < 4; ++i)
    p.covariance[5 * i] = p.walking.covariance[5 * i] = sigma * sigma;
  p.standing.covariance = {sigma * sigma, 0, 0, sigma * sigma};
  p.walks = 0.8;
  p.certainty = 0.8;
  return p;
}

TEST(the_surer_camera_counts_more_and_both_add_to_certainty) {
  const track::Person good = somebody(20, 0.3), poor = somebody(22, 2);
  const Opinion both[2] = {{&good, {}}, {&poor, {}}};
  track::Person out = good;
  TEST_ASSERT_TRUE(fuse::fuse(both, 2, out));
  TEST_ASSERT_DOUBLE_WITHIN(0.3, 20, out.x_m);
  TEST_ASSERT_TRUE(out.covariance[0] < 0.2);
  TEST_ASSERT_TRUE(out.certainty > 0.9 && out.certainty < 0.99);
  TEST_ASSERT_TRUE(out.walks > 0.8 && out.walks < 0.95);
  TEST_ASSERT_TRUE(out.confirmed);
  // One who doubts takes nothing from one who sees.
  track::Person doubts = poor;
  doubts.certainty = 0.15;
  const Opinion other[2] = {{&good, {}}, {&doubts, {}}};
  TEST_ASSERT_TRUE(fuse::fuse(other, 2, out));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.8, out.certainty);
}

TEST(what_is_no_number_is_left_out) {
  const track::Person good = somebody(20, 0.3);
  track::Person bad = good;
  bad.x_m = bad.walking.x_m = bad.standing.x_m = std::nan("");
  const Opinion both[2] = {{&bad, {}}, {&good, {}}};
  track::Person out = good;
  TEST_ASSERT_TRUE(fuse::fuse(both, 2, out));
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 20, out.x_m);
  const Opinion none[2] = {{&bad, {}}, {&bad, {}}};
  TEST_ASSERT_FALSE(fuse::fuse(none, 2, out));
}

}  // namespace
