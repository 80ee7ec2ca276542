// SPDX-License-Identifier: Apache-2.0
#include <cerrno>

#include "tests/support/test.hpp"
#include "tests/unit/drivers/v4l2/bench.hpp"

namespace kerb::test {
namespace {

constexpr std::uint32_t kTegraGain = 0x009a2009, kTegraExposure = 0x009a200a;

struct PeopleBench : Bench {
  PeopleBench() { settings.exposure.mode = ExposureMode::people; }
  /// As a USB camera has them: steps of 100 us, a menu without plain AUTO.
  void be_web_camera() {
    kernel.controls[V4L2_CID_EXPOSURE_AUTO] = {0, 3, V4L2_EXPOSURE_APERTURE_PRIORITY};
    kernel.controls[V4L2_CID_EXPOSURE_AUTO].refused = V4L2_EXPOSURE_AUTO;
    kernel.controls[V4L2_CID_EXPOSURE_ABSOLUTE] = {3, 2047, 250};
    kernel.controls[V4L2_CID_GAIN] = {0, 255, 64};
  }
  std::int64_t value(std::uint32_t id) { return kernel.controls.at(id).value; }
};

TEST(a_web_camera_is_taken_over_and_given_back) {
  PeopleBench bench;
  bench.be_web_camera();
  {
    const auto camera = bench.open();
    ExposureControl* const control = camera->exposure_control();
    TEST_ASSERT_NOT_NULL(control);
    // Opening alone leaves it automatic.
    TEST_ASSERT_EQUAL_INT64(V4L2_EXPOSURE_APERTURE_PRIORITY, bench.value(V4L2_CID_EXPOSURE_AUTO));
    const ExposureRange range = control->range();
    TEST_ASSERT_TRUE(range.shortest == 300us && range.longest == 204700us && range.step == 100us);
    TEST_ASSERT_EQUAL_DOUBLE(1 + 255 / 16.0, range.gain.most());

    const Result<Exposure> now = control->read();
    TEST_ASSERT_OK(now);
    TEST_ASSERT_TRUE(now->time == 25ms);
    TEST_ASSERT_EQUAL_DOUBLE(5, now->gain);

    const Result<Exposure> set = control->set({9960us, 2.03});
    TEST_ASSERT_OK(set);
    TEST_ASSERT_TRUE(set->time == 10ms);
    TEST_ASSERT_EQUAL_DOUBLE(2, set->gain);
    TEST_ASSERT_EQUAL_INT64(V4L2_EXPOSURE_MANUAL, bench.value(V4L2_CID_EXPOSURE_AUTO));
    TEST_ASSERT_EQUAL_INT64(100, bench.value(V4L2_CID_EXPOSURE_ABSOLUTE));
    TEST_ASSERT_EQUAL_INT64(16, bench.value(V4L2_CID_GAIN));

    TEST_ASSERT_OK(control->set_automatic());
    TEST_ASSERT_EQUAL_INT64(V4L2_EXPOSURE_APERTURE_PRIORITY, bench.value(V4L2_CID_EXPOSURE_AUTO));
  }
  bench.check_clean();
}

TEST(without_the_mode_nothing_is_offered_or_asked) {
  PeopleBench bench;
  bench.be_web_camera();
  bench.settings.exposure.mode = ExposureMode::camera;
  const auto plain = bench.open();
  TEST_ASSERT_NULL(plain->exposure_control());
}

TEST(each_camera_is_set_in_the_control_that_it_has) {
  struct Case {
    const char* name;
    std::uint32_t time_id, gain_id;
    FakeControl time, gain;
    std::optional<double> step_us;
    GainKind kind;
    std::optional<double> unit;
    std::int64_t time_steps, gain_steps;  // for 5 ms and gain 4
  };
  const Case cases[] = {
      {"UVC",
       V4L2_CID_EXPOSURE_ABSOLUTE,
       V4L2_CID_GAIN,
       {1, 5000},
       {0, 100},
       {},
       GainKind::linear,
       20.0,
       50,
       60},
      {"Tegra, factor",
       kTegraExposure,
       kTegraGain,
       {13, 683709, 2495, 1, V4L2_CTRL_TYPE_INTEGER64},
       {16, 170, 16, 1, V4L2_CTRL_TYPE_INTEGER64},
       {},
       GainKind::linear,
       {},
       5000,
       64},
      {"Tegra, decibel",
       kTegraExposure,
       kTegraGain,
       {20, 1000000, 2495, 1, V4L2_CTRL_TYPE_INTEGER64},
       {0, 480, 0, 1, V4L2_CTRL_TYPE_INTEGER64},
       {},
       GainKind::decibel,
       {},
       5000,
       120},
      {"lines of 20 us",
       V4L2_CID_EXPOSURE,
       V4L2_CID_ANALOGUE_GAIN,
       {1, 1000},
       {16, 1023},
       20.0,
       GainKind::linear,
       {},
       250,
       64},
  };
  for (const Case& c : cases) {
    PeopleBench bench;
    bench.kernel.controls[c.time_id] = c.time;
    bench.kernel.controls[c.gain_id] = c.gain;
    bench.kernel.controls[V4L2_CID_AUTOGAIN] = {0, 1, 1};
    bench.settings.exposure.step_us = c.step_us;
    bench.settings.exposure.gain_kind = c.kind;
    bench.settings.exposure.gain_unit = c.unit;
    const auto camera = bench.open();
    ExposureControl* const control = camera->exposure_control();
    TEST_ASSERT_NOT_NULL_MESSAGE(control, c.name);
    const Result<Exposure> set = control->set({5ms, 4});
    TEST_ASSERT_OK(set);
    TEST_ASSERT_EQUAL_INT64_MESSAGE(c.time_steps, bench.value(c.time_id), c.name);
    TEST_ASSERT_EQUAL_INT64_MESSAGE(c.gain_steps, bench.value(c.gain_id), c.name);
    TEST_ASSERT_EQUAL_INT64(0, bench.value(V4L2_CID_AUTOGAIN));
    TEST_ASSERT_EQUAL_STRING("", bench.kernel.violations.c_str());
  }
}

TEST(a_line_of_the_sensor_is_the_unit_where_the_camera_says_how_long_one_is) {
  PeopleBench bench;
  bench.kernel.controls[V4L2_CID_EXPOSURE] = {0, 1000, 100, 2};
  TEST_ASSERT_NULL(bench.open()->exposure_control());  // of what?
  bench.kernel.controls[V4L2_CID_HBLANK] = {
      0, 10000, 336, 1, V4L2_CTRL_TYPE_INTEGER, V4L2_CTRL_FLAG_READ_ONLY};
  TEST_ASSERT_NULL(bench.open()->exposure_control());
  bench.kernel.controls[V4L2_CID_PIXEL_RATE] = {
      1, 1000000000, 20000000, 1, V4L2_CTRL_TYPE_INTEGER64, V4L2_CTRL_FLAG_READ_ONLY};
  const auto camera = bench.open();  // 64 + 336 pixels at 20 MHz: 20 us
  ExposureControl* const control = camera->exposure_control();
  TEST_ASSERT_NOT_NULL(control);
  TEST_ASSERT_TRUE(control->range().step == 40us && control->range().shortest == 40us);
  TEST_ASSERT_TRUE(control->range().longest == 20ms);
  TEST_ASSERT_FALSE(control->range().gain.adjustable());
  const Result<Exposure> set = control->set({3ms, 7});
  TEST_ASSERT_OK(set);
  TEST_ASSERT_EQUAL_INT64(150, bench.value(V4L2_CID_EXPOSURE));
  TEST_ASSERT_TRUE(set->time == 3ms && set->gain == 1);
}

TEST(gain_alone_is_enough_unless_the_camera_changes_its_time_itself) {
  PeopleBench bench;  // as vivid: AUTOGAIN and GAIN
  bench.kernel.controls[V4L2_CID_AUTOGAIN] = {0, 1, 1};
  bench.kernel.controls[V4L2_CID_GAIN] = {0, 255, 100};
  {
    const auto camera = bench.open();
    ExposureControl* const control = camera->exposure_control();
    TEST_ASSERT_NOT_NULL(control);
    TEST_ASSERT_FALSE(control->range().has_time());
    const Result<Exposure> set = control->set({5ms, 3});
    TEST_ASSERT_OK(set);
    TEST_ASSERT_TRUE(set->time == Nanos::zero() && set->gain == 3);
    TEST_ASSERT_EQUAL_INT64(32, bench.value(V4L2_CID_GAIN));
  }
  bench.kernel.controls[V4L2_CID_EXPOSURE_AUTO] = {0, 3, V4L2_EXPOSURE_AUTO};
  TEST_ASSERT_NULL(bench.open()->exposure_control());
}

TEST(a_camera_without_controls_offers_none) {
  PeopleBench bench;
  TEST_ASSERT_NULL(bench.open()->exposure_control());
  bench.kernel.controls[V4L2_CID_EXPOSURE_ABSOLUTE] = {
      1, 100, 1, 1, V4L2_CTRL_TYPE_INTEGER, V4L2_CTRL_FLAG_READ_ONLY};
  bench.kernel.controls[V4L2_CID_GAIN] = {5, 5};  // one value
  TEST_ASSERT_NULL(bench.open()->exposure_control());
  bench.kernel.controls[V4L2_CID_GAIN] = {0, 5};
  bench.kernel.controls[V4L2_CID_EXPOSURE_ABSOLUTE] = {-5, 0};  // no time at all
  TEST_ASSERT_NOT_NULL(bench.open()->exposure_control());
  TEST_ASSERT_FALSE(bench.open()->exposure_control()->range().has_time());
}

TEST(only_what_changes_is_written) {
  PeopleBench bench;
  bench.be_web_camera();
  const auto camera = bench.open();
  ExposureControl* const control = camera->exposure_control();
  TEST_ASSERT_OK(control->set({5ms, 2}));
  const int before = bench.kernel.calls(VIDIOC_S_EXT_CTRLS);
  TEST_ASSERT_OK(control->set({5ms, 2}));
  TEST_ASSERT_EQUAL(before, bench.kernel.calls(VIDIOC_S_EXT_CTRLS));
  TEST_ASSERT_OK(control->set({5ms, 4}));
  TEST_ASSERT_EQUAL(before + 1, bench.kernel.calls(VIDIOC_S_EXT_CTRLS));
}

TEST(a_refused_control_is_named_and_written_again_the_next_time) {
  PeopleBench bench;
  bench.be_web_camera();
  const auto camera = bench.open();
  ExposureControl* const control = camera->exposure_control();
  TEST_ASSERT_OK(control->set({5ms, 2}));
  bench.kernel.controls[V4L2_CID_EXPOSURE_ABSOLUTE].refuses_with = EIO;
  const Result<Exposure> refused = control->set({6ms, 2});
  TEST_ASSERT_ERROR(Errc::io, refused);
  TEST_ASSERT_EQUAL_STRING("set camera exposure: /dev/video0: Input/output error",
                           describe(refused.error()).c_str());
  TEST_ASSERT_ERROR(Errc::io, control->read());
  bench.kernel.controls[V4L2_CID_EXPOSURE_ABSOLUTE].refuses_with = 0;
  bench.kernel.controls[V4L2_CID_EXPOSURE_ABSOLUTE].value = 77;
  TEST_ASSERT_OK(control->set({5ms, 2}));
  TEST_ASSERT_EQUAL_INT64(50, bench.value(V4L2_CID_EXPOSURE_ABSOLUTE));
  bench.kernel.controls[V4L2_CID_GAIN].refuses_with = EBUSY;
  TEST_ASSERT_EQUAL_STRING("set camera gain: /dev/video0: Device or resource busy",
                           describe(control->set({5ms, 9}).error()).c_str());
  bench.kernel.is_unplugged = true;
  TEST_ASSERT_ERROR(Errc::gone, control->set({7ms, 2}));
}

TEST(a_mode_that_cannot_be_left_is_an_error) {
  PeopleBench bench;
  bench.be_web_camera();
  bench.kernel.controls[V4L2_CID_EXPOSURE_AUTO].refuses_with = EBUSY;
  const auto camera = bench.open();
  TEST_ASSERT_ERROR(Errc::io, camera->exposure_control()->set({5ms, 2}));
  TEST_ASSERT_EQUAL_INT64(250, bench.value(V4L2_CID_EXPOSURE_ABSOLUTE));
  // A camera that has only manual settings has nothing to be given back to.
  PeopleBench manual;
  manual.kernel.controls[V4L2_CID_EXPOSURE_ABSOLUTE] = {1, 100, 1};
  const auto plain = manual.open();
  TEST_ASSERT_OK(plain->exposure_control()->set({5ms, 1}));
  TEST_ASSERT_ERROR(Errc::unsupported, plain->exposure_control()->set_automatic());
}

}  // namespace
}  // namespace kerb::test
