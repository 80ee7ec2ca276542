// SPDX-License-Identifier: Apache-2.0
// The program in the car: command line to exit code. What it opens is in main/machine.cpp.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "firmware/config/config.hpp"
#include "firmware/log/log.hpp"
#include "firmware/main/demo.hpp"
#include "firmware/main/machine.hpp"
#include "firmware/main/replay.hpp"
#include "firmware/main/run.hpp"
#include "firmware/main/version.hpp"
#include "firmware/vision/vision.hpp"

namespace {

using namespace kerb;

constexpr int kBadInput = 2;

/// Prints every problem on its own line. True when there is none.
bool report_problems(const LoadResult& loaded) {
  for (const std::string& line : loaded.lines()) std::fprintf(stderr, "%s\n", line.c_str());
  return loaded.ok();
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
  std::printf("%s: good: %zu camera%s, detector %s, CAN %s, lamps %s, sound %s, watchdog %s\n",
              path.c_str(), loaded.config.cameras.size(),
              loaded.config.cameras.size() == 1 ? "" : "s", model.c_str(),
              loaded.config.can.enabled ? loaded.config.can.interface.c_str() : "off",
              loaded.config.lamp.enabled ? "on" : "off", loaded.config.tone.enabled ? "on" : "off",
              loaded.config.watchdog.enabled ? "on" : "off");
  return 0;
}

int run(const std::string& path, bool json, double seconds) {
  const LoadResult loaded = load_config(path);
  if (!report_problems(loaded)) return kBadInput;
  LogOptions options;
  options.level = loaded.config.log_level;
  options.json = json;
  const std::unique_ptr<Log> log = make_log(options);
  return run_product(loaded.config, path, seconds, *log);
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
      "  kerbwatch replay warning-000001-20260101T120000Z-collision.kwr\n"
      "Without a model of their own, run, check and demo take default.kwm (default-grey.kwm for\n"
      "grey cameras) from the installed models, or from the folder that KERBWATCH_MODELS names.\n"
      "Exit codes: 0 success, 1 the demo failed or a replay differs, 2 bad input (one error "
      "line), 3 a workshop's tester asked for a reset.");
  app.set_version_flag("--version", std::string{"kerbwatch "} + kVersion);
  app.require_subcommand(1);
  bool json = false;
  std::string path, model;
  double seconds = 0, demo_seconds = 6;

  CLI::App* run_command = app.add_subcommand("run", "Run with this configuration until SIGTERM");
  run_command->add_option("-c,--config", path, "Configuration file (TOML)")->required();
  run_command->add_option("--seconds", seconds, "Stop after this time (Kerbwatch's clock)")
      ->check(CLI::Range(0.001, 1e8));
  run_command->add_flag("--log-json", json, "Log as JSON lines");

  CLI::App* check_command =
      app.add_subcommand("check", "List every error of a configuration, key by key");
  check_command->add_option("-c,--config", path, "Configuration file (TOML)")->required();

  app.add_subcommand("config", "Print a complete configuration with every key at its default");

  CLI::App* demo_command =
      app.add_subcommand("demo", "Run on the built-in test pattern: no camera, GPU or bus needed");
  demo_command->add_option("--seconds", demo_seconds, "Duration in seconds")
      ->check(CLI::Range(4.0, 3600.0));
  demo_command->add_option("--model", model,
                           "Detect people with this model instead of the installed default.kwm");
  demo_command->add_flag("--log-json", json, "Log as JSON lines");

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

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);  // prints help, version or what is wrong
    return code == 0 ? 0 : kBadInput;
  }

  if (*run_command) return run(path, json, seconds);
  if (*check_command) return check(path);
  if (*replay_command) return run_replay(replay);
  if (*demo_command) {
    LogOptions options;
    options.level = LogLevel::error;  // the demo prints its own lines
    options.json = json;
    return run_demo(demo_seconds, model, *make_log(options));
  }
  std::fputs(render_default_config().c_str(), stdout);
  return 0;
}
