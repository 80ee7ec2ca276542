// SPDX-License-Identifier: Apache-2.0
// What must not disturb the firmware: a flooded bus, a calendar that is set, stamps that jump.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <functional>
#include <thread>

#include "tests/board/firmware_checks.hpp"
#include "tests/board/raw_can.hpp"
#include "tests/board/reaction.hpp"

namespace kerb::board {
namespace {

// In ms of firmware time.
constexpr double kCycleLimit = 300;
constexpr double kAgainLimit = 5000;
constexpr double kFloods = 2000;
constexpr double kWatched = 700;
constexpr double kNumbers = 3000;  // vivid's numbers of frames wrap meanwhile
constexpr double kStamps = 8000;   // and its time stamps

constexpr double kFloodRate = 8000;  // frames a second of firmware time: two 500 kbit/s buses
constexpr int kLinesOfFlood = 20;    // of the event log: 10 at once, and one in 10 s
constexpr double kDay = 86'400;      // s
constexpr double kLate = 60 / kDay;  // days: a report that was held back is written later

void must_be_active(World& world) {
  if (!world.await_active(RealClock::now(), kAgainLimit))
    throw BoardError("the firmware is not ACTIVE before it");
}

/// Sends as fast as it is told to, from a thread of its own.
class Flood {
 public:
  using Make = std::function<CanFrame(unsigned)>;
  Flood(const World& world, double rate, Make make)
      : bus_(open_can(world.config().can.interface, {0})),
        step_(world.real(1)),
        per_step_(rate / 1000),
        make_(std::move(make)),
        thread_([this] { run(); }) {}
  Flood(const Flood&) = delete;
  Flood& operator=(const Flood&) = delete;
  ~Flood() { stop(); }
  void stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  unsigned sent() const { return sent_; }

 private:
  void run() {
    const auto start = RealClock::now();
    while (!stop_) {
      const double due = per_step_ * Seconds(RealClock::now() - start) / Seconds(step_);
      for (; sent_ < due && !stop_; ++sent_)
        if (!write_can(bus_, make_(sent_))) break;  // a full queue
      std::this_thread::sleep_for(step_);
    }
  }

