// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/image_filter.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "tests/support/test.hpp"
#include "tests/unit/firmware/track/walkers.hpp"

using namespace kerb;
using track::BoxFlow;
using track::ImageFilter;
using track::ImageFilterSettings;

namespace {

constexpr double kFrame = 1.0 / 25;
constexpr double kWidth = 0.4;

Detection box_at(double column, double row, double height) {
  const double w = kWidth * height;
  return {static_cast<float>(column - w / 2), static_cast<float>(row - height / 2),
          static_cast<float>(w), static_cast<float>(height), 5};
}

/// The column's filter as textbooks have it, in matrices.
struct Plain {
  Eigen::Vector2d x{0, 0};
  Eigen::Matrix2d p = Eigen::Matrix2d::Zero();

  void predict(const ImageFilterSettings& s, double dt, double height) {
    Eigen::Matrix2d f, q;
    f << 1, dt, 0, 1;
    q << s.drift * dt + s.wander * dt * dt * dt / 3, s.wander * dt * dt / 2, s.wander * dt * dt / 2,
        s.wander * dt;
    x = f * x;
    p = f * p * f.transpose() + height * height * q;
  }
  void see(const Eigen::RowVector2d& h, double off, double variance) {
    const Eigen::Vector2d gain = p * h.transpose() / (h * p * h.transpose() + variance);
    x += gain * off;
    p = (Eigen::Matrix2d::Identity() - gain * h) * p;
  }
};

TEST(the_column_is_that_of_a_textbook_filter) {
  const ImageFilterSettings s;
  test::Dice dice{1};
  ImageFilter filter;
  filter.begin(s, box_at(100, 200, 120));
  Plain plain;
  plain.x << 100, 0;
  const double jitter = std::pow(s.column_jitter * 120, 2);
  plain.p.diagonal() << jitter, std::pow(s.start_speed * 120, 2);
  for (int i = 1; i < 60; ++i) {
    filter.predict(s, kFrame, 0);
    plain.predict(s, kFrame, 120);
    if (i % 3 != 0) {
      BoxFlow flow;
      flow.points = 20;
      flow.dx = static_cast<float>(2 + 0.2 * dice.normal());
      flow.sigma_px = 0.3F;
      const double before = plain.x[0] - kFrame * plain.x[1];
      const double dx = static_cast<double>(flow.dx);
      const double variance = std::pow(static_cast<double>(flow.sigma_px), 2) +
                              std::pow(s.flow_share * dx, 2) + std::pow(s.flow_least * 120, 2);
      plain.see({0, kFrame}, dx - (plain.x[0] - before), variance);
      filter.see_flow(s, kFrame, flow);
    }
    if (i % 2 != 0) {
      const Detection box = box_at(100 + 2 * i + 5 * dice.normal(), 200, 120);
      const double column = static_cast<double>(box.x) + static_cast<double>(box.w) / 2;
      plain.see({1, 0}, column - plain.x[0], jitter);
      filter.see_box(s, box);
    }
    const Detection now = filter.box(kWidth);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 120, static_cast<double>(now.h));
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, plain.x[0], static_cast<double>(now.x + now.w / 2));
  }
  TEST_ASSERT_DOUBLE_WITHIN(4, 218, plain.x[0]);
}

TEST(who_moves_evenly_is_expected_where_they_will_be) {
  const ImageFilterSettings s;
  test::Dice dice{2};
  ImageFilter filter;
  filter.begin(s, box_at(100, 200, 100));
  double squared = 0;
  int counted = 0;
  for (int i = 1; i < 200; ++i) {
    filter.predict(s, kFrame, 0);
    const double h = 100 + 0.2 * i;
    const Detection box = box_at(100 + 3 * i + s.column_jitter * h * dice.normal(),
                                 200 + 0.5 * i + s.row_jitter * h * dice.normal(),
                                 h * (1 + s.height_jitter * dice.normal()));
    if (i > 20) squared += filter.distance2(s, box), ++counted;
    filter.see_box(s, box);
  }
  // Three numbers with the noise that is assumed: three squared standard deviations, or fewer, as
  // nobody wanders here.
  TEST_ASSERT_TRUE(squared / counted > 1.8 && squared / counted < 3.3);
  for (int i = 0; i < 10; ++i) filter.predict(s, kFrame, 0);
  const Detection then = filter.box(kWidth);
  TEST_ASSERT_DOUBLE_WITHIN(15, 100 + 3 * 209, static_cast<double>(then.x + then.w / 2));
}

TEST(without_detections_the_place_becomes_less_certain) {
  const ImageFilterSettings s;
  ImageFilter filter;
  filter.begin(s, box_at(100, 200, 100));
  const Detection beside = box_at(150, 200, 100);
  double before = 1e9;
  for (int i = 0; i < 25; ++i) {
    filter.predict(s, kFrame, 0);
    const double now = filter.distance2(s, beside);
    TEST_ASSERT_TRUE(now < before);
    before = now;
  }
}

TEST(the_flow_of_another_thing_moves_no_box) {
  const ImageFilterSettings s;
  ImageFilter filter;
  filter.begin(s, box_at(100, 200, 100));
  for (int i = 0; i < 50; ++i) {
    filter.predict(s, kFrame, 0);
    filter.see_box(s, box_at(100, 200, 100));
  }
  filter.predict(s, kFrame, 0);
  BoxFlow flow;
  flow.points = 20;
  flow.dx = 60;
  flow.sigma_px = 0.1F;
  filter.see_flow(s, kFrame, flow);
  flow.dx = flow.dy = flow.growth = std::numeric_limits<float>::quiet_NaN();
  filter.see_flow(s, kFrame, flow);
  const Detection now = filter.box(kWidth);
  TEST_ASSERT_DOUBLE_WITHIN(1, 100, static_cast<double>(now.x + now.w / 2));
  TEST_ASSERT_DOUBLE_WITHIN(1, 100, static_cast<double>(now.h));
}

TEST(a_turn_of_the_camera_moves_the_box) {
  const ImageFilterSettings s;
  ImageFilter filter;
  filter.begin(s, box_at(100, 200, 100));
  filter.predict(s, kFrame, -25);
  const Detection now = filter.box(kWidth);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 75, static_cast<double>(now.x + now.w / 2));
}

}  // namespace
