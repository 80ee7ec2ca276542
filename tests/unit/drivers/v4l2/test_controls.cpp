// SPDX-License-Identifier: Apache-2.0
#include <cerrno>

#include "tests/support/test.hpp"
#include "tests/unit/drivers/v4l2/bench.hpp"

namespace kerb::test {
namespace {

// --- rate and controls

TEST(the_rate_is_asked_for_and_the_real_one_reported) {
  Bench bench;
  bench.settings.rate_hz = 25;
  TEST_ASSERT_EQUAL_DOUBLE(25, bench.open()->info().rate_hz);
  bench.settings.rate_hz = 29.97;
  TEST_ASSERT_EQUAL_DOUBLE(29.97, bench.open()->info().rate_hz);
  bench.kernel.takes_interval = false;  // a camera with one rate
  bench.kernel.frame_interval = {1, 15};
  TEST_ASSERT_EQUAL_DOUBLE(15, bench.open()->info().rate_hz);
  bench.kernel.has_time_per_frame = false;
  TEST_ASSERT_EQUAL_DOUBLE(0, bench.open()->info().rate_hz);
  bench.kernel.failures[VIDIOC_G_PARM] = {ENOTTY};
  TEST_ASSERT_EQUAL_DOUBLE(0, bench.open()->info().rate_hz);
}

TEST(exposure_is_set_in_the_control_that_the_camera_has) {
  constexpr std::uint32_t kTegraExposure = 0x009a200a;
  struct Case {
    std::uint32_t id;
    std::uint32_t type;
    std::int64_t value;
  };
  for (const Case& c : {Case{V4L2_CID_EXPOSURE_ABSOLUTE, V4L2_CTRL_TYPE_INTEGER, 50},
                        Case{kTegraExposure, V4L2_CTRL_TYPE_INTEGER64, 5000},
                        Case{V4L2_CID_EXPOSURE, V4L2_CTRL_TYPE_INTEGER, 5000}}) {
    Bench bench;
    bench.kernel.controls[c.id] = {1, 10000, 333, 1, c.type};
    bench.kernel.controls[V4L2_CID_EXPOSURE_AUTO] = {0, 3, V4L2_EXPOSURE_APERTURE_PRIORITY};
    bench.settings.exposure_us = 5000;
    bench.open();
    TEST_ASSERT_EQUAL_INT64(c.value, bench.kernel.controls[c.id].value);
    TEST_ASSERT_EQUAL_INT64(V4L2_EXPOSURE_MANUAL,
                            bench.kernel.controls[V4L2_CID_EXPOSURE_AUTO].value);
  }
}

TEST(gain_is_set_in_the_control_that_the_camera_has) {
  constexpr std::uint32_t kTegraGain = 0x009a2009;
  for (const std::uint32_t id :
       {std::uint32_t{V4L2_CID_GAIN}, std::uint32_t{V4L2_CID_ANALOGUE_GAIN}, kTegraGain}) {
    Bench bench;
    bench.kernel.controls[id] = {16, 170, 16, 2};
    bench.kernel.controls[V4L2_CID_AUTOGAIN] = {0, 1, 1};
    bench.settings.gain = 41;
    bench.open();
    TEST_ASSERT_EQUAL_INT64(40, bench.kernel.controls[id].value);  // the step below
    TEST_ASSERT_EQUAL_INT64(0, bench.kernel.controls[V4L2_CID_AUTOGAIN].value);
  }
}

TEST(what_is_not_set_goes_back_to_automatic) {
  Bench bench;
  bench.kernel.controls[V4L2_CID_AUTOGAIN] = {0, 1, 0};
  bench.kernel.controls[V4L2_CID_EXPOSURE_AUTO] = {0, 3, V4L2_EXPOSURE_MANUAL};
  bench.open();
  TEST_ASSERT_EQUAL_INT64(1, bench.kernel.controls[V4L2_CID_AUTOGAIN].value);
  TEST_ASSERT_EQUAL_INT64(V4L2_EXPOSURE_AUTO, bench.kernel.controls[V4L2_CID_EXPOSURE_AUTO].value);
  bench.kernel.controls[V4L2_CID_EXPOSURE_AUTO] = {1, 3, V4L2_EXPOSURE_MANUAL};  // as web cameras
  bench.open();
  TEST_ASSERT_EQUAL_INT64(V4L2_EXPOSURE_APERTURE_PRIORITY,
                          bench.kernel.controls[V4L2_CID_EXPOSURE_AUTO].value);
}

TEST(a_control_that_is_missing_or_out_of_range_or_refused_is_named) {
  struct Case {
    std::optional<int> exposure_us, gain;
    std::map<std::uint32_t, FakeControl> controls;
    Errc code;
    const char* line;
  };
  const Case cases[] = {
      {5000,
       {},
       {},
       Errc::unsupported,
       "set camera exposure: /dev/video0: the camera has no exposure control"},
      {{},
       3,
       {{V4L2_CID_GAIN, {0, 9, 0, 1, V4L2_CTRL_TYPE_INTEGER, V4L2_CTRL_FLAG_DISABLED}}},
       Errc::unsupported,
       "set camera gain: /dev/video0: the camera has no gain control"},
      {5000,
       {},
       {{V4L2_CID_EXPOSURE_ABSOLUTE, {1, 40}}},
       Errc::invalid_argument,
       "set camera exposure: /dev/video0: exposure 5000 is not 100..4000 us"},
      {{},
       -1,
       {{V4L2_CID_GAIN, {0, 9}}},
       Errc::invalid_argument,
       "set camera gain: /dev/video0: gain -1 is not 0..9"},
      {{},
       3,
       {{V4L2_CID_GAIN, {0, 9, 0, 1, V4L2_CTRL_TYPE_INTEGER, 0, ERANGE}}},
       Errc::invalid_argument,
       "set camera gain: /dev/video0: gain 3 is not 0..9"},
      {{},
       3,
       {{V4L2_CID_GAIN, {0, 9, 0, 1, V4L2_CTRL_TYPE_INTEGER, 0, EBUSY}}},
       Errc::io,
       "set camera gain: /dev/video0: Device or resource busy"},
  };
  for (const Case& c : cases) {
    Bench bench;
    bench.settings.exposure_us = c.exposure_us;
    bench.settings.gain = c.gain;
    bench.kernel.controls = c.controls;
    TEST_ASSERT_ERROR(c.code, bench.try_open());
    TEST_ASSERT_EQUAL_STRING(c.line, bench.refusal().c_str());
    bench.check_clean();
  }
}

// --- video timings

TEST(an_input_with_timings_takes_over_those_on_the_cable) {
  Bench bench;
  bench.kernel.input_capabilities = V4L2_IN_CAP_DV_TIMINGS;
  bench.kernel.signal = hdmi_720p60();
  bench.kernel.has_time_per_frame = false;
  TEST_ASSERT_EQUAL_DOUBLE(60, bench.open()->info().rate_hz);
  TEST_ASSERT_EQUAL_UINT32(1280, bench.kernel.timings().bt.width);
}

TEST(timings_that_are_set_already_are_left_alone) {
  Bench bench;
  bench.kernel.input_capabilities = V4L2_IN_CAP_DV_TIMINGS;
  bench.kernel.signal = hdmi_720p60();
  bench.open();
  bench.kernel.failures[VIDIOC_S_DV_TIMINGS] = {EBUSY};
  bench.open();  // does not ask
  bench.kernel.signal.bt.pixelclock += 1;
  TEST_ASSERT_ERROR(Errc::io, bench.try_open());
}

TEST(an_input_with_nothing_on_the_cable_has_no_signal) {
  for (const int error : {ENOLINK, ENOLCK, ERANGE}) {
    Bench bench;
    bench.kernel.input_capabilities = V4L2_IN_CAP_DV_TIMINGS;
    bench.kernel.signal_errno = error;
    TEST_ASSERT_ERROR(Errc::no_signal, bench.try_open());
    bench.check_clean();
  }
}

TEST(a_busy_input_is_io) {
  Bench bench;
  bench.kernel.input_capabilities = V4L2_IN_CAP_DV_TIMINGS;
  bench.kernel.signal = hdmi_720p60();
  bench.kernel.failures[VIDIOC_S_DV_TIMINGS] = {EBUSY};
  TEST_ASSERT_EQUAL_STRING("set camera timings: /dev/video0: Device or resource busy",
                           bench.refusal().c_str());
}

TEST(a_driver_without_inputs_or_timings_still_opens) {
  Bench bench;
  bench.kernel.has_input = false;
  bench.open();
  bench.kernel.has_input = true;
  bench.kernel.input_capabilities = V4L2_IN_CAP_DV_TIMINGS;
  bench.kernel.signal_errno = ENOTTY;
  bench.open();
  bench.check_clean();
}

}  // namespace
}  // namespace kerb::test
