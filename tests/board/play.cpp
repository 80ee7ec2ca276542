// SPDX-License-Identifier: Apache-2.0
#include "tests/board/play.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

#include "firmware/config/config.hpp"
#include "tests/board/lamps.hpp"
#include "tests/board/play_bus.hpp"
#include "tests/board/process.hpp"
#include "tests/board/sound.hpp"
#include "tests/board/vivid.hpp"
#include "tools/simulator/bench/play_file.hpp"
#include "tools/simulator/judge/trace.hpp"

namespace kerb::board {
namespace {

namespace fs = std::filesystem;
using sim::Play;
using sim::Trace;

constexpr double kStartLimit = 120;  // real seconds until the firmware is ACTIVE
constexpr double kChunk = 0.05;     // real seconds of sound looked at together
constexpr double kHeardOn = 0.25;   // real seconds a tone goes on after its last loud sample

/// Shows a play's pictures through vivid's output; before it begins, the first one, with a line
/// that changes, so that nobody takes it for frozen.
class PlayWriter {
 public:
  PlayWriter(VividNodes nodes, const Play& play, double rate)
      : nodes_(std::move(nodes)), play_(play), rate_(rate), thread_([this] { run(); }) {}
  ~PlayWriter() {
    stop_ = true;
    thread_.join();
  }
  void begin(RealClock::time_point at) {
    begin_ = at;
    begun_ = true;
  }
  int shown() const { return shown_; }

 private:
  void run() {
    try {
      stream();
    } catch (const BoardError& error) {
      std::fprintf(stderr, "play writer: %s\n", error.what());
    }
  }
  /// The picture that is due, and whether it is a new one.
  std::size_t due_picture() const {
    if (!begun_) return 0;
    const double t = seconds_since(begin_) * rate_;
    const auto after = std::upper_bound(play_.pictures.begin(), play_.pictures.end(), t,
                                        [](double at, const Play::Shown& p) { return at < p.at; });
    return after == play_.pictures.begin()
               ? 0
               : static_cast<std::size_t>(after - play_.pictures.begin()) - 1;
  }
  void draw(std::size_t picture, std::size_t stride, std::span<std::uint8_t> out) {
    const auto width = static_cast<std::size_t>(play_.width);
    const auto enlarge = static_cast<std::size_t>(play_.enlarge);
    const std::uint8_t* in = play_.pictures[picture].pixels.data();
    for (std::size_t y = 0; y < static_cast<std::size_t>(play_.height); ++y) {
      std::uint8_t* first = out.data() + y * enlarge * stride;
      for (std::size_t x = 0; x < width; ++x)
        for (std::size_t i = 0; i < enlarge; ++i) first[x * enlarge + i] = in[y * width + x];
      for (std::size_t i = 1; i < enlarge; ++i)
        std::memcpy(first + i * stride, first, width * enlarge);
    }
    if (begun_) return;
    ++dither_;
    for (std::size_t x = 0; x < width * enlarge; ++x)
      out[x] = static_cast<std::uint8_t>(dither_ * 37 + x);
  }
  void stream() {
    BufferQueue queue(nodes_.output, V4L2_BUF_TYPE_VIDEO_OUTPUT, V4L2_MEMORY_MMAP, LoopFormat{}, 4);
    std::vector<std::uint32_t> free_buffers;
    for (std::uint32_t i = 0; i < queue.count(); ++i) free_buffers.push_back(i);
    bool streaming = false;
    std::size_t last = play_.pictures.size();
    while (!stop_) {
      if (free_buffers.empty()) {
        if (const auto done = queue.next(100)) free_buffers.push_back(done->index);
        continue;
      }
      const bool playing = begun_;
      const std::size_t picture = due_picture();
      if (playing && picture == last) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        continue;
      }
      last = playing ? picture : play_.pictures.size();
      const std::uint32_t index = free_buffers.back();
      free_buffers.pop_back();
      draw(picture, queue.stride(), queue.buffer(index));
      queue.queue(index);
      if (playing) ++shown_;
      if (!streaming) queue.stream_on();
      streaming = true;
      while (const auto done = queue.next(0)) free_buffers.push_back(done->index);
      if (!playing) std::this_thread::sleep_for(std::chrono::milliseconds(130));
    }
  }

  VividNodes nodes_;
  const Play& play_;
  const double rate_;
  unsigned dither_ = 0;
  RealClock::time_point begin_;
  std::atomic<bool> begun_ = false, stop_ = false;
  std::atomic<int> shown_ = 0;
  std::thread thread_;
};

/// Listens to the loudspeaker's line.
class Ear {
 public:
  Ear() : thread_([this] { run(); }) {}
  ~Ear() {
    stop_ = true;
    thread_.join();
  }
  struct Loud {
    RealClock::time_point begin, end;
    std::vector<std::int16_t> samples;
  };
  std::vector<Loud> heard() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }

