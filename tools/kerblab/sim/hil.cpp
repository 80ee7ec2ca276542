// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/sim/hil.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/sim/moments.hpp"
#include "tools/simulator/hil/make_play.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to us

namespace kerb::lab {
namespace {

namespace fs = std::filesystem;

constexpr double kBoot = 300,
                 kEach = 300;     // seconds of life, at most: to boot, and besides the playing
constexpr double kBusyHost = 60;  // seconds of life, at most, in one of the board
constexpr double kMostMb = 1500;  // of pictures, on the board at a time

/// A folder of our own, gone with this object.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (fs::temp_directory_path() / "kerblab-board-XXXXXX").string();
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

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string read_all(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The last line that is not empty.
std::string last_line(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return std::string{text.substr(text.rfind('\n') + 1)};
}

/// Calls the board and waits for it. What it says on stdout is a story for whoever waits, not a
/// report: it goes to stderr. What it says on stderr is why it cannot start, when it cannot; that
/// is printed, and the call has failed.
bool call(const std::vector<std::string>& words, const fs::path& said) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, said.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    fail(fmt::format("start the board: {}: {}", words[0], std::strerror(error)));
    return false;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) break;
  const std::string text = read_all(said);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  const bool checked = words.size() == 2;  // --check alone: any other code than 0 is a no
  if (code == kBadInput || (checked && code != 0)) {
    const std::string line = last_line(text);
    fail(line.empty()
             ? fmt::format("the board cannot start: {} {}: exit code {}", words[0], words[1], code)
             : line);
    return false;
  }
  std::fputs(text.c_str(), stderr);
  if (code >= 0) return true;
  fail(fmt::format("the board: {} was terminated by signal {}", words[0], WTERMSIG(status)));
  return false;
}

struct PlannedRun {
  const SceneSet* set;
  const sim::Scenario* scenario;
  std::string name;
  int pictures = 0;
  double drawing_s = 0;
  std::string trace, log;
};

std::vector<PlannedRun> list_all(const std::vector<SceneSet>& sets) {
  std::vector<PlannedRun> out;
  for (const SceneSet& set : sets)
    for (const sim::Scenario& scenario : set.loaded.scenarios)
      out.push_back({&set, &scenario, plain(out.size(), scenario.name), 0, 0, {}, {}});
  return out;
}

/// That they fit on the board, before any is drawn.
bool fits(const std::vector<PlannedRun>& planned) {
  double mb = 0;
  for (const PlannedRun& one : planned)
    mb +=
        one.scenario->seconds * sim::kBoardPictureRate * sim::kBoardWidth * sim::kBoardHeight / 1e6;
  if (mb <= kMostMb) return true;
  fail(
      fmt::format("{} runs need {:.0f} MB of pictures on the board, {:.0f} MB fit: select fewer "
                  "with --only or --most",
                  planned.size(), mb, kMostMb));
  return false;
}

/// A model's file on the board, beside the plays.
std::string carried(const std::string& model) { return plain(0, fs::path{model}.stem()) + ".kwm"; }

/// The models that the configuration names go to the board with the plays.
bool carry_models(const DetectorSettings& detector, const fs::path& plays) {
  for (const std::string& model : {detector.model, detector.grey_model}) {
    if (model.empty()) continue;
    std::error_code code;
    fs::copy_file(model, plays / carried(model), fs::copy_options::overwrite_existing, code);
    if (!code) continue;
    fail(fmt::format("copy the model to the board: {}: {}", model, code.message()));
    return false;
  }
  return true;
}

Status draw(PlannedRun& planned, const fs::path& plays, const sim::RunOptions& each) {
  const auto start = std::chrono::steady_clock::now();
  Result<sim::Play> play = sim::make_play(*planned.scenario, each.painter, each.threads);
  if (!play) return play.error();
  planned.drawing_s = seconds_since(start);
  planned.pictures = static_cast<int>(play->pictures.size());
  play->name = planned.name;
  const std::string stem = (plays / planned.name).string();
  if (Status ok = write_output(stem + ".kwplay", sim::render_play(*play)); !ok) return ok;
  Config config = sim::board_config(each.config, *planned.scenario);
  for (std::string* model : {&config.detector.model, &config.detector.grey_model})
    if (!model->empty()) *model = std::string{sim::kBoardFolder} + "/" + carried(*model);
  return write_output(stem + ".toml", render_config(config));
}

Result<sim::ReportedRun> judge_one(const PlannedRun& planned, const BatchOptions& options,
                                   const sim::RunOptions& each) {
  Result<sim::Trace> trace = sim::parse_trace(planned.trace, planned.name + ".trace");
  if (!trace) return trace.error();
  BatchRun run;
  run.set = planned.set->name;
  run.run.scenario = *planned.scenario;
  run.run.truth = sim::find_truth(sim::World{*planned.scenario});
  run.run.judgement = sim::judge(*planned.scenario, run.run.truth, *trace, sim::board_rules());
  run.run.trace = std::move(*trace);
  sim::ReportedRun out;
  out.suite = run.set;
  if (options.pictures != PictureChoice::none) out.pictures = draw_moments(run, each);
  out.scenario = run.run.scenario;
  out.truth = std::move(run.run.truth);
  out.judgement = std::move(run.run.judgement);
  out.frames = planned.pictures;
  out.drawing_s = planned.drawing_s;
  out.took_s = planned.drawing_s + planned.scenario->seconds / sim::kBoardRate;
  return out;
}

Status keep_traces(const std::vector<PlannedRun>& planned, OutputFolder& folder) {
  for (const PlannedRun& one : planned) {
    if (Status ok = write_output(folder.next(one.scenario->name, ".trace"), one.trace); !ok)
      return ok;
    if (one.log.empty()) continue;
    if (Status ok = write_output(folder.next(one.scenario->name, ".log"), one.log); !ok) return ok;
  }
  return folder.commit();
}

/// Draws, plays, and reads what came back into `planned`. False after what is wrong was printed.
bool play_all(std::vector<PlannedRun>& planned, const std::string& command,
              const sim::RunOptions& each) {
  const TempFolder folder;
  const fs::path plays = folder.path() / "play", traces = folder.path() / "traces";
  std::error_code code;
  if (folder.path().empty() || !fs::create_directory(plays, code) ||
      !fs::create_directory(traces, code)) {
    fail("no folder for the board can be created in " + fs::temp_directory_path(code).string());
    return false;
  }
  const fs::path said = folder.path() / "said";
  if (!call({command, "--check"}, said)) return false;
  if (!carry_models(each.config.detector, plays)) return false;
  double limit = kBoot;
  {
    const SystemClock clock;
    Progress progress{clock, "draw"};
    for (std::size_t i = 0; i < planned.size(); ++i) {
      if (Status ok = draw(planned[i], plays, each); !ok) {
        progress.clear();
        fail(ok.error());
        return false;
      }
      limit += kEach + kBusyHost * planned[i].scenario->seconds / sim::kBoardRate;
      progress.show(i + 1, planned.size(), planned[i].scenario->name);
    }
  }
  if (!call({command, "--play", plays.string(), "--traces", traces.string(), "--limit",
             fmt::format("{:.0f}", limit)},
            said))
    return false;
  for (PlannedRun& one : planned) {
    one.trace = read_all(traces / (one.name + ".trace"));
    one.log = read_all(traces / (one.name + ".log"));
    if (!one.trace.empty()) continue;
    fail(fmt::format("{}: no trace of it from the board", one.scenario->name));
    return false;
  }
  return true;
}

}  // namespace

