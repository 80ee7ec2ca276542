// SPDX-License-Identifier: Apache-2.0
// Matching and curves against hand-made cases and an oracle that counts pixels.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/test.hpp"
#include "tools/eval/curves.hpp"
#include "tools/eval/matching.hpp"
#include "tools/eval/plot.hpp"

namespace {

using namespace kerb::eval;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_infinite(double value) { return value == kInfinity; }  // Unity has a macro isinf

/// A person's box of the standard shape.
Box person(double x, double y, double h) { return {x, y, kAspect * h, h}; }
TruthBox to_find(Box box) { return {box, false, 1}; }
TruthBox to_ignore(Box box) { return {box, true, 1}; }

/// h: hit, f: false alarm, i: ignored; the best first.
std::string verdicts(const Judged& judged) {
  std::string out;
  for (const JudgedDetection& d : judged.detections)
    out += d.verdict == Verdict::hit ? 'h' : d.verdict == Verdict::ignored ? 'i' : 'f';
  return out;
}

int found(const Judged& judged) {
  return static_cast<int>(std::count_if(judged.people.begin(), judged.people.end(),
                                        [](const JudgedPerson& p) { return p.found; }));
}

/// A picture of `people` people to which a detector gave these verdicts, by falling score.
Judged judged_as(const std::string& letters, int people, double best = 100) {
  Judged out;
  out.people.resize(static_cast<std::size_t>(people));
  std::size_t next = 0;
  for (const char c : letters) {
    const Verdict verdict = c == 'h'   ? Verdict::hit
                            : c == 'i' ? Verdict::ignored
                                       : Verdict::false_alarm;
    out.detections.push_back({best, verdict});
    if (c == 'h') out.people[next++] = {50, true, best};
    best -= 1;
  }
  return out;
}

/// The same beside pictures in which nothing is and nothing was found.
std::vector<Judged> among(int pictures, const Judged& judged) {
  std::vector<Judged> all(static_cast<std::size_t>(pictures));
  all.front() = judged;
  return all;
}

// --- matching --------------------------------------------------------------------------------

TEST(the_same_box_is_a_hit_and_another_place_is_a_false_alarm) {
  const Judged j = judge({to_find(person(10, 10, 100))},
                         {{person(10, 10, 100), 1}, {person(200, 10, 100), 2}}, {});
  TEST_ASSERT_EQUAL_STRING("fh", verdicts(j).c_str());
  TEST_ASSERT_EQUAL_INT(1, found(j));
  TEST_ASSERT_EQUAL_DOUBLE(1, j.people[0].score);
  TEST_ASSERT_EQUAL_DOUBLE(100, j.people[0].height);
}

TEST(only_height_and_middle_of_a_box_count) {
  // Three times as wide, the middle kept: an overlap of a third, until both are standardised.
  Box wide = person(100, 10, 100);
  wide.x -= wide.w;
  wide.w *= 3;
  MatchSettings plain;
  plain.standardise = false;
  const std::vector<TruthBox> truth{to_find(person(100, 10, 100))};
  TEST_ASSERT_EQUAL_STRING("h", verdicts(judge(truth, {{wide, 1}}, {})).c_str());
  TEST_ASSERT_EQUAL_STRING("f", verdicts(judge(truth, {{wide, 1}}, plain)).c_str());
}

TEST(half_of_the_union_is_just_enough) {
  // Two boxes of 30 x 10 that share 20 x 10: 200 of 400. A tenth of a pixel on, no more.
  MatchSettings plain;
  plain.standardise = false;
  const std::vector<TruthBox> truth{to_find({0, 0, 30, 10})};
  TEST_ASSERT_EQUAL_STRING("h", verdicts(judge(truth, {{{10, 0, 30, 10}, 1}}, plain)).c_str());
  TEST_ASSERT_EQUAL_STRING("f", verdicts(judge(truth, {{{10.1, 0, 30, 10}, 1}}, plain)).c_str());
}

TEST(a_person_is_found_once_by_the_best_score) {
  const Judged j =
      judge({to_find(person(0, 0, 100))},
            {{person(0, 0, 100), 1}, {person(4, 0, 100), 3}, {person(0, 4, 100), 2}}, {});
  TEST_ASSERT_EQUAL_STRING("hff", verdicts(j).c_str());
  TEST_ASSERT_EQUAL_DOUBLE(3, j.people[0].score);
}

TEST(of_two_people_a_detection_takes_the_nearer_one) {
  const Judged j = judge({to_find(person(0, 0, 100)), to_find(person(12, 0, 100))},
                         {{person(10, 0, 100), 2}, {person(11, 0, 100), 1}}, {});
  TEST_ASSERT_EQUAL_STRING("hh", verdicts(j).c_str());  // the second is left with the other one
  TEST_ASSERT_EQUAL_DOUBLE(1, j.people[0].score);
  TEST_ASSERT_EQUAL_DOUBLE(2, j.people[1].score);
}

TEST(a_region_to_ignore_takes_any_number_by_their_own_area) {
  // A crowd, far larger than any person: of the union they would share little. Its shape stays.
  const std::vector<TruthBox> truth{to_ignore({0, 0, 400, 120})};
  const Judged j = judge(truth,
                         {{person(10, 10, 100), 3},
                          {person(300, 10, 100), 2},
                          {person(10, 65, 100), 1.5},
                          {person(10, 75, 100), 1}},
                         {});
  TEST_ASSERT_EQUAL_STRING("iiif", verdicts(j).c_str());
  TEST_ASSERT_EQUAL_INT(0, static_cast<int>(j.people.size()));
}

TEST(a_person_comes_before_a_region_to_ignore) {
  const Judged j = judge({to_ignore({0, 0, 400, 120}), to_find(person(10, 10, 100))},
                         {{person(14, 10, 100), 2}, {person(10, 10, 100), 1}}, {});
  TEST_ASSERT_EQUAL_STRING("hi", verdicts(j).c_str());
}

TEST(people_out_of_the_range_of_heights_neither_help_nor_harm) {
  MatchSettings range;
  range.min_height = 50;
  range.max_height = 200;
  const std::vector<TruthBox> truth{to_find(person(0, 0, 45)), to_find(person(200, 0, 50)),
                                    to_find(person(400, 0, 199)), to_find(person(800, 0, 200))};
  const Judged all = judge(truth,
                           {{person(0, 0, 45), 4},
                            {person(200, 0, 50), 3},
                            {person(400, 0, 199), 2},
                            {person(800, 0, 200), 1}},
                           range);
  TEST_ASSERT_EQUAL_STRING("ihhi", verdicts(all).c_str());
  TEST_ASSERT_EQUAL_INT(2, static_cast<int>(all.people.size()));
  TEST_ASSERT_EQUAL_INT(2, static_cast<int>(judge(truth, {}, range).people.size()));
  // Detections well out of the range are left out altogether: 50 / 1.25 and 200 * 1.25.
  const Judged odd = judge({},
                           {{person(0, 0, 39), 4},
                            {person(0, 0, 40), 3},
                            {person(0, 0, 249), 2},
                            {person(0, 0, 250), 1}},
                           range);
  TEST_ASSERT_EQUAL_STRING("ff", verdicts(odd).c_str());
  TEST_ASSERT_EQUAL_DOUBLE(3, odd.detections[0].score);
}

TEST(people_who_are_hardly_seen_can_be_left_out) {
  MatchSettings settings;
  settings.min_visible = 0.5;
  const Judged j = judge({{person(0, 0, 100), false, 0.4}, {person(200, 0, 100), false, 0.5}},
                         {{person(0, 0, 100), 1}}, settings);
  TEST_ASSERT_EQUAL_STRING("i", verdicts(j).c_str());
  TEST_ASSERT_EQUAL_INT(1, static_cast<int>(j.people.size()));
}

// --- an oracle ---------------------------------------------------------------------------------

constexpr int kSide = 24;

struct IntBox {
  int x, y, w, h;
  [[nodiscard]] bool holds(int px, int py) const {
    return px >= x && px < x + w && py >= y && py < y + h;
  }
};
struct Pixels {
  int a = 0, b = 0, both = 0;
};
Pixels count(const IntBox& a, const IntBox& b) {
  Pixels out;
  for (int y = 0; y < 2 * kSide; ++y)
    for (int x = 0; x < 2 * kSide; ++x) {
      out.a += a.holds(x, y) ? 1 : 0;
      out.b += b.holds(x, y) ? 1 : 0;
      out.both += a.holds(x, y) && b.holds(x, y) ? 1 : 0;
    }
  return out;
}

struct Scene {
  struct Item {
    IntBox box;
    bool ignore = false;
    int score = 0;
  };
  std::vector<Item> truth, detections;
};

struct Tally {
  int hits = 0, alarms = 0;
};

/// A detector with a threshold, from scratch: what scores less does not exist.
Tally oracle(const Scene& scene, int threshold) {
  std::vector<Scene::Item> left;
  for (const Scene::Item& d : scene.detections)
    if (d.score >= threshold) left.push_back(d);
  std::set<std::size_t> taken;
  Tally tally;
  while (!left.empty()) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < left.size(); ++i)
      if (left[i].score > left[best].score) best = i;
    const IntBox box = left[best].box;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    long who = -1;
    double most = 0;
    bool excused = false;
    for (std::size_t t = 0; t < scene.truth.size(); ++t) {
      const Pixels p = count(box, scene.truth[t].box);
      if (scene.truth[t].ignore) {
        excused = excused || 2 * p.both >= p.a;
        continue;
      }
      const int all = p.a + p.b - p.both;
      if (taken.count(t) != 0 || 2 * p.both < all) continue;
      if (who >= 0 && static_cast<double>(p.both) / all < most) continue;
      who = static_cast<long>(t);
      most = static_cast<double>(p.both) / all;
    }
    if (who >= 0)
      taken.insert(static_cast<std::size_t>(who)), ++tally.hits;
    else if (!excused)
      ++tally.alarms;
  }
  return tally;
}

