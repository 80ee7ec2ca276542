// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/sim/batch.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "firmware/vision/vision.hpp"
#include "hal/base/crc32.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/sim/moments.hpp"

namespace kerb::lab {
namespace {

constexpr std::size_t kMostFailures = 12;        // lines on the terminal
constexpr std::size_t kMostFailedPictured = 30;  // failed runs with pictures, of `some`

/// What the firmware logs in a thousand runs is not for the terminal; what it could not do is.
class ErrorLog final : public Log {
 public:
  void write(LogLevel level, const char* category, std::string_view text) noexcept override {
    if (level < LogLevel::error || std::string_view{category} == "health") return;
    const std::lock_guard lock{mutex_};
    if (last_ == text) return;
    last_ = text;
    warn(text);
  }

 private:
  std::mutex mutex_;
  std::string last_;
};

class Batch {
 public:
  Batch(const std::vector<SceneSet>& sets, const BatchOptions& options, const sim::RunOptions& each)
      : options_{options}, each_{each} {
    std::set<std::string> groups;
    for (const SceneSet& set : sets)
      for (const sim::Scenario& scenario : set.loaded.scenarios) {
        const std::string group =
            set.name + "/" + (scenario.group.empty() ? scenario.name : scenario.group);
        planned_.push_back({&set, &scenario, groups.insert(group).second});
      }
    runs_.resize(planned_.size());
  }

  Result<sim::Report> go(const std::vector<SceneSet>& sets) {
    if (!options_.traces.empty()) {
      Result<OutputFolder> folder = OutputFolder::create(options_.traces);
      if (!folder) return folder.error();
      folder_.emplace(std::move(*folder));
    }
    {
      Progress progress{clock_, "sim"};
      progress_ = &progress;
      std::vector<std::thread> workers;
      const auto jobs =
          std::min(static_cast<std::size_t>(std::max(options_.jobs, 1)), planned_.size());
      for (std::size_t i = 1; i < jobs; ++i) workers.emplace_back([this] { work(); });
      work();
      for (std::thread& worker : workers) worker.join();
    }
    if (error_) return *error_;
    draw_failed();
    if (Status written = write_traces(); !written) return written.error();
    sim::Report report;
    report.candidate = sim::name_of(each_.candidate);
    name_candidate(report, each_);
    report.latency_s = each_.latency_s;
    report.runs.reserve(runs_.size());
    for (std::optional<sim::ReportedRun>& run : runs_) report.runs.push_back(std::move(*run));
    std::vector<sim::SuiteRules> rules;
    rules.reserve(sets.size());
    for (const SceneSet& set : sets)
      rules.push_back({set.name, set.loaded.title, set.loaded.most_informations_per_10min});
    sim::sum_up(report, rules);
    return report;
  }

 private:
  struct PlannedRun {
    const SceneSet* set;
    const sim::Scenario* scenario;
    bool first;  // of its group
  };

