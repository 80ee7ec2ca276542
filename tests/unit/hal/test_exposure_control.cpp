// SPDX-License-Identifier: Apache-2.0
#include "hal/exposure_control.hpp"

#include <cmath>

#include "tests/support/test.hpp"

using namespace kerb;
using namespace std::chrono_literals;

namespace {

TEST(steps_of_gain_mean_what_they_say) {
  const GainScale factor{GainKind::linear, 16, 16, 256, 1};
  TEST_ASSERT_EQUAL_DOUBLE(1, factor.gain_of(16));
  TEST_ASSERT_EQUAL_DOUBLE(2, factor.gain_of(32));
  TEST_ASSERT_EQUAL_DOUBLE(16, factor.most());
  TEST_ASSERT_EQUAL_INT64(40, factor.steps_for(2.5));
  const GainScale decibel{GainKind::decibel, 10, 0, 480, 1};
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 10, decibel.gain_of(200));
  TEST_ASSERT_EQUAL_INT64(60, decibel.steps_for(2));
  const GainScale none{GainKind::linear, 16, 5, 5, 1};
  TEST_ASSERT_FALSE(none.adjustable());
  TEST_ASSERT_EQUAL_DOUBLE(1, none.most());
  TEST_ASSERT_EQUAL_INT64(5, none.steps_for(7));
}

TEST(the_nearest_step_is_found_everywhere) {
  for (const GainScale& scale :
       {GainScale{GainKind::linear, 16, 16, 256, 1}, GainScale{GainKind::linear, 8, -3, 100, 7},
        GainScale{GainKind::decibel, 10, 0, 241, 30}, GainScale{GainKind::decibel, 1, 4, 24, 1}})
    for (double gain = 0.3; gain < 60; gain *= 1.03) {
      double best = 1e9;
      for (std::int64_t steps = scale.minimum; steps <= scale.maximum; steps += scale.step)
        best = std::min(best, std::abs(std::log(scale.gain_of(steps) / gain)));
      const std::int64_t found = scale.steps_for(gain);
      TEST_ASSERT_TRUE(found >= scale.minimum && found <= scale.maximum);
      TEST_ASSERT_EQUAL_INT64(0, (found - scale.minimum) % scale.step);
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, best, std::abs(std::log(scale.gain_of(found) / gain)));
    }
}

TEST(times_are_those_of_the_range) {
  ExposureRange range;
  range.shortest = 300us;
  range.longest = 5ms;
  range.step = 700us;  // the last is 4.5 ms
  for (Nanos time = 0us; time < 8ms; time += 10us) {
    Nanos nearest = range.shortest, below = range.shortest;
    for (Nanos t = range.shortest; t <= range.longest; t += range.step) {
      if (std::chrono::abs(t - time) < std::chrono::abs(nearest - time)) nearest = t;
      if (t <= time) below = t;
    }
    TEST_ASSERT_EQUAL_INT64(nearest.count(), range.nearest(time).count());
    TEST_ASSERT_EQUAL_INT64(below.count(), range.at_most(time).count());
  }
  TEST_ASSERT_TRUE(range.has_time());
  TEST_ASSERT_FALSE(ExposureRange{}.has_time());
}

}  // namespace
