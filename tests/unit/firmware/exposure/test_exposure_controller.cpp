// SPDX-License-Identifier: Apache-2.0
// The controller in a closed loop with a simulated camera: late, noisy, in steps, clipping.
#include "firmware/exposure/exposure_controller.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "tests/support/allocations.hpp"
#include "tests/support/night_camera.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace std::chrono_literals;
using test::NightSensor;
using test::SensorModel;

namespace {

constexpr int kWidth = 64, kHeight = 36;
constexpr double kNoon = 0.67, kNight = kNoon / 512;  // light of the road: nine stops apart

/// A road under a sky that is four stops brighter, with lamps in a tenth of the road.
double street(double road, int x, int y) {
  if (y < kHeight / 2) return 16 * road;
  return (x / 2 + y / 2) % 10 == 0 ? std::max(16 * road, 1.0) : road;
}

struct Setup {
  ExposureControllerSettings controller;
  SensorModel sensor;
  ExposureRange range = FakeExposureControl::default_range();
  Exposure start{500us, 1};
  int applied_after = 2;  ///< frames from a reading to its setting, as in the pipeline
};

struct Moment {
  double seconds, error_stops;  // the error as a perfect meter would see it
  Exposure shown;
  MeterReading reading;
};

struct Run {
  std::vector<Moment> moments;
  std::vector<double> corrections;  // when
  /// When the error was last beyond `stops`; 0: never.
  [[nodiscard]] double settled_at(double stops) const {
    double last = 0;
    for (const Moment& m : moments)
      if (std::abs(m.error_stops) > stops) last = m.seconds;
    return last;
  }
  [[nodiscard]] int corrections_after(double seconds) const {
    return static_cast<int>(std::count_if(corrections.begin(), corrections.end(),
                                          [&](double t) { return t > seconds; }));
  }
  [[nodiscard]] const Moment& end() const { return moments.back(); }
};

Run run(const Setup& s, double seconds, std::uint64_t seed = 1) {
  NightSensor sensor{s.sensor, kWidth, kHeight, s.start, seed};
  RoadMeter meter{kWidth, kHeight};
  ExposureController controller{s.controller, s.range};
  controller.applied(s.start, Nanos::zero());
  struct Order {
    int frames;
    Exposure exposure;
  };
  std::optional<Order> order;
  Run out;
  for (int k = 0; k < static_cast<int>(seconds * 30); ++k) {
    const double t = (k + 1) / 30.0;
    const Nanos captured{std::llround(t * 1e9)};
    const auto& pixels = sensor.expose(t);
    const MeterReading reading = meter.measure({pixels.data(), kWidth, kHeight, kWidth});
    const double level = std::clamp(reading.level, 0.05, 255.0);
    out.moments.push_back(
        {t, std::log2(s.controller.target / level) / s.sensor.response, sensor.shown(), reading});
    if (const auto wanted = controller.update(reading, static_cast<std::uint64_t>(k), captured)) {
      TEST_ASSERT_FALSE_MESSAGE(order.has_value(), "a second order before the first is applied");
      order = Order{s.applied_after, *wanted};
      out.corrections.push_back(t);
    }
    if (order && --order->frames <= 0) {
      // The camera's own steps.
      Exposure set{s.range.has_time() ? s.range.nearest(order->exposure.time) : Nanos::zero(),
                   s.range.gain.gain_of(s.range.gain.steps_for(order->exposure.gain))};
      TEST_ASSERT_TRUE_MESSAGE(set.time == order->exposure.time, "not one of the camera's steps");
      TEST_ASSERT_TRUE_MESSAGE(set.gain == order->exposure.gain, "not one of the camera's steps");
      sensor.set(set);
      controller.applied(set, captured + 1ms);
      order.reset();
    }
  }
  return out;
}

SensorModel noon_to_night(double begin, double over) {
  SensorModel sensor;
  sensor.scene = [=](double t, int x, int y) {
    const double share = std::clamp((t - begin) / over, 0.0, 1.0);
    return street(kNoon * std::pow(kNight / kNoon, share), x, y);
  };
  return sensor;
}

SensorModel night_to_noon(double begin, double over) {
  SensorModel sensor;
  sensor.scene = [=](double t, int x, int y) {
    const double share = std::clamp((t - begin) / over, 0.0, 1.0);
    return street(kNight * std::pow(kNoon / kNight, share), x, y);
  };
  return sensor;
}

constexpr double kSettleLimit_s = 1.0;  // after the light has changed: docs/results/night.md

TEST(from_noon_to_night_within_a_second_it_settles_and_stays) {
  for (const int latency : {0, 1, 2, 3, 4})
    for (const double over : {0.04, 1.0}) {
      Setup s;
      s.sensor = noon_to_night(4, over);
      s.sensor.latency_frames = latency;
      const Run r = run(s, 14);
      const double took = r.settled_at(s.controller.start_stops + 0.05) - 4 - over;
      std::printf(
          "noon to night in %.2f s, shown after %d frames: settled %.2f s later, %zu "
          "corrections, %.1f ms gain %.1f\n",
          over, latency, took, r.corrections.size(),
          static_cast<double>(r.end().shown.time.count()) * 1e-6, r.end().shown.gain);
      TEST_ASSERT_TRUE(took < kSettleLimit_s);
      TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.corrections_after(4 + over + kSettleLimit_s),
                                    "a limit cycle");
      TEST_ASSERT_TRUE(r.end().shown.time == 10ms);
      TEST_ASSERT_TRUE(r.end().shown.gain > 10);
    }
}

