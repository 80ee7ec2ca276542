// SPDX-License-Identifier: Apache-2.0
#include "hal/base/clock.hpp"

#include <thread>

namespace kerb {
namespace {

// libstdc++'s steady_clock is CLOCK_MONOTONIC, so kernel time stamps are comparable with it.
Nanos monotonic() { return std::chrono::steady_clock::now().time_since_epoch(); }

Nanos scale(Nanos duration, double factor) {
  return Nanos{static_cast<Nanos::rep>(static_cast<double>(duration.count()) * factor)};
}

}  // namespace

SystemClock::SystemClock(double rate) : rate_{rate}, origin_{monotonic()} {}

Nanos SystemClock::now() const { return from_monotonic(monotonic()); }

Nanos SystemClock::from_monotonic(Nanos kernel_time) const {
  return rate_ == 1.0 ? kernel_time : origin_ + scale(kernel_time - origin_, rate_);
}

Nanos SystemClock::real(Nanos duration) const {
  return rate_ == 1.0 ? duration : scale(duration, 1.0 / rate_);
}

void SystemClock::sleep_until(Nanos instant) const {
  const Nanos left = instant - now();
  if (left > Nanos::zero()) std::this_thread::sleep_for(real(left));
}

}  // namespace kerb
