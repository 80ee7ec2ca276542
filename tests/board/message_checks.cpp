// SPDX-License-Identifier: Apache-2.0
// The firmware when all is well: start, status, warnings that a workshop asks for, stop.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/board/firmware_checks.hpp"
#include "tests/board/sound.hpp"

namespace kerb::board {
namespace {

constexpr const char* kRecordFrom = "hw:Loopback,1,0";
constexpr double kStartLimit = 10'000;  // ms of firmware time, program start and all
constexpr double kReactionLimit = 300;  // ms of firmware time
constexpr double kTestLasts = 2000;     // ms of firmware time
constexpr double kWatched = 5500;       // ms of firmware time, at least, over which rates are taken

/// KW_Status over a while in which nothing was wrong.
void check_status(Checks& checks, World& world, RealClock::time_point from) {
  const auto heard = world.car().statuses(from);
  int not_active = 0;
  int steps_wrong = 0;
  int detectors = 0;
  int without_speed = 0;
  double longest = 0;
  for (std::size_t i = 0; i < heard.size(); ++i) {
    const can::StatusMessage& status = heard[i].message;
    if (status.health.state != HealthState::active) ++not_active;
    if (status.detector_present) ++detectors;
    if (!status.speed_valid) ++without_speed;
    if (i == 0) continue;
    if (((heard[i - 1].message.counter + 1) & 0xF) != status.counter) ++steps_wrong;
    longest = std::max(longest, world.firmware_ms(heard[i].time - heard[i - 1].time));
  }
  const double spans =
      heard.empty() ? 0 : world.firmware_ms(heard.back().time - heard.front().time) / 1000;
  const double rate = spans > 0 ? static_cast<double>(heard.size() - 1) / spans : 0;
  checks.check(spans >= 5 && rate > 9 && rate < 11, "status ten times a second",
               text("%.2f a second over %.1f s, longest pause %.0f ms", rate, spans, longest));
  checks.check(heard.size() >= 50 && steps_wrong == 0 && world.car().undecodable() == 0,
               "status counter and CRC",
               text("%zu messages, %d wrong counter steps, %d wrong CRCs", heard.size(),
                    steps_wrong, world.car().undecodable()));
  checks.check(
      !heard.empty() && not_active == 0 && without_speed == 0,
      "status ACTIVE throughout, speed known",
      text("%d not ACTIVE, %d without a speed; camera %.0f a second, %.0f %% dropped, board "
           "%.0f degC",
           not_active, without_speed,
           heard.empty() ? -1 : heard.back().message.camera_rate_hz.value_or(-1),
           heard.empty() ? -1 : heard.back().message.dropped_percent.value_or(-1),
           heard.empty() ? -1 : heard.back().message.board_celsius.value_or(-1)));
  checks.check(!heard.empty() && detectors == static_cast<int>(heard.size()) &&
                   world.events().count("detector_loaded", {"\"board\""}) == 1 &&
                   world.events().count("detector_missing") == 0,
               "status says there is a detector",
               text("%d of %zu messages claim one", detectors, heard.size()));
}

/// KW_Objects over the same while: the camera shows what the board's model takes for people.
void check_people(Checks& checks, World& world, RealClock::time_point from) {
  const auto heard = world.car().lists(from);
  int steps_wrong = 0;
  int empty = 0;
  double longest = 0;
  for (std::size_t i = 0; i < heard.size(); ++i) {
    if (heard[i].message.count == 0) ++empty;
    if (i == 0) continue;
    if (((heard[i - 1].message.counter + 1) & 0xF) != heard[i].message.counter) ++steps_wrong;
    longest = std::max(longest, world.firmware_ms(heard[i].time - heard[i - 1].time));
  }
  const double spans =
      heard.empty() ? 0 : world.firmware_ms(heard.back().time - heard.front().time) / 1000;
  const double rate = spans > 0 ? static_cast<double>(heard.size() - 1) / spans : 0;
  checks.check(
      spans >= 5 && rate > 9 && rate < 11 && steps_wrong == 0 && world.car().torn_lists() == 0,
      "lists of people ten times a second",
      text("%.2f a second over %.1f s, longest pause %.0f ms, %d wrong counter steps, %d "
           "torn",
           rate, spans, longest, steps_wrong, world.car().torn_lists()));
  checks.check(!heard.empty() && empty == 0, "lists of people have people in them",
               text("%d of %zu are empty, the last has %d", empty, heard.size(),
                    heard.empty() ? -1 : heard.back().message.count));
}

/// KW_Warning over the same while: it comes also where there is nothing to warn of.
void check_warning_message(Checks& checks, World& world, RealClock::time_point from) {
  const auto heard = world.car().warnings(from);
  int steps_wrong = 0;
  double longest = 0;
  for (std::size_t i = 1; i < heard.size(); ++i) {
    if (((heard[i - 1].message.counter + 1) & 0xF) != heard[i].message.counter) ++steps_wrong;
    longest = std::max(longest, world.firmware_ms(heard[i].time - heard[i - 1].time));
  }
  const double spans =
      heard.empty() ? 0 : world.firmware_ms(heard.back().time - heard.front().time) / 1000;
  checks.check(spans >= 5 && longest <= kReactionLimit && steps_wrong == 0,
               "KW_Warning all the time",
               text("%zu messages over %.1f s, longest pause %.0f ms, limit %.0f, %d wrong counter "
                    "steps",
                    heard.size(), spans, longest, kReactionLimit, steps_wrong));
}

can::ServiceMessage warning_test() {
  return {can::ServiceRequest::warning_test, WarningLevel::collision, kTestLasts / 1000, 0};
}

int count_levels(const std::vector<HeardWarning>& heard, bool with_test_flag) {
  int count = 0;
  for (const HeardWarning& warning : heard)
    count += warning.message.level != WarningLevel::none && warning.message.test == with_test_flag;
  return count;
}

HeardTone listen(double seconds) {
  return analyse(Sound(kRecordFrom, Sound::Direction::record).record(seconds), Sound::kRate);
}

bool is_warning(const HeardTone& heard) {
  return heard.frequency_hz >= 800 && heard.pulses_per_s >= 6 && heard.pulses_per_s <= 12 &&
         heard.peak > 0.2;
}

void check_warning(Checks& checks, World& world) {
  const auto asked = RealClock::now();
  world.car().ask(warning_test());
  const bool lit =
      world.await([&] { return world.lamps().warning_lit(asked).has_value(); }, 2 * kReactionLimit);
  const auto lit_at = world.lamps().warning_lit(asked);
  const double lamp_ms = lit_at ? world.firmware_ms(*lit_at - asked) : -1;
  checks.check(lit && lamp_ms <= kReactionLimit && world.lamps().now().warning,
               "warning asked for: lamp",
               text("lit after %.0f ms, limit %.0f", lamp_ms, kReactionLimit));

  // The sound card is not slowed down, and neither are the tone's frequency and pulses.
  const HeardTone heard = listen(1.5);
  checks.check(is_warning(heard), "warning asked for: sound",
               text("%.0f Hz, %.1f pulses a second, duty %.2f, peak %.2f", heard.frequency_hz,
                    heard.pulses_per_s, heard.duty, heard.peak));

  world.await([&] { return !world.lamps().now().warning; }, kTestLasts + 500);
  const double lasted = world.firmware_ms(RealClock::now() - asked);
  world.sleep(400);  // the last repeats of "none"
  const auto messages = world.car().warnings(asked);
  const auto begins = std::find_if(messages.begin(), messages.end(), [](const auto& one) {
    return one.message.level != WarningLevel::none;
  });
  const double first = begins == messages.end() ? -1 : world.firmware_ms(begins->time - asked);
  const int tests = count_levels(messages, true);
  const int real_ones = count_levels(messages, false);
  const bool ended = !messages.empty() && messages.back().message.level == WarningLevel::none;
  checks.check(
      first >= 0 && first <= kReactionLimit && tests >= 20 && real_ones == 0 && ended,
      "warning asked for: KW_Warning",
      text("first after %.0f ms, %d with the test flag, %d without, last says %s", first, tests,
           real_ones, messages.empty() ? "nothing" : name_of(messages.back().message.level)));
  const HeardTone quiet = listen(0.4);
  checks.check(!world.lamps().now().warning && quiet.peak < 0.01 && lasted > kTestLasts - 100 &&
                   lasted < kTestLasts + kReactionLimit,
               "warning over: lamp dark, no sound",
               text("dark after %.0f ms of %.0f, peak %.3f", lasted, kTestLasts, quiet.peak));
}

void check_refusal(Checks& checks, World& world) {
  world.car().drive(10);
  world.sleep(200);
  const int refused_before = world.events().count("service_request", {"\"accepted\":false"});
  const auto asked = RealClock::now();
  world.car().ask(warning_test());
  const bool told = world.await(
      [&] {
        return world.events().count("service_request", {"\"accepted\":false"}) > refused_before;
      },
      1000);
  world.sleep(400);
  const auto messages = world.car().warnings(asked);
  const int warnings = count_levels(messages, true) + count_levels(messages, false);
  const bool lit = world.lamps().warning_lit(asked).has_value();
  checks.check(told && warnings == 0 && !lit, "warning asked for at 10 m/s is refused",
               text("%d warnings on the bus, lamp %s, event log %s", warnings, lit ? "lit" : "dark",
                    told ? "says refused" : "says nothing"));
  world.car().drive(0);
}

}  // namespace

std::string watchdog_state() {
  std::ifstream file("/sys/class/watchdog/watchdog0/state");
  std::string state;
  std::getline(file, state);
  return state;
}

bool check_start(Checks& checks, World& world, bool guarded) {
  const auto start = RealClock::now();
  world.start_firmware(guarded);
  // A workshop's request is refused as long as the speed is not known.
  const auto active = world.await_active(start, kStartLimit);
  const bool knows_speed =
      world
          .await_status(
              start, [](const auto& status) { return status.speed_valid; }, kStartLimit)
          .has_value();
  const auto first = world.await_status(
      start, [](const auto&) { return true; }, 0);
  const std::string watchdog = watchdog_state();
  checks.check(active && knows_speed && world.firmware().is_running() && watchdog == "active",
               "firmware comes up ACTIVE, watchdog armed, lamps held",
               text("first status after %.0f ms (%s), ACTIVE after %.0f ms, limit %.0f; watchdog "
                    "%s, lamps %s",
                    first ? world.firmware_ms(first->time - start) : -1,
                    first ? in_words(first->message).c_str() : "none",
                    active ? world.firmware_ms(active->time - start) : -1, kStartLimit,
                    watchdog.c_str(), world.lamps().now().is_held ? "held" : "not held"));
  return active && knows_speed;
}

void check_messages(Checks& checks, World& world) {
  const auto from = RealClock::now();
  checks.group("warning", [&] { check_warning(checks, world); });
  checks.group("refusal", [&] { check_refusal(checks, world); });
  std::this_thread::sleep_until(from + world.real(kWatched));
  check_status(checks, world, from);
  check_people(checks, world, from);
  check_warning_message(checks, world, from);
}

void check_stop(Checks& checks, World& world) {
  world.firmware().signal(SIGTERM);
  const auto code = world.firmware().wait(10);
  const EventFile events = world.events();
  checks.check(code == 0 && watchdog_state() == "inactive" &&
                   world.await([&] { return !world.lamps().now().is_held; }, 200),
               "SIGTERM ends it",
               text("exit code %d, watchdog %s, lamps %s", code.value_or(-1),
                    watchdog_state().c_str(), world.lamps().now().is_held ? "held" : "let go"));
  checks.check(
      !events.lines().empty() && events.broken() == 0 && events.is_gapless() &&
          events.last_kind() == "stopped" && events.count("started") == 1,
      "event log: every line parses, none missing, the last says stopped",
      text("%zu lines, %d broken, numbers %s, last \"%s\"", events.lines().size(), events.broken(),
           events.is_gapless() ? "without a gap" : "with gaps", events.last_kind().c_str()));
}

void check_shipped_model(Checks& checks) {
  constexpr const char* kPath = "/tmp/no-model.toml";
  constexpr const char* kModel = "/share/kerbwatch/models/default.kwm";
  std::ofstream(kPath) << "[[camera]]\nwidth = 640\nheight = 480\n";
  Process firmware({"/bin/kerbwatch", "check", "--config", kPath}, "/tmp/no-model.log");
  const auto code = firmware.wait(30);
  const std::string output = firmware.output(), said = output.substr(0, output.find('\n'));
  checks.check(code == 0 && said.find(kModel) != std::string::npos,
               "the model that comes with it is found and loads",
               text("exit code %d, \"%s\"", code.value_or(-1), said.c_str()));
}

void check_missing_camera(Checks& checks) {
  constexpr const char* kPath = "/tmp/missing.toml";
  std::ifstream good(World::kConfig);
  std::ofstream bad(kPath);
  for (std::string line; std::getline(good, line);) {
    if (line.starts_with("device = \"/dev/video")) line = "device = \"/dev/video9\"";
    bad << line << '\n';
  }
  bad.close();
  Process firmware({"/bin/kerbwatch", "run", "--strict", "--config", kPath}, "/tmp/missing.log");
  const auto code = firmware.wait(10);
  int errors = 0;
  std::string said;
  std::istringstream output(firmware.output());
  for (std::string line; std::getline(output, line);) {
    if (line.find("error") == std::string::npos) continue;
    ++errors;
    said = line;
  }
  checks.check(code == 2 && errors == 1 && said.find("/dev/video9") != std::string::npos &&
                   watchdog_state() == "inactive",
               "a missing camera is one line and exit code 2 of a strict run",
               text("exit code %d, %d lines: \"%s\"", code.value_or(-1), errors, said.c_str()));
}

}  // namespace kerb::board