  void work() {
    for (;;) {
      const std::size_t i = next_++;
      if (i >= planned_.size() || failed_) return;
      BatchRun done;
      done.set = planned_[i].set->name;
      sim::RunOptions options = each_;
      keep_found(options, done);
      if (Status ran = run_one(*planned_[i].scenario, options, done); !ran) {
        const std::lock_guard lock{mutex_};
        if (!error_) error_ = ran.error();
        failed_ = true;
        return;
      }
      finish(i, done);
    }
  }
  Status run_one(const sim::Scenario& scenario, sim::RunOptions& options, BatchRun& done) {
    if (!options_.vision.empty()) {
      Result<sim::VisionLog> vision =
          sim::read_vision_log(vision_file(options_.vision, done.set, scenario.name));
      if (!vision) return vision.error();
      options.vision = std::make_shared<sim::VisionLog>(std::move(*vision));
    }
    options.keep_vision = !options_.keep_vision.empty();
    Result<sim::Run> run = sim::run_scenario(scenario, options, log_);
    if (!run) return run.error();
    done.run = std::move(*run);
    if (!options.keep_vision) return Done{};
    return sim::write_vision_log(vision_file(options_.keep_vision, done.set, scenario.name),
                                 std::exchange(done.run.vision, {}));
  }
  void finish(std::size_t i, BatchRun& done) {
    sim::ReportedRun reported;
    reported.suite = done.set;
    if (options_.on_run) options_.on_run(done);
    picture(i, done, reported);
    reported.scenario = done.run.scenario;
    reported.truth = std::move(done.run.truth);
    reported.judgement = std::move(done.run.judgement);
    reported.frames = done.run.pictures;
    reported.took_s = done.run.took_s;
    reported.drawing_s = done.run.drawing_s;
    const std::lock_guard lock{mutex_};
    if (folder_) traces_[i] = {done.run.scenario.name, sim::render_trace(done.run.trace)};
    runs_[i] = std::move(reported);
    ++done_;
    progress_->show(done_, planned_.size(), done.run.scenario.name);
  }
  /// Of `some` the first run of each group, and the first that failed: first by their order, not by
  /// who is done first.
  void picture(std::size_t i, const BatchRun& done, sim::ReportedRun& reported) {
    if (options_.pictures == PictureChoice::none) return;
    if (options_.pictures == PictureChoice::all || planned_[i].first) {
      reported.pictures = draw_moments(done, each_);
      return;
    }
    if (done.run.judgement.passed()) return;
    const std::lock_guard lock{mutex_};
    to_draw_.emplace(i, done);
    if (to_draw_.size() > kMostFailedPictured) to_draw_.erase(std::prev(to_draw_.end()));
  }
  void draw_failed() {
    Progress progress{clock_, "draw"};
    std::size_t drawn = 0;
    sim::RunOptions alone = each_;  // nothing else runs now
    alone.threads *= std::max(options_.jobs, 1);
    for (const auto& [i, run] : to_draw_) {
      runs_[i]->pictures = draw_moments(run, alone);
      progress.show(++drawn, to_draw_.size(), run.run.scenario.name);
    }
  }
  Status write_traces() {
    if (!folder_) return Done{};
    for (const auto& [index, named] : traces_)
      if (Status ok = write_output(folder_->next(named.first, ".trace"), named.second); !ok)
        return ok;
    return folder_->commit();
  }