TEST(curves_are_those_of_an_oracle_that_runs_at_every_threshold) {
  std::mt19937 random{7};
  const auto pick = [&](int from, int to) {
    return from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1));
  };
  const auto box = [&] { return IntBox{pick(0, 12), pick(0, 12), pick(4, 12), pick(4, 12)}; };
  const auto ours = [](const IntBox& b) {
    return Box{double(b.x), double(b.y), double(b.w), double(b.h)};
  };
  MatchSettings settings;
  settings.standardise = false;
  for (int round = 0; round < 6; ++round) {
    std::vector<Scene> scenes(5);
    std::vector<Judged> judged;
    int people = 0;
    std::set<int, std::greater<>> scores;
    for (Scene& scene : scenes) {
      for (int i = pick(0, 4); i > 0; --i) scene.truth.push_back({box(), pick(0, 3) == 0, 0});
      for (const Scene::Item& t : scene.truth) people += t.ignore ? 0 : 1;
      for (int i = pick(0, 12); i > 0; --i) {
        // Half of them near somebody; few scores, so that many are equal.
        IntBox b = box();
        if (!scene.truth.empty() && pick(0, 1) == 0) {
          b = scene.truth[static_cast<std::size_t>(pick(0, int(scene.truth.size()) - 1))].box;
          b.x = std::max(0, b.x + pick(-1, 1));
          b.w += pick(-1, 2);
        }
        scene.detections.push_back({b, false, pick(0, 20)});
        scores.insert(scene.detections.back().score);
      }
      std::vector<TruthBox> truth;
      for (const Scene::Item& t : scene.truth) truth.push_back({ours(t.box), t.ignore, 1});
      std::vector<ScoredBox> detections;
      for (const Scene::Item& d : scene.detections)
        detections.push_back({ours(d.box), double(d.score)});
      judged.push_back(judge(truth, detections, settings));
    }
    const Curve curve = fppi_curve(judged);
    Curve expected;
    Tally before;
    for (const int score : scores) {
      Tally sum;
      for (const Scene& scene : scenes) {
        const Tally one = oracle(scene, score);
        sum.hits += one.hits;
        sum.alarms += one.alarms;
      }
      // A threshold at which only ignored ones join is no point of the curve.
      if (sum.hits == before.hits && sum.alarms == before.alarms) continue;
      before = sum;
      expected.push_back(
          {double(score), sum.alarms / 5.0, people > 0 ? double(people - sum.hits) / people : 0});
    }
    TEST_ASSERT_EQUAL_INT(int(expected.size()), int(curve.size()));
    for (std::size_t i = 0; i < curve.size(); ++i) {
      TEST_ASSERT_EQUAL_DOUBLE(expected[i].threshold, curve[i].threshold);
      TEST_ASSERT_EQUAL_DOUBLE(expected[i].false_alarms, curve[i].false_alarms);
      TEST_ASSERT_EQUAL_DOUBLE(expected[i].miss_rate, curve[i].miss_rate);
    }
  }
}

