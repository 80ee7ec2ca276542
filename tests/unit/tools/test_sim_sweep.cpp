// SPDX-License-Identifier: Apache-2.0
// What kerblab sim sweep counts and draws: the grid, quantiles, calibration, plots.
#include <cmath>
#include <limits>
#include <string>
#include <variant>

#include "tests/support/test.hpp"
#include "tools/eval/plot.hpp"
#include "tools/kerblab/sim/calibration.hpp"
#include "tools/kerblab/sim/sweep_grid.hpp"
#include "tools/kerblab/sim/sweep_points.hpp"
#include "tools/simulator/world/world.hpp"

namespace {

using namespace kerb;
using namespace kerb::lab;

// --- the grid

TEST(an_axis_is_a_key_and_its_values) {
  const std::optional<SweepAxis> axis = parse_axis("decisions.warning.likelihood=0.3,0.45,1");
  TEST_ASSERT_TRUE(axis.has_value());
  TEST_ASSERT_EQUAL_STRING("decisions.warning.likelihood", axis->key.c_str());
  TEST_ASSERT_EQUAL_INT(3, int(axis->values.size()));
  TEST_ASSERT_EQUAL_STRING("0.45", axis->values[1].c_str());
  TEST_ASSERT_EQUAL_STRING("a=b", parse_axis("k=a=b")->values[0].c_str());
}

TEST(commas_in_texts_and_lists_belong_to_the_value) {
  const std::optional<SweepAxis> texts = parse_axis("k=\"a,b\",'c,d'");
  TEST_ASSERT_TRUE(texts.has_value());
  TEST_ASSERT_EQUAL_INT(2, int(texts->values.size()));
  TEST_ASSERT_EQUAL_STRING("'c,d'", texts->values[1].c_str());
  const std::optional<SweepAxis> lists = parse_axis("k=[1,2],[3,[4,5]]");
  TEST_ASSERT_TRUE(lists.has_value());
  TEST_ASSERT_EQUAL_INT(2, int(lists->values.size()));
  TEST_ASSERT_EQUAL_STRING("[3,[4,5]]", lists->values[1].c_str());
}

TEST(what_is_no_axis_is_refused) {
  for (const char* bad :
       {"", "k", "=1", "k=", "k=,", "k=1,", "k=,1", "k=1,,2", "k=\"a", "k=[1,2", "k=1]", "k='a,b"})
    TEST_ASSERT_FALSE_MESSAGE(parse_axis(bad).has_value(), bad);
}

TEST(the_grid_is_every_combination_and_the_last_axis_is_fastest) {
  const auto grid = grid_of({{"a", {"1", "2"}}, {"b", {"x", "y", "z"}}});
  TEST_ASSERT_EQUAL_INT(6, int(grid.size()));
  TEST_ASSERT_EQUAL_STRING("a=1", grid[1][0].c_str());
  TEST_ASSERT_EQUAL_STRING("b=y", grid[1][1].c_str());
  TEST_ASSERT_EQUAL_STRING("a=2", grid[3][0].c_str());
  TEST_ASSERT_EQUAL_STRING("b=x", grid[3][1].c_str());
  TEST_ASSERT_EQUAL_INT(1, int(grid_of({}).size()));
  TEST_ASSERT_TRUE(grid_of({})[0].empty());
  const SweepAxis hundred{"k", std::vector<std::string>(100, "1")};
  TEST_ASSERT_EQUAL_INT(kMostSweepPoints, int(grid_of({hundred, hundred}).size()));
  TEST_ASSERT_TRUE(grid_of({hundred, hundred, hundred, hundred}).size() > kMostSweepPoints);
}

// --- quantiles and sums

TEST(a_quantile_is_one_of_the_values_and_never_is_none) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  TEST_ASSERT_FALSE(quantile({}, 0.5).has_value());
  TEST_ASSERT_EQUAL_DOUBLE(7, *quantile({7}, 0.1));
  const std::vector<double> eleven{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  TEST_ASSERT_EQUAL_DOUBLE(1, *quantile(eleven, 0.1));
  TEST_ASSERT_EQUAL_DOUBLE(5, *quantile(eleven, 0.5));
  TEST_ASSERT_EQUAL_DOUBLE(2, *quantile({1, 2, 3, 4}, 0.5));  // the nearest below
  TEST_ASSERT_FALSE(quantile({kNever, 2, 3}, 0.1).has_value());
  TEST_ASSERT_EQUAL_DOUBLE(2, *quantile({kNever, 2, 3}, 0.5));
}

sim::ReportedRun hit(const char* name, std::optional<double> warned) {
  sim::ReportedRun run;
  run.suite = "s";
  run.scenario.name = name;
  run.scenario.group = "hits";
  run.scenario.seconds = 5;
  run.scenario.criteria.collision_warning_before_impact_s = 1.5;
  run.truth.contact = sim::Contact{4, 0, 0.5, true};
  run.judgement.warned_before_impact = warned;
  run.judgement.verdicts.push_back({"r", warned && *warned >= 1.5, "", false});
  return run;
}
sim::ReportedRun quiet(const char* name, double seconds, int warnings) {
  sim::ReportedRun run;
  run.suite = "s";
  run.scenario.name = name;
  run.scenario.group = "quiet";
  run.scenario.seconds = seconds;
  run.scenario.criteria.no_collision_warning = true;
  for (int i = 0; i < warnings; ++i) {
    auto& sent = run.judgement.sent.warnings.emplace_back();
    sent.level = WarningLevel::collision;
    sent.begin = 1.0 + i, sent.end = 1.5 + i;
  }
  run.judgement.verdicts.push_back({"r", warnings == 0, "", false});
  return run;
}

SweepPoint a_point() {
  sim::Report report;
  report.runs = {hit("a", 2.0), hit("b", 1.0), hit("c", std::nullopt), quiet("d", 1200, 2),
                 quiet("e", 600, 0)};
  sum_up(report, {{"s", "", std::nullopt}});
  Calibration calibration;
  for (int i = 0; i < 4; ++i) calibration.add(0.75, i < 3);
  calibration.add(0.05, false);
  return make_point({"decisions.warning.likelihood=0.5"}, report, calibration);
}

TEST(a_point_sums_up_the_runs) {
  const SweepPoint point = a_point();
  TEST_ASSERT_EQUAL_INT(5, point.runs);
  TEST_ASSERT_EQUAL_INT(2, point.passed);
  TEST_ASSERT_EQUAL_INT(1, point.never_warned);
  TEST_ASSERT_EQUAL_INT(3, point.impacts);
  TEST_ASSERT_FALSE(point.tenth_s.has_value());  // the one that was never warned
  TEST_ASSERT_EQUAL_DOUBLE(1.0, *point.median_s);
  TEST_ASSERT_EQUAL_INT(2, point.silence.collision_warnings);
  TEST_ASSERT_EQUAL_DOUBLE(4, point.silence.per_hour());  // 2 in half an hour
  TEST_ASSERT_EQUAL_INT(3, int(point.failed.size()));
  TEST_ASSERT_EQUAL_STRING("s/b", point.failed[0].c_str());
  TEST_ASSERT_EQUAL_INT(2, int(point.groups.size()));
}

TEST(points_are_read_as_they_were_written) {
  const std::string text = render_points({a_point(), a_point()});
  const auto read = parse_points(text);
  TEST_ASSERT_TRUE(std::holds_alternative<std::vector<SweepPoint>>(read));
  const auto& points = std::get<std::vector<SweepPoint>>(read);
  TEST_ASSERT_EQUAL_INT(2, int(points.size()));
  TEST_ASSERT_EQUAL_STRING(text.c_str(), render_points(points).c_str());
}

TEST(what_is_no_sweep_is_refused_in_one_line) {
  const std::string good = render_points({a_point()});
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    TEST_ASSERT_TRUE_MESSAGE(at != std::string::npos, from.c_str());
    return text.replace(at, from.size(), to);
  };
  for (const std::string& bad :
       {std::string{}, std::string{"[]"}, std::string{"{\"points\": 3}"}, good.substr(0, 200),
        with("\"runs\": 5", "\"runs\": -5"), with("\"runs\": 5", "\"runs\": 1e30"),
        with("\"runs\": 5", "\"runs\": 2.5"), with("\"median\": 1.0", "\"median\": \"x\""),
        with("\"came_true\": 3", "\"came_true\": 30"), with("\"predictions\": 1", "\"other\": 1"),
        with("\"minutes\": 30.0", "\"minutes\": -1")}) {
    const auto read = parse_points(bad);
    TEST_ASSERT_TRUE_MESSAGE(std::holds_alternative<std::string>(read), bad.c_str());
    TEST_ASSERT_TRUE(
        std::get<std::string>(read).starts_with("is not a report of kerblab sim sweep"));
  }
}

