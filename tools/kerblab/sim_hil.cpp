// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/sim_hil.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "firmware/main/version.hpp"
#include "tools/kerblab/command.hpp"
#include "tools/kerblab/output.hpp"
#include "tools/kerblab/progress.hpp"
#include "tools/kerblab/sim_pictures.hpp"
#include "tools/simulator/bench/make_play.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to us

namespace kerb::lab {
namespace {

namespace fs = std::filesystem;

constexpr double kBoot = 120, kEach = 180;  // real seconds, at most: to boot, and besides the playing

/// A folder of our own, gone with this object.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (fs::temp_directory_path() / "kerblab-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// A name that is a file's and a word's everywhere.
std::string plain(std::size_t index, const std::string& name) {
  std::string out = fmt::format("{:03}-", index);
  for (const char c : name)
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' ? c : '_';
  return out;
}

Status call(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO,
                                   STDOUT_FILENO);  // its story is no report
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return Error{Errc::not_found, error, "start the bench", Text<112>{words[0]}};
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status))
    return Error{Errc::io, 0, "bench", "it was ended by force"};
  if (WEXITSTATUS(status) == kBadInput) return Error{Errc::io, 0, "bench", "it could not start"};
  return Done{};
}

struct Todo {
  const SceneSet* set;
  const sim::Scenario* scenario;
  std::string name;
};

Result<sim::ReportedRun> judge_one(const Todo& todo, const fs::path& traces,
                                   const BatchOptions& options, const sim::RunOptions& each) {
  const fs::path path = traces / (todo.name + ".trace");
  std::ifstream in{path};
  if (!in)
    return Error{Errc::not_found, 0, "read what the bench sent",
                 Text<112>{todo.scenario->name + ": it left no trace"}};
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  Result<sim::Trace> trace = sim::parse_trace(text, todo.name + ".trace");
  if (!trace) return trace.error();
  BatchRun run;
  run.set = todo.set->name;
  run.run.scenario = *todo.scenario;
  run.run.truth = sim::find_truth(sim::World{*todo.scenario});
  sim::HouseRules rules;  // the bench's own haste and delay are not the product's
  rules.status_gap = 0.4;
  rules.warning_gap = 0.3;
  rules.outputs = 0.3;
  run.run.judgement = sim::judge(*todo.scenario, run.run.truth, *trace, rules);
  run.run.trace = std::move(*trace);
  sim::ReportedRun out;
  out.suite = run.set;
  if (options.pictures != PictureChoice::none) out.pictures = draw_moments(run, each);
  out.scenario = run.run.scenario;
  out.truth = std::move(run.run.truth);
  out.judgement = std::move(run.run.judgement);
  return out;
}

}  // namespace

Result<sim::Report> run_on_bench(const std::vector<SceneSet>& sets, const std::string& command,
                                 const BatchOptions& options, const sim::RunOptions& each) {
  const TempFolder folder;
  if (folder.path().empty()) return Error{Errc::io, errno, "make a folder for the bench"};
  const fs::path plays = folder.path() / "play", traces = folder.path() / "traces";
  fs::create_directory(plays);
  fs::create_directory(traces);
  std::vector<Todo> todo;
  double limit = kBoot;
  for (const SceneSet& set : sets)
    for (const sim::Scenario& scenario : set.loaded.scenarios) {
      todo.push_back({&set, &scenario, plain(todo.size(), scenario.name)});
      limit += kEach + scenario.seconds / sim::kBenchRate;
    }
  {
    const SystemClock clock;
    Progress progress{clock, "draw"};
    for (std::size_t i = 0; i < todo.size(); ++i) {
      Result<sim::Play> play = sim::make_play(*todo[i].scenario, each.painter, each.threads);
      if (!play) return play.error();
      play->name = todo[i].name;
      const std::string stem = (plays / todo[i].name).string();
      if (Status ok = write_output(stem + ".kwplay", sim::render_play(*play)); !ok)
        return ok.error();
      const std::string config = render_config(sim::bench_config(each.config, *todo[i].scenario));
      if (Status ok = write_output(stem + ".toml", config); !ok) return ok.error();
      progress.show(i + 1, todo.size());
    }
  }
  const auto start = std::chrono::steady_clock::now();
  if (Status called = call({command, "--play", plays.string(), "--traces", traces.string(),
                            "--limit", fmt::format("{:.0f}", limit)});
      !called)
    return called.error();
  sim::Report report;
  report.candidate = "bench";
  report.version = kVersion;
  std::vector<sim::SuiteRules> rules;
  for (const Todo& one : todo) {
    Result<sim::ReportedRun> run = judge_one(one, traces, options, each);
    if (!run) return run.error();
    report.runs.push_back(std::move(*run));
  }
  const double took =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (sim::ReportedRun& run : report.runs)
    run.took_s = took / static_cast<double>(report.runs.size());
  if (!options.traces.empty()) {
    Result<OutputFolder> kept = OutputFolder::create(options.traces);
    if (!kept) return kept.error();
    for (const Todo& one : todo)
      fs::copy_file(traces / (one.name + ".trace"), kept->next(one.name, ".trace"));
    if (Status ok = kept->commit(); !ok) return ok.error();
  }
  for (const SceneSet& set : sets)
    rules.push_back({set.name, set.loaded.title, set.loaded.most_informations_per_10min});
  sim::sum_up(report, rules);
  return report;
}

}  // namespace kerb::lab
