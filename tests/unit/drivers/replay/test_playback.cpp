// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "drivers/replay/playback.hpp"
#include "hal/fake/clock.hpp"
#include "hal/fake/frame_memory.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;
using namespace kerb::replay;
using namespace std::chrono_literals;

/// Pictures of one byte's value: the picture's place in the film.
class Film final : public PictureReader {
 public:
  explicit Film(std::uint64_t length, double rate_hz = 10) : length_{length}, rate_hz_{rate_hz} {
    layout_ = *make_layout(PixelFormat::grey8, 8, 4, 0);
  }
  [[nodiscard]] Text<64> name() const override { return "film"; }
  [[nodiscard]] const PictureLayout& layout() const override { return layout_; }
  [[nodiscard]] double rate_hz() const override { return rate_hz_; }
  [[nodiscard]] std::uint64_t length() const override { return length_; }
  void skip(std::uint64_t count) override { at_ += count; }
  Status read(std::uint8_t* out) override {
    if (at_ >= length_) return Error{Errc::end, 0, "film"};
    const std::uint64_t place = at_++;
    if (place == damaged_at) return Error{Errc::damaged, 0, "film"};
    std::memset(out, static_cast<int>(place), layout_.bytes);
    return Done{};
  }
  std::uint64_t damaged_at = kEndless;

 private:
  PictureLayout layout_;
  std::uint64_t length_;
  double rate_hz_;
  std::uint64_t at_ = 0;
};

PageableFrameMemory memory;

struct Show {
  FakeClock clock{1s};
  std::unique_ptr<FrameSource> source;

  explicit Show(Pace pace, std::uint64_t length = PictureReader::kEndless, int buffers = 4,
                std::uint64_t damaged_at = PictureReader::kEndless) {
    auto film = std::make_unique<Film>(length);
    film->damaged_at = damaged_at;
    CameraSettings settings;
    settings.pace = pace;
    settings.buffers = buffers;
    Result<std::unique_ptr<FrameSource>> opened =
        Playback::open(std::move(film), settings, memory, clock);
    TEST_ASSERT_OK(opened);
    source = *std::move(opened);
  }
  /// Takes a frame and lets it go; checks its number, picture and time.
  void expect(std::uint64_t sequence, Nanos timeout = 1s) {
    const Result<Frame> frame = source->next(timeout);
    TEST_ASSERT_OK(frame);
    TEST_ASSERT_EQUAL_UINT64(sequence, frame->sequence);
    TEST_ASSERT_EQUAL_UINT8(sequence, frame->image.data[0]);
    TEST_ASSERT_EQUAL_INT64(Nanos{1s + static_cast<int>(sequence) * 100ms}.count(),
                            frame->captured.count());
  }
};

TEST(real_pace_waits_until_a_frame_falls_due) {
  Show show{Pace::real};
  show.expect(0);
  TEST_ASSERT_EQUAL_INT64(Nanos{1s}.count(), show.clock.now().count());
  show.expect(1);
  TEST_ASSERT_EQUAL_INT64(Nanos{1100ms}.count(), show.clock.now().count());
}

TEST(real_pace_gives_up_at_the_time_out) {
  Show show{Pace::real};
  show.expect(0);
  TEST_ASSERT_ERROR(Errc::timeout, show.source->next(Nanos::zero()));
  TEST_ASSERT_EQUAL_INT64(Nanos{1s}.count(), show.clock.now().count());
  TEST_ASSERT_ERROR(Errc::timeout, show.source->next(30ms));
  TEST_ASSERT_EQUAL_INT64(Nanos{1030ms}.count(), show.clock.now().count());
  show.expect(1, 70ms);
}

TEST(frames_wait_while_there_are_buffers_and_are_dropped_beyond) {
  Show show{Pace::real, PictureReader::kEndless, 3};
  show.expect(0);
  show.clock.advance(350ms);  // 1, 2 and 3 fell due: three buffers
  show.expect(1, Nanos::zero());
  show.expect(2, Nanos::zero());
  show.expect(3, Nanos::zero());
  TEST_ASSERT_EQUAL_UINT64(0, show.source->counters().dropped);
  show.clock.advance(1s);  // 4..13 fell due
  show.expect(11, Nanos::zero());
  TEST_ASSERT_EQUAL_UINT64(7, show.source->counters().dropped);
  TEST_ASSERT_EQUAL_UINT64(5, show.source->counters().delivered);
}