TEST(from_night_to_noon_it_settles_and_stays) {
  for (const int latency : {0, 2, 4})
    for (const double over : {0.04, 1.0}) {
      Setup s;
      s.start = {10ms, 16};
      s.sensor = night_to_noon(4, over);
      s.sensor.latency_frames = latency;
      const Run r = run(s, 14);
      const double took = r.settled_at(s.controller.start_stops + 0.05) - 4 - over;
      std::printf(
          "night to noon in %.2f s, shown after %d frames: settled %.2f s later, %zu "
          "corrections\n",
          over, latency, took, r.corrections.size());
      TEST_ASSERT_TRUE(took < kSettleLimit_s);
      TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.corrections_after(4 + over + kSettleLimit_s),
                                    "a limit cycle");
      TEST_ASSERT_TRUE(r.end().shown.gain < 2);
    }
}

TEST(through_a_tunnel_the_road_is_followed_not_its_mouth) {
  // The car enters at 5 s and leaves at 12 s, each within a second: the border of light and dark
  // comes down the picture, and later opens from the middle.
  Setup s;
  const double inside = kNoon / 128;
  s.sensor.scene = [=](double t, int x, int y) {
    const double entry = std::clamp(t - 5, 0.0, 1.0), exit = std::clamp(t - 12, 0.0, 1.0);
    const bool dark_here = y < kHeight / 2 + entry * kHeight / 2 && entry > 0;
    const double mouth = exit * kHeight;
    const bool bright_again =
        std::abs(y - kHeight / 2) < mouth && std::abs(x - kWidth / 2) < 2 * mouth;
    return street(dark_here && !bright_again ? inside : kNoon, x, y);
  };
  const Run r = run(s, 25);
  double in_time = 0, out_time = 0;
  for (const Moment& m : r.moments)
    if (std::abs(m.error_stops) > 0.3) (m.seconds < 12 ? in_time : out_time) = m.seconds;
  std::printf("tunnel: settled %.2f s after the entry, %.2f s after the exit\n", in_time - 6,
              out_time - 13);
  TEST_ASSERT_TRUE(in_time - 6 < kSettleLimit_s);
  TEST_ASSERT_TRUE(out_time - 13 < kSettleLimit_s);
  TEST_ASSERT_EQUAL(0, r.corrections_after(13 + kSettleLimit_s));
  for (const Moment& m :
       r.moments)  // not before the road itself is dark: the mouth alone is not it
    if (m.seconds < 5) TEST_ASSERT_TRUE(m.shown.time < 1ms);
}

