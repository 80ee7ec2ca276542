// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "tests/board/posix.hpp"

namespace kerb::board {

/// The two lamps as seen from outside; a line that nobody holds is dark.
struct LampLevels {
  bool is_held = false;  ///< both lines are driven by somebody
  bool warning = false;
  bool status = false;
  bool operator==(const LampLevels&) const = default;
};

/// Looks at the lamps every few milliseconds from a thread of its own and keeps every change. Any
/// thread.
class LampWatch {
 public:
  struct Change {
    RealClock::time_point time;
    LampLevels levels;
  };

  LampWatch(int warning_line, int status_line);
  LampWatch(const LampWatch&) = delete;
  LampWatch& operator=(const LampWatch&) = delete;
  ~LampWatch();

  LampLevels now() const;
  std::vector<Change> changes() const;
  /// When the status lamp was first seen lit at or after `from`.
  std::optional<RealClock::time_point> status_lit(RealClock::time_point from) const;
  std::optional<RealClock::time_point> warning_lit(RealClock::time_point from) const;

 private:
  void run();
  std::optional<RealClock::time_point> first(RealClock::time_point from,
                                             bool LampLevels::*lamp) const;

  const int warning_line_;
  const int status_line_;
  mutable std::mutex mutex_;
  std::vector<Change> changes_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace kerb::board
