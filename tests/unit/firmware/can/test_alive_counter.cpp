// SPDX-License-Identifier: Apache-2.0
#include "firmware/can/alive_counter.hpp"

#include "tests/support/test.hpp"

using kerb::Nanos;
using kerb::can::AliveCounter;
using namespace std::chrono_literals;

namespace {

TEST(each_step_of_the_counter_is_a_new_message) {
  AliveCounter counter{500ms};
  Nanos now = 1s;
  for (int i = 0; i < 40; ++i, now += 100ms)
    TEST_ASSERT_TRUE(counter.is_new(static_cast<std::uint8_t>(i % 16), now));
  TEST_ASSERT_TRUE(counter.is_new(3, now));  // some were lost
}

TEST(the_same_counter_is_the_same_message_for_as_long_as_it_comes) {
  AliveCounter counter{500ms};
  Nanos now = 1s;
  TEST_ASSERT_TRUE(counter.is_new(0, now));  // the first, whatever it says
  for (int i = 0; i < 100; ++i) TEST_ASSERT_FALSE(counter.is_new(0, now += 500ms));
  TEST_ASSERT_TRUE(counter.is_new(1, now += 10ms));
  TEST_ASSERT_FALSE(counter.is_new(1, now));
}

TEST(after_a_silence_the_same_counter_may_be_chance) {
  AliveCounter counter{500ms};
  TEST_ASSERT_TRUE(counter.is_new(9, 1s));
  TEST_ASSERT_TRUE(counter.is_new(9, 1501ms));
}

}  // namespace