TEST(a_response_that_is_not_as_stated_is_no_reason_to_swing) {
  for (const double stated : {0.5, 1.0})
    for (const double real : {0.25, 0.45, 0.7, 1.0, 1.4, 2.0, 4.0}) {
      if (real > 4 * stated) continue;
      for (const int latency : {0, 4}) {
        Setup s;
        s.controller.response = stated;
        // From 0.3 down by six stops: within the camera's limits for each response.
        s.sensor.scene = [](double t, int x, int y) {
          return street(0.3 * std::exp2(-6 * std::clamp(t - 3, 0.0, 1.0)), x, y);
        };
        s.sensor.response = real;
        s.sensor.latency_frames = latency;
        s.controller.target = 60;
        const Run r = run(s, 14);
        const double took = r.settled_at(0.4 / std::min(1.0, real / stated)) - 4;
        std::printf(
            "response %.2f, stated %.2f, latency %d: settled %.2f s later, %zu corrections\n", real,
            stated, latency, took, r.corrections.size());
        TEST_ASSERT_TRUE(took < 5);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.corrections_after(9), "a limit cycle");
      }
    }
}

TEST(coarse_steps_of_the_camera_are_no_reason_to_swing) {
  struct Case {
    const char* name;
    Nanos step;
    GainScale gain;
  };
  const Case cases[] = {
      {"100 us, gain in 1/16", 100us, {GainKind::linear, 16, 16, 256, 1}},
      {"1 ms, no gain", 1ms, {GainKind::linear, 16, 0, 0, 1}},
      {"100 us, no gain", 100us, {GainKind::linear, 16, 0, 0, 1}},
      {"1 ms, gain 1 2 3 ...", 1ms, {GainKind::linear, 1, 1, 16, 1}},
      {"100 us, gain in 6 dB", 100us, {GainKind::decibel, 10, 0, 240, 60}},
      {"10 us, gain in 0.1 dB", 10us, {GainKind::decibel, 10, 0, 240, 1}},
  };
  for (const Case& c : cases)
    for (const double road : {kNoon, kNoon / 3, kNoon / 17, kNoon / 40, kNoon / 100, kNight}) {
      Setup s;
      s.range.shortest = s.range.step = c.step;
      s.range.gain = c.gain;
      s.start = {s.range.nearest(4ms), 1};
      s.sensor.scene = [=](double, int x, int y) { return street(road, x, y); };
      s.sensor.latency_frames = 3;
      const Run r = run(s, 12);
      TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.corrections_after(6), c.name);
      // As near as the camera's steps allow: no neighbouring setting is much nearer.
      const ExposureController steps{s.controller, s.range};
      const double light =
          static_cast<double>(r.end().shown.time.count()) * 1e-9 * r.end().shown.gain;
      const Exposure better = steps.split(light * std::exp2(r.end().error_stops));
      const double gained =
          std::log2(static_cast<double>(better.time.count()) * 1e-9 * better.gain / light);
      TEST_ASSERT_TRUE_MESSAGE(
          std::abs(r.end().error_stops) < 0.3 ||
              std::abs(r.end().error_stops - gained) > std::abs(r.end().error_stops) - 0.3,
          c.name);
    }
}

TEST(a_night_beyond_the_limits_stays_at_the_limits) {
  Setup s;
  s.sensor.scene = [](double, int x, int y) { return street(kNight / 64, x, y); };
  const Run dark = run(s, 12);
  TEST_ASSERT_TRUE(dark.end().shown.time == 10ms);
  TEST_ASSERT_EQUAL_DOUBLE(16, dark.end().shown.gain);
  TEST_ASSERT_EQUAL(0, dark.corrections_after(4));
  s.sensor.scene = [](double, int x, int y) { return street(kNoon * 100, x, y); };
  const Run bright = run(s, 12);
  TEST_ASSERT_TRUE(bright.end().shown.time == 100us);
  TEST_ASSERT_EQUAL_DOUBLE(1, bright.end().shown.gain);
  TEST_ASSERT_EQUAL(0, bright.corrections_after(4));
}

TEST(a_steady_scene_is_left_alone_and_one_odd_frame_is_no_reason) {
  Setup s;
  s.sensor.scene = [](double t, int x, int y) {
    const int frame = static_cast<int>(std::lround(t * 30));
    // Lightning every second, and 5 % of swing, as of trees.
    if (frame % 30 == 0) return 1.0;
    return street(kNoon / 8, x, y) * (1 + 0.05 * std::sin(t * 5));
  };
  const Run r = run(s, 30);
  TEST_ASSERT_EQUAL(0, r.corrections_after(3));
  TEST_ASSERT_GREATER_THAN(0, r.corrections.size());  // it did set it at the start
}

