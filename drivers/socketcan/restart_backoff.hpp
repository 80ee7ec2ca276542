// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "hal/base/clock.hpp"

namespace kerb::socketcan {

/// When to restart a controller that went bus-off: after `first`, then twice as long each time, up
/// to `longest`, so that a node with broken wiring does not disturb the others. Starts again at
/// `first` once the bus has worked for as long as `longest`.
class RestartBackoff {
 public:
  RestartBackoff(Nanos first, Nanos longest) noexcept : first_{first}, longest_{longest} {}

  /// The controller went off the bus. Again while it is off already: no change.
  void bus_off(Nanos now) noexcept {
    if (off_) return;
    off_ = true;
    if (now - back_since_ >= longest_) wait_ = first_;
    due_ = now + wait_;
  }
  /// The controller is on the bus again.
  void back(Nanos now) noexcept {
    if (!off_) return;
    off_ = false;
    back_since_ = now;
  }
  /// True once for each attempt that has fallen due; the next one is then put off.
  [[nodiscard]] bool take_due(Nanos now) noexcept {
    if (!off_ || now < due_) return false;
    wait_ = std::min(2 * wait_, longest_);
    due_ = now + wait_;
    return true;
  }

 private:
  Nanos first_, longest_;
  Nanos wait_ = first_;
  Nanos due_{};
  Nanos back_since_ = Nanos::min() / 2;
  bool off_ = false;
};

}  // namespace kerb::socketcan
