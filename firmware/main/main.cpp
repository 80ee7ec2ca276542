// SPDX-License-Identifier: Apache-2.0
// The program in the car: command line to exit code. What it opens is in main/machine.cpp.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "firmware/config/config.hpp"
#include "firmware/config/vehicle_mapping.hpp"
#include "firmware/diagnostics/life.hpp"
#include "firmware/log/log.hpp"
#include "firmware/main/console.hpp"
#include "firmware/main/demo.hpp"
#include "firmware/main/guard.hpp"
#include "firmware/main/machine.hpp"
#include "firmware/main/replay.hpp"
#include "firmware/main/run.hpp"
#include "firmware/main/version.hpp"
#include "firmware/threads/real_time.hpp"
#include "firmware/vision/vision.hpp"

namespace {

using namespace kerb;

/// Prints every problem on its own line. True when there is none.
bool report_problems(const LoadResult& loaded) {
  for (const std::string& line : loaded.lines()) std::fprintf(stderr, "%s\n", line.c_str());
  return loaded.ok();
}

/// Where the vehicle's messages are described, unless they are Kerbwatch's own.
std::string layout_text(const CanSettings& can) {
  if (can.mapping.dbc.empty()) return "";
  const int count = can.layout.message_count;
  return fmt::format(" ({} message{} of {})", count, count == 1 ? "" : "s", can.mapping.dbc);
}

int check(const std::string& path) {
  const LoadResult loaded = load_config(path);
  if (!report_problems(loaded)) return kBadInput;
  if (const std::optional<DetectorProblem> problem = check_detector(loaded.config)) {
    std::fprintf(stderr, "%s: %s = \"%s\": %s\n", path.c_str(), problem->key, problem->file.c_str(),
                 describe(problem->error).c_str());
    return kBadInput;
  }
  const DetectorSettings& settings = loaded.config.detector;
  const DetectorModels models = find_models(settings);
  std::string model = models.model;
  if (model.empty()) model = "none (" + why_no_model(settings) + ")";
  const auto is_thermal = [](const CameraSettings& c) { return c.imaging == Imaging::thermal; };
  if (settings.enabled && std::ranges::any_of(loaded.config.cameras, is_thermal))
    model += ", thermal " + models.thermal;
  const auto on = [](bool enabled) { return enabled ? "on" : "off"; };
  const Config& c = loaded.config;
  print("{}: good: {} camera{}, detector {}, CAN {}, lamps {}, sound {}, watchdog {}\n", path,
        c.cameras.size(), c.cameras.size() == 1 ? "" : "s", model,
        c.can.enabled ? c.can.interface + layout_text(c.can) : "off", on(c.lamp.enabled),
        on(c.tone.enabled), on(c.watchdog.enabled));
  if (c.clock_rate < 1)
    print("{}: clock.rate is {:g}: for an emulated board, not for a vehicle\n", path, c.clock_rate);
  if (!c.can.enabled && c.can.required)
    print("{}: note: can.enabled is false: without the vehicle's speed nobody is warned of\n",
          path);
  for (const std::string& note : config::notes_on(c.can.mapping, c.can.layout))
    print("{}: note: {}\n", path, note);
  return 0;
}

/// The counters that the configuration's file keeps.
int show_counters(const std::string& path, bool json) {
  const LoadResult loaded = load_config(path);
  if (!report_problems(loaded)) return kBadInput;
  if (!loaded.config.life.enabled) return fail(path + ": life.enabled is false");
  const Result<diagnostics::LifeImage> life = diagnostics::load_life(loaded.config.life.path);
  if (!life) return fail(describe(life.error()));
  print_text(json ? diagnostics::render_life_json(*life) : diagnostics::render_life(*life));
  return 0;
}

/// Runs the product with this configuration, or guards a process that does.
int run(const RunOptions& options, bool json, bool guarded) {
  const LoadResult loaded = load_config(options.config_path);
  if (!report_problems(loaded)) return kBadInput;
  LogOptions lines;
  lines.level = loaded.config.log_level;
  lines.json = json;
  ThreadSystem system;
  RealTime real_time{loaded.config.threads.real_time(), system};
  if (!guarded) lines.thread_start = [&real_time] { real_time.begin(ThreadRole::log); };
  const std::unique_ptr<Log> log = make_log(lines);
  real_time.set_log(*log);
  return guarded ? run_guard(loaded.config, options.config_path, json, *log)
                 : run_product(loaded.config, options, real_time, *log);
}

/// A number within least..most, which NaN is not (CLI::Range lets it pass).
CLI::Validator between(double least, double most) {
  return CLI::Validator{[least, most](const std::string& text) {
                          char* end = nullptr;
                          const double number = std::strtod(text.c_str(), &end);
                          return !text.empty() && *end == '\0' && number >= least && number <= most
                                     ? std::string{}
                                     : fmt::format("{}: must be {:g}..{:g}", text, least, most);
                        },
                        fmt::format("in [{:g} - {:g}]", least, most)};
}

/// The first word must be a command, or an option. Before anything else is read: with "--help"
/// after it, CLI11 would print the help and be content.
std::optional<std::string> unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return std::nullopt;
  std::string known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->check_name(argv[1])) return std::nullopt;
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  return fmt::format("unknown command '{}'; there are {}", argv[1], known);
}

