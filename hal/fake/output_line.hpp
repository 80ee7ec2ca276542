// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "hal/output_line.hpp"

namespace kerb {

/// Keeps every level that was set.
class FakeOutputLine final : public OutputLine {
 public:
  FakeOutputLine() { history.reserve(1024); }  // so that a frame loop around it allocates nothing
  Status set(bool on) override {
    if (fail_next) return *std::exchange(fail_next, std::nullopt);
    if (unplugged) return Error{Errc::gone, 0, "set the fake line"};
    level_ = on;
    history.push_back(on);
    return Done{};
  }
  [[nodiscard]] Result<bool> get() const override {
    if (unplugged) return Error{Errc::gone, 0, "read the fake line"};
    return stuck_at.value_or(level_);
  }
  [[nodiscard]] bool on() const noexcept { return level_; }

  std::vector<bool> history;       ///< in order; not the off it starts with
  std::optional<Error> fail_next;  ///< the next set() fails with this, once
  bool unplugged = false;          ///< the chip was removed
  std::optional<bool> stuck_at;    ///< the pin has this level, whatever is set: a short circuit

 private:
  bool level_ = false;
};

}  // namespace kerb
