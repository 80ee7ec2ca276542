// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>

#include "hal/watchdog.hpp"

namespace kerb {

/// What the Watchdog suite needs of an implementation. Tests of a hook that is not set
/// are ignored.
struct WatchdogFixture {
  std::function<std::unique_ptr<Watchdog>()> open;
  Nanos timeout{};              ///< which it must come to have
  std::function<int()> kicks;   ///< that arrived at the other side, ever
  std::function<bool()> armed;  ///< whether the other side is waiting for a kick now
  std::function<bool()>
      bites_unkicked;  ///< lets the time-out pass; whether it would have restarted us
};

/// Runs the suite; how many tests failed.
int run_watchdog_suite(const WatchdogFixture& fixture);

}  // namespace kerb
