// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "hal/base/clock.hpp"
#include "hal/base/log.hpp"
#include "hal/output_line.hpp"

namespace kerb {

/// Plain data with usable defaults. Times are real time.
struct ProcessGuardOptions {
  std::vector<std::string> command;                 ///< the program's path and its arguments
  Nanos patience = std::chrono::milliseconds{200};  ///< silence that lights the status lamp
  Nanos hang = std::chrono::seconds{10};            ///< silence that ends in a restart
  Nanos first_wait = std::chrono::milliseconds{100},
        longest_wait = std::chrono::seconds{5};  ///< before a restart; doubles between
  Nanos worked = std::chrono::seconds{10};       ///< who lived for so long is restarted at once
  Nanos ending = std::chrono::seconds{10};       ///< for an orderly end
};

/// Runs a program, holds its lamps, and runs it again when it dies or hangs. The status lamp is lit
/// from the beginning, from the program's death on, and while it says nothing; it goes dark only
/// when the program that runs wants it so (GuardLink). Both lamps may be null. Returns after
/// SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1 or SIGUSR2, which it hands on, or when the program has
/// ended by itself with 0; the exit code: 0, or 1 when the program had to be killed. The lamps then
/// stay as they are for an ended program: amber lit, red dark. Blocks these signals and SIGCHLD for
/// the calling thread; every other thread must have blocked them already.
int guard_process(const ProcessGuardOptions& options, OutputLine* status_lamp,
                  OutputLine* warning_lamp, Log& log);

}  // namespace kerb
