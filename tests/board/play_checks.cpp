// SPDX-License-Identifier: Apache-2.0
// Checks that scenarios can be played: a short one made here, from creating it to judging
// what came back.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "firmware/can/codec.hpp"
#include "tests/board/play.hpp"
#include "tests/board/posix.hpp"
#include "tests/board/world.hpp"
#include "tests/support/plain_painter.hpp"
#include "tools/simulator/hil/make_play.hpp"

namespace kerb::board {
namespace {

constexpr const char* kConfigPath = "/tmp/short.toml";
constexpr double kAskedAt = 0.3, kAskedFor = 1;  // seconds of the scenario

/// A car that stands, and whose signals are lost for a while.
sim::Scenario short_scenario() {
  sim::Scenario scenario;
  scenario.name = "short";
  scenario.seconds = 5.8;
  scenario.car.speeds = {{0, 0, 3}};
  scenario.faults = {{sim::FaultSpec::Kind::signals_lost, 2, 2.6, 1}};
  scenario.criteria.fault_told_within_s = 0.5;
  scenario.criteria.no_collision_warning = true;
  return scenario;
}

/// A workshop asks for a warning: as long as nothing else lets the firmware give one, that is what
/// lamp and sound have to tell.
void ask_for_warning(sim::Play& play) {
  can::ServiceMessage request;
  request.request = can::ServiceRequest::warning_test;
  request.level = WarningLevel::collision;
  request.duration_s = kAskedFor;
  const auto after =
      std::find_if(play.messages.begin(), play.messages.end(),
                   [](const sim::Play::Message& message) { return message.at > kAskedAt; });
  play.messages.insert(after, {kAskedAt, can::encode(request)});
}

void write_config(const Config& base, const sim::Scenario& scenario) {
  // As fast as the other checks of the board.
  const Config config = sim::board_config(base, scenario, base.clock_rate);
  std::ofstream out(kConfigPath);
  out << render_config(config);
  if (!out.flush()) fail_with_errno(std::string("write ") + kConfigPath);
}

/// Through its file's bytes, as one that comes from the host.
sim::Play short_play(const sim::Scenario& scenario) {
  Result<sim::Play> made = sim::make_play(scenario, test::make_plain_painter, 1, 2);
  if (!made) throw BoardError(describe(made.error()));
  ask_for_warning(*made);
  Result<sim::Play> read = sim::parse_play(sim::render_play(*made));
  if (!read) throw BoardError(describe(read.error()));
  return std::move(*read);
}

void check_outputs(Checks& checks, const sim::Sent& sent) {
  const auto lit = sent.lamp.empty() ? sim::Sent::Stretch{} : sent.lamp.front();
  checks.check(sent.lamp.size() == 1 && lit.begin >= kAskedAt && lit.begin < kAskedAt + 0.3 &&
                   lit.end - lit.begin > kAskedFor - 0.3 && lit.end - lit.begin < kAskedFor + 0.3,
               "short lamp", text("lit from %.2f to %.2f s", lit.begin, lit.end));
  const TonePattern tone = sent.patterns.empty() ? TonePattern{0, 0, 0, 0} : sent.patterns.front();
  checks.check(sent.patterns.size() == 1 && tone.frequency_hz >= 800 && tone.pulses_per_s >= 6 &&
                   tone.pulses_per_s <= 12,
               "short sound",
               text("%zu times, %.0f Hz, %.1f pulses a second", sent.patterns.size(),
                    tone.frequency_hz, tone.pulses_per_s));
}

}  // namespace

void check_play(Checks& checks) {
  checks.group("short play", [&] {
    const LoadResult base = load_config(World::kConfig);
    if (!base.ok()) throw BoardError(base.lines().front());
    const sim::Scenario scenario = short_scenario();
    write_config(base.config, scenario);
    const std::optional<sim::Trace> played =
        play_scenario(checks, short_play(scenario), kConfigPath);
    if (!played) return;
    const Result<sim::Trace> trace = sim::parse_trace(sim::render_trace(*played), "short");
    if (!trace) throw BoardError(describe(trace.error()));
    const sim::Judgement judged =
        sim::judge(scenario, sim::find_truth(sim::World{scenario}), *trace, sim::board_rules());
    for (const sim::Verdict& verdict : judged.verdicts) {
      // A lamp that no warning explains, but a test, is one that a judge must notice.
      const bool wanted = verdict.rule != "lamp_and_sound";
      checks.check(verdict.passed == wanted,
                   "short judged: " + verdict.rule + (wanted ? "" : " finds the test"),
                   verdict.reason);
    }
    check_outputs(checks, judged.sent);
  });
}

}  // namespace kerb::board