// --- calibration

TEST(predictions_are_counted_in_ten_bins) {
  Calibration calibration;
  calibration.add(0.0199, true);  // too little to count
  calibration.add(0.02, false);
  calibration.add(0.1, true);  // the lower end belongs to the bin
  calibration.add(0.99, true);
  calibration.add(1.0, true);
  calibration.add(std::nan(""), true);
  TEST_ASSERT_EQUAL_INT(1, int(calibration.bins()[0].predictions));
  TEST_ASSERT_EQUAL_INT(0, int(calibration.bins()[0].came_true));
  TEST_ASSERT_EQUAL_INT(1, int(calibration.bins()[1].predictions));
  TEST_ASSERT_EQUAL_INT(2, int(calibration.bins()[9].predictions));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.995, calibration.bins()[9].mean());
  // |0.02 - 0|, |0.1 - 1|, twice |0.995 - 1|; of four
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, (0.02 + 0.9 + 2 * 0.005) / 4, calibration.error());
  TEST_ASSERT_EQUAL_DOUBLE(0, Calibration{}.error());
}

/// The car drives 10 m/s towards somebody who stands 50 m ahead, and is there after 4.975 s;
/// another person stands 6 m to the left, 30 m ahead.
BatchRun standing_in_the_way() {
  BatchRun run;
  sim::Scenario& s = run.run.scenario;
  s.seconds = 6;
  s.car.speeds = {{0, 10, 3}};
  s.people.resize(2);
  s.people[0].start.at = {50, 0};
  s.people[1].start.at = {30, 6};
  return run;
}

