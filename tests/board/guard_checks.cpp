// SPDX-License-Identifier: Apache-2.0
// The firmware under `kerbwatch guard`: killed, held and stuck, on a disk that is full, and what
// driver and bus see of it.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/board/firmware_checks.hpp"
#include "tests/board/reaction.hpp"
#include "tests/board/small_disk.hpp"

namespace kerb::board {
namespace {

// Limits in ms of firmware time.
constexpr double kReactionLimit = 300;  // the lamp, and a warning that is asked for
constexpr double kReadyLimit = 10'000;  // a program's start and all
constexpr double kAgainLimit = 5000;    // ACTIVE after a fault's end
constexpr double kHeld = 700;           // for so long it is stopped
constexpr double kHang = 10'000;        // the guard ends a program that is silent for so long
constexpr double kPatience = 2000;
constexpr double kSteady = 500;     // what may still be noticed shows within it
constexpr double kFirstWait = 100;  // of the guard, before it starts a program again
constexpr int kNoSpace = ENOSPC;
constexpr double kWarningLasts_s = 0.5;

constexpr const char* kDisk = "/tmp/small";
constexpr const char* kVaried = "/tmp/guarded.toml";
constexpr std::size_t kDiskBytes = std::size_t{4} << 20;

/// The board's configuration with its files on the small disk, and a watchdog that lets the guard
/// be the first to lose patience.
void vary_config(const std::string& folder) {
  std::ifstream in(World::kConfig);
  std::string all{std::istreambuf_iterator<char>(in), {}};
  const auto replace = [&](const std::string& what, const std::string& by) {
    const std::size_t at = all.find(what);
    if (at == std::string::npos) throw BoardError("no " + what + " in " + World::kConfig);
    all.replace(at, what.size(), by);
  };
  replace("/tmp/kerbwatch/events.jsonl", folder + "/events.jsonl");
  replace("/tmp/kerbwatch/dtc", folder + "/dtc");
  replace("timeout_s = 6", "timeout_s = 60");
  replace("enabled = false  # pictures", "pictures = false\npath = \"" + folder + "/records\"  #");
  if (!(std::ofstream(kVaried) << all).flush()) throw BoardError("cannot write the configuration");
}

/// Ready again at or after `from`: an ACTIVE status and the lamp dark.
struct Ready {
  double first_ms = -1;    // to the first status
  std::string first;       // what it says
  double active_ms = -1;   // to ACTIVE
  double dark_ms = -1;     // to the status lamp's end
  double warning_ms = -1;  // to the first KW_Warning
};

std::optional<RealClock::time_point> dark(World& world, RealClock::time_point from) {
  std::optional<RealClock::time_point> since;
  for (const LampWatch::Change& change : world.lamps().changes()) {
    const bool is_dark = change.levels.is_held && !change.levels.status;
    if (change.time < from)
      since = is_dark ? std::optional(from) : std::nullopt;
    else if (is_dark && !since)
      since = change.time;
    else if (!is_dark)
      since.reset();
  }
  return since;
}

Ready await_ready(World& world, RealClock::time_point from, double limit) {
  Ready out;
  const auto active = world.await_active(from, limit);
  const auto since = [&](RealClock::time_point at) { return world.firmware_ms(at - from); };
  if (const auto all = world.car().statuses(from); !all.empty()) {
    out.first_ms = since(all.front().time);
    out.first = in_words(all.front().message);
  }
  if (const auto all = world.car().warnings(from); !all.empty())
    out.warning_ms = since(all.front().time);
  if (!active) return out;
  out.active_ms = since(active->time);
  if (const auto at = dark(world, from)) out.dark_ms = since(*at);
  return out;
}

/// When after `from` it became ACTIVE and stayed so; -1: not within `limit`.
double await_steady(World& world, RealClock::time_point from, double limit) {
  double steady = -1;
  const auto holds = [&] {
    std::optional<RealClock::time_point> since;
    for (const HeardStatus& heard : world.car().statuses(from)) {
      if (heard.message.health.state != HealthState::active)
        since.reset();
      else if (!since)
        since = heard.time;
    }
    if (!since || world.firmware_ms(RealClock::now() - *since) < kSteady) return false;
    steady = world.firmware_ms(*since - from);
    return true;
  };
  world.await(holds, limit + kSteady);
  return steady;
}

double lamp_ms(World& world, RealClock::time_point from) {
  world.await([&] { return world.lamps().status_lit(from).has_value(); }, kPatience);
  const auto lit = world.lamps().status_lit(from);
  return lit ? world.firmware_ms(*lit - from) : -1;
}

pid_t must_run(World& world) {
  if (!world.await_active(RealClock::now(), kAgainLimit))
    throw BoardError("the firmware is not ACTIVE before it");
  const auto product = world.product();
  if (!product) throw BoardError("no firmware runs under the guard");
  return *product;
}

/// Waits until the guard runs another one.
bool await_next(World& world, pid_t last, double limit) {
  return world.await([&] { return world.product().value_or(last) != last; }, limit);
}

void check_ready(Checks& checks, const char* name, const Ready& ready) {
  checks.check(
      ready.active_ms >= 0 && ready.dark_ms >= 0 && ready.first == "STARTING" &&
          watchdog_state() == "active",
      name,
      text("first status after %.0f ms says %s, KW_Warning after %.0f ms, ACTIVE after %.0f ms, "
           "lamp dark after %.0f ms, limit %.0f; watchdog %s",
           ready.first_ms, ready.first.c_str(), ready.warning_ms, ready.active_ms, ready.dark_ms,
           kReadyLimit, watchdog_state().c_str()));
}

void check_kill(Checks& checks, World& world, const std::string& moved) {
  const pid_t killed = must_run(world);
  const auto log = [&] { return EventFile(moved, world.config().events.path); };
  const int starts = log().count("started");
  ::kill(killed, SIGKILL);
  const auto begin = RealClock::now();
  const double lit = lamp_ms(world, begin);
  checks.check(lit >= 0 && lit <= kReactionLimit, "killed under the guard: amber lamp",
               text("lit after %.0f ms, limit %.0f", lit, kReactionLimit));
  const Ready ready = await_ready(world, begin, kReadyLimit);
  check_ready(checks, "killed under the guard: silent, then a new start is ready", ready);
  const EventFile events = log();
  const bool next = world.product().value_or(killed) != killed && ready.first_ms >= kFirstWait;
  checks.check(next && events.count("started") == starts + 1 && events.broken() == 0 &&
                   events.is_gapless() && events.count("stopped") == 0,
               "killed under the guard: the event log has both runs",
               text("%d starts, %d ends, %d broken lines, numbers %s", events.count("started"),
                    events.count("stopped"), events.broken(),
                    events.is_gapless() ? "without a gap" : "with gaps"));
}

void check_held(Checks& checks, World& world) {
  const pid_t held = must_run(world);
  ::kill(held, SIGSTOP);
  const auto begin = RealClock::now();
  const double lit = lamp_ms(world, begin);
  world.sleep(kHeld - world.firmware_ms(RealClock::now() - begin));
  const auto end = RealClock::now();
  const std::size_t said = world.car().statuses(begin).size() + world.car().warnings(begin).size();
  ::kill(held, SIGCONT);
  checks.check(lit >= 0 && lit <= kReactionLimit && said == 0,
               "stopped under the guard: amber lamp, the bus is silent",
               text("lit after %.0f ms, limit %.0f; %zu messages in %.0f ms", lit, kReactionLimit,
                    said, world.firmware_ms(end - begin)));
  const double steady = await_steady(world, end, kAgainLimit);
  const auto warnings = world.car().warnings(end);
  const double warned = warnings.empty() ? -1 : world.firmware_ms(warnings.front().time - end);
  const auto off = dark(world, end);
  checks.check(
      steady >= 0 && off && warned >= 0 && warned <= kReactionLimit && world.product() == held,
      "continued under the guard: it goes on, lamp dark",
      text("KW_Warning after %.0f ms, limit %.0f; ACTIVE and so for %.0f ms after %.0f ms, lamp "
           "dark after %.0f ms, limit %.0f; %s",
           warned, kReactionLimit, kSteady, steady, off ? world.firmware_ms(*off - end) : -1,
           kAgainLimit, world.product() == held ? "the same process" : "another process"));
}

/// Nobody lets it go on: the guard does away with it.
void check_stuck(Checks& checks, World& world) {
  const pid_t stuck = must_run(world);
  ::kill(stuck, SIGSTOP);
  const auto begin = RealClock::now();
  const double lit = lamp_ms(world, begin);
  const bool next = await_next(world, stuck, kHang + kPatience);
  const auto restarted = RealClock::now();
  const double killed_ms = world.firmware_ms(restarted - begin);
  checks.check(lit >= 0 && lit <= kReactionLimit && next && killed_ms >= kHang - 500,
               "stuck under the guard: amber lamp, another start",
               text("lit after %.0f ms, limit %.0f; started again after %.0f ms, the guard waits "
                    "for %.0f",
                    lit, kReactionLimit, next ? killed_ms : -1, kHang));
  check_ready(checks, "stuck under the guard: the new start is ready",
              await_ready(world, begin, killed_ms + kReadyLimit));
}

/// The lamps go over to the program.
void check_without_guard(Checks& checks, World& world) {
  const pid_t product = must_run(world);
  world.firmware().signal(SIGKILL);
  const auto begin = RealClock::now();
  const auto held = [&]() -> std::optional<RealClock::time_point> {
    bool was_free = false;
    for (const LampWatch::Change& change : world.lamps().changes()) {
      if (change.time < begin) continue;
      if (was_free && change.levels.is_held) return change.time;
      was_free = was_free || !change.levels.is_held;
    }
    return std::nullopt;
  };
  world.await([&] { return held().has_value(); }, kPatience);
  const double held_ms = held() ? world.firmware_ms(*held() - begin) : -1;
  const Reaction warned = ask_for_warning(world, kWarningLasts_s);
  world.sleep(kPatience / 2);
  const Cycles seen = cycles(world, begin, RealClock::now());
  // A lamp may be written just when nobody has it, and that is told.
  const auto statuses = world.car().statuses(begin);
  const bool well = std::all_of(statuses.begin(), statuses.end(), [](const HeardStatus& heard) {
    const HealthReport& health = heard.message.health;
    return health.state == HealthState::active || health.cause == Cause::output_refused;
  });
  const bool says = world.firmware().output().find("the guard has died") != std::string::npos;
  checks.check(
      well && says && seen.status_pause <= kReactionLimit && seen.warning_pause <= kReactionLimit &&
          held_ms >= 0 && held_ms <= kReactionLimit && warned.within(kReactionLimit),
      "guard killed: the program goes on with its lamps",
      text("lamps held again after %.0f ms; a warning asked for: lamp after %.0f ms, bus "
           "after %.0f ms; limit %.0f; %s",
           held_ms, warned.lamp_ms, warned.bus_ms, kReactionLimit, seen.in_words().c_str()));
  ::kill(product, SIGTERM);
  const bool gone = world.await([&] { return is_gone(product); }, kReadyLimit);
  const EventFile events = world.events();
  checks.check(gone && watchdog_state() == "inactive" && events.last_kind() == "stopped" &&
                   !world.lamps().now().is_held,
               "SIGTERM ends the program that the guard has left",
               text("%s, watchdog %s, last event \"%s\"", gone ? "gone" : "still there",
                    watchdog_state().c_str(), events.last_kind().c_str()));
}

std::string refusal_in_words(World& world, const std::optional<HeardStatus>& told,
                             RealClock::time_point from) {
  return told ? text("%s, bus after %.0f ms", in_words(told->message).c_str(),
                     world.firmware_ms(told->time - from))
              : "no status said so";
}

bool says_full(const std::optional<HeardStatus>& told) {
  return told && told->message.health.state == HealthState::degraded &&
         told->message.health.cause == Cause::event_log_refused &&
         told->message.health.number == kNoSpace;
}

bool is_degraded(const can::StatusMessage& status) {
  return status.health.state == HealthState::degraded;
}

void check_room_again(Checks& checks, World& world, const SmallDisk& disk, const std::string& name,
                      const std::string& moved = {}) {
  const auto room = RealClock::now();
  disk.make_room();
  const auto again = world.await_active(room, kAgainLimit);
  const EventFile events =
      moved.empty() ? world.events() : EventFile(moved, world.config().events.path);
  checks.check(
      again && events.broken() == 0 && events.is_gapless() && events.count("events_lost") == 0 &&
          events.count("log_refused") >= 1,
      name,
      text("ACTIVE after %.0f ms, limit %.0f; %zu events, numbers %s, log_refused %d times",
           again ? world.firmware_ms(again->time - room) : -1, kAgainLimit, events.lines().size(),
           events.is_gapless() ? "without a gap" : "with gaps", events.count("log_refused")));
}

/// The disk was full before the start.
void check_start_without_room(Checks& checks, World& world, const SmallDisk& disk) {
  disk.fill();
  const auto start = RealClock::now();
  world.start_firmware(true);
  const auto told = world.await_status(start, is_degraded, kReadyLimit);
  const double lit = lamp_ms(world, start);
  const bool speed =
      world
          .await_status(
              start, [](const auto& status) { return status.speed_valid; }, kReadyLimit)
          .has_value();
  const Reaction warned = ask_for_warning(world, kWarningLasts_s);
  const Cycles seen = cycles(world, told ? told->time : start, RealClock::now());
  checks.check(says_full(told) && speed && world.lamps().now().status &&
                   warned.within(kReactionLimit) && seen.warning_pause <= kReactionLimit,
               "started on a full disk: told, and it warns",
               text("%s, lamp lit after %.0f ms; a warning asked for: lamp after %.0f ms, bus "
                    "after %.0f ms, limit %.0f",
                    refusal_in_words(world, told, start).c_str(), lit, warned.lamp_ms,
                    warned.bus_ms, kReactionLimit));
  check_room_again(checks, world, disk,
                   "room after a start on a full disk: ACTIVE, no event missing");
}

/// Somebody has moved the log away, as logrotate does, so that the next line needs room at once;
/// within a file, a last page or block would still take some.
void check_disk_fills(Checks& checks, World& world, const SmallDisk& disk,
                      const std::string& moved) {
  must_run(world);
  std::filesystem::rename(world.config().events.path, moved);
  disk.fill();
  const auto begin = RealClock::now();
  const Reaction warned = ask_for_warning(world, kWarningLasts_s);
  const auto told = world.await_status(begin, is_degraded, kPatience);
  const double lit = lamp_ms(world, begin);
  const double bus = told ? world.firmware_ms(told->time - begin) : -1;
  checks.check(says_full(told) && bus <= kReactionLimit && lit >= 0 && lit <= kReactionLimit &&
                   warned.within(kReactionLimit) && disk.room() == 0,
               "disk full: told, and it warns",
               text("%s, lamp after %.0f ms; the warning: lamp after %.0f ms, bus after %.0f ms, "
                    "limit %.0f",
                    refusal_in_words(world, told, begin).c_str(), lit, warned.lamp_ms,
                    warned.bus_ms, kReactionLimit));
  check_room_again(checks, world, disk, "room on the disk again: ACTIVE, no event missing", moved);
}

}  // namespace

void check_guard(Checks& checks, bool is_long) {
  const SmallDisk disk(kDisk, kDiskBytes);
  vary_config(disk.folder());
  World world(kVaried);
  const std::string moved = disk.folder() + "/events.moved";
  std::filesystem::create_directories(disk.folder() + "/records");
  checks.group("start on a full disk", [&] { check_start_without_room(checks, world, disk); });
  checks.group("disk full", [&] { check_disk_fills(checks, world, disk, moved); });
  for (int i = 0; i < (is_long ? 10 : 1); ++i) {
    checks.group("killed under the guard", [&] { check_kill(checks, world, moved); });
    checks.group("stopped under the guard", [&] { check_held(checks, world); });
  }
  if (is_long) checks.group("stuck under the guard", [&] { check_stuck(checks, world); });
  checks.group("guard killed", [&] { check_without_guard(checks, world); });
  if (checks.failed() > 0) world.tell_log();
}

}  // namespace kerb::board
