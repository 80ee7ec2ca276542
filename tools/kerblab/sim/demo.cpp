// SPDX-License-Identifier: Apache-2.0
// kerblab sim demo: one scenario, told as a story; it ends with a page and a picture.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/sim/batch.hpp"
#include "tools/kerblab/sim/pictures.hpp"
#include "tools/kerblab/sim/sim.hpp"

namespace kerb::lab {
namespace {

constexpr int kPictureWidth = 1280;
constexpr int kMisbehaved = 1;

struct DemoOptions {
  CandidateChoice candidate;
  std::string out = "kerbwatch-demo";
};

const sim::Sent::Warning* collision_of(const sim::Judgement& judgement) {
  for (const sim::Sent::Warning& w : judgement.sent.warnings)
    if (w.level == WarningLevel::collision) return &w;
  return nullptr;
}

/// What the driver would have seen and heard, by what was sent.
void tell(const sim::Run& run) {
  std::vector<std::pair<double, std::string>> story;
  const auto say = [&story](double t, std::string text) { story.emplace_back(t, std::move(text)); };
  const sim::Sent& sent = run.judgement.sent;
  for (const sim::Sent::State& state : sent.states)
    say(state.at, fmt::format("on the bus: KW_Status: {}", name_of(state.health.state)));
  bool nobody = true;
  for (const auto& list : sent.people) {
    if (list.count == 0 || !nobody) continue;
    nobody = false;
    say(list.at,
        fmt::format(
            "KW_Objects: {} {} followed{}", list.count,
            list.count == 1 ? "person is" : "people are",
            list.nearest_m ? fmt::format(", the nearest {:.0f} m ahead", *list.nearest_m) : ""));
  }
  for (const sim::Sent::Warning& w : sent.warnings) {
    const std::string ttc = w.ttc ? fmt::format(", contact in {:.1f} s", *w.ttc) : "";
    if (w.level == WarningLevel::collision) {
      say(w.begin, "COLLISION WARNING: red lamp steady, sound on" + ttc);
    } else {
      say(w.begin, "information: the red lamp blinks");
    }
    if (!w.lasts) say(w.end, "the warning ends");
  }
  if (run.truth.contact)
    say(run.truth.contact->t,
        "the car would hit the pedestrian here: the simulated driver does not react");
  std::stable_sort(story.begin(), story.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [t, text] : story) fmt::print("{:5.2f} s  {}\n", t, text);
}

Status write_picture(const BatchRun& run, double at, int threads, const std::string& path) {
  RunPainter painter{run, kPictureWidth, threads};
  std::vector<std::uint8_t> bytes;
  cv::imencode(".png", painter.at(at), bytes);
  return write_output(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

int demo(const DemoOptions& o) {
  std::error_code code;
  std::filesystem::create_directories(o.out, code);
  const std::filesystem::path folder{o.out};
  const std::string page = (folder / "report.html").string();
  const std::string picture = (folder / "warning.png").string();
  const std::string json = (folder / "report.json").string();
  for (const std::string& path : {page, picture, json})
    if (Status ok = check_output(path); !ok) return fail(ok.error());
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const std::optional<sim::RunOptions> each = run_options(o.candidate, threads);
  if (!each) return kBadInput;
  const std::vector<SceneSet> sets{{"demo", sim::load_suite("scenarios/demo")}};
  for (const std::string& problem : sets.front().loaded.problems) fail(problem);
  if (!sets.front().loaded.ok()) return kBadInput;
  const sim::Scenario& scenario = sets.front().loaded.scenarios.front();
  fmt::print(
      "{}: {:.0f} s at {:.0f} km/h, {}x{} at {:.0f} Hz, in process; no camera, GPU or bus needed\n",
      scenario.title, scenario.seconds, scenario.car.speeds.front().mps * 3.6,
      scenario.camera.width, scenario.camera.height, scenario.camera.rate_hz);
  std::fflush(stdout);

  std::optional<BatchRun> kept;
  BatchOptions options;
  options.candidate = o.candidate;
  options.jobs = 1;
  options.pictures = PictureChoice::all;
  options.on_run = [&kept](const BatchRun& run) { kept = run; };
  const auto start = std::chrono::steady_clock::now();
  const Result<sim::Report> report = run_batch(sets, options, *each);
  if (!report) return fail(report.error());
  const double took =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  tell(kept->run);
  if (Status ok = write_output(page, sim::render_html(*report)); !ok) return fail(ok.error());
  if (Status ok = write_output(json, sim::render_json(*report)); !ok) return fail(ok.error());
  const sim::Sent::Warning* warning = collision_of(kept->run.judgement);
  const double at = warning != nullptr ? warning->begin + 0.1 : scenario.seconds / 2;
  if (Status ok = write_picture(*kept, at, threads, picture); !ok) return fail(ok.error());
  const auto absolute = [](const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
  };
  fmt::print(
      "\n"
      "{} pictures rendered and processed in {:.0f} s\n",
      kept->run.pictures, took);
  for (const sim::Verdict& v : kept->run.judgement.verdicts)
    fmt::print("{}: {}\n", v.passed ? "passed" : "FAILED", v.reason);
  fmt::print("\nthe report:  {}\nthe warning: {}\n", absolute(page), absolute(picture));
  fmt::print("{}\n", report->passed() ? "demo: passed: the driver is warned in time"
                                      : "demo: NOT everything behaved as it should (see above)");
  return report->passed() ? 0 : kMisbehaved;
}

}  // namespace

void add_sim_demo(CLI::App& group, Action& action) {
  set_up_demo(*group.add_subcommand("demo"), action);
}

void set_up_demo(CLI::App& command, Action& action) {
  command.description("Run a scenario with a crossing pedestrian and write a report");
  command.footer(
      "The firmware runs in this process on rendered pictures, on the scenario's clock. Writes\n"
      "report.html, report.json and warning.png to the folder and prints their paths.\n"
      "Example:\n"
      "  kerblab sim demo --out build/demo\n"
      "Exit codes: 0 the driver was warned in time, 1 not, 2 bad input.");
  const auto o = std::make_shared<DemoOptions>();
  add_candidate_options(command, o->candidate);
  add_name_option(command, "--out", o->out, "Output folder; created if missing")
      ->capture_default_str();
  run_when_chosen(command, action, [o] { return demo(*o); });
}

}  // namespace kerb::lab