TEST(a_made_up_run_is_counted_as_by_hand) {
  BatchRun run = standing_in_the_way();
  const sim::World world{run.run.scenario};
  TEST_ASSERT_TRUE(world.contacts()[0].has_value());
  TEST_ASSERT_FALSE(world.contacts()[1].has_value());
  const double impact = world.contacts()[0]->t;
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 4.975, impact);
  run.found = {
      {0.5, {}, {}, {{45, 0, 0.95}}},    // true, but more than 4 s before: did not come
      {2.0, {}, {}, {{30, 0, 0.75}}},    // the right place: came true
      {2.0, {}, {}, {{36.5, 0, 0.75}}},  // 6.5 m off at 30 m: within 1 m + 20 %
      {2.0, {}, {}, {{38, 0, 0.75}}},    // 8 m off: somebody else
      {2.0, {}, {}, {{10, 6, 0.35}, {30, 0, 0.35}}},  // the one at the side, and the right one
      {4.0, {}, {}, {}},                              // nobody
      {4.5, {}, {}, {{5, 0, 0.001}}},                 // too little to count
      {5.5, {}, {}, {{25, 6, 0.95}}},                 // after the impact nothing counts
  };
  Calibration calibration;
  calibration.add(run);
  const auto& bins = calibration.bins();
  TEST_ASSERT_EQUAL_INT(1, int(bins[9].predictions));
  TEST_ASSERT_EQUAL_INT(0, int(bins[9].came_true));
  TEST_ASSERT_EQUAL_INT(3, int(bins[7].predictions));
  TEST_ASSERT_EQUAL_INT(2, int(bins[7].came_true));
  TEST_ASSERT_EQUAL_INT(2, int(bins[3].predictions));
  TEST_ASSERT_EQUAL_INT(1, int(bins[3].came_true));
  std::int64_t all = 0;
  for (const Calibration::Bin& bin : bins) all += bin.predictions;
  TEST_ASSERT_EQUAL_INT(6, int(all));
}

