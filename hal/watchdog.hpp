// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"

namespace kerb {

/// Something that restarts us when we fall silent: armed when opened. One thread at a time.
class Watchdog {
 public:
  virtual ~Watchdog() = default;
  virtual Status kick() = 0;  ///< "We are alive." Fails: io; gone once disarmed.
  virtual Status
  disarm() = 0;  ///< A clean end follows: no restart. Without it, destruction leaves it armed.
  [[nodiscard]] virtual Nanos timeout()
      const noexcept = 0;  ///< Real time; kick at least three times as often.
};

}  // namespace kerb
