// SPDX-License-Identifier: Apache-2.0
// kerblab sim sweep: the same runs decided with other settings, side by side.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>
#include <variant>

#include "tools/files/text.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/plot/plot.hpp"
#include "tools/kerblab/sim/batch.hpp"
#include "tools/kerblab/sim/calibration.hpp"
#include "tools/kerblab/sim/sim.hpp"
#include "tools/kerblab/sim/sweep_grid.hpp"
#include "tools/kerblab/sim/sweep_points.hpp"

namespace kerb::lab {
namespace {

struct SweepOptions {
  SceneChoice scenes;
  CandidateChoice candidate;
  std::vector<std::string> vary;
  std::string vision, report, curve, reliability, before;
  int jobs = 0;
};

std::string or_dash(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "-";
}

std::string row_of(const SweepPoint& point) {
  return fmt::format("{:>5}/{:<5} {:>6} {:>6} {:>6} {:>6} {:>8} {:>7.3f}  {}\n", point.passed,
                     point.runs, point.never_warned, or_dash(point.tenth_s),
                     or_dash(point.median_s), point.silence.collision_warnings,
                     point.silence.runs > 0 ? fmt::format("{:.1f}", point.silence.per_hour()) : "-",
                     point.calibration.error(), fmt::join(point.set, " "));
}

/// The sweep to compare with, or nothing after what is wrong was printed.
std::optional<std::vector<SweepPoint>> read_before(const std::string& file) {
  if (file.empty()) return std::vector<SweepPoint>{};
  const Result<std::string> text = files::read_text("--before", file);
  if (!text) {
    fail(text.error());
    return std::nullopt;
  }
  std::variant<std::vector<SweepPoint>, std::string> read = parse_points(*text);
  if (const auto* problem = std::get_if<std::string>(&read)) {
    fail(fmt::format("--before {}: {}", file, *problem));
    return std::nullopt;
  }
  return std::move(std::get<std::vector<SweepPoint>>(read));
}

Status write_plots(const SweepOptions& o, const std::vector<SweepPoint>& points,
                   const std::vector<SweepPoint>& before) {
  if (!o.curve.empty())
    if (Status ok = write_plot(o.curve, curve_plot(points, before)); !ok) return ok;
  if (!o.reliability.empty())
    if (Status ok = write_plot(o.reliability, reliability_plot(points, before)); !ok) return ok;
  return Done{};
}

int sweep(const SweepOptions& o) {
  std::vector<SweepAxis> axes;
  for (const std::string& text : o.vary) {
    std::optional<SweepAxis> axis = parse_axis(text);
    if (!axis) return fail(fmt::format("--vary {}: must be KEY=VALUE,VALUE...", text));
    axes.push_back(std::move(*axis));
  }
  const std::vector<std::vector<std::string>> grid = grid_of(axes);
  if (grid.size() > kMostSweepPoints)
    return fail(fmt::format("--vary: more than {} combinations", kMostSweepPoints));
  std::vector<std::string> plots{o.curve, o.reliability};
  std::erase(plots, "");
  if (!o.before.empty() && plots.empty())
    return fail("--before: is drawn into --curve or --reliability");
  const Result<std::vector<std::string>> outputs = check_report(plots, {o.report});
  if (!outputs) return fail(outputs.error());
  if (!o.before.empty())
    if (Status ok = check_apart(*outputs, {o.before}); !ok) return fail(ok.error());
  const std::optional<std::vector<SweepPoint>> before = read_before(o.before);
  if (!before) return kBadInput;
  std::optional<ChosenScenes> scenes = load_scenes(o.scenes);
  if (!scenes || !keep_logged(*scenes, o.vision)) return kBadInput;
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const std::optional<sim::RunOptions> usual = run_options(o.candidate, 1);
  if (!usual) return kBadInput;
  std::vector<Config> configs;
  for (const std::vector<std::string>& point : grid) {
    std::optional<Config> config = changed(usual->config, point);
    if (!config) return kBadInput;
    configs.push_back(std::move(*config));
  }
  BatchOptions batch;
  batch.candidate = o.candidate;
  batch.jobs = o.jobs > 0 ? o.jobs : cores;
  batch.vision = o.vision;
  const bool to_stdout = o.report == "-";
  std::FILE* text = to_stdout ? stderr : stdout;
  fmt::print(text, "{:>5}/{:<5} {:>6} {:>6} {:>6} {:>6} {:>8} {:>7}  {}\n", "pass", "runs", "never",
             "10 %", "median", "false", "per hour", "calib.", "settings");
  std::vector<SweepPoint> points;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    sim::RunOptions each = *usual;
    each.config = configs[i];
    Calibration calibration;
    std::mutex mutex;
    batch.on_run = [&](const BatchRun& run) {
      const std::lock_guard lock{mutex};
      calibration.add(run);
    };
    Result<sim::Report> report = run_batch(scenes->sets, batch, each);
    if (!report) return fail(report.error());
    points.push_back(make_point(grid[i], *report, calibration));
    fmt::print(text, "{}", row_of(points.back()));
    std::fflush(text);
  }
  if (!o.report.empty())
    if (Status ok = write_output(o.report, render_points(points)); !ok) return fail(ok.error());
  if (Status ok = write_plots(o, points, *before); !ok) return fail(ok.error());
  return 0;
}

}  // namespace

void add_sim_sweep(CLI::App& group, Action& action) {
  CLI::App* command = group.add_subcommand(
      "sweep", "Decide the same runs with other settings, and compare false alarms and times");
  command->footer(
      "Needs logs of vision of the runs: kerblab sim run --keep-vision DIR. Every combination of "
      "the\n"
      "values is tried; a run takes a fraction of a second. For each point: runs that passed, runs "
      "in\n"
      "danger that were never warned of, time from warning to impact (tenth percentile and "
      "median), false\n"
      "collision warnings where nobody is in danger, and how far likelihoods are from how often "
      "contacts\n"
      "come true. Choose settings on seeds that are not those you judge them by.\n"
      "Examples:\n"
      "  kerblab sim run --suite hours --seed 7 --drives 20 --keep-vision logs\n"
      "  kerblab sim sweep --suite hours --seed 7 --drives 20 --vision logs \\\n"
      "      --vary decisions.warning.likelihood=0.3,0.4,0.5,0.6,0.7,0.8 --report curve.json \\\n"
      "      --curve curve.svg --reliability reliability.svg --before old.json\n"
      "  kerblab sim sweep --suite euroncap --vision logs --set warning.sensitivity='\"late\"'");
  const auto o = std::make_shared<SweepOptions>();
  add_scene_options(*command, o->scenes);
  add_candidate_options(*command, o->candidate);
  command
      ->add_option("--vary", o->vary,
                   "A key of the configuration and the values to try; repeatable: a grid")
      ->option_text("KEY=VALUE,...")
      ->allow_extra_args(false)
      ->check(not_empty);
  add_name_option(*command, "--vision", o->vision, "Folder of the logs of vision")->required();
  add_name_option(*command, "--report", o->report, "Write all points as JSON; - is stdout");
  add_name_option(*command, "--curve", o->curve,
                  "Draw false alarms against warning times, .svg or .png: a point for each choice");
  add_name_option(*command, "--reliability", o->reliability,
                  "Draw how often predicted contacts came true, .svg or .png");
  add_name_option(*command, "--before", o->before,
                  "Draw the points of an earlier --report beside them");
  command->add_option("--jobs", o->jobs, "Runs in parallel; 0: one per core")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  run_when_chosen(*command, action, [o] { return sweep(*o); });
}

}  // namespace kerb::lab
