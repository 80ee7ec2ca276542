// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <functional>
#include <thread>

#include "firmware/threads/bell.hpp"
#include "hal/base/clock.hpp"

namespace kerb {

/// A thread that writes to a disk, so that nobody else waits for one. It takes no signals: they are
/// main's, and SIGXFSZ is to be an EFBIG here. When the disk hangs at the end it is left behind, as
/// no thread can be taken back out of the kernel: so this, and whatever the thread works on, lies
/// in an object that the thread shares.
class DiskThread {
 public:
  DiskThread() = default;
  DiskThread(const DiskThread&) = delete;
  DiskThread& operator=(const DiskThread&) = delete;

  /// Calls `loop` on a thread of its own and keeps it, with what it shares, until it returns; once.
  /// 0, or the errno for which there is no thread.
  int start(std::function<void()> loop);
  /// Asks the loop to end, and waits for it so long in life's time. False: it was left behind.
  bool stop(Nanos limit) noexcept;
  /// Wakes the loop. Any thread; never waits.
  [[nodiscard]] Bell& bell() noexcept { return bell_; }

  // For the loop.
  [[nodiscard]] bool stopping() const noexcept { return stop_.load(std::memory_order_acquire); }
  /// True when the bell rang before `deadline`.
  bool sleep_until(Life::time_point deadline) noexcept { return bell_.wait_until(deadline); }

 private:
  std::thread thread_;
  Bell bell_, done_;
  std::atomic<bool> stop_{false};
};

}  // namespace kerb