// --- plots

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Points of a linear frame, x 0..10 and y 0..4: pixels 86..876, 568..48.
TEST(linear_axes_are_linear) {
  eval::Plot plot;
  plot.x_scale = plot.y_scale = eval::Plot::Scale::linear;
  plot.x_from = 0, plot.x_to = 10, plot.y_from = 0, plot.y_to = 4;
  plot.x_ticks = {0, 5, 10};
  plot.y_ticks = {0, 4};
  eval::Plot::Series series{"s", {{0, 0}, {5, 2}, {10, 4}}};
  series.y_ranges = {{0, 0}, {1, 3}, {2, 6}};
  series.labels = {"", "half", ""};
  series.marks = true;
  plot.series.push_back(series);
  const std::string svg = to_svg(lay_out(plot));
  TEST_ASSERT_TRUE_MESSAGE(has(svg, "points=\"86.00,568.00 481.00,308.00 876.00,48.00\""),
                           svg.c_str());
  TEST_ASSERT_TRUE(has(svg, "points=\"481.00,438.00 481.00,178.00\""));  // 1..3
  TEST_ASSERT_TRUE(has(svg, "points=\"477.00,438.00 485.00,438.00\""));  // its lower cap
  TEST_ASSERT_TRUE(has(svg, "points=\"876.00,308.00 876.00,48.00\""));   // 2..6 is cut at 4,
  TEST_ASSERT_FALSE(has(svg, "points=\"872.00,48.00 880.00,48.00\""));   // without a cap
  TEST_ASSERT_TRUE(has(svg, ">half</text>"));
  for (const char* tick : {">0</text>", ">5</text>", ">10</text>", ">4</text>"})
    TEST_ASSERT_TRUE_MESSAGE(has(svg, tick), tick);
}

TEST(labels_that_would_cover_each_other_are_one) {
  eval::Plot plot;
  plot.x_scale = plot.y_scale = eval::Plot::Scale::linear;
  plot.x_from = 0, plot.x_to = 1, plot.y_from = 0, plot.y_to = 1;
  eval::Plot::Series series{"s", {{0.5, 0.5}, {0.5, 0.51}, {0.5, 0.7}, {1, 1}, {2, 2}}};
  series.labels = {"a", "b", "c", "edge", "outside"};
  plot.series.push_back(series);
  const std::string svg = to_svg(lay_out(plot));
  TEST_ASSERT_TRUE_MESSAGE(has(svg, ">a, b</text>"), svg.c_str());
  TEST_ASSERT_TRUE(has(svg, ">c</text>"));
  TEST_ASSERT_TRUE(has(svg, "text-anchor=\"end\" fill=\"#0072b2\">edge</text>"));
  TEST_ASSERT_FALSE(has(svg, "outside"));
}

TEST(linear_ticks_are_round_and_end_the_axis) {
  struct Case {
    double most, step, last;
  };
  for (const Case& c : {Case{1, 0.1, 1}, Case{14, 2, 14}, Case{10, 1, 10}, Case{10.2, 2, 12},
                        Case{0.03, 0.005, 0.03}, Case{2.4, 0.5, 2.5}, Case{51, 10, 60}}) {
    const std::vector<double> ticks = eval::linear_ticks(c.most);
    TEST_ASSERT_EQUAL_DOUBLE(0, ticks[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, c.step, ticks[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, c.last, ticks.back());
    TEST_ASSERT_LESS_OR_EQUAL(11, int(ticks.size()));
  }
  for (const double nothing : {0.0, -1.0, std::nan("")})
    TEST_ASSERT_EQUAL_INT(2, int(eval::linear_ticks(nothing).size()));
}

SweepPoint point_of(const char* likelihood, int warnings, double tenth, double median) {
  SweepPoint point;
  point.set = {"decisions.warning.likelihood=" + std::string{likelihood}, "camera.rate_hz=30"};
  point.impacts = 10;
  point.tenth_s = tenth;
  point.median_s = median;
  point.silence = {4, 3600, warnings};
  for (int i = 0; i < 10; ++i) point.calibration.add(0.55, i < 5);
  return point;
}

TEST(the_curve_has_false_alarms_and_both_times) {
  const std::vector<SweepPoint> points{point_of("0.3", 8, 1.5, 2.25), point_of("0.7", 2, 1, 2)};
  const eval::Plot plot = curve_plot(points, {});
  TEST_ASSERT_EQUAL_STRING("By decisions.warning.likelihood", plot.title.c_str());
  TEST_ASSERT_EQUAL_STRING("false collision warnings an hour, of 60.0 minutes (95 % interval)",
                           plot.x_label.c_str());
  TEST_ASSERT_EQUAL_STRING("time from the warning to the impact, s", plot.y_label.c_str());
  TEST_ASSERT_EQUAL_INT(2, int(plot.series.size()));
  TEST_ASSERT_EQUAL_STRING("median", plot.series[0].name.c_str());
  // From few false alarms to many, in whatever order they were given.
  TEST_ASSERT_EQUAL_DOUBLE(2, plot.series[0].points[0].first);
  TEST_ASSERT_EQUAL_DOUBLE(8, plot.series[0].points[1].first);
  TEST_ASSERT_EQUAL_DOUBLE(2.25, plot.series[0].points[1].second);
  TEST_ASSERT_EQUAL_DOUBLE(1, plot.series[1].points[0].second);
  TEST_ASSERT_EQUAL_STRING("0.7", plot.series[1].labels[0].c_str());
  // Garwood's interval of 2: as in the tests of intervals.
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.2422092785, plot.series[0].x_ranges[0].first);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 7.2246876677, plot.series[0].x_ranges[0].second);
  TEST_ASSERT_EQUAL_DOUBLE(9, plot.x_to);
  const std::string svg = to_svg(lay_out(plot));
  for (const char* part :
       {">median</text>", ">tenth percentile</text>", ">0.3</text>", ">0.7</text>"})
    TEST_ASSERT_TRUE_MESSAGE(has(svg, part), part);
  TEST_ASSERT_FALSE(has(svg, "dasharray"));
  TEST_ASSERT_FALSE(has(svg, "nan") || has(svg, "inf"));
}

