// SPDX-License-Identifier: Apache-2.0
// kerblab sim run: the firmware, or a stand-in, through scenarios; and what the judge says.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <thread>

#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/sim/batch.hpp"
#include "tools/kerblab/sim/hil.hpp"
#include "tools/kerblab/sim/moments.hpp"
#include "tools/kerblab/sim/sim.hpp"

namespace kerb::lab {
namespace {

struct SimRunOptions {
  SceneChoice scenes;
  BatchOptions batch;
  std::string report, html, pictures = "some", board;
};

/// What --traces leaves; of several runs of one name the first one's.
std::set<std::string> trace_files(const SimRunOptions& o, const ChosenScenes& scenes) {
  std::set<std::string> out;
  if (o.batch.traces.empty()) return out;
  const std::filesystem::path folder{o.batch.traces};
  for (const SceneSet& set : scenes.sets)
    for (const sim::Scenario& scenario : set.loaded.scenarios) {
      out.insert((folder / (scenario.name + ".trace")).string());
      if (!o.board.empty()) out.insert((folder / (scenario.name + ".log")).string());
    }
  return out;
}

Status make_folders(const ChosenScenes& scenes, const std::string& folder) {
  for (const SceneSet& set : scenes.sets) {
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path{folder} / set.name, error);
    if (error) return Error{Errc::io, error.value(), "create folder", std::string_view{folder}};
  }
  return Done{};
}

int number_of_runs(const ChosenScenes& scenes) {
  std::size_t runs = 0;
  for (const SceneSet& set : scenes.sets) runs += set.loaded.scenarios.size();
  return static_cast<int>(std::max<std::size_t>(runs, 1));
}

int run(SimRunOptions o) {
  std::vector<std::string> outputs;
  for (const std::string& path : {o.report, o.html}) {
    if (path.empty()) continue;
    if (Status ok = check_output(path); !ok) return fail(ok.error());
    outputs.push_back(path);
  }
  if (!o.board.empty() && o.batch.candidate.stands_in())
    return fail("--hil runs the firmware; it cannot be combined with a stand-in");
  const bool logs = !o.batch.vision.empty() || !o.batch.keep_vision.empty();
  if (logs && (!o.board.empty() || o.batch.candidate.stands_in()))
    return fail("logs of vision are the firmware's in this process: not with --hil or a stand-in");
  std::optional<ChosenScenes> scenes = load_scenes(o.scenes);
  if (!scenes) return kBadInput;
  if (!o.batch.vision.empty() && !keep_logged(*scenes, o.batch.vision)) return kBadInput;
  if (!o.batch.keep_vision.empty())
    if (Status made = make_folders(*scenes, o.batch.keep_vision); !made) return fail(made.error());

  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const bool stands_in = o.batch.candidate.stands_in();
  if (o.batch.jobs == 0) o.batch.jobs = stands_in ? cores : std::max(1, cores / 2);
  o.batch.jobs = std::min(o.batch.jobs, number_of_runs(*scenes));  // more would idle
  const std::optional<sim::RunOptions> each =
      run_options(o.batch.candidate, std::max(1, cores / o.batch.jobs));
  if (!each) return kBadInput;
  const std::set<std::string> traces = trace_files(o, *scenes);
  outputs.insert(outputs.end(), traces.begin(), traces.end());
  std::vector<std::string> inputs = inputs_of(o.batch.candidate, *each);
  inputs.insert(inputs.end(), scenes->files.begin(), scenes->files.end());
  if (!o.board.empty()) inputs.push_back(o.board);
  if (Status ok = check_apart(outputs, inputs); !ok) return fail(ok.error());
  if (Status ok = check_distinct(outputs); !ok) return fail(ok.error());
  o.batch.pictures = o.html.empty() || o.pictures == "none" ? PictureChoice::none
                     : o.pictures == "all"                  ? PictureChoice::all
                                                            : PictureChoice::some;
  if (o.batch.pictures != PictureChoice::none && !can_draw_moments()) {
    warn("the report has no pictures: this build has no OpenCV");
    o.batch.pictures = PictureChoice::none;
  }
  const auto start = std::chrono::steady_clock::now();
  std::optional<sim::Report> report;
  if (o.board.empty()) {
    Result<sim::Report> done = run_batch(scenes->sets, o.batch, *each);
    if (!done) return fail(done.error());
    report = std::move(*done);
  } else {
    report = run_on_board(scenes->sets, o.board, o.batch, *each);
    if (!report) return kBadInput;
  }
  if (!o.report.empty())
    if (Status ok = write_output(o.report, sim::render_json(*report)); !ok) return fail(ok.error());
  if (!o.html.empty())
    if (Status ok = write_output(o.html, sim::render_html(*report)); !ok) return fail(ok.error());
  const bool to_stdout = o.report == "-" || o.html == "-";
  double simulated = 0;
  for (const sim::ReportedRun& r : report->runs) simulated += r.scenario.seconds;
  fmt::print(to_stdout ? stderr : stdout, "{}{}: {} runs, {:.0f} s of traffic in {:.1f} s{}\n",
             render_summary(*report), report->passed() ? "passed" : "FAILED", report->runs.size(),
             simulated,
             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
             stands_in ? fmt::format(" (a stand-in, {}, not the firmware)", report->candidate)
             : o.board.empty() ? ""
                               : fmt::format(" (on the board, {:g} times slower than real time)",
                                             1 / report->clock_rate));
  return report->passed() ? 0 : kSomeFailed;
}

}  // namespace

