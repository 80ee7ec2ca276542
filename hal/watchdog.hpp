// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"

namespace kerb {

/// Restarts the program or the board when it is not kicked in time. Armed when opened. One thread
/// at a time.
class Watchdog {
 public:
  virtual ~Watchdog() = default;
  virtual Status kick() = 0;  ///< Restarts the time-out. Fails: io; gone once disarmed.
  virtual Status
  disarm() = 0;  ///< Before a clean end: no restart. Without it, destruction leaves it armed.
  [[nodiscard]] virtual Nanos timeout()
      const noexcept = 0;  ///< Real time; kick at least three times as often.
};

}  // namespace kerb
