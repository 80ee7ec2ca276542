// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/frame_source_contract.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <thread>

#include "tests/support/unity.hpp"

namespace kerb::contract {
namespace {

using namespace std::chrono_literals;

constexpr Nanos kPatience =
    10s;  // for a frame that must come: a loaded machine, a camera that starts slowly
constexpr Nanos kSlack = 2s;  // by which a wait may be longer than asked, on a loaded machine
constexpr double kRate = 30;
constexpr int kBuffers = 4;
constexpr const char* kNeedsClock = "needs frames that fall due by the clock";

FrameSourceFixture* fixture = nullptr;

std::unique_ptr<FrameSource> make(double rate_hz = kRate, int buffers = kBuffers) {
  Result<std::unique_ptr<FrameSource>> source = fixture->make(rate_hz, buffers);
  TEST_ASSERT_OK(source);
  return *std::move(source);
}

Frame take(FrameSource& source) {
  fixture->expose(source);
  Result<Frame> frame = source.next(kPatience);
  TEST_ASSERT_OK(frame);
  return *std::move(frame);
}

std::uint64_t sum_of(const Frame& frame) {
  const RawImageView<Space::host>& image = frame.image;
  std::uint64_t sum = 14695981039346656037U;
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* row = image.data + y * image.row_stride;
    for (int i = 0; i < min_row_bytes(image.format, image.width); ++i)
      sum = (sum ^ row[i]) * 1099511628211U;
  }
  return sum;
}

/// Lets all waiting frames go, so that the next one is yet to come.
void drain(FrameSource& source) {
  for (int i = 0; i < 1000; ++i) {
    const Result<Frame> frame = source.next(Nanos::zero());
    if (frame) continue;
    TEST_ASSERT_ERROR(Errc::timeout, frame);
    return;
  }
  TEST_FAIL_MESSAGE("a thousand frames without a wait");
}

void test_info_describes_the_frames() {
  const std::unique_ptr<FrameSource> source = make();
  const FrameSourceInfo info = source->info();
  TEST_ASSERT_FALSE(info.name.empty());
  TEST_ASSERT_TRUE(size_fits(info.format, info.width, info.height));
  TEST_ASSERT_TRUE(info.rate_hz >= 0 && info.rate_hz <= 1000);
  TEST_ASSERT_NOT_NULL(info.memory);
  for (int i = 0; i < 2 * kBuffers; ++i) {
    const Frame frame = take(*source);
    const RawImageView<Space::host>& image = frame.image;
    TEST_ASSERT_NOT_NULL(image.data);
    TEST_ASSERT_EQUAL_STRING(name_of(info.format), name_of(image.format));
    TEST_ASSERT_EQUAL(info.mosaic, image.mosaic);
    TEST_ASSERT_EQUAL(info.width, image.width);
    TEST_ASSERT_EQUAL(info.height, image.height);
    TEST_ASSERT_TRUE(image.row_stride >= min_row_bytes(image.format, image.width));
    TEST_ASSERT_EQUAL(image.format == PixelFormat::nv12, image.chroma != nullptr);
    if (image.chroma != nullptr) {
      TEST_ASSERT_TRUE(image.chroma_stride >= image.width);
      const std::ptrdiff_t last = image.chroma_stride * (image.height / 2 - 1) + image.width - 1;
      static_cast<void>(*static_cast<const volatile std::uint8_t*>(image.chroma + last));
    }
    static_cast<void>(sum_of(frame));  // every byte may be read: ASan sees to it
  }
}

void test_sequence_and_capture_time_rise() {
  const std::unique_ptr<FrameSource> source = make();
  Frame last = take(*source);
  for (int i = 0; i < 3 * kBuffers; ++i) {
    Frame frame = take(*source);
    TEST_ASSERT_GREATER_THAN_UINT64(last.sequence, frame.sequence);
    TEST_ASSERT_GREATER_THAN_INT64(last.captured.count(), frame.captured.count());
    last = std::move(frame);
  }
}

void test_capture_time_is_on_the_clock() {
  if (fixture->pace() != Pace::real) TEST_IGNORE_MESSAGE(kNeedsClock);
  const std::unique_ptr<FrameSource> source = make();
  static_cast<void>(take(*source));
  for (int i = 0; i < 5; ++i) {
    drain(*source);
    const Nanos before = fixture->clock().now();
    const Frame frame = take(*source);
    const Nanos after = fixture->clock().now();
    TEST_ASSERT_TRUE(frame.captured <= after);
    TEST_ASSERT_TRUE(frame.captured >= before - kSlack);
  }
}

void test_a_wait_ends_in_time() {
  if (fixture->pace() != Pace::real) TEST_IGNORE_MESSAGE(kNeedsClock);
  const std::unique_ptr<FrameSource> source = make(5, kBuffers);
  static_cast<void>(take(*source));
  int timeouts = 0;
  for (const Nanos timeout : {0ns, 1000000ns, 20000000ns, 20000000ns}) {
    drain(*source);
    const Nanos before = fixture->clock().now();
    const Result<Frame> frame = source->next(timeout);
    const Nanos waited = fixture->clock().now() - before;
    TEST_ASSERT_TRUE(waited < timeout + kSlack);
    if (frame) continue;  // it fell due meanwhile
    TEST_ASSERT_ERROR(Errc::timeout, frame);
    TEST_ASSERT_TRUE(waited >= timeout - 1ms);
    ++timeouts;
  }
  TEST_ASSERT_GREATER_THAN(0, timeouts);
  static_cast<void>(take(*source));  // and a time-out harms nothing
}

void test_a_look_does_not_wait() {
  if (fixture->pace() != Pace::real) TEST_IGNORE_MESSAGE(kNeedsClock);
  const std::unique_ptr<FrameSource> source = make(5, kBuffers);
  static_cast<void>(take(*source));
  // The quickest of several, so that a busy machine does not count: waiting a period would take 200
  // ms each time.
  Nanos quickest = kPatience;
  for (int i = 0; i < 5; ++i) {
    drain(*source);
    const Nanos before = fixture->clock().now();
    static_cast<void>(source->next(Nanos::zero()));
    quickest = std::min(quickest, fixture->clock().now() - before);
  }
  TEST_ASSERT_TRUE(quickest < 50ms);
}

void test_frames_on_loan_keep_their_pictures() {
  const std::unique_ptr<FrameSource> source = make();
  std::vector<Frame> held;
  std::vector<std::uint64_t> sums;
  for (int i = 0; i + 1 < kBuffers; ++i) {  // one buffer stays for the frames that pass
    held.push_back(take(*source));
    sums.push_back(sum_of(held.back()));
  }
  for (int i = 0; i < 2 * kBuffers; ++i) static_cast<void>(take(*source));
  for (std::size_t i = 0; i < held.size(); ++i) {
    TEST_ASSERT_EQUAL_UINT64(sums[i], sum_of(held[i]));
    const RawImageView<Space::host>& a = held[i].image;
    for (std::size_t j = 0; j < i; ++j) {
      const RawImageView<Space::host>& b = held[j].image;
      const bool apart = std::less_equal<>{}(a.data + a.row_stride * a.height, b.data) ||
                         std::less_equal<>{}(b.data + b.row_stride * b.height, a.data);
      TEST_ASSERT_TRUE_MESSAGE(apart, "two frames on loan share memory");
    }
  }
}

/// Takes frames until none is left to lend. The driver may have got fewer or more buffers than
/// asked for.
std::vector<Frame> take_all(FrameSource& source) {
  std::vector<Frame> held;
  for (int i = 0; i < 33; ++i) {
    fixture->expose(source);
    Result<Frame> frame = source.next(kPatience);
    if (!frame) {
      TEST_ASSERT_ERROR(Errc::would_block, frame);
      return held;
    }
    held.push_back(*std::move(frame));
  }
  TEST_FAIL_MESSAGE("33 frames on loan, and none refused");
  return held;
}

void test_when_all_are_on_loan_it_refuses_and_recovers() {
  const std::unique_ptr<FrameSource> source = make();
  std::vector<Frame> held = take_all(*source);
  TEST_ASSERT_GREATER_OR_EQUAL(2, held.size());
  TEST_ASSERT_ERROR(Errc::would_block, source->next(Nanos::zero()));
  const std::uint64_t last = held.back().sequence;
  held.erase(held.begin());
  const Frame frame = take(*source);
  TEST_ASSERT_GREATER_THAN_UINT64(last, frame.sequence);
  TEST_ASSERT_ERROR(Errc::would_block, source->next(Nanos::zero()));
}

void test_a_frame_outlives_its_source() {
  std::unique_ptr<FrameSource> source = make();
  Frame first = take(*source);
  Frame second = take(*source);
  const std::uint64_t sum = sum_of(second);
  source.reset();
  first.lease.release();
  TEST_ASSERT_EQUAL_UINT64(sum, sum_of(second));
}

void test_frames_may_be_let_go_on_another_thread() {
  const std::unique_ptr<FrameSource> source = make(120, kBuffers);
  for (int round = 0; round < 8; ++round) {
    std::vector<Frame> held = take_all(*source);
    std::thread other{[&held] {
      for (Frame& frame : held) {
        static_cast<void>(sum_of(frame));
        frame = Frame{};
      }
    }};
    // Meanwhile the source goes on as buffers come back.
    for (int i = 0; i < 3; ++i) {
      fixture->expose(*source);
      const Result<Frame> frame = source->next(50ms);
      if (!frame && frame.error().code != Errc::timeout)
        TEST_ASSERT_ERROR(Errc::would_block, frame);
    }
    other.join();
  }
  static_cast<void>(take(*source));
}

void test_counters_add_up() {
  const std::unique_ptr<FrameSource> source = make(120, kBuffers);
  const Frame first = take(*source);
  const FrameCounters start = source->counters();
  TEST_ASSERT_EQUAL_UINT64(1, start.delivered);
  std::uint64_t last = first.sequence, gaps = 0;
  for (int i = 0; i < 12; ++i) {
    if (i == 6 && fixture->pace() == Pace::real)
      fixture->clock().sleep_until(fixture->clock().now() + 200ms);  // a real camera loses some now
    const Frame frame = take(*source);
    gaps += frame.sequence - last - 1;
    last = frame.sequence;
  }
  const FrameCounters end = source->counters();
  TEST_ASSERT_EQUAL_UINT64(13, end.delivered);
  TEST_ASSERT_EQUAL_UINT64(gaps, end.dropped - start.dropped + end.damaged - start.damaged);
}

void test_several_sources_live_side_by_side() {
  std::vector<std::unique_ptr<FrameSource>> sources;
  for (int i = 0; i < fixture->most_sources(); ++i) sources.push_back(make(120, kBuffers));
  std::vector<Frame> held;
  std::vector<std::uint64_t> sums;
  for (int round = 0; round < 3; ++round)
    for (const std::unique_ptr<FrameSource>& source : sources) {
      held.push_back(take(*source));
      sums.push_back(sum_of(held.back()));
    }
  sources.erase(sources.begin());  // one closes; the others do not care
  for (const std::unique_ptr<FrameSource>& source : sources) static_cast<void>(take(*source));
  for (std::size_t i = 0; i < held.size(); ++i) TEST_ASSERT_EQUAL_UINT64(sums[i], sum_of(held[i]));
}

}  // namespace

int run_frame_source_contract(const std::vector<FrameSourceFixture*>& fixtures) {
  UNITY_BEGIN();
  for (FrameSourceFixture* each : fixtures) {
    fixture = each;
    std::printf("-- %s\n", fixture->name());
    RUN_TEST(test_info_describes_the_frames);
    RUN_TEST(test_sequence_and_capture_time_rise);
    RUN_TEST(test_capture_time_is_on_the_clock);
    RUN_TEST(test_a_wait_ends_in_time);
    RUN_TEST(test_a_look_does_not_wait);
    RUN_TEST(test_frames_on_loan_keep_their_pictures);
    RUN_TEST(test_when_all_are_on_loan_it_refuses_and_recovers);
    RUN_TEST(test_a_frame_outlives_its_source);
    RUN_TEST(test_frames_may_be_let_go_on_another_thread);
    RUN_TEST(test_counters_add_up);
    RUN_TEST(test_several_sources_live_side_by_side);
  }
  return UNITY_END();
}

}  // namespace kerb::contract
