// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "hal/watchdog.hpp"

namespace kerb {

/// Several watchdogs as one: the board's and systemd's. An empty group never expires.
class WatchdogGroup final : public Watchdog {
 public:
  explicit WatchdogGroup(std::vector<std::unique_ptr<Watchdog>> members)
      : members_{std::move(members)} {}

  /// Kicks every one, even after a failure; returns the first failure.
  Status kick() override { return each(&Watchdog::kick); }
  Status disarm() override { return each(&Watchdog::disarm); }
  /// The shortest; the longest time there is for an empty group.
  [[nodiscard]] Nanos timeout() const noexcept override {
    Nanos shortest = Nanos::max();
    for (const auto& member : members_) shortest = std::min(shortest, member->timeout());
    return shortest;
  }

 private:
  Status each(Status (Watchdog::*call)()) {
    Status answer = Done{};
    for (const auto& member : members_)
      if (Status status = (*member.*call)(); !status && answer) answer = status;
    return answer;
  }
  std::vector<std::unique_ptr<Watchdog>> members_;
};

}  // namespace kerb
