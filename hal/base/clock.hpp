// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>

namespace kerb {

using Nanos = std::chrono::nanoseconds;

/// The source of time. An instant is the time since the clock's origin. Logic takes `now` as an
/// argument; only loops and drivers hold a Clock. Safe for any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Nanos now() const = 0;
  /// The instant of a CLOCK_MONOTONIC time stamp, as V4L2 gives them.
  [[nodiscard]] virtual Nanos from_monotonic(Nanos kernel_time) const = 0;
  /// `duration` of this clock in real time: the argument for poll() and condition variables.
  [[nodiscard]] virtual Nanos real(Nanos duration) const = 0;
  /// Returns at `instant` or soon after; at once when it has passed.
  virtual void sleep_until(Nanos instant) const = 0;
};

/// CLOCK_MONOTONIC, or a clock that runs `rate` times as fast: with 0.25 an emulated board, slower
/// than real time, meets deadlines that are stated in the product's time.
class SystemClock final : public Clock {
 public:
  explicit SystemClock(double rate = 1.0);
  [[nodiscard]] Nanos now() const override;
  [[nodiscard]] Nanos from_monotonic(Nanos kernel_time) const override;
  [[nodiscard]] Nanos real(Nanos duration) const override;
  void sleep_until(Nanos instant) const override;

 private:
  double rate_;
  Nanos origin_;  // of CLOCK_MONOTONIC, at construction: both clocks agree there
};

}  // namespace kerb