void add_sim_run(CLI::App& group, Action& action) {
  CLI::App* command =
      group.add_subcommand("run", "Run the firmware through scenarios and judge what it sends");
  command->footer(
      "The firmware runs in this process, on the scenario's clock, as fast as the machine allows; "
      "two\n"
      "runs send exactly the same. The judge reads only what was sent: CAN frames, lamps, sound.\n"
      "--oracle, --always, --informs and --never test the judge with stand-ins: the oracle passes "
      "every\n"
      "suite, the others must fail (except --never in the suite quiet, which demands silence).\n"
      "Examples:\n"
      "  kerblab sim run --suite euroncap --oracle\n"
      "  kerblab sim run --suite quiet --report r.json --html r.html\n"
      "  kerblab sim run --suite euroncap --seed 7 --seed 8 --variations --report r.json\n"
      "  kerblab sim run --run euroncap/CPNA-25-30kmh-v2@7\n"
      "  kerblab sim run my-street.toml --html r.html --pictures all\n"
      "  kerblab sim run my-street.toml --hil tests/board/run.sh\n"
      "Exit codes: 0 all passed, 1 some failed, 2 bad input.");
  const auto o = std::make_shared<SimRunOptions>();
  add_scene_options(*command, o->scenes);
  add_candidate_options(*command, o->batch.candidate);
  add_name_option(*command, "--report", o->report,
                  "Write the report as JSON to this file; - is stdout");
  add_name_option(*command, "--html", o->html, "Write the report as one self-contained HTML page");
  command
      ->add_option(
          "--pictures", o->pictures,
          "Pictures in the page: none, some (one run of each group, and failed runs) or all")
      ->check(CLI::IsMember({"none", "some", "all"}))
      ->capture_default_str();
  add_name_option(*command, "--traces", o->batch.traces,
                  "Folder for traces of what each run sent, one text file per run");
  CLI::Option* keep = add_name_option(
      *command, "--keep-vision", o->batch.keep_vision,
      "Keep what vision delivers, about 0.7 MB a second of traffic, in this folder, for --vision");
  add_name_option(*command, "--vision", o->batch.vision,
                  "Decide by what was kept in this folder: nothing is drawn or detected, so that\n"
                  "other settings of tracking and warning are judged in a moment")
      ->excludes(keep);
  command
      ->add_option("--hil", o->board,
                   "Run on the board, four times slower than real time, by this program; in the\n"
                   "repository: tests/board/run.sh")
      ->option_text("PROGRAM")
      ->check(not_empty);
  command
      ->add_option("--jobs", o->batch.jobs,
                   "Runs in parallel, at most as many as there are; 0: one per core, with the "
                   "firmware one per two cores")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  run_when_chosen(*command, action, [o] { return run(*o); });
}

}  // namespace kerb::lab