// --- curves ------------------------------------------------------------------------------------

TEST(the_nine_rates_are_those_of_the_literature) {
  const double expected[] = {0.01,         0.0177827941, 0.0316227766,
                             0.0562341325, 0.1,          0.1778279410,
                             0.3162277660, 0.5623413252, 1};
  const std::vector<double> rates = reference_rates();
  TEST_ASSERT_EQUAL_INT(9, int(rates.size()));
  for (std::size_t i = 0; i < 9; ++i) TEST_ASSERT_DOUBLE_WITHIN(1e-10, expected[i], rates[i]);
}

struct LamrCase {
  const char* name;
  int pictures, people;
  const char* letters;
  double expected;  ///< computed apart, in Python
};
constexpr LamrCase kLamr[] = {
    {"half are found without a false alarm, and no curve follows: 0.5 everywhere", 10, 4, "hh",
     0.5},
    {"all are found at once: the least there is", 10, 4, "hhhh", 1e-10},
    {"nobody is found", 10, 4, "ff", 1},
    {"the first is a false alarm, 1 of 10: four rates are under 0.1", 10, 2, "fh",
     0.6803950000871885},  // 0.5^(5/9)
    {"hits and false alarms by turns", 100, 12, "hfhfhfhfhfhfhfhfhfhf", 0.31411193964051987},
    {"a curve that ends at 1.25 FPPI", 20, 8, "fhhhhhffffhfffffffffffffffffh", 0.4542801482080349},
    {"ignored ones are not there at all", 10, 4, "ihihi", 0.5},
};

