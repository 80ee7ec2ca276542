// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/alert_levels.hpp"

#include <algorithm>
#include <optional>

#include "tests/support/test.hpp"

using namespace kerb;
using namespace std::chrono_literals;

namespace {

std::optional<ViewReport> view_of(ViewLimit limit) {
  const double distance_m = limit == ViewLimit::size ? 60 : 30;
  return ViewReport{.known = true, .distance_m = distance_m, .clear_m = 60, .limit = limit};
}

/// Rounds of 10 ms.
struct Evening {
  AlertLevelSettings settings{.darkest = 0.2, .quietest = 0.4, .night_volume = 0.7};
  AlertLevels levels{settings};
  Nanos now{};
  std::optional<double> brightness{}, volume{};
  std::optional<ViewReport> view = view_of(ViewLimit::size);
  AlertLevel last{};

  void run(Nanos duration) {
    for (const Nanos end = now + duration; now < end; now += 10ms)
      last = levels.step(now, brightness, volume, view);
  }
};

TEST(by_day_and_without_dials_everything_is_full) {
  Evening e;
  e.run(60s);
  TEST_ASSERT_TRUE(e.last == (AlertLevel{1, 1}));
  e.view.reset();  // no camera knows
  e.run(60s);
  TEST_ASSERT_TRUE(e.last == (AlertLevel{1, 1}));
}

TEST(in_the_dark_both_are_turned_down_and_up_again_in_the_light) {
  Evening e;
  e.run(1s);
  e.view = view_of(ViewLimit::light);
  e.run(2900ms);
  TEST_ASSERT_TRUE(e.last == (AlertLevel{1, 1}));
  e.run(5s);
  TEST_ASSERT_EQUAL_DOUBLE(0.2, e.last.brightness);
  TEST_ASSERT_EQUAL_DOUBLE(0.7, e.last.volume);
  e.view.reset();  // covered: nobody knows, so it stays
  e.run(60s);
  TEST_ASSERT_TRUE(e.levels.dark());
  e.view = view_of(ViewLimit::fog);
  e.run(9900ms);
  TEST_ASSERT_TRUE(e.levels.dark());
  e.run(5s);
  TEST_ASSERT_TRUE(e.last == (AlertLevel{1, 1}));
}

TEST(a_bridge_is_no_night_and_a_street_lamp_no_day) {
  Evening e;
  for (int i = 0; i < 20; ++i) {
    e.view = view_of(ViewLimit::light);
    e.run(2500ms);
    e.view = view_of(ViewLimit::size);
    e.run(1s);
    TEST_ASSERT_FALSE(e.levels.dark());
  }
  e.view = view_of(ViewLimit::light);
  e.run(4s);
  for (int i = 0; i < 20; ++i) {
    e.view = view_of(ViewLimit::size);
    e.run(8s);
    e.view = view_of(ViewLimit::light);
    e.run(1s);
    TEST_ASSERT_TRUE(e.levels.dark());
  }
}

TEST(pictures_of_a_short_view_that_say_nothing_of_its_end_are_no_daylight) {
  Evening e;
  const auto blink = [&](Nanos duration) {
    for (Nanos t{}; t < duration; t += 100ms) {
      e.view = view_of(ViewLimit::light);
      e.run(70ms);
      e.view->limit = ViewLimit::size;  // of one picture in three; the distance is an average
      e.run(30ms);
    }
  };
  blink(6s);
  TEST_ASSERT_TRUE(e.levels.dark());
  TEST_ASSERT_EQUAL_DOUBLE(0.2, e.last.brightness);
  e.view = view_of(ViewLimit::people);  // nobody was found again: that says nothing of the light
  e.run(30s);
  TEST_ASSERT_TRUE(e.levels.dark());
}

TEST(two_dark_pictures_far_apart_are_no_night) {
  Evening e;
  for (int i = 0; i < 5; ++i) {
    e.view = view_of(ViewLimit::light);
    e.run(30ms);
    e.view = view_of(ViewLimit::people);  // of which nothing follows
    e.run(10s);
    TEST_ASSERT_FALSE(e.levels.dark());
  }
}

TEST(what_the_vehicle_tells_comes_before_the_light_and_never_ends_in_nothing) {
  Evening e;
  e.view = view_of(ViewLimit::light);
  e.brightness = 1;
  e.volume = 0.5;
  e.run(20s);
  TEST_ASSERT_EQUAL_DOUBLE(1, e.last.brightness);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.4 + 0.6 * 0.5, e.last.volume);
  e.brightness = e.volume = 0;
  e.run(5s);
  TEST_ASSERT_EQUAL_DOUBLE(0.2, e.last.brightness);
  TEST_ASSERT_EQUAL_DOUBLE(0.4, e.last.volume);
  e.brightness = e.volume = -3;  // a decoder has no such number; a caller may
  e.run(1s);
  TEST_ASSERT_EQUAL_DOUBLE(0.2, e.last.brightness);
  e.brightness.reset();
  e.volume.reset();  // the vehicle falls silent: by the light again
  e.run(5s);
  TEST_ASSERT_EQUAL_DOUBLE(0.2, e.last.brightness);
  TEST_ASSERT_EQUAL_DOUBLE(0.7, e.last.volume);
}

TEST(brightness_fades_half_of_the_full_one_a_second_in_steps_of_a_hundredth) {
  Evening e;
  e.run(1s);
  e.brightness = 0;
  double before = 1;
  int changes = 0;
  for (int i = 0; i < 160; ++i) {
    e.run(10ms);
    TEST_ASSERT_TRUE(e.last.brightness <= before && before - e.last.brightness < 0.0101);
    changes += e.last.brightness != before ? 1 : 0;
    before = e.last.brightness;
    if (i == 79) TEST_ASSERT_DOUBLE_WITHIN(0.011, 0.6, e.last.brightness);
  }
  TEST_ASSERT_EQUAL_DOUBLE(0.2, e.last.brightness);
  TEST_ASSERT_EQUAL_INT(80, changes);
}

}  // namespace
