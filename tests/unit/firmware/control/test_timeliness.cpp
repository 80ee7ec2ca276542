// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/timeliness.hpp"

#include <cmath>

#include "tests/support/test.hpp"

using namespace kerb;
using std::chrono::milliseconds;

namespace {

constexpr Nanos kLag = milliseconds{800};

/// A corner is turned every 20 s, a lane changed between; else it goes straight.
double turns(double t) {
  const double u = std::fmod(t, 20);
  if (u < 4) return 0.4 * std::sin(u / 4 * 3.14159);
  if (u > 10 && u < 13) return 0.05 * std::sin((u - 10) / 3 * 6.28318);
  return 0;
}

/// After `seconds`, is it known to be timely? The pictures err by `error`, what is told is `late`.
bool known(double seconds, double late, double error, bool bends = true, int rate = 30) {
  Timeliness timeliness;
  const int n = static_cast<int>(seconds * rate);
  for (int i = 0; i < n; ++i) {
    const double t = static_cast<double>(i) / rate + 5;
    const double noise = error * std::sin(i * 2.1);
    timeliness.add(Nanos{static_cast<Nanos::rep>(t * 1e9)}, (bends ? turns(t) : 0) + noise,
                   bends ? turns(t - late) : 0, kLag);
    if (timeliness.is_timely()) return true;
  }
  return false;
}

TEST(a_bend_shows_that_signals_are_timely) {
  TEST_ASSERT_TRUE(known(30, 0, 0.02));
  TEST_ASSERT_TRUE(known(30, 0.1, 0.02));
  TEST_ASSERT_TRUE(known(30, 0, 0.02, true, 10));
}

TEST(signals_that_are_late_are_never_called_timely) {
  for (const double late : {0.5, 0.7, 0.8, 0.9, 1.2}) TEST_ASSERT_FALSE(known(600, late, 0.03));
}

TEST(straight_roads_say_nothing) { TEST_ASSERT_FALSE(known(600, 0, 0.03, false)); }

TEST(pictures_that_see_no_turn_at_all_say_nothing) {
  Timeliness timeliness;
  for (int i = 0; i < 6000; ++i)
    timeliness.add(Nanos{i * 33'000'000LL + 1}, 0, turns(i * 0.033), kLag);
  TEST_ASSERT_FALSE(timeliness.is_timely());
}

TEST(another_doubt_begins_anew) {
  Timeliness timeliness;
  for (int i = 0; i < 900; ++i)
    timeliness.add(Nanos{i * 33'000'000LL + 1}, turns(i * 0.033), turns(i * 0.033), kLag);
  TEST_ASSERT_TRUE(timeliness.is_timely());
  timeliness.reset();
  TEST_ASSERT_FALSE(timeliness.is_timely());
}

}  // namespace
