// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "hal/base/clock.hpp"

namespace kerb {

/// How often one kind of report may be written: `burst` at once, then one in each `period` (a token
/// bucket). What comes in over the bus may come in a flood, and a line and an event for each
/// message would drive everything else out of the log files. Counts what is left out, for the next
/// report to tell. Pure logic; one thread.
class ReportLimit {
 public:
  ReportLimit(int burst, Nanos period) noexcept : ahead_{(burst - 1) * period}, period_{period} {}

  /// Whether one may be written now; then it counts as written. An urgent one always may.
  [[nodiscard]] bool admit(Nanos now, bool urgent = false) noexcept {
    if (!urgent && paid_until_ - now > ahead_) return false;
    paid_until_ = std::min(std::max(paid_until_, now) + period_, now + ahead_ + period_);
    return true;
  }
  void leave_out() noexcept { ++left_out_; }
  /// Number left out since this was last asked.
  [[nodiscard]] std::uint64_t take_left_out() noexcept { return std::exchange(left_out_, 0); }

 private:
  Nanos ahead_, period_;
  Nanos paid_until_{};  ///< each report takes one period of it; it may be ahead by a burst
  std::uint64_t left_out_ = 0;
};

/// A state that is reported when it changes, as often as a limit allows. The state that it ends up
/// in is always reported, late if need be. Pure logic; one thread.
template <typename State>
class LimitedChanges {
 public:
  LimitedChanges(const State& first, ReportLimit limit) noexcept
      : seen_{first}, reported_{first}, limit_{limit} {}

  struct Change {
    State from;                  ///< as it was last reported
    std::uint64_t left_out = 0;  ///< changes between that and this one
  };
  /// The state now, once a round. The change to report, if there is one and it may be.
  [[nodiscard]] std::optional<Change> see(const State& state, Nanos now,
                                          bool urgent = false) noexcept {
    if (!(state == seen_)) {
      seen_ = state;
      limit_.leave_out();
    }
    if (seen_ == reported_ || !limit_.admit(now, urgent)) return std::nullopt;
    return Change{std::exchange(reported_, seen_), limit_.take_left_out() - 1};
  }

 private:
  State seen_, reported_;
  ReportLimit limit_;
};

}  // namespace kerb
