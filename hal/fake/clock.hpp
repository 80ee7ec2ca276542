// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>

#include "hal/base/clock.hpp"

namespace kerb {

/// A clock that advances only when it is set, or by sleeping, so that loops run at once.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(Nanos start = std::chrono::seconds{1}) : now_{start.count()} {}
  [[nodiscard]] Nanos now() const override { return Nanos{now_.load()}; }
  [[nodiscard]] Nanos from_monotonic(Nanos kernel_time) const override { return kernel_time; }
  [[nodiscard]] Nanos real(Nanos) const override { return Nanos::zero(); }  // no real waits
  void sleep_until(Nanos instant) const override {
    Nanos::rep seen = now_.load();  // several threads may sleep: it never goes back
    while (instant.count() > seen && !now_.compare_exchange_weak(seen, instant.count())) {
    }
  }
  void advance(Nanos by) { now_.fetch_add(by.count()); }

 private:
  mutable std::atomic<Nanos::rep> now_;
};

}  // namespace kerb
