// SPDX-License-Identifier: Apache-2.0
// kerblab eval flow: all methods on all pairs, as a table.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "drivers/replay/picture.hpp"
#include "gpu/memory/context.hpp"
#include "hal/base/clock.hpp"
#include "tools/flow/errors.hpp"
#include "tools/flow/flo_file.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/marked_page.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/flow/methods.hpp"
#include "tools/kerblab/pictures/pictures.hpp"

namespace kerb::lab {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct EvalFlowOptions {
  std::vector<std::string> folders, methods;
  std::string json, into, backend = "auto";
  int repeat = 3, threads = 0;
};

struct Pair {
  std::string name;
  LoadedPicture a, b;
  Field truth;
};

struct Score {
  FlowErrors errors;
  std::vector<CoveragePoint> curve;
  double ms = 0;
};

/// A folder with the frames, or one of such folders.
Result<std::vector<fs::path>> find_pairs(const std::vector<std::string>& folders) {
  std::vector<fs::path> pairs;
  for (const std::string& folder : folders) {
    std::error_code error;
    if (!fs::is_directory(folder, error))
      return replay::failure(Errc::not_found, "no such folder", folder);
    std::vector<fs::path> found;
    if (fs::exists(fs::path{folder} / "flow10.flo", error)) found.emplace_back(folder);
    for (const fs::directory_entry& entry : fs::directory_iterator{folder, error})
      if (fs::exists(entry.path() / "flow10.flo", error)) found.push_back(entry.path());
    if (found.empty())
      return replay::failure(Errc::not_found,
                             "no pair found (frame10.png, frame11.png, flow10.flo)", folder);
    std::sort(found.begin(), found.end());
    pairs.insert(pairs.end(), found.begin(), found.end());
  }
  return pairs;
}

Result<Pair> load_pair(const fs::path& folder) {
  Pair pair;
  pair.name = (folder.filename().empty() ? folder.parent_path() : folder).filename().string();
  for (const auto& [name, picture] :
       {std::pair{"frame10.png", &pair.a}, std::pair{"frame11.png", &pair.b}}) {
    Result<LoadedPicture> loaded = load_picture((folder / name).string(), false);
    if (!loaded) return loaded.error();
    *picture = std::move(*loaded);
  }
  Result<Field> truth = read_flo((folder / "flow10.flo").string());
  if (!truth) return truth.error();
  pair.truth = std::move(*truth);
  if (pair.a.bgr.size() != pair.b.bgr.size() || pair.a.bgr.cols != pair.truth.width ||
      pair.a.bgr.rows != pair.truth.height)
    return replay::failure(Errc::damaged, "frames and truth differ in size", folder.string());
  return pair;
}

class EvalFlow {
 public:
  explicit EvalFlow(const EvalFlowOptions& options) : options_{options} {}

  Status run() {
    for (const std::string* path : {&options_.json, &options_.into})
      if (!path->empty())
        if (Status ok = check_output(*path); !ok) return ok;
    if (!options_.into.empty())
      if (Status ok = page_.read(options_.into, "kerblab eval flow"); !ok) return ok;
    const Result<std::vector<fs::path>> folders = find_pairs(options_.folders);
    if (!folders) return folders.error();
    for (const fs::path& folder : *folders) {
      Result<Pair> pair = load_pair(folder);
      if (!pair) return pair.error();
      pairs_.push_back(std::move(*pair));
    }
    if (Status ok = compute(); !ok) return ok;
    const std::string table = markdown();
    if (!options_.into.empty()) {
      if (Status ok = page_.write(table); !ok) return ok;
    } else if (options_.json != "-") {
      fmt::print("{}", table);
    }
    return options_.json.empty() ? Status{Done{}}
                                 : write_output(options_.json, report().dump(1) + "\n");
  }

