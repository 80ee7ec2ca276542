// SPDX-License-Identifier: Apache-2.0
// Which pictures have most errors, and which of them are drawn.
#include <limits>
#include <vector>

#include "tests/support/test.hpp"
#include "tools/eval/worst.hpp"

namespace {

using namespace kerb::eval;
using Sizes = std::vector<std::size_t>;

TEST(errors_are_missed_people_and_false_alarms_at_the_threshold) {
  Labels labels;
  labels.people = {{{}, 5.0}, {{}, std::nullopt}, {{}, 3.0}, {{}, 4.0}};
  const auto add = [&](double score, Label label) {
    LabelledDetection& d = labels.detections.emplace_back();
    d.detection.score = score;
    d.label = label;
  };
  add(5, Label::person);
  add(9, Label::ignored);
  add(6, Label::false_alarm);
  add(3.9, Label::false_alarm);
  add(4, Label::duplicate);
  const Errors errors = errors_at(labels, 4);  // a score of the threshold itself counts
  TEST_ASSERT_TRUE((errors.missed == Sizes{1, 2}));
  TEST_ASSERT_TRUE((errors.false_alarms == Sizes{2, 4}));
  TEST_ASSERT_EQUAL_size_t(4, errors.count());
  const Errors none = errors_at(labels, std::numeric_limits<double>::infinity());
  TEST_ASSERT_EQUAL_size_t(4, none.missed.size());
  TEST_ASSERT_TRUE(none.false_alarms.empty());
}

TEST(of_each_run_of_neighbours_the_worst_is_taken) {
  // A drive in which the car stands before a crowd: neighbours are equally bad.
  const Sizes errors{1, 9, 8, 9, 0, 0, 2, 3, 0, 1, 0, 0};
  TEST_ASSERT_TRUE((worst_pictures(errors, 3) == Sizes{1, 7, 9}));
  TEST_ASSERT_TRUE((worst_pictures(errors, 1) == Sizes{1}));
}

TEST(the_worst_of_the_others_take_the_place_of_runs_without_an_error) {
  const Sizes errors{4, 5, 6, 0, 0, 0};
  TEST_ASSERT_TRUE((worst_pictures(errors, 2) == Sizes{2, 1}));
  TEST_ASSERT_TRUE((worst_pictures(errors, 6) == Sizes{2, 1, 0}));
}

TEST(pictures_without_an_error_are_never_taken) {
  TEST_ASSERT_TRUE(worst_pictures({0, 0, 0}, 2).empty());
  TEST_ASSERT_TRUE(worst_pictures({}, 5).empty());
  TEST_ASSERT_TRUE((worst_pictures({0, 1}, 20) == Sizes{1}));
  TEST_ASSERT_TRUE((worst_pictures({2, 2, 2}, 2) == Sizes{0, 2}));
}

}  // namespace
