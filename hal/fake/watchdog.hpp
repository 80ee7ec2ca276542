// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <utility>

#include "hal/watchdog.hpp"

namespace kerb {

/// The hardware's timer: it outlives the program that opened the watchdog, and says whether it
/// would have expired.
struct FakeWatchdogTimer {
  explicit FakeWatchdogTimer(const Clock& its_clock, Nanos limit = std::chrono::seconds{10})
      : clock{its_clock}, timeout{limit} {}
  /// Whether the machine would have been restarted by now. Once true it stays true.
  [[nodiscard]] bool expired() const {
    if (armed && clock.now() - last_kick > timeout) bitten = true;
    return bitten;
  }

  const Clock& clock;
  Nanos timeout;
  bool armed = false;
  Nanos last_kick{};
  mutable bool bitten = false;
};

/// Armed from construction until disarm(). The timer must outlive it.
class FakeWatchdog final : public Watchdog {
 public:
  explicit FakeWatchdog(FakeWatchdogTimer& timer) : timer_{timer} {
    timer_.armed = true;
    timer_.last_kick = timer_.clock.now();
  }
  Status kick() override {
    if (disarmed_) return Error{Errc::gone, 0, "kick the fake watchdog: disarmed"};
    if (fail_next) return *std::exchange(fail_next, std::nullopt);
    static_cast<void>(timer_.expired());  // a late kick does not undo a restart
    timer_.last_kick = timer_.clock.now();
    ++kicks;
    return Done{};
  }
  Status disarm() override {
    if (disarmed_) return Done{};
    static_cast<void>(timer_.expired());
    timer_.armed = false;
    disarmed_ = true;
    return Done{};
  }
  [[nodiscard]] Nanos timeout() const noexcept override { return timer_.timeout; }

  int kicks = 0;
  std::optional<Error> fail_next;  ///< the next kick() fails with this, once

 private:
  FakeWatchdogTimer& timer_;
  bool disarmed_ = false;
};

}  // namespace kerb
