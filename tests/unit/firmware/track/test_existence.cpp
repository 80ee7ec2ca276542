// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/existence.hpp"

#include "tests/support/test.hpp"

using kerb::track::Existence;
using kerb::track::ExistenceSettings;
using kerb::track::Moves;

namespace {

const ExistenceSettings kSettings;

/// How many detections it takes whose score is so many scales over even; 100: never.
int confirmed_after(double over, double strain = 0, Moves moves = Moves::not_known) {
  const double score = kSettings.score_even + over * kSettings.score_scale;
  Existence e;
  e.begin(kSettings, score, moves, strain);
  for (int n = 1; n < 100; ++n) {
    if (e.confirmed()) return n;
    e.found(kSettings, score, moves, strain);
  }
  return 100;
}

TEST(the_better_the_score_the_sooner_it_is_confirmed) {
  TEST_ASSERT_EQUAL(2, confirmed_after(4.4));  // two that are sure are enough
  TEST_ASSERT_GREATER_OR_EQUAL(3, confirmed_after(2));
  TEST_ASSERT_GREATER_THAN(confirmed_after(2), confirmed_after(0.4));
  TEST_ASSERT_GREATER_OR_EQUAL(confirmed_after(1.2), confirmed_after(-0.8));
  TEST_ASSERT_LESS_THAN(confirmed_after(0.4), confirmed_after(0.4, 0, Moves::likely));  // it moves
  TEST_ASSERT_EQUAL(2, confirmed_after(-0.4, 0, Moves::surely));
  TEST_ASSERT_GREATER_THAN(2, confirmed_after(-0.4, 0, Moves::likely));
}

TEST(one_detection_never_confirms) {
  Existence e;
  e.begin(kSettings, 1000, Moves::surely, 0);
  TEST_ASSERT_FALSE(e.confirmed());
}

TEST(who_does_not_fit_the_road_is_believed_later) {
  TEST_ASSERT_GREATER_THAN(confirmed_after(0.8), confirmed_after(0.8, 6));
  // 2.2 m tall, five standard deviations: nobody, unless the detector is very sure.
  TEST_ASSERT_EQUAL(100, confirmed_after(0.8, 25));
  TEST_ASSERT_LESS_THAN(100, confirmed_after(2, 25));
}

TEST(misses_end_it_sooner_while_it_is_tentative) {
  Existence tentative, confirmed;
  tentative.begin(kSettings, 9, Moves::not_known, 0);
  confirmed.begin(kSettings, 20, Moves::not_known, 0);
  for (int i = 0; i < 5; ++i) confirmed.found(kSettings, 20, Moves::not_known, 0);
  int first = 0, second = 0;
  while (!tentative.is_gone(kSettings)) tentative.missed(kSettings, false), ++first;
  while (!confirmed.is_gone(kSettings)) confirmed.missed(kSettings, false), ++second;
  TEST_ASSERT_EQUAL(kSettings.tentative_misses + 1, first);
  TEST_ASSERT_GREATER_THAN(20, second);
  TEST_ASSERT_LESS_THAN(60, second);
}

TEST(who_is_hidden_is_hardly_missed) {
  Existence seen, hidden;
  seen.begin(kSettings, 20, Moves::not_known, 0);
  hidden.begin(kSettings, 20, Moves::not_known, 0);
  for (int i = 0; i < 5; ++i) seen.missed(kSettings, false), hidden.missed(kSettings, true);
  TEST_ASSERT_TRUE(hidden.evidence(kSettings) > seen.evidence(kSettings) + 0.3);
}

TEST(the_sum_of_the_scores_has_a_limit) {
  Existence e;
  e.begin(kSettings, 20, Moves::not_known, 0);
  for (int i = 0; i < 1000; ++i) e.found(kSettings, 20, Moves::not_known, 0);
  TEST_ASSERT_TRUE(e.evidence(kSettings) > 3 && e.log_odds() <= kSettings.most);
}

TEST(many_doubtful_boxes_say_no_more_than_one) {
  const double doubtful = kSettings.score_even - kSettings.score_scale;
  Existence once, often;
  once.begin(kSettings, doubtful, Moves::not_known, 0);
  often = once;
  for (int i = 0; i < 100; ++i) often.found(kSettings, doubtful, Moves::not_known, 0);
  TEST_ASSERT_TRUE(often.evidence(kSettings) < 0);
  TEST_ASSERT_DOUBLE_WITHIN(0.01, once.evidence(kSettings), often.evidence(kSettings));
  TEST_ASSERT_FALSE(often.confirmed());
}

TEST(the_mean_counts_the_first_scores_alike) {
  Existence e;
  double sum = 0;
  const int n = kSettings.mean_scores;
  for (int i = 0; i < n; ++i) {
    const double score = kSettings.score_even - 2 + i;
    sum += score;
    i == 0 ? e.begin(kSettings, score, Moves::not_known, 0)
           : e.found(kSettings, score, Moves::not_known, 0);
  }
  const double expected =
      kSettings.certainty_offset + kSettings.sum_weight * e.log_odds() +
      kSettings.mean_weight * (sum / n - kSettings.score_even) / kSettings.score_scale;
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, expected, e.evidence(kSettings));
}

/// Who comes nearer is found with ever better scores; a thing that looked like somebody for a
/// moment, with ever worse ones. What was long ago says little.
TEST(the_mean_forgets_old_scores) {
  Existence better, worse;
  better.begin(kSettings, 4, Moves::not_known, 0);
  worse.begin(kSettings, 12, Moves::not_known, 0);
  for (int i = 0; i < 29; ++i) better.found(kSettings, 4, Moves::not_known, 0);
  for (int i = 0; i < 29; ++i) worse.found(kSettings, 12, Moves::not_known, 0);
  for (int i = 0; i < 2 * kSettings.mean_scores; ++i) {
    better.found(kSettings, 12, Moves::not_known, 0);
    worse.found(kSettings, 4, Moves::not_known, 0);
  }
  TEST_ASSERT_TRUE(better.evidence(kSettings) > worse.evidence(kSettings) + 2);
}

}  // namespace
