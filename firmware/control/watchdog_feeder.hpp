// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "firmware/control/control_types.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/log.hpp"
#include "hal/watchdog.hpp"

namespace kerb {

/// Feeds the watchdog as long as every thread of every pipeline is alive. One thread.
class WatchdogFeeder {
 public:
  /// `watchdog` may be null.
  WatchdogFeeder(Watchdog* watchdog, const Clock& clock, Log& log, Nanos start) noexcept
      : watchdog_{watchdog}, clock_{clock}, log_{log}, next_{start} {}

  /// One round. `alive_at`: when all threads were last seen alive.
  void feed(Nanos now, Nanos alive_at, ControlTotals& totals);
  void disarm();
  /// Why it was not fed the last time; nothing when it was, or when there is none.
  [[nodiscard]] const std::optional<Error>& refusal() const noexcept { return refusal_; }

 private:
  Watchdog* watchdog_;
  const Clock& clock_;
  Log& log_;
  Nanos next_;
  bool withheld_ = false;         ///< a thread is stuck, and that was logged
  std::optional<Error> refusal_;  ///< of the last kick
};

}  // namespace kerb
