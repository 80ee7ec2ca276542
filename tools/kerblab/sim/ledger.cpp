// SPDX-License-Identifier: Apache-2.0
// kerblab sim ledger: every false alarm and every miss, its picture, its cause, what fixed it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <thread>
#include <variant>

#include "firmware/vision/vision.hpp"
#include "tools/files/text.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/sim/batch.hpp"
#include "tools/kerblab/sim/ledger_file.hpp"
#include "tools/kerblab/sim/ledger_page.hpp"
#include "tools/kerblab/sim/ledger_results.hpp"
#include "tools/kerblab/sim/moments.hpp"
#include "tools/kerblab/sim/report_files.hpp"
#include "tools/kerblab/sim/sim.hpp"

namespace kerb::lab {
namespace {

constexpr std::size_t kMostPictureBytes = 30000;

struct LedgerOptions {
  std::vector<std::string> reports;
  std::string ledger = "docs/results/ledger.toml", pictures = "docs/images/ledger", vision;
  bool check = false, allow_open = false, draw = false;
  /// The page and the results stand beside the ledger, under its name.
  [[nodiscard]] std::string beside(const char* extension) const {
    return std::filesystem::path{ledger}.replace_extension(extension).string();
  }
  [[nodiscard]] std::string picture(const LedgerEntry& entry) const {
    return (std::filesystem::path{pictures} / (entry.name + ".jpg")).string();
  }
  /// As the page links to it.
  [[nodiscard]] std::string linked_pictures() const {
    const std::filesystem::path folder = std::filesystem::path{ledger}.parent_path();
    return std::filesystem::path{pictures}
        .lexically_relative(folder.empty() ? std::filesystem::path{"."} : folder)
        .generic_string();
  }
};

class SilentLog final : public Log {
 public:
  void write(LogLevel, const char*, std::string_view) noexcept override {}
};

std::optional<LedgerResults> read_results(const std::string& file) {
  if (!std::filesystem::exists(file)) return LedgerResults{};
  const Result<std::string> text = files::read_text("ledger", file);
  if (!text) {
    fail(text.error());
    return std::nullopt;
  }
  std::variant<LedgerResults, std::string> read = LedgerResults::parse(*text);
  if (const auto* problem = std::get_if<std::string>(&read)) {
    fail(fmt::format("{}: {}", file, *problem));
    return std::nullopt;
  }
  return std::move(std::get<LedgerResults>(read));
}

/// Who drives the run of an entry: a stand-in, the default model, or a model beside that.
CandidateChoice candidate_choice(const std::string& name) {
  CandidateChoice out;
  out.oracle = name == "oracle";
  out.always = name == "always";
  out.informs = name == "informs";
  out.never = name == "never";
  if (!out.stands_in() && name != "default")
    out.model = (std::filesystem::path{find_models(DetectorSettings{}).model}.parent_path() /
                 (name + ".kwm"))
                    .string();
  return out;
}

/// Runs the first run of an entry and draws its moment. False: what is wrong was printed.
bool draw_entry(const LedgerOptions& o, const LedgerEntry& entry) {
  SceneChoice choice;
  choice.runs = {entry.runs.front()};
  const std::optional<ChosenScenes> scenes = load_scenes(choice);
  if (!scenes) return false;
  const SceneSet& set = scenes->sets.front();
  const sim::Scenario& scenario = set.loaded.scenarios.front();
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::optional<sim::RunOptions> options = run_options(candidate_choice(entry.candidate), threads);
  if (!options) return false;
  const auto failed = [](const Error& error) {
    fail(error);
    return false;
  };
  if (!o.vision.empty()) {
    const std::string log = vision_file(
        (std::filesystem::path{o.vision} / entry.candidate).string(), set.name, scenario.name);
    if (std::filesystem::exists(log)) {
      Result<sim::VisionLog> vision = sim::read_vision_log(log);
      if (!vision) return failed(vision.error());
      options->vision = std::make_shared<sim::VisionLog>(std::move(*vision));
    }
  }
  BatchRun run;
  run.set = set.name;
  keep_found(*options, run);
  SilentLog log;
  Result<sim::Run> done = sim::run_scenario(scenario, *options, log);
  if (!done) return failed(done.error());
  run.run = std::move(*done);
  const std::vector<std::uint8_t> jpeg =
      draw_moment(run, std::min(*entry.at_s, scenario.seconds), threads, kMostPictureBytes);
  if (jpeg.empty()) {
    fail(fmt::format("{}: cannot be drawn in {} bytes", o.picture(entry), kMostPictureBytes));
    return false;
  }
  const Status written =
      write_output(o.picture(entry), {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()});
  return written ? true : failed(written.error());
}

bool draw_missing(const LedgerOptions& o, const std::vector<LedgerEntry>& entries) {
  if (!can_draw_moments()) {
    fail("--draw: this build has no OpenCV");
    return false;
  }
  std::error_code ignored;
  std::filesystem::create_directories(o.pictures, ignored);
  for (const LedgerEntry& entry : entries) {
    if (!entry.at_s || std::filesystem::exists(o.picture(entry))) continue;
    if (!draw_entry(o, entry)) return false;
    fmt::print("drew {}\n", o.picture(entry));
  }
  return true;
}

/// Pictures that should be there and are not or are too large, and such that no entry has.
std::vector<std::string> wrong_pictures(const LedgerOptions& o,
                                        const std::vector<LedgerEntry>& entries) {
  std::vector<std::string> out;
  std::set<std::string> known;
  std::error_code error;
  for (const LedgerEntry& entry : entries) {
    if (!entry.at_s) continue;
    known.insert(entry.name + ".jpg");
    const std::uintmax_t bytes = std::filesystem::file_size(o.picture(entry), error);
    if (error)
      out.push_back(fmt::format("{}: is not there: --draw", o.picture(entry)));
    else if (bytes > kMostPictureBytes)
      out.push_back(
          fmt::format("{}: is larger than {} bytes", o.picture(entry), kMostPictureBytes));
  }
  for (const auto& file : std::filesystem::directory_iterator{o.pictures, error})
    if (!known.contains(file.path().filename().string()))
      out.push_back(fmt::format("{}: belongs to no entry", file.path().string()));
  std::ranges::sort(out);
  return out;
}

std::string counted(std::size_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

/// For the terminal.
std::string summary_of(const std::vector<LedgerEntry>& entries, const LedgerResults& results,
                       const LedgerAttention& attention) {
  std::size_t open = 0;
  for (const LedgerEntry& entry : entries)
    open += state_of(entry, results) == LedgerState::fixed ? 0 : 1;
  std::string out =
      fmt::format("{}, {} of them not fixed\n", counted(entries.size(), "entry", "entries"), open);
  for (const LedgerResults::Key& key : attention.unlisted)
    out += fmt::format("not yet looked at: {} with {}: {}\n", key.full_name(), key.candidate,
                       results.all().at(key).result);
  for (const std::string& name : attention.without_cause)
    out += fmt::format("not yet looked at: {}: its cause is unknown\n", name);
  for (const std::string& name : attention.fail_again)
    out += fmt::format("fails again: {}\n", name);
  return out;
}

int check_page(const LedgerOptions& o, const std::vector<LedgerEntry>& entries,
               const std::string& page) {
  std::vector<std::string> problems = wrong_pictures(o, entries);
  const Result<std::string> written = files::read_text("ledger", o.beside(".md"));
  if (!written) return fail(written.error());
  if (*written != page)
    problems.push_back(fmt::format("{}: is not what {} and {} say: run kerblab sim ledger",
                                   o.beside(".md"), o.ledger, o.beside(".json")));
  for (const std::string& problem : problems) fmt::print("{}\n", problem);
  return problems.empty() ? 0 : kSomeFailed;
}

int ledger(const LedgerOptions& o) {
  if (o.check && (!o.reports.empty() || o.draw))
    return fail("--check: writes nothing, so it takes no reports and no --draw");
  const Ledger read = read_ledger(o.ledger);
  for (const schema::Problem& problem : read.problems) fail(problem.line());
  if (!read.problems.empty()) return kBadInput;
  std::optional<LedgerResults> results = read_results(o.beside(".json"));
  if (!results) return kBadInput;
  if (o.check)
    return check_page(o, read.entries, render_ledger(read.entries, *results, o.linked_pictures()));

  const std::vector<std::string> outputs{o.beside(".md"), o.beside(".json")};
  for (const std::string& path : outputs)
    if (Status ok = check_output(path); !ok) return fail(ok.error());
  std::vector<std::string> inputs = o.reports;
  inputs.push_back(o.ledger);
  if (Status ok = check_apart(outputs, inputs); !ok) return fail(ok.error());
  const std::optional<std::vector<sim::NamedReport>> reports = read_reports(o.reports);
  if (!reports) return kBadInput;
  for (const sim::NamedReport& report : *reports) results->add(report.report);
  results->keep(read.entries);
  if (o.draw && !draw_missing(o, read.entries)) return kBadInput;
  if (Status ok = write_output(o.beside(".json"), results->render()); !ok) return fail(ok.error());
  if (Status ok =
          write_output(o.beside(".md"), render_ledger(read.entries, *results, o.linked_pictures()));
      !ok)
    return fail(ok.error());
  const LedgerAttention attention = attention_of(read.entries, *results);
  fmt::print("{}", summary_of(read.entries, *results, attention));
  for (const std::string& problem : wrong_pictures(o, read.entries)) warn(problem);
  return attention.empty() || o.allow_open ? 0 : kSomeFailed;
}

}  // namespace

void add_sim_ledger(CLI::App& group, Action& action) {
  CLI::App* command = group.add_subcommand(
      "ledger", "Keep the page of every false alarm and every miss: picture, cause and fix");
  command->footer(
      "Reads the ledger, a TOML file, and reports of sim run; writes the page beside it (.md) and "
      "how\n"
      "each run ended when it was last driven (.json). Of a run in several reports the last one "
      "counts.\n"
      "A run that failed and that no entry is about is listed as not yet looked at.\n"
      "Examples:\n"
      "  kerblab sim ledger euroncap.json quiet.json\n"
      "  kerblab sim ledger --draw --vision logs     # logs/MODEL/SUITE/RUN.vision, where they "
      "are\n"
      "  kerblab sim ledger --check\n"
      "Exit codes: 0 all looked at, 1 something is not, or fails again; 2 bad input.");
  const auto o = std::make_shared<LedgerOptions>();
  command->add_option("report-file", o->reports, "Reports, as sim run and sim merge write them")
      ->option_text("REPORT...")
      ->check(not_empty);
  add_name_option(*command, "--ledger", o->ledger, "The ledger")->capture_default_str();
  add_name_option(*command, "--pictures", o->pictures, "Folder of its pictures")
      ->capture_default_str();
  command->add_flag("--draw", o->draw,
                    "Draw the pictures that are not there, by driving these runs again");
  add_name_option(
      *command, "--vision", o->vision,
      "Draw with what vision delivered in these logs, DIR/MODEL/SUITE/RUN.vision, where "
      "they are");
  command->add_flag("--check", o->check,
                    "Write nothing; exit code 1 if page or pictures are not what the ledger says");
  command->add_flag("--allow-open", o->allow_open,
                    "Exit code 0 even if something is not yet looked at or fails again");
  run_when_chosen(*command, action, [o] { return ledger(*o); });
}

}  // namespace kerb::lab