TEST(before_is_dashed_and_what_was_never_warned_of_is_at_0) {
  std::vector<SweepPoint> before{point_of("0.5", 14, 1, 1.5)};
  before[0].tenth_s.reset();
  const eval::Plot plot = curve_plot({point_of("0.5", 1, 1.5, 2)}, before);
  TEST_ASSERT_EQUAL_INT(4, int(plot.series.size()));
  TEST_ASSERT_EQUAL_STRING("after: median", plot.series[0].name.c_str());
  TEST_ASSERT_EQUAL_STRING("before: tenth percentile", plot.series[3].name.c_str());
  TEST_ASSERT_EQUAL_DOUBLE(14, plot.series[3].points[0].first);
  TEST_ASSERT_EQUAL_DOUBLE(0, plot.series[3].points[0].second);
  TEST_ASSERT_TRUE(plot.series[2].dashed && !plot.series[0].dashed);
  // Nobody is hit, or silence is asked of nobody: there is nothing to draw.
  SweepPoint empty = point_of("0.5", 0, 0, 0);
  empty.impacts = 0;
  TEST_ASSERT_TRUE(curve_plot({empty}, {}).series[0].points.empty());
  TEST_ASSERT_FALSE(has(to_svg(lay_out(curve_plot({}, {}))), "nan"));
}

TEST(reliability_has_shares_intervals_and_numbers) {
  const std::vector<SweepPoint> same{point_of("0.3", 8, 1.5, 2), point_of("0.7", 2, 1, 2)};
  const eval::Plot plot = reliability_plot(same, {});
  TEST_ASSERT_EQUAL_INT(2, int(plot.series.size()));  // both are one; and the diagonal
  const eval::Plot::Series& series = plot.series[0];
  TEST_ASSERT_EQUAL_STRING("10 predictions, mean error 0.050", series.name.c_str());
  TEST_ASSERT_EQUAL_INT(1, int(series.points.size()));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.55, series.points[0].first);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5, series.points[0].second);
  // python3 -c "from scipy.stats import binomtest; print(binomtest(5, 10).proportion_ci(0.95,
  //   'wilson'))"
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.236593, series.y_ranges[0].first);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.763407, series.y_ranges[0].second);
  TEST_ASSERT_EQUAL_STRING("10", series.labels[0].c_str());
  TEST_ASSERT_EQUAL_STRING("as often as predicted", plot.series[1].name.c_str());
  const std::string svg = to_svg(lay_out(plot));
  TEST_ASSERT_TRUE(has(svg, "points=\"86.00,568.00 876.00,48.00\""));  // the diagonal
  std::vector<SweepPoint> other = same;
  other[1].calibration.add(0.05, false);
  TEST_ASSERT_EQUAL_INT(3, int(reliability_plot(other, {}).series.size()));
  TEST_ASSERT_EQUAL_STRING("after: 10 predictions, mean error 0.050",
                           reliability_plot(same, same).series[0].name.c_str());
}

}  // namespace
