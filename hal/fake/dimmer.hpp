// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "hal/dimmer.hpp"

namespace kerb {

/// Keeps every brightness that was set.
class FakeDimmer final : public Dimmer {
 public:
  FakeDimmer() { history.reserve(4096); }  // so that a frame loop around it allocates nothing
  Status set(double share) override {
    if (!(share >= 0 && share <= 1)) return Error{Errc::invalid_argument, 0, "set the fake dimmer"};
    if (fail_next) return *std::exchange(fail_next, std::nullopt);
    if (unplugged) return Error{Errc::gone, 0, "set the fake dimmer"};
    share_ = share;
    history.push_back(share);
    return Done{};
  }
  [[nodiscard]] double share() const noexcept { return share_; }

  std::vector<double> history;     ///< in order; not the full brightness it starts with
  std::optional<Error> fail_next;  ///< the next set() fails with this, once
  bool unplugged = false;          ///< the device was removed

 private:
  double share_ = 1;
};

}  // namespace kerb
