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
  /// How long the loop has been at one step, in real time: a disk that hangs holds it. Zero while
  /// it sleeps. Any thread.
  [[nodiscard]] Nanos stuck_for() const noexcept {
    const Nanos::rep since = step_.load(std::memory_order_relaxed);
    return since == 0 ? Nanos::zero() : real_now() - Nanos{since};
  }

  // For the loop.
  /// A step begins: a write, a sync. The one before it has not hung.
  void step() noexcept { step_.store(real_now().count(), std::memory_order_relaxed); }
  [[nodiscard]] bool stopping() const noexcept { return stop_.load(std::memory_order_acquire); }
  /// True when the bell rang before `deadline`.
  bool sleep_until(SteadyClock::time_point deadline) noexcept {
    step_.store(0, std::memory_order_relaxed);
    const bool rang = bell_.wait_until(deadline);
    step();
    return rang;
  }

 private:
  static Nanos real_now() noexcept {
    return std::chrono::duration_cast<Nanos>(SteadyClock::now().time_since_epoch());
  }

  std::thread thread_;
  Bell bell_, done_;
  std::atomic<bool> stop_{false};
  std::atomic<Nanos::rep> step_{0};  ///< when the present one began; 0: asleep
};

}  // namespace kerb
