// SPDX-License-Identifier: Apache-2.0
#include "tests/board/play.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "firmware/config/config.hpp"
#include "tests/board/ear.hpp"
#include "tests/board/lamps.hpp"
#include "tests/board/play_bus.hpp"
#include "tests/board/play_camera.hpp"
#include "tests/board/process.hpp"
#include "tests/board/sound.hpp"
#include "tests/board/vivid.hpp"
#include "tools/simulator/hil/make_play.hpp"

namespace kerb::board {
namespace {

namespace fs = std::filesystem;
using sim::Play;
using sim::Trace;

constexpr double kStartLimit = 120;  // real seconds until the firmware is ACTIVE
constexpr double kStopLimit = 20;    // real seconds until it has ended

Play read_play(const fs::path& path) {
  std::string bytes(fs::file_size(path), '\0');
  std::ifstream(path, std::ios::binary)
      .read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  Result<Play> play = sim::parse_play(bytes);
  if (!play) throw BoardError(path.string() + ": " + describe(play.error()));
  return std::move(*play);
}

/// Times of life as seconds of the scenario.
struct ScenarioClock {
  RealClock::time_point begin;
  double rate = 1, seconds = 0;
  /// Nothing before it began and after it ended.
  std::optional<Nanos> operator()(RealClock::time_point real) const {
    const double t = Seconds(real - begin).count() * rate;
    if (t < 0 || t > seconds) return std::nullopt;
    return Nanos{static_cast<Nanos::rep>(t * 1e9)};
  }
};

Trace trace_of(const ScenarioClock& clock, const PlayBus& bus, const LampWatch& lamps,
               const Ear& ear) {
  Trace trace;
  for (const PlayBus::Heard& heard : bus.heard())
    if (const auto at = clock(heard.time)) trace.frames.push_back({*at, heard.frame});
  for (const LampWatch::Change& change : lamps.changes()) {
    std::optional<Nanos> at = clock(change.time);
    if (change.time < clock.begin) {  // what the scenario begins with is the last of these
      at = Nanos::zero();
      trace.warning_lamp.clear();
      trace.status_lamp.clear();
    }
    if (!at) continue;
    note(trace.warning_lamp, *at, change.levels.warning);
    note(trace.status_lamp, *at, change.levels.status);
  }
  for (const Ear::Loud& loud : ear.heard()) {
    const auto at = clock(loud.begin), end = clock(loud.end);
    if (!at) continue;
    const HeardTone tone = analyse(loud.samples, Sound::kRate);
    note(trace.tone, *at, TonePattern{tone.frequency_hz, tone.pulses_per_s, tone.duty, tone.peak});
    if (end) note(trace.tone, *end, std::nullopt);
  }
  return trace;
}

/// Each line of a text, as "WORD NAME LINE" for the host.
void tell(const char* word, const std::string& name, const std::string& text) {
  std::istringstream lines(text);
  std::printf("%s %s # begin\n", word, name.c_str());
  for (std::string line; std::getline(lines, line);)
    std::printf("%s %s %s\n", word, name.c_str(), line.c_str());
  std::printf("%s %s # end\n", word, name.c_str());
}

}  // namespace

std::optional<Trace> play_scenario(Checks& checks, const Play& play,
                                   const std::string& config_path) {
  const LoadResult loaded = load_config(config_path);
  if (!loaded.ok()) throw BoardError(loaded.lines().front());
  const Config& config = loaded.config;
  const VividNodes nodes = find_vivid();
  connect_loop(nodes, LoopFormat{});
  PlayCamera camera(nodes, play, config.clock_rate);
  const LoopLook look = look_through_loop(nodes, play);
  checks.check(
      look.different == 0, play.name + " loop",
      text("%zu bytes of the first picture changed on its way through the camera", look.different));
  PlayBus bus(config.can.interface, play, config.clock_rate);
  LampWatch lamps(config.lamp.warning_line, config.lamp.status_line);
  Ear ear;
  Process firmware({"/bin/kerbwatch", "run", "--config", config_path}, "/tmp/kerbwatch.log");
  const auto start = RealClock::now();
  while (!bus.heard_active() && seconds_since(start) < kStartLimit && firmware.is_running())
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (!checks.check(bus.heard_active(), play.name + " starts",
                    bus.heard_active() ? text("ACTIVE after %.1f s of life", seconds_since(start))
                                       : "not ACTIVE")) {
    tell("LOG", play.name, firmware.output());
    return std::nullopt;
  }
  const ScenarioClock clock{RealClock::now() + std::chrono::milliseconds(100), config.clock_rate,
                            play.seconds};
  camera.begin(clock.begin);
  bus.begin(clock.begin);
  std::this_thread::sleep_until(clock.begin + std::chrono::duration_cast<RealClock::duration>(
                                                  Seconds(play.seconds / config.clock_rate + 0.2)));
  Trace trace = trace_of(clock, bus, lamps, ear);
  const int sent = bus.sent(), shown = camera.shown();
  firmware.signal(SIGTERM);
  const std::optional<int> code = firmware.wait(kStopLimit);
  tell("TRACE", play.name, sim::render_trace(trace));
  tell("LOG", play.name, firmware.output());
  const auto pictures = static_cast<int>(play.pictures.size());
  checks.check(shown * 4 >= pictures * 3, play.name + " pictures",
               text("%d of %d shown", shown, pictures));
  checks.check(sent == static_cast<int>(play.messages.size()), play.name + " signals",
               text("%d of %zu sent", sent, play.messages.size()));
  checks.check(!trace.frames.empty(), play.name + " answers",
               text("%zu frames, %zu changes of the status lamp", trace.frames.size(),
                    trace.status_lamp.size()));
  checks.check(code == 0, play.name + " ends", text("exit code %d", code.value_or(-1)));
  return trace;
}

void play_scenarios(Checks& checks) {
  std::vector<fs::path> plays;
  for (const fs::directory_entry& entry : fs::directory_iterator(sim::kBoardFolder))
    if (entry.path().extension() == ".kwplay") plays.push_back(entry.path());
  std::sort(plays.begin(), plays.end());
  checks.check(!plays.empty(), "scenarios", text("%zu to play", plays.size()));
  for (const fs::path& path : plays)
    checks.group(path.stem().string(), [&] {
      const std::string config = fs::path(path).replace_extension(".toml").string();
      play_scenario(checks, read_play(path), config);
    });
}

}  // namespace kerb::board
