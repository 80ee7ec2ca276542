// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "tests/support/test.hpp"
#include "tests/unit/drivers/v4l2/bench.hpp"

namespace kerb::test {
namespace {

/// Lets frames go on a thread of its own, a few at a time on hold.
class Releaser {
 public:
  Releaser() : thread_{[this] { run(); }} {}
  ~Releaser() {
    hand_over(std::nullopt);
    thread_.join();
  }
  void hand_over(std::optional<Frame> frame) {
    const std::lock_guard lock{mutex_};
    waiting_.push_back(std::move(frame));
    news_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      std::optional<Frame> frame;
      {
        std::unique_lock lock{mutex_};
        news_.wait(lock, [&] { return !waiting_.empty(); });
        frame = std::move(waiting_.front());
        waiting_.pop_front();
      }
      if (!frame) return;
      const volatile std::uint8_t last = frame->image.data[64 * 48 * 2 - 1];
      static_cast<void>(last);
    }
  }
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<std::optional<Frame>> waiting_;
  std::thread thread_;
};

TEST(frames_may_be_let_go_on_another_thread_while_the_next_are_taken) {
  for (const BufferMode mode : {BufferMode::userptr, BufferMode::mmap}) {
    Bench bench;
    bench.settings.memory = mode;
    bench.kernel.fills_by_itself = true;
    {
      Releaser releaser;
      const auto camera = bench.open();
      std::uint64_t taken = 0, refused = 0;
      while (taken < 2000) {
        auto frame = camera->next(100ms);
        if (frame) {
          ++taken;
          releaser.hand_over(*std::move(frame));
        } else {
          TEST_ASSERT_ERROR(Errc::would_block, frame);
          ++refused;
          std::this_thread::yield();
        }
      }
      TEST_ASSERT_EQUAL_UINT64(2000, camera->counters().delivered);
      TEST_ASSERT_EQUAL_UINT64(0, camera->counters().dropped);
    }
    bench.check_clean();
  }
}

TEST(the_camera_may_be_closed_while_another_thread_lets_frames_go) {
  for (const BufferMode mode : {BufferMode::userptr, BufferMode::mmap}) {
    Bench bench;
    bench.settings.memory = mode;
    bench.kernel.fills_by_itself = true;
    {
      Releaser releaser;
      for (int round = 0; round < 100; ++round) {
        const auto camera = bench.open();
        for (int i = 0; i < 3; ++i) {
          auto frame = camera->next(100ms);
          TEST_ASSERT_OK(frame);
          releaser.hand_over(*std::move(frame));
        }
      }
    }
    bench.check_clean();
  }
}

}  // namespace
}  // namespace kerb::test
