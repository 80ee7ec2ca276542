// SPDX-License-Identifier: Apache-2.0
#include "firmware/ego/vehicle_history.hpp"

#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::ego;
using std::chrono::milliseconds;

namespace {

/// Every 20 ms from 1 s on, 0.01 rad/s more each time.
VehicleHistory turning_in(int samples) {
  VehicleHistory h;
  for (int i = 0; i < samples; ++i) h.add(milliseconds{1000 + 20 * i}, {10.0, 0.01 * i});
  return h;
}

TEST(before_anything_is_told_nothing_is_known) {
  const VehicleHistory h;
  TEST_ASSERT_FALSE(h.over(milliseconds{0}, milliseconds{2000}).speed_mps.has_value());
}

TEST(the_mean_of_the_interval_is_given_not_the_newest) {
  const VehicleHistory h = turning_in(51);  // up to 2000 ms, 0.5 rad/s
  const VehicleMotion m = h.over(milliseconds{1300}, milliseconds{1400});
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.18, *m.yaw_rate_radps);  // 0.16 to 0.20: five samples
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 10, *m.speed_mps);
}

TEST(of_the_steering_it_is_the_mean_and_of_the_turn_signal_the_last) {
  VehicleHistory h;
  for (int i = 0; i < 10; ++i)
    h.add(milliseconds{1000 + 20 * i},
          {10.0, 0.0, 0.01 * i, i < 7 ? TurnSignal::off : TurnSignal::left});
  const VehicleMotion m = h.over(milliseconds{1100}, milliseconds{1160});
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.07, *m.steering_rad);
  TEST_ASSERT_TRUE(m.turn_signal == TurnSignal::left);
  TEST_ASSERT_TRUE(h.over(milliseconds{1050}, milliseconds{1120}).turn_signal == TurnSignal::off);
}

TEST(where_no_message_came_between_the_last_before_counts) {
  const VehicleHistory h = turning_in(51);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.15,
                            *h.over(milliseconds{1305}, milliseconds{1315}).yaw_rate_radps);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5,
                            *h.over(milliseconds{2005}, milliseconds{2038}).yaw_rate_radps);
}

TEST(another_clock_gets_the_newest) {
  const VehicleHistory h = turning_in(51);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5, *h.over(milliseconds{3}, milliseconds{36}).yaw_rate_radps);
}

TEST(a_value_that_was_not_believed_leaves_no_mean) {
  VehicleHistory h = turning_in(10);
  h.add(milliseconds{1200}, {10.0, std::nullopt});
  const VehicleMotion m = h.over(milliseconds{1150}, milliseconds{1200});
  TEST_ASSERT_FALSE(m.yaw_rate_radps.has_value());
  TEST_ASSERT_TRUE(m.speed_mps.has_value());
}

TEST(the_same_message_told_again_counts_once_and_old_ones_go) {
  VehicleHistory h = turning_in(500);
  for (int i = 0; i < 5; ++i) h.add(milliseconds{1000 + 20 * 499}, {10.0, 4.99});
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 4.985,
                            *h.over(milliseconds{10950}, milliseconds{10985}).yaw_rate_radps);
}

}  // namespace