/// An option that is not known comes first: that another one is missing says little about it.
std::string usage_fault(const CLI::App& app, const CLI::ParseError& error) {
  for (const CLI::App* command : app.get_subcommands())
    for (const std::string& word : command->remaining())
      if (word.size() > 1 && word.front() == '-') return "unknown option '" + word + "'";
  return error.what();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Kerbwatch warns a driver of people the vehicle may hit."};
  app.footer(
      "Examples:\n"
      "  kerbwatch demo\n"
      "  kerbwatch demo --model people.kwm\n"
      "  kerbwatch config > kerbwatch.toml\n"
      "  kerbwatch check --config kerbwatch.toml\n"
      "  kerbwatch run --config kerbwatch.toml --log-json\n"
      "  kerbwatch guard --config kerbwatch.toml\n"
      "  kerbwatch counters --config kerbwatch.toml\n"
      "  kerbwatch replay warning-000001-20260101T120000Z-collision.kwr\n"
      "Without a model of their own, run, check and demo take default.kwm (default-grey.kwm for\n"
      "grey cameras) from the installed models, or from the folder that KERBWATCH_MODELS names.\n"
      "Exit codes: 0 success, 1 the demo failed or a replay differs, 2 bad input (one error "
      "line), 3 a workshop's tester asked for a reset, 4 the GPU failed on every frame.");
  app.set_version_flag("--version", std::string{"kerbwatch "} + kVersion);
  app.require_subcommand(1);
  bool json = false;
  std::string path, model;
  double demo_seconds = 6;
  RunOptions run_options;

  CLI::App* run_command = app.add_subcommand("run", "Run with this configuration until SIGTERM");
  run_command->add_option("-c,--config", run_options.config_path, "Configuration file (TOML)")
      ->required();
  run_command
      ->add_option("--seconds", run_options.seconds, "Stop after this time (Kerbwatch's clock)")
      ->check(between(0.001, 1e8));
  run_command->add_flag("--strict", run_options.strict,
                        "End with 2 when a device is missing at the start, instead of waiting");
  run_command->add_flag("--log-json", json, "Log as JSON lines");

  CLI::App* guard_command = app.add_subcommand(
      "guard", "Run, with the amber lamp held by a process that outlives a crash");
  guard_command->add_option("-c,--config", run_options.config_path, "Configuration file (TOML)")
      ->required();
  guard_command->add_flag("--log-json", json, "Log as JSON lines");

  CLI::App* check_command =
      app.add_subcommand("check", "List every error of a configuration, key by key");
  check_command->add_option("-c,--config", path, "Configuration file (TOML)")->required();

  app.add_subcommand("config", "Print a complete configuration with every key at its default");

  CLI::App* demo_command =
      app.add_subcommand("demo", "Run on the built-in test pattern: no camera, GPU or bus needed");
  demo_command->add_option("--seconds", demo_seconds, "Duration in seconds")
      ->check(between(4, 3600));
  demo_command->add_option("--model", model,
                           "Detect people with this model instead of the installed default.kwm");
  demo_command->add_flag("--log-json", json, "Log as JSON lines");

  CLI::App* counters_command = app.add_subcommand(
      "counters", "Show what has been counted: distance, hours, warnings, faults");
  counters_command->add_option("-c,--config", path, "Configuration file (TOML)")->required();
  counters_command->add_flag("--json", json, "As one JSON object");

  ReplayRequest replay;
  CLI::App* replay_command =
      app.add_subcommand("replay", "Replay records of warnings and compare the decisions");
  replay_command->add_option("FILE", replay.files, "Records: .kwr, or .kwr.part of a power cut")
      ->required();
  replay_command->add_flag("--json", replay.json, "A line of JSON for each record");
  replay_command->add_option("--pictures", replay.pictures, "Write its pictures to this folder");
  replay_command->footer(
      "Example:\n"
      "  kerbwatch replay /var/lib/kerbwatch/records/*.kwr\n"
      "Exit codes: 0 the same to the last bit, 1 something differs, 2 a file is broken or of a\n"
      "format that this version cannot read, 3 something differs because the record comes from\n"
      "another version of the decisions (or has other fields), which is not a fault. With several\n"
      "records, the first that applies of 2, 1, 3, 0.");

  if (const std::optional<std::string> fault = unknown_command(app, argc, argv))
    return fail(*fault);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream text;
    if (app.exit(error, text, text) != 0)
      return fail(usage_fault(app, error) + "; --help shows the usage");
    print_text(text.str());  // help or the version
    return finish_output(0);
  }
  const auto chosen = [&] {
    if (*run_command || *guard_command) return run(run_options, json, guard_command->parsed());
    if (*check_command) return check(path);
    if (*counters_command) return show_counters(path, json);
    if (*replay_command) return run_replay(replay);
    if (*demo_command) {
      LogOptions options;
      options.level = LogLevel::error;  // the demo prints its own lines
      options.json = json;
      return run_demo(demo_seconds, model, *make_log(options));
    }
    print_text(render_default_config());
    return 0;
  };
  return finish_output(chosen());
}