TEST(a_step_is_bounded_and_time_goes_before_gain) {
  Setup s;
  s.sensor = noon_to_night(2, 0.04);
  const Run r = run(s, 10);
  Exposure last = s.start;
  for (const Moment& m : r.moments) {
    const auto light = [](const Exposure& e) {
      return static_cast<double>(e.time.count()) * e.gain;
    };
    TEST_ASSERT_TRUE(std::abs(std::log2(light(m.shown) / light(last))) <=
                     s.controller.largest_stops + 0.1);
    TEST_ASSERT_TRUE(m.shown.time <= s.controller.longest);
    if (m.shown.gain > 2.01) TEST_ASSERT_TRUE(m.shown.time == s.controller.longest);
    last = m.shown;
  }
}

TEST(under_lamps_that_flicker_whole_periods_are_exposed) {
  const auto swing_of = [](Nanos period, double road) {
    Setup s;
    s.controller.longest = 33ms;
    s.controller.light_period = period;
    s.sensor.flicker = 0.8;
    s.sensor.scene = [=](double, int x, int y) { return street(road, x, y); };
    const Run r = run(s, 12);
    double least = 1e9, most = 0;
    for (const Moment& m : r.moments) {
      if (m.seconds < 8) continue;
      least = std::min(least, m.reading.level);
      most = std::max(most, m.reading.level);
    }
    if (period > Nanos::zero()) TEST_ASSERT_TRUE(r.end().shown.time % 10ms == 0ms);
    return most / least - 1;
  };
  const double road = 0.2 / 15;  // 15 ms would do
  const double without = swing_of(Nanos::zero(), road), with = swing_of(10ms, road);
  std::printf(
      "lamps at 100 Hz: the road's level swings by %.0f %% at any time, by %.1f %% at whole "
      "periods\n",
      100 * without, 100 * with);
  TEST_ASSERT_TRUE(with < 0.03);
  TEST_ASSERT_TRUE(without > 0.1);
}

TEST(settings_are_split_as_documented) {
  ExposureControllerSettings settings;
  settings.longest = 33ms;
  const ExposureRange range = FakeExposureControl::default_range();
  const auto split = [&](double light_ms) {
    return ExposureController{settings, range}.split(light_ms * 1e-3);
  };
  TEST_ASSERT_EQUAL_INT64(Nanos{5ms}.count(), split(5).time.count());
  TEST_ASSERT_EQUAL_DOUBLE(1, split(5).gain);
  TEST_ASSERT_EQUAL_INT64(Nanos{200us}.count(),
                          split(0.25).time.count());  // and the gain does the rest
  TEST_ASSERT_EQUAL_DOUBLE(1.25, split(0.25).gain);
  TEST_ASSERT_EQUAL_INT64(Nanos{33ms}.count(), split(66).time.count());
  TEST_ASSERT_EQUAL_DOUBLE(2, split(66).gain);
  TEST_ASSERT_EQUAL_DOUBLE(16, split(1e6).gain);
  TEST_ASSERT_EQUAL_INT64(Nanos{100us}.count(), split(1e-6).time.count());
  settings.most_gain = 3.99;  // between two steps: not more
  TEST_ASSERT_TRUE(split(1e6).gain <= 3.99);
  settings.most_gain = 16;
  settings.light_period = 10ms;
  TEST_ASSERT_EQUAL_INT64(Nanos{9900us}.count(), split(9.95).time.count());
  TEST_ASSERT_EQUAL_INT64(Nanos{10ms}.count(), split(15).time.count());
  TEST_ASSERT_EQUAL_DOUBLE(1.5, split(15).gain);
  TEST_ASSERT_EQUAL_INT64(Nanos{20ms}.count(), split(29).time.count());
  TEST_ASSERT_EQUAL_INT64(Nanos{30ms}.count(), split(200).time.count());
  settings.longest = 8ms;  // shorter than a period: flicker is the smaller harm
  TEST_ASSERT_EQUAL_INT64(Nanos{8ms}.count(), split(200).time.count());
  settings.light_period = Nanos{8333333};
  settings.longest = 10ms;
  TEST_ASSERT_EQUAL_INT64(Nanos{8300us}.count(), split(200).time.count());  // the nearest step
}

