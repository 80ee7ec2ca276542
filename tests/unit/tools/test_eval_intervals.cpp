// SPDX-License-Identifier: Apache-2.0
// Intervals against pictures that are drawn by hand, and against what is known of a share; and the
// things that false alarms are on.
#include "tools/eval/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "hal/base/splitmix.hpp"
#include "tests/support/test.hpp"
#include "tools/eval/curves.hpp"
#include "tools/eval/things.hpp"

namespace {

using namespace kerb::eval;

/// Pictures of a few people each, found or not, with false alarms and ignored ones between.
std::vector<Judged> random_pictures(unsigned seed, int pictures) {
  std::mt19937 random{seed};
  std::vector<Judged> all(static_cast<std::size_t>(pictures));
  for (Judged& picture : all) {
    picture.people.resize(random() % 4);
    for (JudgedPerson& person : picture.people) {
      person.found = random() % 3 != 0;
      person.score = static_cast<double>(random() % 40);
      if (person.found) picture.detections.push_back({person.score, Verdict::hit});
    }
    for (auto i = random() % 3; i > 0; --i)
      picture.detections.push_back({static_cast<double>(random() % 30),
                                    random() % 4 == 0 ? Verdict::ignored : Verdict::false_alarm});
  }
  return all;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(
      std::lround(share * static_cast<double>(values.size() - 1)))];
}

TEST(intervals_are_those_of_curves_of_the_pictures_drawn) {
  const std::vector<Judged> pictures = random_pictures(3, 23);
  for (const int block : {1, 5, 40}) {
    const Intervals got = resample(pictures, {0.1, 1}, {12.5}, {200, block, 9});
    // The same draws, each as a list of whole pictures.
    kerb::SplitMix64 random{9};
    const std::size_t size = static_cast<std::size_t>(block), blocks = (23 + size - 1) / size;
    std::vector<double> average, tenth, one, misses, alarms;
    while (average.size() < 200) {
      std::vector<Judged> drawn;
      std::size_t people = 0;
      for (std::size_t i = 0; i < blocks; ++i) {
        const std::size_t first = (random.next() % blocks) * size;
        for (std::size_t k = first; k < std::min<std::size_t>(first + size, 23); ++k) {
          drawn.push_back(pictures[k]);
          people += pictures[k].people.size();
        }
      }
      if (people == 0) continue;
      const Curve curve = fppi_curve(drawn);
      average.push_back(log_average_miss_rate(curve));
      tenth.push_back(at(curve, 0.1).miss_rate);
      one.push_back(at(curve, 1).miss_rate);
      misses.push_back(at_threshold(curve, 12.5).miss_rate);
      alarms.push_back(at_threshold(curve, 12.5).false_alarms);
    }
    const auto expect = [](const std::vector<double>& values, const Interval& interval) {
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, quantile(values, 0.025), interval.low);
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, quantile(values, 0.975), interval.high);
    };
    expect(average, got.log_average);
    expect(tenth, got.at_rates[0]);
    expect(one, got.at_rates[1]);
    expect(misses, got.misses_at[0]);
    expect(alarms, got.false_alarms_at[0]);
  }
}

TEST(the_interval_of_a_share_is_as_wide_as_statistics_says) {
  // 400 pictures of one person each, 100 of them missed: 0.25, standard error 0.02165.
  std::vector<Judged> pictures(400);
  for (std::size_t i = 0; i < 400; ++i) {
    pictures[i].people.resize(1);
    if (i % 4 != 0) pictures[i].detections.push_back({1, Verdict::hit});
  }
  const Interval got = resample(pictures, {}, {0.5}, {4000, 1, 1}).misses_at[0];
  TEST_ASSERT_DOUBLE_WITHIN(0.005, 0.25 - 1.96 * 0.02165, got.low);
  TEST_ASSERT_DOUBLE_WITHIN(0.005, 0.25 + 1.96 * 0.02165, got.high);
  // The same people as 20 drives of 20 frames, all missed or all found: as if there were 20.
  for (std::size_t i = 0; i < 400; ++i) {
    pictures[i].detections.clear();
    if (i / 20 % 4 != 0) pictures[i].detections.push_back({1, Verdict::hit});
  }
  const Interval drives = resample(pictures, {}, {0.5}, {4000, 20, 1}).misses_at[0];
  const Interval frames = resample(pictures, {}, {0.5}, {4000, 1, 1}).misses_at[0];
  TEST_ASSERT_DOUBLE_WITHIN(0.7, std::sqrt(20),
                            (drives.high - drives.low) / (frames.high - frames.low));
}

TEST(draws_without_people_are_drawn_again) {
  std::vector<Judged> pictures(30);
  pictures[7].people.resize(1);
  pictures[7].detections.push_back({1, Verdict::hit});
  const Intervals got = resample(pictures, {1}, {0.5}, {100, 1, 4});
  TEST_ASSERT_EQUAL_DOUBLE(0, got.misses_at[0].high);
  TEST_ASSERT_EQUAL_DOUBLE(0, got.at_rates[0].high);
}

TEST(false_alarms_are_counted_by_what_they_are_on) {
  const std::vector<TruthThing> things{{{100, 0, 10, 250}, "pole"}, {{200, 100, 30, 50}, "bin"}};
  const std::vector<ScoredBox> boxes{{{90, 50, 40, 100}, 5},     // on the pole
                                     {{195, 60, 40, 100}, 4},    // on the bin
                                     {{192, 62, 40, 100}, 3},    // on it again
                                     {{400, 50, 40, 100}, 4.5},  // on nothing
                                     {{229, 0, 40, 100}, 4.5},   // beside the bin
                                     {{90, 50, 40, 100}, 1}};    // too weak
  const Judged judged = judge({}, boxes, {});
  const std::vector<TruthThing> none;
  const std::vector<ScoredBox> nothing;
  const Judged empty;
  const std::vector<ThingAlarms> got =
      alarms_by_thing({{&things, &boxes, &judged}, {&none, &nothing, &empty}}, 2);
  TEST_ASSERT_EQUAL_INT(3, int(got.size()));
  TEST_ASSERT_EQUAL_STRING("", got[0].kind.c_str());
  TEST_ASSERT_EQUAL_INT(2, got[0].false_alarms);
  TEST_ASSERT_EQUAL_STRING("bin", got[1].kind.c_str());
  TEST_ASSERT_EQUAL_INT(2, got[1].false_alarms);
  TEST_ASSERT_EQUAL_INT(1, got[1].things);
  TEST_ASSERT_EQUAL_STRING("pole", got[2].kind.c_str());
  TEST_ASSERT_EQUAL_INT(1, got[2].false_alarms);
}

}  // namespace
