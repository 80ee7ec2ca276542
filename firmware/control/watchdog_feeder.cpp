// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/watchdog_feeder.hpp"

#include <utility>

namespace kerb {

void WatchdogFeeder::feed(Nanos now, Nanos alive_at, ControlTotals& totals) {
  if (watchdog_ == nullptr || now < next_) return;
  // The watchdog counts real time. Each thread wakes ten times a second, whatever its camera does,
  // but opening a camera may take a while.
  const double rate = 1e9 / static_cast<double>(clock_.real(std::chrono::seconds{1}).count());
  const Nanos patience{
      static_cast<Nanos::rep>(static_cast<double>(watchdog_->timeout().count()) * rate)};
  next_ = now + patience / 5;
  if (now - alive_at > patience / 2) {
    if (!std::exchange(withheld_, true))
      log_.error("watchdog", "a pipeline thread is stuck: leaving the restart to the watchdog");
    return;
  }
  withheld_ = false;
  const Status kicked = watchdog_->kick();
  if (kicked) {
    ++totals.watchdog_kicks;
    refusal_.reset();
    return;
  }
  if (!refusal_) log_.error("watchdog", describe(kicked.error()));
  refusal_ = kicked.error();
}

void WatchdogFeeder::disarm() {
  if (watchdog_ == nullptr) return;
  if (const Status done = watchdog_->disarm(); !done)
    log_.error("watchdog", describe(done.error()));
}

}  // namespace kerb