TEST(a_camera_with_gain_alone_is_controlled_by_gain) {
  Setup s;
  s.range.shortest = s.range.longest = Nanos::zero();
  const ExposureController controller{s.controller, s.range};
  TEST_ASSERT_TRUE(controller.split(4).time == Nanos::zero());
  TEST_ASSERT_EQUAL_DOUBLE(4, controller.split(4).gain);
}

TEST(settings_come_from_the_configuration) {
  ExposureSettings settings;
  settings.longest_ms = 7;
  settings.most_gain = 4;
  settings.latency_frames = 3;
  settings.mains = MainsLight::hz60;
  const ExposureControllerSettings raw = controller_settings(settings, PixelFormat::bayer10, 30);
  TEST_ASSERT_TRUE(raw.longest == 7ms);
  TEST_ASSERT_EQUAL_DOUBLE(4, raw.most_gain);
  TEST_ASSERT_EQUAL(3, raw.latency_frames);
  TEST_ASSERT_EQUAL_INT64(8333333, raw.light_period.count());
  TEST_ASSERT_EQUAL_DOUBLE(50, raw.target);
  TEST_ASSERT_EQUAL_DOUBLE(1, raw.response);
  settings.mains = MainsLight::hz50;
  const ExposureControllerSettings encoded = controller_settings(settings, PixelFormat::yuyv, 0);
  TEST_ASSERT_TRUE(encoded.light_period == 10ms);
  TEST_ASSERT_EQUAL_DOUBLE(90, encoded.target);
  TEST_ASSERT_EQUAL_DOUBLE(0.5, encoded.response);
  TEST_ASSERT_TRUE(controller_settings(settings, PixelFormat::yuyv, 200).longest == 5ms);
  settings.target = 70;
  TEST_ASSERT_EQUAL_DOUBLE(70, controller_settings(settings, PixelFormat::yuyv, 0).target);
}

TEST(frames_from_before_a_setting_are_not_judged) {
  ExposureControllerSettings settings;
  ExposureController controller{settings, FakeExposureControl::default_range()};
  const MeterReading dark{5, 0, 0.9};
  std::uint64_t n = 0;
  for (; n < 10; ++n)
    TEST_ASSERT_FALSE_MESSAGE(controller.update(dark, n, Nanos{1s}).has_value(),
                              "nothing is known yet");
  controller.applied({1ms, 1}, 2s);
  for (; n < 20; ++n)
    TEST_ASSERT_FALSE(controller.update(dark, n, 2s - 1ns).has_value());  // exposed before it
  // Four frames may show the old setting; then two must agree.
  for (int i = 0; i < 5; ++i, ++n) {
    TEST_ASSERT_FALSE(controller.update(dark, n, 2s).has_value());
    TEST_ASSERT_EQUAL(i == 4, controller.settled());
  }
  const auto wanted = controller.update(dark, n++, 2s);
  TEST_ASSERT_TRUE(wanted.has_value());
  TEST_ASSERT_INT64_WITHIN(Nanos{200us}.count(), Nanos{8ms}.count(), wanted->time.count());
  for (int i = 0; i < 20; ++i)
    TEST_ASSERT_FALSE_MESSAGE(controller.update(dark, n++, 3s).has_value(), "one order at a time");
  // Dropped frames were exposed, too.
  controller.applied({8ms, 1}, 4s);
  TEST_ASSERT_FALSE(controller.update(dark, n, 4s).has_value());
  TEST_ASSERT_FALSE(controller.update(dark, n + 4, 4s).has_value());
  TEST_ASSERT_TRUE(controller.update(dark, n + 5, 4s).has_value());
}

TEST(it_allocates_nothing) {
  ExposureController controller{ExposureControllerSettings{}, FakeExposureControl::default_range()};
  const std::uint64_t before = test::thread_allocations();
  Nanos now = 1s;
  std::uint64_t orders = 0;
  controller.applied({1ms, 1}, now);
  for (std::uint64_t n = 0; n < 500; ++n, now += 33ms)
    if (const auto wanted = controller.update({n % 100 < 50 ? 5.0 : 200.0, 0, 0}, n, now)) {
      controller.applied(*wanted, now);
      ++orders;
    }
  TEST_ASSERT_EQUAL_UINT64(before, test::thread_allocations());
  TEST_ASSERT_GREATER_THAN_UINT64(10, orders);
}

}  // namespace
