// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "tests/board/posix.hpp"

namespace kerb::board {

/// One sector of a disk that outlives a reset: what the board was doing, and since when.
struct Mark {
  int boots = 0;               ///< how often the board has come up
  bool expects_reset = false;  ///< the watchdog was left to bite
  double stopped = 0;          ///< when whoever fed it was stopped, by wall_clock()
};

class ResetMark {
 public:
  explicit ResetMark(const std::string& disk = "/dev/vda");
  /// A blank disk reads as a Mark of no boots.
  Mark read() const;
  void write(const Mark& mark);

 private:
  File disk_;
};

/// Seconds of the battery-backed clock, which a reset does not stop; a boot reads it in whole ones.
double wall_clock();
/// When this boot began, by it.
double boot_time();

/// Stops `process` (SIGSTOP), which is to hold the watchdog, writes when to `disk`, and looks at
/// what happens `meanwhile`. Returns only when the board has not been reset after `limit` seconds;
/// lets the process go on then.
void wait_for_reset(ResetMark& disk, Mark mark, pid_t process, double limit,
                    const std::function<void(RealClock::time_point)>& meanwhile);

}  // namespace kerb::board
