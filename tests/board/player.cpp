// SPDX-License-Identifier: Apache-2.0
// kerb_board_player: plays the world around the firmware on the emulated board and checks what
// comes back. Started by init.sh at every boot; the disk says which boot this is.
#include <linux/watchdog.h>
#include <sys/wait.h>

#include <csignal>

#include "tests/board/checks.hpp"
#include "tests/board/contract_checks.hpp"
#include "tests/board/hardware_checks.hpp"
#include "tests/board/reset_mark.hpp"

namespace kerb::board {
namespace {

constexpr int kWatchdogSeconds = 4;
constexpr int kFedSeconds = 6;      // longer than the time-out
constexpr double kResetLimit = 12;  // real seconds: the time-out, and as much again for a slow host

/// A process that opens the watchdog and feeds it twice a second until it is stopped.
pid_t start_feeder() {
  const pid_t child = ::fork();
  if (child < 0) fail_with_errno("fork");
  if (child > 0) return child;
  try {
    const File watchdog("/dev/watchdog", O_WRONLY);
    int seconds = kWatchdogSeconds;
    must_ioctl(watchdog, WDIOC_SETTIMEOUT, &seconds, "WDIOC_SETTIMEOUT");
    for (;;) {
      int unused = 0;
      must_ioctl(watchdog, WDIOC_KEEPALIVE, &unused, "WDIOC_KEEPALIVE");
      ::usleep(500'000);
    }
  } catch (const BoardError& error) {
    std::fprintf(stderr, "feeder: %s\n", error.what());
  }
  ::_exit(1);
}

void first_boot(Checks& checks, ResetMark& disk, const Mark& mark) {
  check_camera_loop(checks);
  check_camera_faults(checks);
  check_bus(checks);
  check_lines(checks);
  check_sound(checks);
  check_watchdog(checks);
  check_contracts(checks);
  checks.group("watchdog reset", [&] {
    const pid_t feeder = start_feeder();
    ::sleep(kFedSeconds);
    checks.check(::waitpid(feeder, nullptr, WNOHANG) == 0, "a fed watchdog does not bite",
                 text("up for %d s at a time-out of %d s", kFedSeconds, kWatchdogSeconds));
    wait_for_reset(disk, mark, feeder, kResetLimit);
    checks.check(false, "reset by the watchdog", text("no reset within %.0f s", kResetLimit));
    ::kill(feeder, SIGKILL);
  });
}

void after_reset(Checks& checks, const Mark& mark) {
  const double took = mark.alive - mark.stopped;
  checks.check(took > kWatchdogSeconds - 1.5 && took < kResetLimit, "reset by the watchdog",
               text("%.1f s after the process that fed it was stopped, time-out %d s", took,
                    kWatchdogSeconds));
}

int play() {
  Checks checks;
  checks.group("board", [&] {
    ResetMark disk;
    const Mark before = disk.read();
    Mark mark = before;
    ++mark.boots;
    mark.expects_reset = false;
    disk.write(mark);
    std::printf("SAW boot %d\n", mark.boots);
    if (mark.boots == 1)
      first_boot(checks, disk, mark);
    else if (before.expects_reset)
      after_reset(checks, before);
    else
      checks.check(false, "board", text("came up a %d. time without being asked to", mark.boots));
  });
  return checks.exit_code();
}

}  // namespace
}  // namespace kerb::board

int main() { return kerb::board::play(); }
