// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <mutex>

#include "hal/base/clock.hpp"

namespace kerb::sim {

/// The scenario's clock: it stands still until the stepper advances it. A thread that sleeps on it
/// wakes when it has advanced far enough. real() returns durations unchanged: the firmware's
/// threads use them only to check regularly whether they must end, and no output depends on that.
class SimClock final : public Clock {
 public:
  /// The scenario's 0 s: not the clock's own, which means "never" in places.
  static constexpr Nanos kStart = std::chrono::seconds{10};

  [[nodiscard]] Nanos now() const override { return Nanos{now_.load()}; }
  [[nodiscard]] Nanos from_monotonic(Nanos kernel_time) const override { return kernel_time; }
  [[nodiscard]] Nanos real(Nanos duration) const override { return duration; }
  void sleep_until(Nanos instant) const override {
    std::unique_lock lock{mutex_};
    moved_.wait(lock, [&] { return stopped_ || now_.load() >= instant.count(); });
  }
  /// Advances the clock; never backwards.
  void move_to(Nanos instant) {
    {
      const std::lock_guard lock{mutex_};
      now_ = instant.count();
    }
    moved_.notify_all();
  }
  /// Wakes all sleepers; from now on sleeping returns at once.
  void stop() {
    {
      const std::lock_guard lock{mutex_};
      stopped_ = true;
    }
    moved_.notify_all();
  }
  static Nanos of_scenario(double seconds) { return kStart + Nanos{std::llround(seconds * 1e9)}; }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable moved_;
  std::atomic<Nanos::rep> now_{kStart.count()};
  bool stopped_ = false;
};

}  // namespace kerb::sim
