// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <chrono>
#include <thread>

#include "hal/base/clock.hpp"

namespace kerb::test {

/// Moves only when it is told to, and passes for one that runs fifty times as fast as life: whoever
/// waits does so for a fiftieth of the time, and looks again.
class StepClock final : public Clock {
 public:
  static constexpr int kRate = 50;
  [[nodiscard]] Nanos now() const override { return Nanos{now_.load()}; }
  [[nodiscard]] Nanos from_monotonic(Nanos kernel_time) const override { return kernel_time; }
  [[nodiscard]] Nanos real(Nanos duration) const override { return duration / kRate; }
  void sleep_until(Nanos) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  void advance(Nanos by) { now_.fetch_add(by.count()); }

 private:
  std::atomic<Nanos::rep> now_{Nanos{std::chrono::seconds{100}}.count()};
};

}  // namespace kerb::test