std::optional<sim::Report> run_on_board(const std::vector<SceneSet>& sets,
                                        const std::string& command, const BatchOptions& options,
                                        const sim::RunOptions& each) {
  const auto failed = [](const Error& error) -> std::optional<sim::Report> {
    fail(error);
    return std::nullopt;
  };
  std::vector<PlannedRun> planned = list_all(sets);
  if (!fits(planned)) return std::nullopt;
  std::optional<OutputFolder> kept;
  if (!options.traces.empty()) {
    Result<OutputFolder> made = OutputFolder::create(options.traces);
    if (!made) return failed(made.error());
    kept.emplace(std::move(*made));
  }
  if (!play_all(planned, command, each)) return std::nullopt;
  sim::Report report;
  report.candidate = "board";
  name_candidate(report, each);
  report.clock_rate = sim::kBoardRate;
  for (const PlannedRun& one : planned) {
    Result<sim::ReportedRun> run = judge_one(one, options, each);
    if (!run) return failed(run.error());
    report.runs.push_back(std::move(*run));
  }
  if (kept)
    if (Status ok = keep_traces(planned, *kept); !ok) return failed(ok.error());
  std::vector<sim::SuiteRules> rules;
  rules.reserve(sets.size());
  for (const SceneSet& set : sets)
    rules.push_back({set.name, set.loaded.title, set.loaded.most_informations_per_10min});
  sim::sum_up(report, rules);
  return report;
}

}  // namespace kerb::lab
