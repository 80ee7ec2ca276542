// SPDX-License-Identifier: Apache-2.0
// kerblab sim sweep: the same runs decided with other settings, side by side.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/sim/batch.hpp"
#include "tools/kerblab/sim/calibration.hpp"
#include "tools/kerblab/sim/sim.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t kMostPoints = 10000;

struct SweepOptions {
  SceneChoice scenes;
  CandidateChoice candidate;
  std::vector<std::string> vary;
  std::string vision, report;
  int jobs = 0;
};

/// A key, and the values to try.
struct Axis {
  std::string key;
  std::vector<std::string> values;
};

std::optional<Axis> parse_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) return std::nullopt;
  Axis axis{text.substr(0, equals), {}};
  for (std::size_t at = equals + 1; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (end == at) return std::nullopt;
    axis.values.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return axis.values.empty() ? std::nullopt : std::optional{std::move(axis)};
}

/// Every combination of the axes' values; the last axis changes fastest.
std::vector<std::vector<std::string>> grid_of(const std::vector<Axis>& axes) {
  std::vector<std::vector<std::string>> points{{}};
  for (const Axis& axis : axes) {
    std::vector<std::vector<std::string>> more;
    for (const std::vector<std::string>& point : points)
      for (const std::string& value : axis.values) {
        more.push_back(point);
        more.back().push_back(axis.key + "=" + value);
      }
    points = std::move(more);
    if (points.size() > kMostPoints) break;
  }
  return points;
}

/// Of all suites together.
struct Sums {
  int runs = 0, passed = 0, never = 0;
  std::vector<double> before_impact;
  sim::Silence silence;
};

Sums sums_of(const sim::Report& report) {
  Sums out;
  for (const sim::ReportedRun& run : report.runs) {
    ++out.runs;
    out.passed += run.judgement.passed() ? 1 : 0;
    if (run.truth.contact && run.judgement.warned_before_impact)
      out.before_impact.push_back(*run.judgement.warned_before_impact);
  }
  for (const sim::SuiteResult& suite : report.suites) {
    out.silence.runs += suite.silence.runs;
    out.silence.seconds += suite.silence.seconds;
    out.silence.collision_warnings += suite.silence.collision_warnings;
    for (const sim::GroupResult& group : suite.groups) out.never += group.never_warned;
  }
  std::ranges::sort(out.before_impact);
  return out;
}

std::optional<double> quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return std::nullopt;
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

std::string or_dash(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "-";
}

Json to_json(const std::vector<std::string>& point, const sim::Report& report,
             const Calibration& calibration) {
  const Sums sums = sums_of(report);
  const auto optional = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  const sim::Interval hourly = sums.silence.per_hour_95();
  Json out{{"set", point},
           {"runs", sums.runs},
           {"passed", sums.passed},
           {"never_warned", sums.never},
           {"before_impact_s",
            {{"runs", sums.before_impact.size()},
             {"tenth", optional(quantile(sums.before_impact, 0.1))},
             {"median", optional(quantile(sums.before_impact, 0.5))}}},
           {"silence",
            {{"minutes", sums.silence.seconds / 60},
             {"collision_warnings", sums.silence.collision_warnings},
             {"per_hour", sums.silence.per_hour()},
             {"per_hour_95", {hourly.low, hourly.high}}}}};
  for (const sim::SuiteResult& suite : report.suites)
    for (const sim::GroupResult& group : suite.groups)
      out["groups"].push_back({{"suite", suite.name},
                               {"group", group.name},
                               {"runs", group.runs},
                               {"passed", group.passed_runs}});
  for (const sim::ReportedRun& run : report.runs)
    if (!run.judgement.passed()) out["failed"].push_back(run.suite + "/" + run.scenario.name);
  Json bins = Json::array();
  for (const Calibration::Bin& bin : calibration.bins())
    bins.push_back({{"predictions", bin.predictions},
                    {"likelihood", bin.mean()},
                    {"came_true", bin.came_true}});
  out["calibration"] = {{"bins", bins}, {"error", calibration.error()}};
  return out;
}

std::string row_of(const std::vector<std::string>& point, const sim::Report& report,
                   const Calibration& calibration) {
  const Sums sums = sums_of(report);
  return fmt::format("{:>5}/{:<5} {:>6} {:>6} {:>6} {:>6} {:>8} {:>7.3f}  {}\n", sums.passed,
                     sums.runs, sums.never, or_dash(quantile(sums.before_impact, 0.1)),
                     or_dash(quantile(sums.before_impact, 0.5)), sums.silence.collision_warnings,
                     sums.silence.runs > 0 ? fmt::format("{:.1f}", sums.silence.per_hour()) : "-",
                     calibration.error(), fmt::join(point, " "));
}

int sweep(SweepOptions o) {
  std::vector<Axis> axes;
  for (const std::string& text : o.vary) {
    std::optional<Axis> axis = parse_axis(text);
    if (!axis) return fail(fmt::format("--vary {}: must be KEY=VALUE,VALUE...", text));
    axes.push_back(std::move(*axis));
  }
  const std::vector<std::vector<std::string>> points = grid_of(axes);
  if (points.size() > kMostPoints)
    return fail(fmt::format("--vary: more than {} combinations", kMostPoints));
  if (!o.report.empty())
    if (Status ok = check_output(o.report); !ok) return fail(ok.error());
  std::optional<ChosenScenes> scenes = load_scenes(o.scenes);
  if (!scenes || !keep_logged(*scenes, o.vision)) return kBadInput;
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const std::optional<sim::RunOptions> usual = run_options(o.candidate, 1);
  if (!usual) return kBadInput;
  std::vector<Config> configs;
  for (const std::vector<std::string>& point : points) {
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
  Json all{{"points", Json::array()}};
  for (std::size_t i = 0; i < points.size(); ++i) {
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
    fmt::print(text, "{}", row_of(points[i], *report, calibration));
    std::fflush(text);
    all["points"].push_back(to_json(points[i], *report, calibration));
  }
  if (!o.report.empty())
    if (Status ok = write_output(o.report, all.dump(1) + "\n"); !ok) return fail(ok.error());
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
      "      --vary decisions.warning.likelihood=0.3,0.4,0.5,0.6,0.7,0.8 --report curve.json\n"
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
  command->add_option("--jobs", o->jobs, "Runs in parallel; 0: one per core")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  run_when_chosen(*command, action, [o] { return sweep(*o); });
}

}  // namespace kerb::lab
