// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <cerrno>
#include <optional>
#include <vector>

#include "tests/support/test.hpp"
#include "tests/unit/drivers/v4l2/bench.hpp"

namespace kerb::test {
namespace {

// --- loans

TEST(frames_lie_in_the_memory_that_was_provided_and_are_not_copied) {
  Bench bench;
  {
    const auto camera = bench.open();
    bench.kernel.fill({1, 90s});
    const auto first = camera->next(10ms);
    TEST_ASSERT_OK(first);
    TEST_ASSERT_EQUAL_UINT(0, reinterpret_cast<std::uintptr_t>(first->image.data) % 4096);
    TEST_ASSERT_EQUAL_UINT8(1, first->image.data[0]);
    bench.kernel.fill({2, 91s});
    const auto second = camera->next(10ms);
    TEST_ASSERT_OK(second);
    TEST_ASSERT_EQUAL_UINT8(1, first->image.data[0]);  // untouched while it is on loan
    TEST_ASSERT_EQUAL_UINT8(2, second->image.data[0]);
    TEST_ASSERT_EQUAL_UINT(2, bench.kernel.queued());
  }
  bench.check_clean();
}

TEST(a_frame_that_is_let_go_is_queued_again) {
  Bench bench;
  const auto camera = bench.open();
  for (std::uint32_t i = 0; i < 50; ++i) {
    bench.kernel.fill({i, 90s + i * 1ms});
    TEST_ASSERT_OK(camera->next(10ms));
    TEST_ASSERT_EQUAL_UINT(4, bench.kernel.queued());
  }
  TEST_ASSERT_EQUAL_UINT64(50, camera->counters().delivered);
}

TEST(when_all_buffers_are_on_loan_it_says_so_at_once) {
  Bench bench;
  const auto camera = bench.open();
  std::vector<Frame> loans;
  for (std::uint32_t i = 0; i < 4; ++i) {
    bench.kernel.fill({i, 90s + i * 1ms});
    auto frame = camera->next(10ms);
    TEST_ASSERT_OK(frame);
    loans.push_back(*std::move(frame));
  }
  const Nanos before = bench.clock.now();
  TEST_ASSERT_ERROR(Errc::would_block, camera->next(1s));
  TEST_ASSERT_EQUAL_INT64(before.count(), bench.clock.now().count());
  loans.pop_back();
  bench.kernel.fill({9, 95s});
  TEST_ASSERT_OK(camera->next(10ms));
}

TEST(memory_on_loan_outlives_the_camera_which_can_be_opened_anew_meanwhile) {
  for (const BufferMode mode : {BufferMode::userptr, BufferMode::mmap}) {
    Bench bench;
    bench.settings.memory = mode;
    {
      std::optional<Frame> loan;
      {
        const auto camera = bench.open();
        bench.kernel.fill({5, 90s});
        auto frame = camera->next(10ms);
        TEST_ASSERT_OK(frame);
        loan = *std::move(frame);
      }
      TEST_ASSERT_EQUAL_INT(0, bench.kernel.open_files());
      TEST_ASSERT_EQUAL_INT(mode == BufferMode::mmap ? 1 : 0, bench.kernel.mappings());
      const auto again = bench.open();
      bench.kernel.fill({0, 91s});
      TEST_ASSERT_OK(again->next(10ms));
      TEST_ASSERT_EQUAL_UINT8(5, loan->image.data[64 * 48 * 2 - 1]);
      loan.reset();
      TEST_ASSERT_EQUAL_UINT(4,
                             bench.kernel.queued());  // the old loan is no buffer of the new camera
    }
    bench.check_clean();
  }
}

TEST(a_buffer_that_cannot_be_queued_again_means_the_camera_is_gone) {
  Bench bench;
  {
    const auto camera = bench.open();
    bench.kernel.fill({1, 90s});
    {
      const auto frame = camera->next(10ms);
      TEST_ASSERT_OK(frame);
      bench.kernel.failures[VIDIOC_QBUF] = {EIO};
    }
    TEST_ASSERT_ERROR(Errc::gone, camera->next(10ms));
  }
  bench.check_clean();
}

// --- time and order

TEST(the_oldest_frame_comes_first) {
  Bench bench;
  const auto camera = bench.open();
  for (std::uint32_t i = 0; i < 3; ++i) bench.kernel.fill({i, 90s + i * 1ms});
  for (std::uint64_t i = 0; i < 3; ++i) {
    const auto frame = camera->next(0ms);
    TEST_ASSERT_OK(frame);
    TEST_ASSERT_EQUAL_UINT64(i, frame->sequence);
  }
  TEST_ASSERT_ERROR(Errc::timeout, camera->next(0ms));
}

TEST(a_monotonic_time_stamp_is_taken_and_any_other_is_not) {
  struct Case {
    std::uint32_t flags;
    Nanos stamp, expected;
  };
  for (const Case& c :
       {Case{V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, 99990ms, 99990ms},
        Case{V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_TSTAMP_SRC_SOE, 99990ms, 99990ms},
        Case{V4L2_BUF_FLAG_TIMESTAMP_UNKNOWN, 99990ms, 100s},
        Case{V4L2_BUF_FLAG_TIMESTAMP_COPY, 99990ms, 100s},
        Case{V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, 0ms, 100s},      // a driver that forgot
        Case{V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, 500s, 100s}}) {  // from the future
    Bench bench;
    const auto camera = bench.open();
    bench.kernel.fill({1, c.stamp, c.flags});
    const auto frame = camera->next(10ms);
    TEST_ASSERT_OK(frame);
    TEST_ASSERT_EQUAL_INT64(c.expected.count(), frame->captured.count());
  }
}

TEST(capture_times_rise_strictly_whatever_the_driver_says) {
  Bench bench;
  const auto camera = bench.open();
  Nanos last = Nanos::min();
  std::uint32_t sequence = 0;
  for (const Nanos stamp : {Nanos{50s}, Nanos{50s}, Nanos{49s}, Nanos{0}, Nanos{60s}}) {
    bench.kernel.fill({sequence++, stamp});
    const auto frame = camera->next(10ms);
    TEST_ASSERT_OK(frame);
    TEST_ASSERT_TRUE(frame->captured > last);
    last = frame->captured;
  }
}

TEST(gaps_in_the_sequence_are_counted_as_dropped) {
  Bench bench;
  const auto camera = bench.open();
  struct Step {
    std::uint32_t kernel;
    std::uint64_t sequence, dropped;
  };
  for (const Step& step : {Step{10, 10, 0}, Step{11, 11, 0}, Step{15, 15, 3}, Step{16, 16, 3}}) {
    bench.kernel.fill({step.kernel, {}});
    const auto frame = camera->next(10ms);
    TEST_ASSERT_OK(frame);
    TEST_ASSERT_EQUAL_UINT64(step.sequence, frame->sequence);
    TEST_ASSERT_EQUAL_UINT64(step.dropped, camera->counters().dropped);
  }
}

TEST(the_sequence_goes_on_past_32_bits) {
  Bench bench;
  const auto camera = bench.open();
  struct Step {
    std::uint32_t kernel;
    std::uint64_t sequence;
  };
  for (const Step& step : {Step{0xfffffffeu, 0xfffffffeu}, Step{0xffffffffu, 0xffffffffu},
                           Step{0, 0x100000000u}, Step{2, 0x100000002u}}) {
    bench.kernel.fill({step.kernel, {}});
    const auto frame = camera->next(10ms);
    TEST_ASSERT_OK(frame);
    TEST_ASSERT_EQUAL_UINT64(step.sequence, frame->sequence);
  }
  TEST_ASSERT_EQUAL_UINT64(1, camera->counters().dropped);
}

TEST(the_sequence_rises_even_if_the_driver_does_not_count) {
  Bench bench;
  const auto camera = bench.open();
  const std::uint32_t kernel[] = {0, 0, 0, 7, 3, 4};
  const std::uint64_t expected[] = {0, 1, 2, 9, 10, 11};
  for (std::size_t i = 0; i < std::size(kernel); ++i) {
    bench.kernel.fill({kernel[i], {}});
    const auto frame = camera->next(10ms);
    TEST_ASSERT_OK(frame);
    TEST_ASSERT_EQUAL_UINT64(expected[i], frame->sequence);
  }
}

// --- waiting

TEST(a_silent_camera_is_a_time_out_after_just_that_time) {
  Bench bench;
  const auto camera = bench.open();
  const Nanos before = bench.clock.now();
  const auto frame = camera->next(250ms);
  TEST_ASSERT_ERROR(Errc::timeout, frame);
  TEST_ASSERT_EQUAL_STRING("wait for camera frame: /dev/video0", describe(frame.error()).c_str());
  TEST_ASSERT_EQUAL_INT64(Nanos{250ms}.count(), (bench.clock.now() - before).count());
}

TEST(a_frame_that_comes_while_waiting_ends_the_wait) {
  Bench bench;
  const auto camera = bench.open();
  bench.kernel.fill_after(40ms, {1, 100s});
  TEST_ASSERT_OK(camera->next(250ms));
  TEST_ASSERT_EQUAL_INT64(Nanos{100s + 40ms}.count(), bench.clock.now().count());
}

TEST(the_wait_is_in_the_time_of_the_clock) {
  Bench bench;
  bench.clock.slowness = 4;
  const auto camera = bench.open();
  TEST_ASSERT_ERROR(Errc::timeout, camera->next(250ms));
  TEST_ASSERT_EQUAL_INT64(Nanos{1s}.count(), bench.kernel.last_poll().count());
  TEST_ASSERT_EQUAL_INT64(Nanos{100s + 250ms}.count(), bench.clock.now().count());
}

TEST(absurd_time_outs_neither_hang_nor_overflow) {
  Bench bench;
  const auto camera = bench.open();
  TEST_ASSERT_ERROR(Errc::timeout, camera->next(Nanos::min()));
  TEST_ASSERT_ERROR(Errc::timeout, camera->next(-1s));
  TEST_ASSERT_ERROR(Errc::timeout, camera->next(Nanos::max()));
}

TEST(signals_do_not_lengthen_the_wait) {
  Bench bench;
  const auto camera = bench.open();
  bench.kernel.poll_interruptions = 30;
  TEST_ASSERT_ERROR(Errc::timeout, camera->next(250ms));
  TEST_ASSERT_EQUAL_INT64(Nanos{100s + 250ms}.count(), bench.clock.now().count());
  bench.kernel.poll_interruptions = 1000000;  // for ever: the wait still ends
  TEST_ASSERT_ERROR(Errc::timeout, camera->next(250ms));
  TEST_ASSERT_EQUAL_INT64(Nanos{100s + 500ms}.count(), bench.clock.now().count());
}

TEST(a_poll_that_promised_too_much_is_waited_out) {
  Bench bench;
  const auto camera = bench.open();
  bench.kernel.fill({1, 90s});
  bench.kernel.failures[VIDIOC_DQBUF] = {EAGAIN, EAGAIN};
  TEST_ASSERT_OK(camera->next(250ms));
}

// --- damage

TEST(a_frame_marked_as_damaged_is_said_to_be_counted_and_queued_again) {
  Bench bench;
  const auto camera = bench.open();
  bench.kernel.fill({1, 90s});
  bench.kernel.fill({2, 91s, V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_ERROR});
  bench.kernel.fill({3, 92s});
  TEST_ASSERT_OK(camera->next(10ms));
  TEST_ASSERT_ERROR(Errc::damaged, camera->next(10ms));
  TEST_ASSERT_OK(camera->next(10ms));
  TEST_ASSERT_EQUAL_UINT(4, bench.kernel.queued());
  TEST_ASSERT_EQUAL_UINT64(2, camera->counters().delivered);
  TEST_ASSERT_EQUAL_UINT64(1, camera->counters().damaged);
  TEST_ASSERT_EQUAL_UINT64(0, camera->counters().dropped);
}

TEST(a_frame_with_too_few_or_too_many_bytes_is_damaged) {
  for (const std::int64_t bytes : {0, 1, 64 * 48 * 2 - 1, 64 * 48 * 2 + 1, 0x7fffffff}) {
    Bench bench;
    const auto camera = bench.open();
    Fill fill{1, 90s};
    fill.bytes = bytes;
    bench.kernel.fill(fill);
    TEST_ASSERT_ERROR(Errc::damaged, camera->next(10ms));
    TEST_ASSERT_EQUAL_UINT(4, bench.kernel.queued());
  }
}

TEST(a_truncated_frame_of_a_thermal_camera_is_damaged_and_the_next_is_not) {
  struct Case {
    std::uint32_t fourcc;
    const char* format;
    std::int64_t bytes;  // of a whole picture
  };
  for (const Case& c :
       {Case{V4L2_PIX_FMT_Y16, "grey16", 64 * 48 * 2},
        Case{V4L2_PIX_FMT_Y14, "grey14", 64 * 48 * 2}, Case{V4L2_PIX_FMT_GREY, "grey8", 64 * 48},
        Case{V4L2_PIX_FMT_NV12, "nv12", 64 * 48 * 3 / 2}}) {
    Bench bench;
    bench.kernel.formats = {{c.fourcc, {{64, 48}}}};
    bench.settings.imaging = Imaging::thermal;
    bench.settings.format = c.format;
    const auto camera = bench.open();
    for (const std::int64_t bytes : {std::int64_t{0}, c.bytes / 2, c.bytes - 1, c.bytes + 1}) {
      Fill fill{1, 90s};
      fill.bytes = bytes;
      bench.kernel.fill(fill);
      TEST_ASSERT_ERROR(Errc::damaged, camera->next(10ms));
    }
    Fill whole{1, 90s};
    whole.bytes = c.bytes;
    bench.kernel.fill(whole);
    TEST_ASSERT_OK(camera->next(10ms));
  }
}

TEST(the_padding_of_the_last_row_may_be_missing) {
  Bench bench;
  bench.kernel.row_padding = 32;
  const auto camera = bench.open();
  Fill fill{1, 90s};
  fill.bytes = (128 + 32) * 48 - 32;
  bench.kernel.fill(fill);
  TEST_ASSERT_OK(camera->next(10ms));
}

// --- loss

TEST(an_unplugged_camera_is_gone_and_stays_so) {
  Bench bench;
  {
    const auto camera = bench.open();
    bench.kernel.after(30ms, [&] { bench.kernel.is_unplugged = true; });
    for (int i = 0; i < 3; ++i) {
      const auto frame = camera->next(250ms);
      TEST_ASSERT_ERROR(Errc::gone, frame);
      TEST_ASSERT_EQUAL_STRING("take camera frame: /dev/video0: No such device",
                               describe(frame.error()).c_str());
    }
  }
  TEST_ASSERT_ERROR(Errc::not_found, bench.try_open());
  bench.kernel.is_unplugged = false;
  bench.open();
  bench.check_clean();
}

TEST(a_fatal_streaming_error_means_the_camera_is_gone) {
  Bench bench;
  const auto camera = bench.open();
  bench.kernel.after(30ms, [&] { bench.kernel.is_broken = true; });
  TEST_ASSERT_ERROR(Errc::gone, camera->next(250ms));
  TEST_ASSERT_EQUAL_INT64(Nanos{100s + 30ms}.count(), bench.clock.now().count());
}

TEST(every_error_of_taking_a_frame_that_will_not_pass_means_gone) {
  for (const int error : {EIO, ENODEV, EPIPE, EINVAL}) {
    Bench bench;
    const auto camera = bench.open();
    bench.kernel.fill({1, 90s});
    bench.kernel.failures[VIDIOC_DQBUF] = {error};
    TEST_ASSERT_ERROR(Errc::gone, camera->next(250ms));
  }
}

TEST(a_poll_that_only_reports_an_error_means_gone) {
  Bench bench;
  const auto camera = bench.open();
  bench.kernel.is_broken = true;
  bench.kernel.failures[VIDIOC_DQBUF] = {EAGAIN};
  TEST_ASSERT_ERROR(Errc::gone, camera->next(250ms));
}

}  // namespace
}  // namespace kerb::test