 private:
  void run() {
    try {
      Sound sound("hw:Loopback,1,0", Sound::Direction::record);
      while (!stop_) {
        const std::vector<std::int16_t> samples = sound.record(kChunk);
        const auto now = RealClock::now();
        const bool loud = std::any_of(samples.begin(), samples.end(),
                                      [](std::int16_t s) { return std::abs(int{s}) > 1000; });
        const std::lock_guard lock(mutex_);
        const bool goes_on = !heard_.empty() && Seconds(now - heard_.back().end).count() < kHeardOn;
        if (loud && !goes_on)
          heard_.push_back(
              {now - std::chrono::milliseconds(static_cast<int>(kChunk * 1000)), now, {}});
        if (loud) heard_.back().end = now;
        if ((loud || goes_on) && heard_.back().samples.size() < 5 * Sound::kRate)
          heard_.back().samples.insert(heard_.back().samples.end(), samples.begin(), samples.end());
      }
    } catch (const BoardError& error) {
      std::fprintf(stderr, "ear: %s\n", error.what());
    }
  }
  mutable std::mutex mutex_;
  std::vector<Loud> heard_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

Play read_play(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
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
  LampLevels before;
  for (const LampWatch::Change& change : lamps.changes()) {
    const auto at = clock(change.time);
    if (!at) {
      if (change.time < clock.begin) before = change.levels;
      continue;
    }
    if (trace.warning_lamp.empty()) note(trace.warning_lamp, Nanos::zero(), before.warning);
    if (trace.status_lamp.empty()) note(trace.status_lamp, Nanos::zero(), before.status);
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

void play_one(Checks& checks, const fs::path& path) {
  const Play play = read_play(path);
  const std::string config_path = fs::path(path).replace_extension(".toml").string();
  const LoadResult loaded = load_config(config_path);
  if (!loaded.ok()) throw BoardError(loaded.lines().front());
  const Config& config = loaded.config;
  const VividNodes nodes = find_vivid();
  connect_loop(nodes, LoopFormat{});
  PlayWriter writer(nodes, play, config.clock_rate);
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
    std::istringstream log(firmware.output());
    for (std::string line; std::getline(log, line);)
      std::printf("SAW   firmware: %s\n", line.c_str());
    return;
  }
  ScenarioClock clock{RealClock::now() + std::chrono::milliseconds(100), config.clock_rate,
                      play.seconds};
  writer.begin(clock.begin);
  bus.begin(clock.begin);
  std::this_thread::sleep_until(clock.begin + std::chrono::duration_cast<RealClock::duration>(
                                                  Seconds(play.seconds / config.clock_rate + 0.2)));
  const Trace trace = trace_of(clock, bus, lamps, ear);
  firmware.signal(SIGTERM);
  const std::optional<int> code = firmware.wait(20);
  std::istringstream lines(sim::render_trace(trace));
  std::printf("TRACE %s # begin\n", play.name.c_str());
  for (std::string line; std::getline(lines, line);)
    std::printf("TRACE %s %s\n", play.name.c_str(), line.c_str());
  std::printf("TRACE %s # end\n", play.name.c_str());
  checks.check(writer.shown() * 2 > static_cast<int>(play.pictures.size()), play.name + " pictures",
               text("%d of %zu shown", writer.shown(), play.pictures.size()));
  checks.check(bus.sent() == static_cast<int>(play.messages.size()), play.name + " signals",
               text("%d of %zu sent", bus.sent(), play.messages.size()));
  checks.check(
      !trace.frames.empty(), play.name + " answers",
      text("%zu frames, %zu changes of the status lamp, longest pause of the board %.0f ms",
           trace.frames.size(), trace.status_lamp.size(),
           Seconds(lamps.longest_pause(clock.begin)).count() * 1000));
  checks.check(code == 0, play.name + " ends", text("exit code %d", code.value_or(-1)));
}

}  // namespace

void play_scenarios(Checks& checks) {
  std::vector<fs::path> plays;
  for (const fs::directory_entry& entry : fs::directory_iterator(kPlayFolder))
    if (entry.path().extension() == ".kwplay") plays.push_back(entry.path());
  std::sort(plays.begin(), plays.end());
  checks.check(!plays.empty(), "scenarios", text("%zu to play", plays.size()));
  for (const fs::path& path : plays)
    checks.group(path.stem().string(), [&] { play_one(checks, path); });
}

}  // namespace kerb::board