TEST(log_average_miss_rates_are_those_computed_by_hand) {
  for (const LamrCase& c : kLamr) {
    const Curve curve = fppi_curve(among(c.pictures, judged_as(c.letters, c.people)));
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-12, c.expected, log_average_miss_rate(curve), c.name);
  }
  TEST_ASSERT_EQUAL_DOUBLE(1, log_average_miss_rate({}));  // a detector that finds nothing at all
}

TEST(a_curve_is_read_at_its_last_point_with_few_enough_false_alarms) {
  const Curve curve{{3, 0.1, 0.8}, {2, 0.2, 0.6}, {1, 0.2, 0.5}, {0, 0.4, 0.4}};
  TEST_ASSERT_EQUAL_DOUBLE(1, at(curve, 0.05).miss_rate);
  TEST_ASSERT_TRUE(is_infinite(at(curve, 0.05).threshold));
  TEST_ASSERT_EQUAL_DOUBLE(0.8, at(curve, 0.1).miss_rate);
  TEST_ASSERT_EQUAL_DOUBLE(0.8, at(curve, 0.199).miss_rate);
  TEST_ASSERT_EQUAL_DOUBLE(0.5, at(curve, 0.2).miss_rate);
  TEST_ASSERT_EQUAL_DOUBLE(1, at(curve, 0.2).threshold);
  TEST_ASSERT_EQUAL_DOUBLE(0.4, at(curve, 10).miss_rate);  // it ended, and stays
}

