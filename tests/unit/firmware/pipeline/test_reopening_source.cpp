// SPDX-License-Identifier: Apache-2.0
#include "firmware/pipeline/reopening_source.hpp"

#include <optional>
#include <vector>

#include "hal/fake/clock.hpp"
#include "hal/fake/frame_source.hpp"
#include "hal/fake/log.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// A camera that can be pulled out; while it is out, opening fails.
struct Bench {
  FakeClock clock;
  FakeLog log;
  bool plugged = true;
  int width = 640;
  int opened = 0;
  std::vector<Nanos> tries;
  FakeFrameSource* current = nullptr;
  Error refusal{Errc::not_found, 2, "open camera", "/dev/video0"};

  std::unique_ptr<FakeFrameSource> make() {
    FrameSourceInfo info = FakeFrameSource::default_info();
    info.width = width;
    auto source = std::make_unique<FakeFrameSource>(clock, info);
    current = source.get();
    source->push(3, milliseconds{1});
    ++opened;
    return source;
  }
  SourceOpener opener() {
    return [this]() -> Result<std::unique_ptr<FrameSource>> {
      tries.push_back(clock.now());
      if (!plugged) return refusal;
      return std::unique_ptr<FrameSource>{make()};
    };
  }
  ReopeningSource source() { return {make(), {}, opener(), clock, log}; }
  void pull() {
    plugged = false;
    current->fail_next({Errc::gone, 19, "dequeue"});
  }
};

TEST(frames_pass_through_unchanged_while_all_is_well) {
  Bench b;
  ReopeningSource s = b.source();
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Result<Frame> frame = s.next(milliseconds{100});
    TEST_ASSERT_OK(frame);
    TEST_ASSERT_EQUAL_UINT64(i, frame->sequence);
  }
  TEST_ASSERT_ERROR(Errc::timeout, s.next(milliseconds{100}));
  TEST_ASSERT_EQUAL_UINT64(3, s.counters().delivered);
  TEST_ASSERT_EQUAL_UINT64(0, s.reopened());
}

TEST(a_lost_camera_is_tried_with_growing_waits_up_to_a_second) {
  Bench b;
  ReopeningSource s = b.source();
  b.pull();
  const Nanos lost = b.clock.now();
  while (b.clock.now() < lost + seconds{6})
    TEST_ASSERT_ERROR(Errc::gone, s.next(milliseconds{100}));
  TEST_ASSERT_GREATER_OR_EQUAL_size_t(8, b.tries.size());
  TEST_ASSERT_TRUE(b.tries[0] - lost == milliseconds{50});
  for (std::size_t i = 1; i < b.tries.size(); ++i) {
    const Nanos gap = b.tries[i] - b.tries[i - 1];
    const Nanos wanted = std::min<Nanos>(milliseconds{50} * (1 << i), seconds{1});
    TEST_ASSERT_TRUE(gap == wanted);
  }
  TEST_ASSERT_TRUE(b.log.has("lost"));
}

TEST(no_call_waits_longer_than_its_time_out) {
  Bench b;
  ReopeningSource s = b.source();
  b.pull();
  for (int i = 0; i < 100; ++i) {
    const Nanos before = b.clock.now();
    TEST_ASSERT_ERROR(Errc::gone, s.next(milliseconds{30}));
    TEST_ASSERT_TRUE(b.clock.now() - before <= milliseconds{30});
  }
}

TEST(when_it_is_back_sequence_times_and_counters_go_on) {
  Bench b;
  ReopeningSource s = b.source();
  Nanos last{};
  for (int i = 0; i < 3; ++i) last = s.next(milliseconds{100})->captured;
  b.pull();
  TEST_ASSERT_ERROR(Errc::gone, s.next(milliseconds{100}));
  TEST_ASSERT_ERROR(Errc::gone, s.next(milliseconds{100}));
  b.plugged = true;
  std::optional<Frame> frame;
  for (int i = 0; i < 20 && !frame; ++i)
    if (Result<Frame> next = s.next(milliseconds{100})) frame = std::move(*next);
  TEST_ASSERT_TRUE(frame.has_value());
  TEST_ASSERT_EQUAL_UINT64(3, frame->sequence);
  TEST_ASSERT_TRUE(frame->captured > last);
  TEST_ASSERT_EQUAL_UINT64(4, s.counters().delivered);
  TEST_ASSERT_EQUAL_UINT64(1, s.reopened());
  TEST_ASSERT_TRUE(b.log.has("is back"));
}

TEST(a_camera_that_comes_back_different_stays_lost) {
  Bench b;
  ReopeningSource s = b.source();
  b.pull();
  TEST_ASSERT_ERROR(Errc::gone, s.next(milliseconds{100}));
  b.plugged = true;
  b.width = 320;
  for (int i = 0; i < 20; ++i) TEST_ASSERT_ERROR(Errc::gone, s.next(milliseconds{100}));
  TEST_ASSERT_EQUAL_UINT64(0, s.reopened());
}

TEST(a_camera_without_signal_at_opening_says_so) {
  Bench b;
  ReopeningSource s = b.source();
  b.pull();
  b.refusal = {Errc::no_signal, 67, "query timings"};
  TEST_ASSERT_ERROR(Errc::gone, s.next(milliseconds{100}));
  TEST_ASSERT_ERROR(Errc::no_signal, s.next(milliseconds{100}));
}

TEST(other_failures_are_passed_on_without_reopening) {
  Bench b;
  ReopeningSource s = b.source();
  for (const Errc code : {Errc::timeout, Errc::damaged, Errc::no_signal, Errc::end}) {
    b.current->fail_next({code, 0, "scripted"});
    TEST_ASSERT_ERROR(code, s.next(milliseconds{100}));
  }
  TEST_ASSERT_EQUAL_size_t(0, b.tries.size());
}

TEST(damaged_frames_are_named_at_first_and_then_every_ten_seconds) {
  Bench b;
  ReopeningSource s = b.source();
  const Nanos begin = b.clock.now();
  std::vector<Nanos> told;
  for (; b.clock.now() < begin + seconds{25}; b.clock.advance(milliseconds{100})) {
    b.current->fail_next({Errc::damaged, 0, "truncated picture", "/pictures/7.jpg"});
    TEST_ASSERT_ERROR(Errc::damaged, s.next(milliseconds{100}));
    if (b.log.lines().size() > told.size()) told.push_back(b.clock.now() - begin);
  }
  TEST_ASSERT_EQUAL_size_t(3, told.size());
  for (std::size_t i = 0; i < told.size(); ++i)
    TEST_ASSERT_TRUE(told[i] == seconds{10} * static_cast<int>(i));
  TEST_ASSERT_TRUE(b.log.has("truncated picture: /pictures/7.jpg"));
  TEST_ASSERT_TRUE(b.log.lines().front().level == LogLevel::warning);
}

TEST(a_failure_that_no_source_promises_is_a_loss_too) {
  Bench b;
  ReopeningSource s = b.source();
  b.current->fail_next({Errc::io, 5, "open video again"});
  TEST_ASSERT_ERROR(Errc::io, s.next(milliseconds{100}));
  TEST_ASSERT_OK(s.next(milliseconds{100}));
  TEST_ASSERT_EQUAL_UINT64(1, s.reopened());
}

TEST(it_can_start_without_a_camera) {
  Bench b;
  FrameSourceInfo info = FakeFrameSource::default_info();
  ReopeningSource s{nullptr, info, b.opener(), b.clock, b.log};
  TEST_ASSERT_EQUAL_INT(640, s.info().width);
  TEST_ASSERT_OK(s.next(milliseconds{100}));
}

}  // namespace
