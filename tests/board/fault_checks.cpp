// SPDX-License-Identifier: Apache-2.0
// What goes wrong around the firmware, and what it makes of it.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "tests/board/firmware_checks.hpp"
#include "tests/board/link.hpp"

namespace kerb::board {
namespace {

// Limits in ms of firmware time.
constexpr double kLossLimit = 300;    // a camera, or the vehicle, is lost
constexpr double kRateLimit = 3000;   // what is judged over the last two seconds
constexpr double kAgainLimit = 5000;  // ACTIVE after the fault's end
constexpr const char* kDropped = "Percentage of Dropped Buffers";
constexpr auto kFrameTime = std::chrono::microseconds(67'100);  // of vivid, in life
constexpr double kGivenUp = 2500;  // ms: nobody is followed for longer who is not seen

struct Fault {
  const char* name;
  Cause cause;                   // the first that the status says
  double limit;                  // ms from the fault to status and lamp
  bool until_failed = false;     // hold it until the state is FAILED
  std::optional<double> number;  // what the status says with the cause
  std::function<void()> begin, end;
};

struct Outcome {
  std::optional<HeardStatus> told;
  double bus_ms = -1, lamp_ms = -1, failed_ms = -1, again_ms = -1;
};

bool is_bad(const can::StatusMessage& status) {
  return status.health.state == HealthState::degraded || status.health.state == HealthState::failed;
}

Outcome suffer(World& world, const Fault& fault) {
  Outcome seen;
  if (!world.await_active(RealClock::now(), kAgainLimit))
    throw BoardError("the firmware is not ACTIVE before it");
  const auto begin = RealClock::now();
  fault.begin();
  seen.told = world.await_status(begin, is_bad, std::max(kRateLimit, 2 * fault.limit));
  if (seen.told) seen.bus_ms = world.firmware_ms(seen.told->time - begin);
  world.await([&] { return world.lamps().status_lit(begin).has_value(); }, kLossLimit);
  const auto lit = world.lamps().status_lit(begin);
  if (lit) seen.lamp_ms = world.firmware_ms(*lit - begin);
  if (fault.until_failed) {
    const auto failed = world.await_status(
        begin,
        [&](const can::StatusMessage& status) {
          return status.health.state == HealthState::failed && status.health.cause == fault.cause;
        },
        kRateLimit);
    if (failed) seen.failed_ms = world.firmware_ms(failed->time - begin);
  }
  auto end = RealClock::now();
  fault.end();
  end = std::max(end, seen.told ? seen.told->time : end);
  const auto again = world.await_active(end, kAgainLimit);
  if (again) seen.again_ms = world.firmware_ms(again->time - end);
  return seen;
}

void check_fault(Checks& checks, World& world, const Fault& fault) {
  checks.group(fault.name, [&] {
    const Outcome seen = suffer(world, fault);
    const bool is_right =
        seen.told && seen.told->message.health.cause == fault.cause &&
        (!fault.number || std::abs(seen.told->message.health.number - *fault.number) < 0.2);
    const bool in_time = seen.bus_ms >= 0 && seen.bus_ms <= fault.limit && seen.lamp_ms >= 0 &&
                         seen.lamp_ms <= fault.limit;
    const std::string failed =
        fault.until_failed ? text(", FAILED after %.0f ms", seen.failed_ms) : "";
    checks.check(is_right && in_time && (!fault.until_failed || seen.failed_ms >= 0),
                 std::string(fault.name) + " is told",
                 text("%s; bus after %.0f ms, lamp after %.0f ms, limit %.0f%s",
                      seen.told ? in_words(seen.told->message).c_str() : "no status said so",
                      seen.bus_ms, seen.lamp_ms, fault.limit, failed.c_str()));
    checks.check(seen.again_ms >= 0, std::string(fault.name) + " over: ACTIVE again",
                 text("after %.0f ms, limit %.0f", seen.again_ms, kAgainLimit));
  });
}

void check_camera(Checks& checks, World& world) {
  std::optional<VividControls> controls(world.nodes().capture);
  const auto set = [&](const char* control, int value) {
    return [&controls, control, value] { controls->set(control, value); };
  };
  const auto show = [&](Show what) { return [&world, what] { world.writer().show(what); }; };
  const auto nothing = [] {};

  check_fault(checks, world,
              {"camera without a signal",
               Cause::camera_no_signal,
               kLossLimit,
               false,
               {},
               set("DV Timings Signal Mode", 1),
               set("DV Timings Signal Mode", 0)});
  check_fault(checks, world,
              {"silent camera",
               Cause::camera_silent,
               kLossLimit,
               true,
               {},
               set(kDropped, 100),
               set(kDropped, 0)});
  // By the clock: of frames that vivid drops at random, none may be dropped for long, and seven in
  // a row, which would be silence.
  std::atomic<bool> dropping = false;
  std::thread dropper;
  check_fault(checks, world,
              {"a frame in five dropped",
               Cause::frames_dropped,
               kRateLimit,
               false,
               {},
               [&] {
                 dropping = true;
                 dropper = std::thread([&] {
                   auto due = RealClock::now();
                   while (dropping) {
                     controls->set(kDropped, 100);
                     std::this_thread::sleep_until(due + 2 * kFrameTime);
                     controls->set(kDropped, 0);
                     due += 10 * kFrameTime;
                     std::this_thread::sleep_until(due);
                   }
                 });
               },
               [&] {
                 dropping = false;
                 dropper.join();
               }});

  std::atomic<bool> pressing = false;
  std::thread presser;
  check_fault(checks, world,
              {"frames marked as damaged",
               Cause::camera_damaged,
               kRateLimit,
               false,
               {},
               [&] {
                 pressing = true;
                 presser = std::thread([&] {  // each press marks one buffer
                   while (pressing) {
                     controls->press("Inject V4L2_BUF_FLAG_ERROR");
                     std::this_thread::sleep_for(std::chrono::milliseconds(10));
                   }
                 });
               },
               [&] {
                 pressing = false;
                 presser.join();
               }});
  check_fault(checks, world,
              {"fatal streaming error",
               Cause::camera_gone,
               kLossLimit,
               false,
               {},
               [&] { controls->press("Inject Fatal Streaming Error"); },
               nothing});
  // vivid comes back when its last user closes it: the firmware does, and the writer, and then we.
  check_fault(checks, world,
              {"unplugged camera",
               Cause::camera_gone,
               kLossLimit,
               true,
               {},
               [&] { controls->press("Disconnect"); },
               [&] { controls.reset(); }});
  check_fault(checks, world,
              {"frozen picture",
               Cause::camera_frozen,
               1000,
               false,
               {},
               show(Show::frozen),
               show(Show::numbered)});
  const auto before_black = RealClock::now();
  check_fault(checks, world,
              {"black picture", Cause::camera_dark, 500, false, {}, show(Show::black), [&] {
                 world.sleep(kGivenUp);
                 world.writer().show(Show::numbered);
               }});
  const auto lists = world.car().lists(before_black);
  const auto empty = std::count_if(lists.begin(), lists.end(),
                                   [](const HeardList& list) { return list.message.count == 0; });
  checks.check(empty > 0 && lists.back().message.count > 0,
               "nobody in a black picture, and people again",
               text("%d of %zu lists are empty, the last has %d", static_cast<int>(empty),
                    lists.size(), lists.empty() ? -1 : lists.back().message.count));
  check_fault(checks, world,
              {"white picture",
               Cause::camera_blinded,
               500,
               false,
               {},
               show(Show::white),
               show(Show::numbered)});
}

void heat(const World& world, int millidegrees) {
  std::ofstream file(world.config().thermal.root + "/thermal_zone0/temp");
  if (!(file << millidegrees << '\n').flush()) throw BoardError("cannot write the temperature");
}

/// The bus says nothing while it is down: the lamp and the event log do.
void check_bus_loss(Checks& checks, World& world) {
  checks.group("bus down", [&] {
    const std::string& bus = world.config().can.interface;
    const double limit = kLossLimit;
    if (!world.await_active(RealClock::now(), kAgainLimit))
      throw BoardError("the firmware is not ACTIVE before it");
    const auto begin = RealClock::now();
    set_link(bus, false);
    // Until the bus itself is the cause: the vehicle's silence shows first.
    world.sleep(static_cast<double>(world.config().health.bus_lost.count()) / 1e6 + kLossLimit);
    const auto lit = world.lamps().status_lit(begin);
    const int down = world.events().count("bus_state", {"\"to\":\"down\""});
    const double lamp_ms = lit ? world.firmware_ms(*lit - begin) : -1;
    checks.check(lit && lamp_ms <= limit && down == 1 && world.firmware().is_running(),
                 "bus down: lamp and event log say so",
                 text("lamp after %.0f ms, limit %.0f; %d bus_state events", lamp_ms, limit, down));
    const auto end = RealClock::now();
    set_link(bus, true);
    const auto again = world.await_active(end, kAgainLimit);
    const auto warnings = world.car().warnings(end);
    const double first = warnings.empty() ? -1 : world.firmware_ms(warnings.front().time - end);
    const int up = world.events().count("bus_state", {"\"to\":\"active\""});
    checks.check(
        again && up == 1 && first >= 0 && first <= kLossLimit && world.firmware().is_running(),
        "bus up: ACTIVE again",
        text("KW_Warning after %.0f ms, limit %.0f; ACTIVE after %.0f ms, limit %.0f; %d bus_state "
             "events",
             first, kLossLimit, again ? world.firmware_ms(again->time - end) : -1, kAgainLimit,
             up));
  });
}

}  // namespace

void check_faults(Checks& checks, World& world) {
  checks.group("camera", [&] { check_camera(checks, world); });
  check_fault(checks, world,
              {"silent vehicle",
               Cause::signals_missing,
               kLossLimit,
               false,
               {},
               [&] { world.car().talk(false); },
               [&] { world.car().talk(true); }});
  check_fault(checks, world,
              {"hot board", Cause::board_hot, 1000 + kLossLimit, false, 97,
               [&] { heat(world, 97000); }, [&] { heat(world, 45000); }});
  check_bus_loss(checks, world);
}

}  // namespace kerb::board