TEST(equal_scores_come_together_in_whatever_order) {
  Judged a, b;
  a.people = b.people = {{50, true, 1}};
  a.detections = {{1, Verdict::hit}, {1, Verdict::false_alarm}};
  b.detections = {{1, Verdict::false_alarm}, {1, Verdict::hit}};
  for (const Judged& one : {a, b}) {
    const Curve curve = fppi_curve({one});
    TEST_ASSERT_EQUAL_INT(1, int(curve.size()));
    TEST_ASSERT_EQUAL_DOUBLE(1, curve[0].false_alarms);
    TEST_ASSERT_EQUAL_DOUBLE(0, curve[0].miss_rate);
  }
}

TEST(windows_that_a_cascade_rejected_are_missed_at_every_threshold) {
  const Curve curve = fppw_curve({5, 4, -kInfinity, 3}, {4.5F, 2.5F, 2.5F}, 1000);
  const Curve expected{
      {5, 0, 0.75}, {4.5, 0.001, 0.75}, {4, 0.001, 0.5}, {3, 0.001, 0.25}, {2.5, 0.003, 0.25}};
  TEST_ASSERT_EQUAL_INT(int(expected.size()), int(curve.size()));
  for (std::size_t i = 0; i < curve.size(); ++i) {
    TEST_ASSERT_EQUAL_DOUBLE(expected[i].threshold, curve[i].threshold);
    TEST_ASSERT_EQUAL_DOUBLE(expected[i].false_alarms, curve[i].false_alarms);
    TEST_ASSERT_EQUAL_DOUBLE(expected[i].miss_rate, curve[i].miss_rate);
  }
}

TEST(a_curve_is_read_at_a_threshold) {
  const Curve curve{{5, 0, 0.75}, {4, 0.5, 0.5}, {4.0 - 1e-9, 1, 0.25}};
  const CurvePoint expected[] = {
      {6, 0, 1}, {5, 0, 0.75}, {4.5, 0, 0.75}, {4, 0.5, 0.5}, {-9, 1, 0.25}};
  for (const CurvePoint& e : expected) {
    const CurvePoint p = at_threshold(curve, e.threshold);
    TEST_ASSERT_EQUAL_DOUBLE(e.threshold, p.threshold);
    TEST_ASSERT_EQUAL_DOUBLE(e.false_alarms, p.false_alarms);
    TEST_ASSERT_EQUAL_DOUBLE(e.miss_rate, p.miss_rate);
  }
  TEST_ASSERT_EQUAL_DOUBLE(1, at_threshold({}, 0).miss_rate);
}

TEST(people_are_counted_by_their_height) {
  Judged j;
  j.people = {{47, false, 0}, {48, true, 1}, {63, true, 3}, {64, true, 2}, {500, false, 0}};
  const std::vector<HeightBin> bins = by_height({j, j}, {48, 64}, {2, kInfinity, -kInfinity});
  TEST_ASSERT_EQUAL_INT(3, int(bins.size()));
  const int people[] = {2, 4, 4};
  const int missed[][3] = {{2, 2, 2}, {2, 4, 0}, {2, 4, 2}};
  for (std::size_t b = 0; b < 3; ++b) {
    TEST_ASSERT_EQUAL_INT(people[b], bins[b].people);
    for (std::size_t t = 0; t < 3; ++t) TEST_ASSERT_EQUAL_INT(missed[b][t], bins[b].missed[t]);
  }
  TEST_ASSERT_EQUAL_DOUBLE(48, bins[1].from);
  TEST_ASSERT_TRUE(is_infinite(bins[2].to));
}

