// SPDX-License-Identifier: Apache-2.0
#include "tests/board/reset_mark.hpp"

#include <csignal>
#include <cstdio>
#include <thread>

namespace kerb::board {
namespace {

constexpr std::size_t kSector = 512;
constexpr const char* kForm = "kerbwatch board: boots %d, expects reset %d, stopped %lf\n";

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

double wall_clock() { return seconds_of(CLOCK_REALTIME); }
double boot_time() { return wall_clock() - seconds_of(CLOCK_BOOTTIME); }

// O_DSYNC: a write that returned is on the disk, whatever happens next.
ResetMark::ResetMark(const std::string& disk) : disk_(disk, O_RDWR | O_DSYNC) {}

Mark ResetMark::read() const {
  char sector[kSector + 1] = {};
  if (::pread(disk_.get(), sector, kSector, 0) != ssize_t{kSector}) fail_with_errno("read mark");
  Mark mark;
  int expects = 0;
  if (std::sscanf(sector, kForm, &mark.boots, &expects, &mark.stopped) != 3) return Mark{};
  mark.expects_reset = expects != 0;
  return mark;
}

void ResetMark::write(const Mark& mark) {
  char sector[kSector] = {};
  std::snprintf(sector, sizeof sector, kForm, mark.boots, mark.expects_reset ? 1 : 0, mark.stopped);
  if (::pwrite(disk_.get(), sector, kSector, 0) != ssize_t{kSector}) fail_with_errno("write mark");
}

void wait_for_reset(ResetMark& disk, Mark mark, pid_t process, double limit,
                    const std::function<void(RealClock::time_point)>& meanwhile) {
  // The host's disk is not in the board's time: a write may last for longer than the watchdog
  // waits.
  mark.expects_reset = true;
  mark.stopped = wall_clock();
  disk.write(mark);
  if (::kill(process, SIGSTOP) != 0) fail_with_errno("stop the process that feeds the watchdog");
  const auto stopped = RealClock::now();
  mark.stopped = wall_clock();
  disk.write(mark);
  meanwhile(stopped);
  std::this_thread::sleep_for(std::chrono::duration<double>(limit));
  ::kill(process, SIGCONT);
  mark.expects_reset = false;
  disk.write(mark);
}

}  // namespace kerb::board
