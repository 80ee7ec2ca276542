// SPDX-License-Identifier: Apache-2.0
// kerb_board_player: plays the world around the firmware on the emulated board and checks what
// comes back. Started by init.sh at every boot; the disk says which boot this is.
#include <cstdlib>

#include "tests/board/checks.hpp"
#include "tests/board/contract_checks.hpp"
#include "tests/board/firmware_checks.hpp"
#include "tests/board/hardware_checks.hpp"
#include "tests/board/model.hpp"
#include "tests/board/play.hpp"
#include "tests/board/reset_mark.hpp"

namespace kerb::board {
namespace {

constexpr double kFedTimeOuts = 3;  // so many of them must pass unharmed while it is fed
constexpr double kLampLimit = 300;  // ms of firmware time
constexpr double kResetSlack = 8;   // real seconds more than the time-out, for a slow host

/// The guard shows that the firmware is stuck, before the watchdog bites.
void check_reset(Checks& checks, World& world, ResetMark& disk, Mark mark) {
  const double limit = world.config().watchdog.timeout_s + kResetSlack;
  const auto stuck = world.product();
  if (!stuck) throw BoardError("no firmware runs under the guard");
  wait_for_reset(disk, mark, *stuck, limit, [&](RealClock::time_point stopped) {
    world.await([&] { return world.lamps().status_lit(stopped).has_value(); }, 1000);
    const auto lit = world.lamps().status_lit(stopped);
    const double lamp_ms = lit ? world.firmware_ms(*lit - stopped) : -1;
    checks.check(lit && lamp_ms <= kLampLimit, "stuck before the watchdog bites: amber lamp",
                 text("lit after %.0f ms, limit %.0f", lamp_ms, kLampLimit));
  });
  checks.check(false, "reset by the watchdog", text("no reset within %.0f s", limit));
}

/// The firmware in one run from its start to its end.
void check_firmware(Checks& checks, bool is_stress, bool is_long) {
  World world;
  const auto start = RealClock::now();
  if (check_start(checks, world)) {
    if (!is_stress) {
      check_messages(checks, world);
      check_faults(checks, world);
    }
    check_stress(checks, world, is_long);
    if (!is_stress) checks.group("workshop", [&] { check_workshop(checks, world); });
  }
  const double lived = seconds_since(start);
  const int timeout = world.config().watchdog.timeout_s;
  checks.check(world.firmware().is_running() && lived > kFedTimeOuts * timeout,
               "a fed watchdog does not bite",
               text("up for %.0f s at a time-out of %d s", lived, timeout));
  check_stop(checks, world);
  if (checks.failed() > 0) world.tell_log();
}

void first_boot(Checks& checks, ResetMark& disk, const Mark& mark) {
  // run.sh --only and --long, through the kernel's command line.
  const char* chosen = std::getenv("kerb_only");
  const std::string only = chosen == nullptr ? "" : chosen;
  const bool is_long = std::getenv("kerb_long") != nullptr;
  if (only.empty()) {
    check_camera_loop(checks);
    check_camera_faults(checks);
    check_bus(checks);
    check_lines(checks);
    check_sound(checks);
    check_watchdog(checks);
    check_contracts(checks);
  }
  if (only.empty() || only == "firmware") {
    check_driver(checks);
    check_shipped_model(checks);
    check_missing_camera(checks);
    check_play(checks);
  }
  if (only != "guard")
    checks.group("firmware", [&] { check_firmware(checks, only == "stress", is_long); });
  if (only != "stress") checks.group("guard", [&] { check_guard(checks, is_long); });
  checks.group("reset", [&] {
    World world;
    if (check_start(checks, world, true)) check_reset(checks, world, disk, mark);
  });
}

void after_reset(Checks& checks, const Mark& mark) {
  checks.group("firmware after the reset", [&] {
    World world;
    const int timeout = world.config().watchdog.timeout_s;
    const double took = boot_time() - mark.stopped;
    checks.check(took > timeout / 2.0 && took < timeout + kResetSlack, "reset by the watchdog",
                 text("%.1f s after the firmware was stopped, time-out %d s", took, timeout));
    check_start(checks, world);
    check_stop(checks, world);
    if (checks.failed() > 0) world.tell_log();
  });
}

int play() {
  Checks checks;
  if (const char* only = std::getenv("kerb_only"); only != nullptr && std::string(only) == "play") {
    checks.group("play", [&] { play_scenarios(checks); });
    return checks.exit_code();
  }
  checks.group("board", [&] {
    ResetMark disk;
    const Mark before = disk.read();
    Mark mark = before;
    ++mark.boots;
    mark.expects_reset = false;
    disk.write(mark);
    std::printf("SAW boot %d\n", mark.boots);
    write_model(load_config(World::kConfig).config.detector.model);
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
