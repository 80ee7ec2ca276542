// SPDX-License-Identifier: Apache-2.0
// How well boxes are placed, against numbers worked out by hand.
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "tests/support/test.hpp"
#include "tools/eval/placement.hpp"

namespace {

using namespace kerb::eval;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kExact = 1e-9;
constexpr RoadCamera kCamera{1000, 1.5, 100};  // metres: 1500 / rows below the horizon

/// One picture, judged.
std::vector<BoxError> errors_of(const std::vector<TruthBox>& truth,
                                const std::vector<ScoredBox>& detections, int picture_height,
                                const std::optional<RoadCamera>& camera = {},
                                const MatchSettings& settings = {}) {
  const Judged judged = judge(truth, detections, settings);
  return box_errors({{&truth, &detections, &judged, picture_height}}, camera);
}

void expect_summary(const ErrorSummary& got, int people, double mean, double median,
                    double abs_median, double abs_p90) {
  TEST_ASSERT_EQUAL_INT(people, got.people);
  TEST_ASSERT_DOUBLE_WITHIN(kExact, mean, got.mean);
  TEST_ASSERT_DOUBLE_WITHIN(kExact, median, got.median);
  TEST_ASSERT_DOUBLE_WITHIN(kExact, abs_median, got.abs_median);
  TEST_ASSERT_DOUBLE_WITHIN(kExact, abs_p90, got.abs_p90);
}

TEST(a_box_is_compared_in_its_own_shape) {
  // Foot points (130, 150) and (125, 158); the widths differ by a factor of three.
  const std::vector<BoxError> errors =
      errors_of({{{100, 50, 60, 100}}}, {{{115, 54, 20, 104}, 7}}, 480);
  TEST_ASSERT_EQUAL_INT(1, int(errors.size()));
  const BoxError& e = errors[0];
  TEST_ASSERT_EQUAL_DOUBLE(100, e.height);
  TEST_ASSERT_EQUAL_DOUBLE(7, e.score);
  TEST_ASSERT_FALSE(e.cut_off);
  TEST_ASSERT_DOUBLE_WITHIN(kExact, -5, e.foot_right_px);
  TEST_ASSERT_DOUBLE_WITHIN(kExact, 8, e.foot_down_px.value());
  TEST_ASSERT_DOUBLE_WITHIN(kExact, 4, e.height_percent.value());
  TEST_ASSERT_FALSE(e.distance_m.has_value() || e.distance_percent.has_value());
}

TEST(only_the_detection_that_found_a_person_counts_for_them) {
  // Before the people a region to ignore, so that indices differ. The best detection is on it, the
  // second is a duplicate of the first, the last is too low to be looked at.
  MatchSettings settings;
  settings.min_height = 50;
  const std::vector<TruthBox> truth{
      {{300, 0, 100, 200}, true}, {{20, 100, 41, 100}}, {{100, 100, 41, 100}}};
  const std::vector<ScoredBox> detections{{{120, 100, 4, 39}, 9},
                                          {{22, 101, 41, 100}, 3},
                                          {{20, 90, 41, 100}, 2},
                                          {{330, 20, 41, 100}, 8},
                                          {{101, 103, 41, 100}, 5}};
  const std::vector<BoxError> errors = errors_of(truth, detections, 480, {}, settings);
  TEST_ASSERT_EQUAL_INT(2, int(errors.size()));
  TEST_ASSERT_EQUAL_DOUBLE(5, errors[0].score);  // best first
  TEST_ASSERT_DOUBLE_WITHIN(kExact, 1, errors[0].foot_right_px);
  TEST_ASSERT_DOUBLE_WITHIN(kExact, 3, errors[0].foot_down_px.value());
  TEST_ASSERT_EQUAL_DOUBLE(3, errors[1].score);
  TEST_ASSERT_DOUBLE_WITHIN(kExact, 2, errors[1].foot_right_px);
  TEST_ASSERT_DOUBLE_WITHIN(kExact, 1, errors[1].foot_down_px.value());
}

TEST(people_cut_off_by_the_lower_edge_have_no_foot_point_and_no_height) {
  struct Case {
    double y, h;
    bool cut_off, has_height;
  };
  for (const Case& c :
       {Case{100, 100, true, false}, Case{100, 99, true, false}, Case{100, 98.9, false, true},
        Case{100, 105, true, false}, Case{1, 150, false, false}, Case{1.1, 150, false, true}}) {
    const Box box{50, c.y, 40, c.h};
    const std::vector<BoxError> errors = errors_of({{box}}, {{box, 1}}, 200, kCamera);
    TEST_ASSERT_EQUAL_INT(1, int(errors.size()));
    TEST_ASSERT_EQUAL_INT(c.cut_off, errors[0].cut_off);
    TEST_ASSERT_EQUAL_INT(!c.cut_off, errors[0].foot_down_px.has_value());
    TEST_ASSERT_EQUAL_INT(!c.cut_off, errors[0].distance_m.has_value());
    TEST_ASSERT_EQUAL_INT(!c.cut_off, errors[0].distance_percent.has_value());
    TEST_ASSERT_EQUAL_INT(c.has_height, errors[0].height_percent.has_value());
    TEST_ASSERT_EQUAL_DOUBLE(0, errors[0].foot_right_px);
  }
}

TEST(a_distance_is_that_of_the_foot_point_on_a_flat_road) {
  TEST_ASSERT_DOUBLE_WITHIN(kExact, 30, distance_m(kCamera, 150));
  TEST_ASSERT_DOUBLE_WITHIN(kExact, 25, distance_m(kCamera, 160));
  TEST_ASSERT_TRUE(distance_m(kCamera, 100) == kInfinity);
  TEST_ASSERT_TRUE(distance_m(kCamera, 20) == kInfinity);
  struct Case {
    double truth_foot, found_foot;
    std::optional<double> metres, percent;
  };
  for (const Case& c : {Case{150, 160, -5, -100 / 6.0}, Case{160, 150, 5, 20}, Case{200, 200, 0, 0},
                        Case{104, 99, kInfinity, kInfinity}, Case{104, 100, kInfinity, kInfinity},
                        Case{100, 110, {}, {}}, Case{99, 110, {}, {}}}) {
    const std::vector<BoxError> errors = errors_of(
        {{{10, c.truth_foot - 80, 30, 80}}}, {{{10, c.found_foot - 80, 30, 80}, 1}}, 480, kCamera);
    TEST_ASSERT_EQUAL_INT(1, int(errors.size()));
    const BoxError& e = errors[0];
    TEST_ASSERT_TRUE(e.foot_down_px.has_value());
    TEST_ASSERT_EQUAL_INT(c.metres.has_value(), e.distance_m.has_value());
    TEST_ASSERT_EQUAL_INT(c.percent.has_value(), e.distance_percent.has_value());
    if (!c.metres) continue;
    if (*c.metres == kInfinity) {
      TEST_ASSERT_TRUE(*e.distance_m == kInfinity && *e.distance_percent == kInfinity);
    } else {
      TEST_ASSERT_DOUBLE_WITHIN(kExact, *c.metres, *e.distance_m);
      TEST_ASSERT_DOUBLE_WITHIN(kExact, *c.percent, *e.distance_percent);
    }
  }
}

TEST(errors_are_summarised_with_and_without_their_sign) {
  TEST_ASSERT_EQUAL_INT(0, summarise({}).people);
  expect_summary(summarise({-2}), 1, -2, -2, 2, 2);
  expect_summary(summarise({3, -1}), 2, 1, 1, 2, 2.8);  // 1 + 0.9 * 2
  // Sorted 1 2 3 4 10 without signs: 90 % lies 0.6 of the way from the fourth to the fifth.
  expect_summary(summarise({4, 1, -10, 3, 2}), 5, 0, 2, 3, 7.6);
}

TEST(infinite_errors_are_the_largest) {
  // The ninth of ten steps is the tenth of eleven errors: the infinite one does not touch it.
  const ErrorSummary one = summarise({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, kInfinity});
  TEST_ASSERT_TRUE(one.mean == kInfinity);
  TEST_ASSERT_EQUAL_DOUBLE(6, one.median);
  TEST_ASSERT_EQUAL_DOUBLE(6, one.abs_median);
  TEST_ASSERT_EQUAL_DOUBLE(10, one.abs_p90);
  const ErrorSummary most = summarise({1, kInfinity, kInfinity});
  TEST_ASSERT_TRUE(most.median == kInfinity && most.abs_p90 == kInfinity);
}

TEST(boxes_are_summarised_by_height_at_a_threshold) {
  const auto error = [](double height, double score, double right) {
    BoxError e;
    e.height = height;
    e.score = score;
    e.foot_right_px = right;
    return e;
  };
  std::vector<BoxError> errors{error(40, 5, 1), error(50, 5, 2), error(99, 4, -4), error(100, 9, 8),
                               error(100, 3.9, 100)};
  errors[0].foot_down_px = -1;
  errors[1].foot_down_px = 3;
  errors[1].height_percent = -10;
  errors[1].distance_m = 2;
  errors[1].distance_percent = 20;
  errors[2].foot_down_px = 6;
  errors[2].height_percent = 30;
  errors[2].distance_m = kInfinity;
  errors[2].distance_percent = kInfinity;
  errors[3].cut_off = true;
  errors[4].foot_down_px = 100;  // below the threshold
  const std::vector<PlacementBin> bins = placement_by_height(errors, {50, 100}, 4);
  TEST_ASSERT_EQUAL_INT(4, int(bins.size()));
  const double from[] = {0, 50, 100, 0}, to[] = {50, 100, kInfinity, kInfinity};
  const int found[] = {1, 2, 1, 4}, cut_off[] = {0, 0, 1, 1}, above[] = {0, 1, 0, 1};
  for (std::size_t i = 0; i < bins.size(); ++i) {
    TEST_ASSERT_EQUAL_DOUBLE(from[i], bins[i].from);
    TEST_ASSERT_TRUE(to[i] == bins[i].to);
    TEST_ASSERT_EQUAL_INT(found[i], bins[i].found);
    TEST_ASSERT_EQUAL_INT(cut_off[i], bins[i].cut_off);
    TEST_ASSERT_EQUAL_INT(above[i], bins[i].above_horizon);
  }
  expect_summary(bins[0].foot_down_px, 1, -1, -1, 1, 1);
  expect_summary(bins[1].foot_down_px, 2, 4.5, 4.5, 4.5, 5.7);
  TEST_ASSERT_EQUAL_INT(0, bins[2].foot_down_px.people);
  expect_summary(bins[2].foot_right_px, 1, 8, 8, 8, 8);
  // -1 3 6; 1 2 4 8 without signs, of which 90 % is 4 + 0.7 * 4.
  const PlacementBin& all = bins[3];
  expect_summary(all.foot_down_px, 3, 8 / 3.0, 3, 3, 5.4);
  expect_summary(all.foot_right_px, 4, 1.75, 1.5, 3, 6.8);
  expect_summary(all.height_percent, 2, 10, 10, 20, 28);
  TEST_ASSERT_EQUAL_INT(2, all.distance_m.people);
  expect_summary(bins[0].distance_m, 0, 0, 0, 0, 0);
  TEST_ASSERT_EQUAL_INT(2, bins[1].distance_percent.people);
}

}  // namespace
