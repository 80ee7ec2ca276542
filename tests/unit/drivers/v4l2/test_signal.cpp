// SPDX-License-Identifier: Apache-2.0
#include <cerrno>

#include "tests/support/test.hpp"
#include "tests/unit/drivers/v4l2/bench.hpp"

namespace kerb::test {
namespace {

/// A camera on an HDMI-like input, 30 frames a second.
struct SignalBench : Bench {
  SignalBench() {
    kernel.input_capabilities = V4L2_IN_CAP_DV_TIMINGS;
    kernel.signal = hdmi_720p60();
  }
  /// What next() says when the next frame comes after a thirtieth of a second.
  Result<Frame> after_a_frame_time(V4l2Camera& camera) {
    kernel.fill_after(33ms, {sequence++, clock.now() + 33ms});
    return camera.next(100ms);
  }
  std::uint32_t sequence = 0;
};

TEST(each_kind_of_missing_signal_is_said_when_no_frame_comes) {
  struct Case {
    std::uint32_t status;
    const char* line;
  };
  for (const Case& c :
       {Case{V4L2_IN_ST_NO_POWER, "check camera signal: /dev/video0: no power"},
        Case{V4L2_IN_ST_NO_SIGNAL, "check camera signal: /dev/video0: no signal"},
        Case{V4L2_IN_ST_NO_H_LOCK, "check camera signal: /dev/video0: no sync"},
        Case{V4L2_IN_ST_NO_SYNC, "check camera signal: /dev/video0: no sync"},
        Case{V4L2_IN_ST_NO_CARRIER, "check camera signal: /dev/video0: no carrier"}}) {
    Bench bench;
    const auto camera = bench.open();
    bench.kernel.input_status = c.status;
    const auto frame = camera->next(50ms);
    TEST_ASSERT_ERROR(Errc::no_signal, frame);
    TEST_ASSERT_EQUAL_STRING(c.line, describe(frame.error()).c_str());
  }
}

TEST(a_status_that_does_not_spoil_the_picture_is_ignored) {
  Bench bench;
  const auto camera = bench.open();
  bench.kernel.input_status = V4L2_IN_ST_HFLIP | V4L2_IN_ST_NO_COLOR | V4L2_IN_ST_MACROVISION;
  TEST_ASSERT_ERROR(Errc::timeout, camera->next(50ms));
}

TEST(a_lost_signal_is_noticed_within_100_ms_while_the_driver_still_fills_frames) {
  SignalBench bench;
  const auto camera = bench.open();
  TEST_ASSERT_OK(bench.after_a_frame_time(*camera));
  bench.kernel.input_status = V4L2_IN_ST_NO_SIGNAL;
  const Nanos lost = bench.clock.now();
  for (;;) {
    const auto frame = bench.after_a_frame_time(*camera);
    if (frame) continue;
    TEST_ASSERT_ERROR(Errc::no_signal, frame);
    break;
  }
  TEST_ASSERT_TRUE(bench.clock.now() - lost <= 133ms);  // 100 ms, and the frame then due
}

TEST(the_status_is_not_read_at_every_frame) {
  SignalBench bench;
  const auto camera = bench.open();
  const int before = bench.kernel.calls(VIDIOC_ENUMINPUT);
  for (int i = 0; i < 30; ++i) TEST_ASSERT_OK(bench.after_a_frame_time(*camera));
  const int reads = bench.kernel.calls(VIDIOC_ENUMINPUT) - before;
  TEST_ASSERT_TRUE(reads >= 5 && reads <= 10);
}

TEST(looking_without_waiting_does_not_read_the_status_every_time) {
  SignalBench bench;
  const auto camera = bench.open();
  const int before = bench.kernel.calls(VIDIOC_ENUMINPUT);
  for (int i = 0; i < 1000; ++i) TEST_ASSERT_ERROR(Errc::timeout, camera->next(0ms));
  TEST_ASSERT_EQUAL_INT(1, bench.kernel.calls(VIDIOC_ENUMINPUT) - before);
}

TEST(frames_without_a_signal_are_discarded_and_not_counted_as_dropped) {
  SignalBench bench;
  const auto camera = bench.open();
  TEST_ASSERT_OK(bench.after_a_frame_time(*camera));
  bench.kernel.input_status = V4L2_IN_ST_NO_SIGNAL;
  TEST_ASSERT_ERROR(Errc::no_signal, camera->next(50ms));
  for (int i = 0; i < 5; ++i) {
    const Nanos before = bench.clock.now();
    TEST_ASSERT_ERROR(Errc::no_signal, bench.after_a_frame_time(*camera));
    TEST_ASSERT_TRUE(bench.clock.now() > before);  // asking again does not spin
  }
  TEST_ASSERT_EQUAL_UINT(4, bench.kernel.queued());
  bench.kernel.input_status = 0;
  const auto frame = bench.after_a_frame_time(*camera);
  TEST_ASSERT_OK(frame);
  TEST_ASSERT_EQUAL_UINT64(6, frame->sequence);
  TEST_ASSERT_EQUAL_UINT64(0, camera->counters().dropped);
  TEST_ASSERT_EQUAL_UINT64(2, camera->counters().delivered);
}

TEST(a_change_that_the_kernel_reports_is_looked_at_at_once) {
  SignalBench bench;
  bench.kernel.has_events = true;
  const auto camera = bench.open();
  TEST_ASSERT_OK(bench.after_a_frame_time(*camera));
  bench.kernel.after(5ms, [&] {
    bench.kernel.signal_errno = ENOLINK;
    bench.kernel.send_source_change();
    bench.kernel.send_source_change();
  });
  const Nanos before = bench.clock.now();
  TEST_ASSERT_ERROR(Errc::no_signal, camera->next(100ms));
  TEST_ASSERT_EQUAL_INT64(Nanos{5ms}.count(), (bench.clock.now() - before).count());
  bench.kernel.after(5ms, [&] {
    bench.kernel.signal_errno = 0;
    bench.kernel.send_source_change();
  });
  TEST_ASSERT_ERROR(Errc::timeout, camera->next(20ms));
  TEST_ASSERT_OK(bench.after_a_frame_time(*camera));
}

TEST(a_signal_that_comes_back_different_needs_the_camera_opened_again) {
  for (const bool by_event : {true, false}) {
    SignalBench bench;
    bench.kernel.has_events = by_event;
    const auto camera = bench.open();
    bench.kernel.input_status = V4L2_IN_ST_NO_SIGNAL;
    TEST_ASSERT_ERROR(Errc::no_signal, camera->next(20ms));
    bench.kernel.input_status = 0;
    bench.kernel.signal.bt.width = 1920;
    bench.kernel.signal.bt.height = 1080;
    bench.kernel.send_source_change();
    const auto frame = bench.after_a_frame_time(*camera);
    TEST_ASSERT_ERROR(Errc::gone, frame);
    TEST_ASSERT_EQUAL_STRING(
        "check camera signal: /dev/video0: the signal changed from 1280x720 to 1920x1080",
        describe(frame.error()).c_str());
  }
}

TEST(a_change_of_rate_counts_as_a_change_and_an_inexact_clock_does_not) {
  SignalBench bench;
  bench.kernel.has_events = true;
  const auto camera = bench.open();
  bench.kernel.signal.bt.pixelclock = 74250000 / 1001 * 1000;
  bench.kernel.send_source_change();
  TEST_ASSERT_ERROR(Errc::timeout, camera->next(20ms));
  bench.kernel.signal.bt.pixelclock = 74250000 / 2;
  bench.kernel.send_source_change();
  TEST_ASSERT_ERROR(Errc::gone, camera->next(20ms));
}

TEST(a_camera_that_has_left_is_gone_and_not_without_signal) {
  SignalBench bench;
  const auto camera = bench.open();
  bench.kernel.failures[VIDIOC_ENUMINPUT] = {ENODEV};
  TEST_ASSERT_ERROR(Errc::gone, camera->next(20ms));
}

TEST(a_driver_without_inputs_just_times_out) {
  Bench bench;
  bench.kernel.has_input = false;
  const auto camera = bench.open();
  TEST_ASSERT_ERROR(Errc::timeout, camera->next(200ms));
  bench.kernel.fill({1, 90s});
  TEST_ASSERT_OK(camera->next(200ms));
  TEST_ASSERT_EQUAL_INT(0, bench.kernel.calls(VIDIOC_ENUMINPUT));
}

}  // namespace
}  // namespace kerb::test