 private:
  Status compute() {
    BackendChoice choice = BackendChoice::automatic;
    parse(options_.backend, choice);
    const Result<Context> context = Context::create(choice);
    if (!context) return context.error();
    Workers workers{options_.threads};
    backend_ = name_of(context->backend());
    threads_ = workers.count();
    for (const MethodName& method : flow_methods())
      if (options_.methods.empty() || std::find(options_.methods.begin(), options_.methods.end(),
                                                method.name) != options_.methods.end())
        methods_.push_back(method);
    std::vector<std::unique_ptr<FlowMethod>> runners;
    for (const MethodName& method : methods_) {
      Result<std::unique_ptr<FlowMethod>> made =
          make_flow_method(method.name, *context, workers, {});
      if (!made) return made.error();
      runners.push_back(std::move(*made));
    }
    scores_.assign(methods_.size(), std::vector<Score>(pairs_.size()));
    const SystemClock clock;
    Progress progress{clock, "flow"};
    std::size_t done = 0;
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const Pair& pair = pairs_[p];
      const GreyView a{pair.a.grey.data(), pair.a.bgr.cols, pair.a.bgr.rows, pair.a.bgr.cols};
      const GreyView b{pair.b.grey.data(), pair.b.bgr.cols, pair.b.bgr.rows, pair.b.bgr.cols};
      std::vector<std::vector<double>> times(methods_.size());
      std::vector<Field> fields(methods_.size(), Field{a.width, a.height});
      for (std::size_t m = 0; m < methods_.size(); ++m)
        if (Status ok = runners[m]->prepare(a.width, a.height); !ok) return ok;
      for (int round = 0; round < options_.repeat; ++round)  // by turns: noise meets all alike
        for (std::size_t m = 0; m < methods_.size(); ++m) {
          const Nanos start = clock.now();
          if (Status ok = runners[m]->run(a, b, {}, fields[m]); !ok) return ok;
          times[m].push_back(
              std::chrono::duration<double, std::milli>(clock.now() - start).count());
          progress.show(
              ++done, pairs_.size() * methods_.size() * static_cast<std::size_t>(options_.repeat));
        }
      for (std::size_t m = 0; m < methods_.size(); ++m) {
        const Result<FlowErrors> errors = flow_errors(fields[m], pair.truth);
        if (!errors) return errors.error();
        Result<std::vector<CoveragePoint>> curve = coverage_curve(fields[m], pair.truth);
        if (!curve) return curve.error();
        std::sort(times[m].begin(), times[m].end());
        scores_[m][p] = {*errors, std::move(*curve), times[m][times[m].size() / 2]};
      }
    }
    return Done{};
  }

  [[nodiscard]] std::string header(const char* first) const {
    std::string line = fmt::format("| {} |", first), rule = "|---|";
    for (const Pair& pair : pairs_) {
      line += fmt::format(" {} |", pair.name);
      rule += "---|";
    }
    return line + "\n" + rule + "\n";
  }
  template <typename Value>
  [[nodiscard]] std::string table(const char* first, const Value& value) const {
    std::string out = header(first);
    for (std::size_t m = 0; m < methods_.size(); ++m) {
      out += fmt::format("| {} |", methods_[m].name);
      for (const Score& score : scores_[m]) out += fmt::format(" {} |", value(score));
      out += "\n";
    }
    return out + "\n";
  }
  [[nodiscard]] std::string coverage_table() const {
    std::string out = header("end-point error of the best part");
    for (std::size_t m = 0; m < methods_.size(); ++m)
      for (const double part : {0.9, 0.7, 0.5}) {
        if (!methods_[m].ours) continue;
        out += fmt::format("| {}, {:.0f} % |", methods_[m].name, 100 * part);
        for (const Score& score : scores_[m])
          for (const CoveragePoint& point : score.curve)
            if (std::abs(point.coverage - part) < 1e-9)
              out += fmt::format(" {:.3f} |", point.end_point);
        out += "\n";
      }
    return out + "\n";
  }
  [[nodiscard]] std::string markdown() const {
    return "\n" +
           table("end-point error, pixels, all pixels",
                 [](const Score& s) { return fmt::format("{:.3f}", s.errors.end_point); }) +
           table("angular error, degrees",
                 [](const Score& s) { return fmt::format("{:.2f}", s.errors.angular); }) +
           coverage_table() +
           table("flagged valid; their end-point error",
                 [](const Score& s) {
                   return s.curve.empty()
                              ? std::string{"–"}
                              : fmt::format("{:.0f} %; {:.3f}", 100 * s.errors.valid_share,
                                            s.errors.valid_error);
                 }) +
           table(
               fmt::format("ms, median of {}, {}, {} threads", options_.repeat, backend_, threads_)
                   .c_str(),
               [](const Score& s) { return fmt::format("{:.1f}", s.ms); });
  }

