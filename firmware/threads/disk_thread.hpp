// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <functional>
#include <thread>

#include "firmware/threads/bell.hpp"
#include "hal/base/clock.hpp"

namespace kerb {

/// A thread that writes to a disk, or to another program, so that no other thread waits for them.
/// It blocks all signals: they are main's, and SIGXFSZ becomes EFBIG here. If the disk hangs at the
/// end, the thread is detached, because it cannot be taken back out of the kernel. So this object,
/// and everything the thread works on, must be owned by the thread too.
class DiskThread {
 public:
  DiskThread() = default;
  DiskThread(const DiskThread&) = delete;
  DiskThread& operator=(const DiskThread&) = delete;

  /// Runs `loop` on a new thread and keeps it, with what it shares, until it returns. Once only.
  /// Returns 0, or the errno for which there is no thread.
  int start(std::function<void()> loop);
  /// Asks the loop to end, and waits up to `limit` in real time. False: the thread was detached.
  bool stop(Nanos limit) noexcept;
  /// Wakes the loop. Any thread; never waits.
  [[nodiscard]] Bell& bell() noexcept { return bell_; }

  // For the loop.
  [[nodiscard]] bool stopping() const noexcept { return stop_.load(std::memory_order_acquire); }
  /// True when the bell rang before `deadline`.
  bool sleep_until(SteadyClock::time_point deadline) noexcept { return bell_.wait_until(deadline); }

 private:
  std::thread thread_;
  Bell bell_, done_;
  std::atomic<bool> stop_{false};
};

}  // namespace kerb