TEST(a_thinned_curve_keeps_its_ends_and_stays_near) {
  Curve curve;
  for (int i = 0; i < 5000; ++i) curve.push_back({-double(i), i / 500.0, 1.0 / (1 + i / 100.0)});
  const Curve thin = thinned(curve, 300);
  TEST_ASSERT_LESS_OR_EQUAL(300, int(thin.size()));
  TEST_ASSERT_EQUAL_DOUBLE(0, thin.front().threshold);
  TEST_ASSERT_EQUAL_DOUBLE(-4999, thin.back().threshold);
  for (double rate = 0.01; rate < 10; rate *= 1.7)
    TEST_ASSERT_DOUBLE_WITHIN(0.05 * at(curve, rate).miss_rate, at(curve, rate).miss_rate,
                              at(thin, rate).miss_rate);
  TEST_ASSERT_EQUAL_INT(3, int(thinned({{2, 0, 1}, {1, 0, 0.5}, {0, 1, 0.5}}, 300).size()));
}

// --- plots -------------------------------------------------------------------------------------

Plot plot_with(const std::string& name, std::vector<std::pair<double, double>> points) {
  Plot plot;
  plot.title = "a title";
  plot.x_label = "x";
  plot.y_label = "y";
  plot.x_ticks = {1e-3, 1e-2, 0.1, 1, 10};
  plot.y_ticks = {0.05, 0.1, 1};
  plot.series.push_back({name, std::move(points)});
  return plot;
}

TEST(a_curve_is_cut_to_the_frame) {
  // Comes in from the left and leaves below; what is far outside draws nothing.
  const Drawing drawing = lay_out(plot_with("c", {{1e-9, 0.5}, {1, 0.5}, {1, 1e-4}, {5, 1e-4}}));
  double left = kInfinity, right = 0, top = kInfinity, bottom = 0;
  for (const Drawing::Item& item : drawing.items)
    if (item.is_line && item.line.points.size() == 5)  // the frame
      for (const auto& [x, y] : item.line.points) {
        left = std::min(left, x), right = std::max(right, x);
        top = std::min(top, y), bottom = std::max(bottom, y);
      }
  const Drawing::Line* curve = nullptr;
  for (const Drawing::Item& item : drawing.items)
    if (item.is_line && item.line.width > 2 && item.line.points[0].second <= bottom)
      curve = &item.line;
  TEST_ASSERT_NOT_NULL(curve);
  TEST_ASSERT_EQUAL_INT(3, int(curve->points.size()));
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, left, curve->points.front().first);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, bottom, curve->points.back().second);
  // 1 is three quarters of the way from 1e-3 to 10; 0.5 is log(10) / log(20) of the way up.
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, left + 0.75 * (right - left), curve->points.back().first);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, bottom - std::log(10) / std::log(20) * (bottom - top),
                            curve->points.front().second);
}

TEST(svg_holds_every_name_whatever_is_in_it) {
  const std::string svg =
      to_svg(lay_out(plot_with("a<b & \"c\" \xC3\xA9 \x01 \xFF", {{1, 0.5}, {2, 0.4}})));
  TEST_ASSERT_TRUE(svg.find("a&lt;b &amp; \"c\" \xC3\xA9  </text>") != std::string::npos);
  TEST_ASSERT_TRUE(svg.find("<svg xmlns=") == 0);
  TEST_ASSERT_TRUE(svg.find("</svg>") != std::string::npos);
  TEST_ASSERT_TRUE(svg.find("nan") == std::string::npos && svg.find("inf") == std::string::npos);
  for (const char* word : {"a title", ">1e-3<", ">1e-2<", ">0.1<", ">10<", ">0.05<"})
    TEST_ASSERT_TRUE_MESSAGE(svg.find(word) != std::string::npos, word);
}

TEST(a_plot_without_points_still_has_its_legend) {
  const std::string svg = to_svg(lay_out(plot_with("nothing", {})));
  TEST_ASSERT_TRUE(svg.find("nothing") != std::string::npos);
}

}  // namespace