  [[nodiscard]] Json report() const {
    Json rows = Json::array();
    for (std::size_t m = 0; m < methods_.size(); ++m)
      for (std::size_t p = 0; p < pairs_.size(); ++p) {
        const Score& s = scores_[m][p];
        Json curve = Json::array();
        for (const CoveragePoint& point : s.curve)
          curve.push_back({{"coverage", point.coverage}, {"end_point", point.end_point}});
        rows.push_back({{"method", methods_[m].name},
                        {"pair", pairs_[p].name},
                        {"pixels", s.errors.pixels},
                        {"end_point", s.errors.end_point},
                        {"angular", s.errors.angular},
                        {"over_1_px", s.errors.over_one},
                        {"over_3_px", s.errors.over_three},
                        {"valid_share", s.errors.valid_share},
                        {"valid_end_point", s.errors.valid_error},
                        {"ms", s.ms},
                        {"by_coverage", curve}});
      }
    return {{"backend", backend_},
            {"threads", threads_},
            {"repeat", options_.repeat},
            {"results", rows}};
  }

  const EvalFlowOptions& options_;
  std::vector<Pair> pairs_;
  std::vector<MethodName> methods_;
  std::vector<std::vector<Score>> scores_;  // [method][pair]
  std::string backend_;
  MarkedPage page_;
  int threads_ = 0;
};

}  // namespace

void add_eval_flow(CLI::App& group, Action& action) {
  CLI::App* command = group.add_subcommand("flow", "Errors of flow methods, as a table");
  command->footer(
      "A pair is a folder with frame10.png, frame11.png and flow10.flo, as in Middlebury's data "
      "set.\n"
      "Every pixel with known truth counts (coverage 100 %). 'best part' means the vectors of "
      "highest\n"
      "quality by the method's own measure. --into replaces the text between the lines\n"
      "'<!-- kerblab eval flow: begin -->' and '<!-- kerblab eval flow: end -->' of a page.\n"
      "Example: kerblab eval flow data/flow --into docs/results/flow.md --json flow.json");
  const auto o = std::make_shared<EvalFlowOptions>();
  std::vector<std::string> names;
  for (const MethodName& method : flow_methods()) names.emplace_back(method.name);
  command->add_option("folder", o->folders, "Pairs, or folders of pairs")
      ->required()
      ->option_text("FOLDER...");
  command->add_option("--method", o->methods, "Evaluate only this method; repeatable")
      ->check(CLI::IsMember(names))
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_name_option(*command, "--into", o->into, "Markdown page whose table is replaced");
  add_name_option(
      *command, "--json", o->json,
      "Write all results as JSON to this file; - is stdout (the table is then not printed)");
  command
      ->add_option("--repeat", o->repeat, "Repetitions of each method; the median time is reported")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_backend_option(*command, o->backend);
  add_threads_option(*command, o->threads, "Number of threads; 0: one per core");
  run_when_chosen(*command, action, [o] { return EvalFlow{*o}.run(); });
}

}  // namespace kerb::lab