  File bus_;
  RealClock::duration step_;
  double per_step_;
  Make make_;
  std::atomic<bool> stop_ = false;
  std::atomic<unsigned> sent_ = 0;
  std::thread thread_;
};

/// One in two is a request of a workshop, one in eight of these with a wrong CRC; the others are of
/// strangers, with identifiers of both lengths.
CanFrame flooding(unsigned number) {
  if (number % 2 == 0) {
    can::ServiceMessage request{can::ServiceRequest::warning_test, WarningLevel::collision, 25, 0};
    request.counter = (number / 2) & 0xFU;
    CanFrame frame = can::encode(request);
    if (number % 16 == 0) frame.data[0] ^= 0xFFU;
    return frame;
  }
  CanFrame frame;
  frame.extended = number % 4 == 1;
  frame.id = frame.extended ? 0x18FE'0000U + number % 0xFFFFU : 0x600U + number % 0x100U;
  frame.size = 8;
  frame.data[0] = static_cast<std::uint8_t>(number);
  return frame;
}

void check_flood(Checks& checks, World& world, bool is_long) {
  must_be_active(world);
  world.car().drive(10);  // where every request is refused
  must_be_active(world);
  const EventFile before = world.events();
  const auto bytes = std::filesystem::file_size(world.config().events.path);
  const auto begin = RealClock::now();
  Flood flood(world, kFloodRate, flooding);
  world.sleep(is_long ? 10 * kFloods : kFloods);
  flood.stop();
  const auto end = RealClock::now();
  const double rate = flood.sent() / world.firmware_ms(end - begin) * 1000;
  const Cycles seen = cycles(world, begin, end);
  const bool lit = world.lamps().status_lit(begin) || world.lamps().warning_lit(begin);
  checks.check(seen.within(kCycleLimit) && seen.levels == 0 && !lit && rate > kFloodRate / 2,
               "flooded bus: the messages keep their cycles",
               text("%.0f frames a second for %.1f s; %s; limit %.0f; lamps %s", rate,
                    world.firmware_ms(end - begin) / 1000, seen.in_words().c_str(), kCycleLimit,
                    lit ? "lit" : "dark"));
  const EventFile events = world.events();
  const std::size_t more = events.lines().size() - before.lines().size();
  const int lost = events.count("events_lost");
  const auto grown = std::filesystem::file_size(world.config().events.path) - bytes;
  checks.check(!before.lines().empty() && events.lines().front() == before.lines().front() &&
                   events.is_gapless() && lost == 0 && more > 0 && more <= kLinesOfFlood,
               "flooded bus: the evidence before it is kept",
               text("%zu lines more, limit %d, %ju bytes; %d lost; the log %s", more, kLinesOfFlood,
                    static_cast<std::uintmax_t>(grown), lost,
                    events.is_gapless() ? "has no gap" : "has gaps"));
  world.car().drive(0);
}

/// Sets the calendar on by `seconds`. Undone with the negative, but for what the call takes.
void set_calendar(double seconds) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec += static_cast<time_t>(seconds);
  if (::clock_settime(CLOCK_REALTIME, &now) != 0) fail_with_errno("set the calendar");
}

/// "utc" of an event less its own clock, in s: what changes when the calendar is set.
std::optional<double> calendar_of(const std::string& line, double rate) {
  std::tm utc{};
  int ms = 0;
  const auto at = line.find("\"utc\":\"");
  const auto own = line.find("\"time_ns\":");
  if (at == std::string::npos || own == std::string::npos) return std::nullopt;
  if (std::sscanf(line.c_str() + at, "\"utc\":\"%d-%d-%dT%d:%d:%d.%dZ", &utc.tm_year, &utc.tm_mon,
                  &utc.tm_mday, &utc.tm_hour, &utc.tm_min, &utc.tm_sec, &ms) != 7)
    return std::nullopt;
  utc.tm_year -= 1900;
  utc.tm_mon -= 1;
  const double clock = std::strtod(line.c_str() + own + 10, nullptr) * 1e-9 / rate;
  return static_cast<double>(::timegm(&utc)) + ms * 1e-3 - clock;
}

void check_calendar(Checks& checks, World& world) {
  must_be_active(world);
  const std::size_t before = world.events().lines().size();
  const auto begin = RealClock::now();
  const auto ask = [&] {
    const Reaction seen = ask_for_warning(world, 0.5);
    world.sleep(kWatched);
    return seen;
  };
  const Reaction first = ask();
  set_calendar(kDay);
  const Reaction ahead = ask();
  set_calendar(-2 * kDay);
  const Reaction behind = ask();
  set_calendar(kDay);
  const Reaction back = ask();
  const auto end = RealClock::now();
  const Cycles seen = cycles(world, begin, end);
  double slowest = 0;
  bool warned = true;
  for (const Reaction& one : {first, ahead, behind, back}) {
    warned = warned && one.within(kCycleLimit);
    slowest = std::max({slowest, one.lamp_ms, one.bus_ms});
  }
  checks.check(seen.within(kCycleLimit) && warned && !world.lamps().status_lit(begin),
               "calendar set a day on and back: nothing happens",
               text("%s; warnings asked for within %.0f ms, limit %.0f", seen.in_words().c_str(),
                    slowest, kCycleLimit));
  const EventFile events = world.events();
  int ahead_lines = 0, behind_lines = 0, wrong = 0;
  std::optional<double> was;
  for (std::size_t i = 0; i < events.lines().size(); ++i) {
    const auto now = calendar_of(events.lines()[i], world.config().clock_rate);
    if (!now) ++wrong;
    if (!now || i < before) {
      was = now;
      continue;
    }
    const double days = (*now - was.value_or(*now)) / kDay;
    ahead_lines += std::abs(days - 1) < kLate;
    behind_lines += std::abs(days + 1) < kLate;
    wrong += std::abs(days - std::round(days)) > kLate;
  }
  checks.check(events.is_gapless() && wrong == 0 && ahead_lines > 0 && behind_lines > 0,
               "calendar set a day on and back: the events tell it",
               text("%d events a day ahead, %d a day behind, %d of no day; the log %s", ahead_lines,
                    behind_lines, wrong, events.is_gapless() ? "has no gap" : "has gaps"));
}

/// vivid counts frames from shortly before 2^32, and its time stamps from 16 s before 2^63 ns or
/// 2^31 s, in the stream that begins next: the firmware begins one after a streaming error.
void check_stamps(Checks& checks, World& world, int stamps, double lasts) {
  const std::string name = stamps == 1 ? "frame numbers wrap, time stamps near 2^63 ns"
                                       : "frame numbers wrap, time stamps near 2^31 s";
  checks.group(name, [&] {
    VividControls controls(world.nodes().capture);
    const auto begin_stream = [&](int numbers, int times) {
      controls.set("Wrap Sequence Number", numbers);
      controls.set("Wrap Timestamp", times);
      const auto begin = RealClock::now();
      controls.press("Inject Fatal Streaming Error");
      return world
          .await_status(
              begin, [](const auto& status) { return status.health.cause == Cause::camera_gone; },
              1000)
          .has_value();
    };
    must_be_active(world);
    const bool begun = begin_stream(1, stamps);
    must_be_active(world);
    const auto from = RealClock::now();
    world.sleep(lasts);
    const auto to = RealClock::now();
    const Cycles seen = cycles(world, from, to);
    const auto statuses = world.car().statuses(from);
    const auto lists = world.car().lists(from);
    const double rate = statuses.empty() ? -1 : statuses.back().message.camera_rate_hz.value_or(-1);
    const bool people = std::all_of(lists.begin(), lists.end(),
                                    [](const HeardList& list) { return list.message.count > 0; });
    checks.check(
        begun && seen.within(kCycleLimit) && rate > 25 && rate < 35 && !lists.empty() && people,
        name + ": nothing happens",
        text("%.1f s; %s; camera %.0f a second, %zu lists, %s", lasts / 1000,
             seen.in_words().c_str(), rate, lists.size(),
             people ? "people in each" : "not each with people"));
    begin_stream(0, 0);
    must_be_active(world);
  });
}

}  // namespace

void check_stress(Checks& checks, World& world, bool is_long) {
  checks.group("flooded bus", [&] { check_flood(checks, world, is_long); });
  world.car().drive(0);
  checks.group("calendar", [&] { check_calendar(checks, world); });
  // 128 frames until the numbers begin anew, which is 4.3 s, and two of those until ACTIVE.
  check_stamps(checks, world, 1, is_long ? kStamps : kNumbers);
  if (is_long) check_stamps(checks, world, 2, kStamps);
}

}  // namespace kerb::board