TEST(frames_on_loan_leave_fewer_buffers_to_wait_in) {
  Show show{Pace::real, PictureReader::kEndless, 2};
  const Result<Frame> held = show.source->next(1s);
  TEST_ASSERT_OK(held);
  show.clock.advance(500ms);
  show.expect(5, Nanos::zero());
  TEST_ASSERT_EQUAL_UINT64(4, show.source->counters().dropped);
}

TEST(the_end_of_a_recording_waits_for_the_late) {
  Show show{Pace::real, 10, 2};
  show.expect(0);
  show.clock.advance(60s);
  show.expect(8, Nanos::zero());
  show.expect(9, Nanos::zero());
  TEST_ASSERT_ERROR(Errc::end, show.source->next(1s));
  TEST_ASSERT_ERROR(Errc::end, show.source->next(1s));
  TEST_ASSERT_EQUAL_UINT64(7, show.source->counters().dropped);
}

TEST(recorded_pace_gives_every_frame_at_once) {
  Show show{Pace::recorded, 5};
  for (std::uint64_t i = 0; i < 5; ++i) show.expect(i, Nanos::zero());
  TEST_ASSERT_EQUAL_INT64(Nanos{1s}.count(), show.clock.now().count());
  TEST_ASSERT_ERROR(Errc::end, show.source->next(1s));
  TEST_ASSERT_EQUAL_UINT64(0, show.source->counters().dropped);
}

TEST(a_damaged_picture_takes_its_number) {
  for (const Pace pace : {Pace::real, Pace::recorded}) {
    Show show{pace, 5, 4, 2};
    show.expect(0);
    show.expect(1);
    TEST_ASSERT_ERROR(Errc::damaged, show.source->next(1s));
    show.expect(3);
    const FrameCounters counters = show.source->counters();
    TEST_ASSERT_EQUAL_UINT64(3, counters.delivered);
    TEST_ASSERT_EQUAL_UINT64(1, counters.damaged);
    TEST_ASSERT_EQUAL_UINT64(0, counters.dropped);
  }
}

TEST(nothing_is_lost_when_every_buffer_is_on_loan) {
  Show show{Pace::recorded, 5, 1};
  {
    const Result<Frame> held = show.source->next(1s);
    TEST_ASSERT_OK(held);
    TEST_ASSERT_ERROR(Errc::would_block, show.source->next(1s));
    TEST_ASSERT_EQUAL_INT64(Nanos{1s}.count(), show.clock.now().count());
  }
  show.expect(1);
}

TEST(times_do_not_drift) {
  FakeClock clock{1s};
  CameraSettings settings;
  Result<std::unique_ptr<FrameSource>> source = Playback::open(
      std::make_unique<Film>(PictureReader::kEndless, 30000.0 / 1001), settings, memory, clock);
  TEST_ASSERT_OK(source);
  clock.advance(std::chrono::hours{24 * 30});
  const Result<Frame> frame = (*source)->next(1s);
  TEST_ASSERT_OK(frame);
  TEST_ASSERT_TRUE(frame->captured <= clock.now());
  TEST_ASSERT_TRUE(frame->captured > clock.now() - 4 * 33367us);
}

TEST(nonsense_is_refused) {
  const FakeClock clock;
  for (const double rate : {0.0, -1.0, 1001.0, static_cast<double>(NAN)}) {
    TEST_ASSERT_ERROR(Errc::invalid_argument,
                      Playback::open(std::make_unique<Film>(1, rate), {}, memory, clock));
  }
  for (const int buffers : {0, -1, 33}) {
    CameraSettings settings;
    settings.buffers = buffers;
    TEST_ASSERT_ERROR(Errc::invalid_argument,
                      Playback::open(std::make_unique<Film>(1), settings, memory, clock));
  }
  CameraSettings most;
  most.buffers = 32;
  TEST_ASSERT_OK(Playback::open(std::make_unique<Film>(1), most, memory, clock));
}

TEST(memory_that_runs_out_is_an_error) {
  class Scarce final : public FrameMemory {
   public:
    Result<MemoryBlock> allocate(std::size_t bytes) override {
      if (left-- == 0) return Error{Errc::device, 2, "allocate frame memory"};
      return plain.allocate(bytes);
    }
    [[nodiscard]] const char* kind() const noexcept override { return "scarce"; }
    void free(void*, std::size_t) noexcept override {}
    int left = 2;
    PageableFrameMemory plain;
  } scarce;
  const FakeClock clock;
  TEST_ASSERT_ERROR(Errc::device, Playback::open(std::make_unique<Film>(1), {}, scarce, clock));
}

}  // namespace
