// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/report_limit.hpp"

#include "tests/support/test.hpp"

using kerb::LimitedChanges;
using kerb::Nanos;
using kerb::ReportLimit;
using namespace std::chrono_literals;

namespace {

TEST(a_flood_gets_a_burst_and_then_one_in_each_period) {
  ReportLimit limit{10, 5s};
  int admitted = 0;
  for (Nanos now = 1s; now < 101s; now += 1ms) admitted += limit.admit(now) ? 1 : 0;
  TEST_ASSERT_EQUAL(10 + 19, admitted);
}

TEST(what_comes_seldom_is_never_held_back) {
  ReportLimit limit{1, 5s};
  for (Nanos now = 0s; now < 1000s; now += 5s) TEST_ASSERT_TRUE(limit.admit(now));
}

TEST(a_burst_is_there_again_after_a_while) {
  ReportLimit limit{3, 10s};
  for (int i = 0; i < 3; ++i) TEST_ASSERT_TRUE(limit.admit(1s));
  TEST_ASSERT_FALSE(limit.admit(1s));
  TEST_ASSERT_FALSE(limit.admit(10999ms));
  TEST_ASSERT_TRUE(limit.admit(11s));
  for (int i = 0; i < 3; ++i) TEST_ASSERT_TRUE(limit.admit(41s));
  TEST_ASSERT_FALSE(limit.admit(41s));
}

TEST(urgent_ones_pass_and_delay_the_others_by_no_more_than_a_period) {
  ReportLimit limit{2, 10s};
  for (int i = 0; i < 100; ++i) TEST_ASSERT_TRUE(limit.admit(1s, true));
  TEST_ASSERT_FALSE(limit.admit(10s));
  TEST_ASSERT_TRUE(limit.admit(11s));
}

TEST(it_counts_what_is_left_out_until_somebody_asks) {
  ReportLimit limit{1, 1s};
  TEST_ASSERT_EQUAL_UINT64(0, limit.take_left_out());
  for (int i = 0; i < 7; ++i) limit.leave_out();
  TEST_ASSERT_EQUAL_UINT64(7, limit.take_left_out());
  TEST_ASSERT_EQUAL_UINT64(0, limit.take_left_out());
}

TEST(each_change_is_told_as_long_as_there_are_few) {
  LimitedChanges<int> changes{0, ReportLimit{3, 10s}};
  TEST_ASSERT_FALSE(changes.see(0, 1s).has_value());
  for (int state = 1; state <= 3; ++state) {
    const auto change = changes.see(state, 1s);
    TEST_ASSERT_TRUE(change.has_value());
    TEST_ASSERT_EQUAL(state - 1, change->from);
    TEST_ASSERT_EQUAL_UINT64(0, change->left_out);
    TEST_ASSERT_FALSE(changes.see(state, 1s).has_value());
  }
}

TEST(the_state_it_ends_up_in_is_told_late_and_what_was_left_out_is_counted) {
  LimitedChanges<int> changes{0, ReportLimit{1, 10s}};
  TEST_ASSERT_TRUE(changes.see(1, 1s).has_value());
  std::optional<LimitedChanges<int>::Change> told;
  int seen = 0;
  for (Nanos now = 1s + 10ms; now < 2s; now += 10ms, ++seen) told = changes.see(2 + seen % 2, now);
  TEST_ASSERT_FALSE(told.has_value());
  for (Nanos now = 2s; now < 12s && !told; now += 10ms) told = changes.see(5, now);
  TEST_ASSERT_TRUE(told.has_value());
  TEST_ASSERT_EQUAL(1, told->from);
  TEST_ASSERT_EQUAL_UINT64(seen, told->left_out);  // and the one to 5 is told
}

TEST(there_and_back_again_is_counted_by_the_next) {
  LimitedChanges<int> changes{0, ReportLimit{1, 10s}};
  TEST_ASSERT_TRUE(changes.see(1, 1s).has_value());
  TEST_ASSERT_FALSE(changes.see(2, 2s).has_value());
  TEST_ASSERT_FALSE(changes.see(1, 3s).has_value());
  TEST_ASSERT_FALSE(changes.see(1, 30s).has_value());  // it is as it was told
  const auto change = changes.see(3, 31s);
  TEST_ASSERT_TRUE(change.has_value());
  TEST_ASSERT_EQUAL(1, change->from);
  TEST_ASSERT_EQUAL_UINT64(2, change->left_out);
}

}  // namespace
