// SPDX-License-Identifier: Apache-2.0
#include "hal/base/clock.hpp"
#include "hal/fake/clock.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;
using namespace std::chrono_literals;

Nanos monotonic() { return std::chrono::steady_clock::now().time_since_epoch(); }

TEST(the_plain_clock_is_the_kernels) {
  const SystemClock clock;
  const Nanos before = monotonic();
  const Nanos now = clock.now();
  TEST_ASSERT_TRUE(before <= now);
  TEST_ASSERT_TRUE(now <= monotonic());
  TEST_ASSERT_EQUAL_INT64(123456789012345, clock.from_monotonic(Nanos{123456789012345}).count());
  TEST_ASSERT_EQUAL_INT64(Nanos{1500ms}.count(), clock.real(1500ms).count());
}

TEST(a_scaled_clock_runs_at_its_rate) {
  for (const double rate : {0.25, 0.5, 2.0}) {
    const SystemClock clock{rate};
    const Nanos start = monotonic();
    const Nanos a = clock.from_monotonic(start + 1s);
    const Nanos b = clock.from_monotonic(start + 5s);
    TEST_ASSERT_DOUBLE_WITHIN(10, 4e9 * rate, static_cast<double>((b - a).count()));
    // A second of this clock lasts so long in life, and that long in life is a second of this
    // clock.
    const Nanos real = clock.real(1s);
    TEST_ASSERT_DOUBLE_WITHIN(10, 1e9 / rate, static_cast<double>(real.count()));
    TEST_ASSERT_DOUBLE_WITHIN(
        10, 1e9,
        static_cast<double>(
            (clock.from_monotonic(start + real) - clock.from_monotonic(start)).count()));
  }
}

TEST(a_scaled_clock_starts_where_the_kernels_is) {
  const Nanos before = monotonic();
  const SystemClock clock{0.25};
  const Nanos after = monotonic();
  TEST_ASSERT_TRUE(clock.now() >= before);
  TEST_ASSERT_TRUE(clock.from_monotonic(after) <= after);
  TEST_ASSERT_TRUE(clock.from_monotonic(after) >= before);
}

TEST(now_and_kernel_time_stamps_compare) {
  for (const double rate : {0.25, 1.0, 3.0}) {
    const SystemClock clock{rate};
    const Nanos before = clock.now();
    const Nanos stamp = clock.from_monotonic(monotonic());
    TEST_ASSERT_TRUE(before <= stamp);
    TEST_ASSERT_TRUE(stamp <= clock.now());
  }
}

TEST(sleep_ends_at_the_instant_or_soon_after) {
  for (const double rate : {0.5, 1.0, 2.0}) {
    const SystemClock clock{rate};
    const Nanos real_start = monotonic();
    const Nanos until = clock.now() + 20ms;
    clock.sleep_until(until);
    TEST_ASSERT_TRUE(clock.now() >= until - 1us);
    TEST_ASSERT_TRUE(monotonic() - real_start >= clock.real(20ms) - 1ms);
  }
}

TEST(sleep_until_the_past_returns_at_once) {
  const SystemClock clock{0.001};  // a wait would not end within the test
  clock.sleep_until(clock.now() - 1s);
  clock.sleep_until(Nanos::zero());
}

TEST(the_fake_clock_moves_only_when_told) {
  FakeClock clock{5s};
  TEST_ASSERT_EQUAL_INT64(Nanos{5s}.count(), clock.now().count());
  clock.advance(10ms);
  TEST_ASSERT_EQUAL_INT64(Nanos{5010ms}.count(), clock.now().count());
  clock.sleep_until(6s);
  TEST_ASSERT_EQUAL_INT64(Nanos{6s}.count(), clock.now().count());
  clock.sleep_until(1s);  // never back
  TEST_ASSERT_EQUAL_INT64(Nanos{6s}.count(), clock.now().count());
  TEST_ASSERT_EQUAL_INT64(0, clock.real(1h).count());
  TEST_ASSERT_EQUAL_INT64(77, clock.from_monotonic(Nanos{77}).count());
}

}  // namespace