  const BatchOptions& options_;
  const sim::RunOptions& each_;
  SystemClock clock_;
  ErrorLog log_;
  std::vector<PlannedRun> planned_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::optional<Error> error_;
  std::vector<std::optional<sim::ReportedRun>> runs_;
  std::optional<OutputFolder> folder_;
  std::map<std::size_t, std::pair<std::string, std::string>> traces_;
  std::map<std::size_t, BatchRun> to_draw_;  // the first that failed, in the order of the runs
  std::size_t done_ = 0;
  Progress* progress_ = nullptr;
};

}  // namespace

void keep_found(sim::RunOptions& options, BatchRun& run) {
  options.on_picture = [&run](double t, const DetectionList& found,
                              const risk::PeopleReport& report) {
    FoundPeople now{t, {found.items, found.items + found.count}, {}, {}};
    for (int i = 0; i < report.people.count; ++i) {
      const track::Person& person = report.people.items[i];
      const risk::Contact& contact = report.contacts[i];
      if (contact.probability > 0)
        now.contacts.push_back(
            {contact.ahead_m, person.y_m, contact.probability * person.certainty});
      if (!person.confirmed) continue;
      now.followed.push_back({person.box, person.id, contact.ahead_m, contact.probability});
    }
    run.found.push_back(std::move(now));
  };
}

void add_candidate_options(CLI::App& command, CandidateChoice& choice) {
  CLI::Option* oracle =
      command.add_flag("--oracle", choice.oracle,
                       "Judge a stand-in that warns from the truth, instead of the firmware");
  CLI::Option* always = command
                            .add_flag("--always", choice.always,
                                      "Judge a stand-in that always gives collision warnings")
                            ->excludes(oracle);
  CLI::Option* informs =
      command
          .add_flag("--informs", choice.informs, "Judge a stand-in that always gives information")
          ->excludes(oracle)
          ->excludes(always);
  command.add_flag("--never", choice.never, "Judge a stand-in that never warns")
      ->excludes(oracle)
      ->excludes(informs)
      ->excludes(always);
  add_name_option(command, "--config", choice.config,
                  "Configuration of the product; its camera is replaced by the scenario's");
  command
      .add_option("--set", choice.set,
                  "Change a key of the configuration: decisions.warning.likelihood=0.6; repeatable")
      ->option_text("KEY=VALUE")
      ->allow_extra_args(false)
      ->check(not_empty);
  add_name_option(command, "--model", choice.model, "Detect people with this model");
  add_backend_option(command, choice.backend, "Where image operators run: auto, cpu or cuda");
  add_draw_option(command, choice.draw);
  command
      .add_option("--latency", choice.latency_ms,
                  "Delay from a picture to its result on the scenario's clock, milliseconds")
      ->check(between(0, 1000))
      ->capture_default_str();
  add_name_option(command, "--records", choice.records,
                  "Folder for records of the firmware's warnings, for kerbwatch replay");
}

std::optional<Config> changed(const Config& config, const std::vector<std::string>& set) {
  std::string text;
  for (const std::string& one : set) {
    const std::size_t equals = one.find('=');
    if (equals == 0 || equals == std::string::npos) {
      fail(fmt::format("--set {}: must be KEY=VALUE", one));
      return std::nullopt;
    }
    text += one.substr(0, equals) + " = " + one.substr(equals + 1) + '\n';
  }
  LoadResult loaded = change_config(config, text, "--set");
  for (const std::string& line : loaded.lines()) fail(line);
  if (!loaded.ok()) return std::nullopt;
  return std::move(loaded.config);
}

std::optional<sim::RunOptions> run_options(const CandidateChoice& choice, int threads) {
  sim::RunOptions options;
  options.candidate = choice.oracle    ? sim::Candidate::oracle
                      : choice.always  ? sim::Candidate::always
                      : choice.informs ? sim::Candidate::informs
                      : choice.never   ? sim::Candidate::never
                                       : sim::Candidate::product;
  options.latency_s = choice.latency_ms / 1000;
  options.threads = threads;
  BackendChoice where = BackendChoice::automatic;
  parse(choice.draw, where);
  Result<sim::PainterMaker> painters = sim::rendered_painters(where, [](const Error& error) {
    warn("pictures are drawn on the CPU from here on: " + describe(error));
  });
  if (!painters) {
    fail("--draw " + choice.draw + ": " + describe(painters.error()));
    return std::nullopt;
  }
  options.painter = std::move(*painters);
  if (!choice.config.empty()) {
    LoadResult loaded = load_config(choice.config);
    for (const std::string& line : loaded.lines()) fail(line);
    if (!loaded.ok()) return std::nullopt;
    options.config = std::move(loaded.config);
  }
  if (!choice.set.empty()) {
    std::optional<Config> with = changed(options.config, choice.set);
    if (!with) return std::nullopt;
    options.config = std::move(*with);
  }
  Config& config = options.config;
  if (!choice.model.empty()) config.detector.model = choice.model;
  if (choice.backend == "cpu") config.vision_backend = VisionBackend::cpu;
  if (choice.backend == "cuda") config.vision_backend = VisionBackend::cuda;
  if (config.vision_threads == 0) config.vision_threads = threads;
  config.record.enabled = !choice.records.empty();
  if (config.record.enabled) config.record.path = choice.records;
  if (options.candidate != sim::Candidate::product) return options;
  Config checked = config;
  checked.cameras = {sim::config_for(config, {}).cameras.front()};
  if (const std::optional<DetectorProblem> problem = check_detector(checked)) {
    fail(fmt::format("{}: {}", problem->file, describe(problem->error)));
    return std::nullopt;
  }
  if (find_models(config.detector).model.empty())
    warn("people are not detected: " + why_no_model(config.detector));
  return options;
}

std::vector<std::string> inputs_of(const CandidateChoice& choice, const sim::RunOptions& options) {
  const DetectorModels models = find_models(options.config.detector);
  std::vector<std::string> out{choice.config, choice.model, models.model, models.grey};
  std::erase(out, "");
  return out;
}

bool keep_logged(ChosenScenes& scenes, const std::string& folder) {
  std::size_t left = 0, without = 0;
  for (SceneSet& set : scenes.sets) {
    without += std::erase_if(set.loaded.scenarios, [&](const sim::Scenario& scenario) {
      return !std::filesystem::exists(vision_file(folder, set.name, scenario.name));
    });
    left += set.loaded.scenarios.size();
  }
  std::erase_if(scenes.sets, [](const SceneSet& set) { return set.loaded.scenarios.empty(); });
  if (left == 0) fail(fmt::format("{}: no log of vision of any of these runs", folder));
  if (left > 0 && without > 0) warn(fmt::format("{} runs without a log are left out", without));
  return left > 0;
}

void name_candidate(sim::Report& report, const sim::RunOptions& each) {
  report.version = version();
  report.commit = commit();
  if (each.candidate != sim::Candidate::product) return;  // a stand-in has neither
  const auto checksum = [](std::string_view text) {
    return fmt::format("{:08x}",
                       crc32(reinterpret_cast<const std::byte*>(text.data()), text.size()));
  };
  const DetectorModels models = find_models(each.config.detector);
  for (const std::string& model : {models.model, models.grey, models.thermal}) {
    if (model.empty()) continue;
    std::ifstream file{model, std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    report.models.push_back({std::filesystem::path{model}.filename().string(), checksum(bytes)});
  }
  // Settings that say where something is or how fast this machine may be do not change a result.
  Config config = sim::config_for(each.config, {});
  config.detector.model.clear();
  config.detector.grey_model.clear();
  config.detector.thermal_model.clear();
  config.vision_threads = 0;
  config.vision_backend = VisionBackend::automatic;
  config.record = Config{}.record;
  report.configuration_crc32 = checksum(render_config(config));
}

Result<sim::Report> run_batch(const std::vector<SceneSet>& sets, const BatchOptions& options,
                              const sim::RunOptions& each) {
  return Batch{sets, options, each}.go(sets);
}

std::string vision_file(const std::string& folder, const std::string& set, const std::string& run) {
  return (std::filesystem::path{folder} / set / (run + ".vision")).string();
}

std::string render_summary(const sim::Report& report) {
  std::string out;
  for (const sim::SuiteResult& suite : report.suites) {
    out += fmt::format("{}: {} of {} runs passed: {}\n", suite.name, suite.passed_runs, suite.runs,
                       suite.passed ? "passed" : "FAILED");
    if (suite.runs > 1) out += sim::render_table(suite);
    if (suite.runs == 1 && suite.groups.front().least_before_impact)
      out += fmt::format("  shortest {:.2f} s before impact\n",
                         *suite.groups.front().least_before_impact);
    for (const sim::Verdict& v : suite.verdicts)
      out += fmt::format("  {}: {}\n", v.passed ? "passed" : "FAILED", v.reason);
  }
  std::size_t failures = 0;
  for (const sim::ReportedRun& run : report.runs) {
    if (run.judgement.passed() || ++failures > kMostFailures) continue;
    for (const sim::Verdict& v : run.judgement.verdicts)
      if (!v.passed) out += fmt::format("FAILED {}: {}\n", run.scenario.name, v.reason);
  }
  if (failures > kMostFailures)
    out += fmt::format("... and {} more runs failed\n", failures - kMostFailures);
  return out;
}

}  // namespace kerb::lab
