// SPDX-License-Identifier: Apache-2.0
// kerblab eval: how good a detector is.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "drivers/replay/picture.hpp"
#include "drivers/replay/picture_files.hpp"
#include "tools/eval/curves.hpp"
#include "tools/eval/names.hpp"
#include "tools/eval/truth.hpp"
#include "tools/import/opencv_models.hpp"
#include "tools/kerblab/command.hpp"
#include "tools/kerblab/contestants.hpp"
#include "tools/kerblab/eval_report.hpp"
#include "tools/kerblab/models.hpp"
#include "tools/kerblab/output.hpp"
#include "tools/kerblab/pictures.hpp"

namespace kerb::lab {
namespace {

struct EvalOptions {
  std::vector<std::string> models, images, truth, negatives, crops, detections;
  std::string json, plot;
  eval::MatchSettings match;
  EvalRun run;
};

/// Pictures of folders, of lists (@FILE) and by their names.
Result<std::vector<std::string>> expand_pictures(const std::vector<std::string>& words) {
  std::vector<std::string> paths;
  for (const std::string& word : words) {
    std::error_code ignored;
    const bool is_folder = std::filesystem::is_directory(word, ignored);
    const Result<std::vector<std::string>> more =
        is_folder ? replay::list_pictures(word) : expand_list({word});
    if (!more) return more.error();
    paths.insert(paths.end(), more->begin(), more->end());
  }
  return paths;
}

class EvalDetector {
 public:
  explicit EvalDetector(EvalOptions& options) : options_{options} {}

  Status run() {
    if (Status ok = read(); !ok) return ok;
    if (Status ok = perform(); !ok) return ok;
    std::vector<Report> reports;
    for (const Performance& performance : performances_) {
      std::vector<eval::Judged> judged;
      for (std::size_t i = 0; i < truth_.size(); ++i)
        judged.push_back(eval::judge(truth_[i], performance.boxes[i], options_.match));
      reports.push_back(make_report(performance, judged));
      facts_.people = 0;
      for (const eval::Judged& picture : judged)
        facts_.people += static_cast<int>(picture.people.size());
    }
    if (!options_.json.empty())
      if (Status ok = write_output(options_.json, to_json(facts_, reports)); !ok) return ok;
    if (options_.json != "-")
      if (Status ok = write_output("-", to_text(facts_, reports)); !ok) return ok;
    return Done{};
  }

 private:
  Status read() {
    const Result<std::vector<std::string>> images = expand_pictures(options_.images);
    if (!images) return images.error();
    const Result<std::vector<std::string>> negatives = expand_pictures(options_.negatives);
    if (!negatives) return negatives.error();
    Result<std::vector<std::string>> crops = expand_pictures(options_.crops);
    if (!crops) return crops.error();
    options_.run.crops = *std::move(crops);
    for (const std::string& path : *images) options_.run.pictures.push_back({path, false});
    for (const std::string& path : *negatives) options_.run.pictures.push_back({path, true});
    truth_.resize(options_.run.pictures.size());

    std::vector<eval::TruthPicture> truth;
    std::vector<std::string> names;
    for (const std::string& path : options_.truth) {
      Result<std::vector<eval::TruthPicture>> more = eval::read_truth(path);
      if (!more) return more.error();
      for (eval::TruthPicture& picture : *more) {
        names.push_back(picture.name);
        truth.push_back(std::move(picture));
      }
    }
    const Result<std::vector<int>> places = eval::find_pictures("read truth", names, *images);
    if (!places) return places.error();
    int absent = 0;
    std::string first_absent;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      if ((*places)[i] >= 0) {
        truth_[static_cast<std::size_t>((*places)[i])] = truth[i].boxes;
      } else if (absent++ == 0) {
        first_absent = names[i];
      }
    }
    if (absent == static_cast<int>(truth.size()))
      return Error{Errc::invalid_argument, 0, "eval", "the truth names none of the pictures"};
    if (absent > 0)
      warn(fmt::format(
          "truth about {} pictures that are not among those given is left out; the first: {}",
          absent, first_absent));
    facts_.pictures = static_cast<int>(truth_.size());
    facts_.negatives = static_cast<int>(negatives->size());
    facts_.crops = static_cast<int>(options_.run.crops.size());
    facts_.match = options_.match;
    for (const std::vector<eval::TruthBox>& boxes : truth_)
      for (const eval::TruthBox& box : boxes) facts_.ignored += box.ignore ? 1 : 0;
    return Done{};
  }

  Status perform() {
    if (options_.models.empty() && options_.detections.empty()) options_.models = {"default"};
    for (const std::string& name : options_.models) {
      Result<Performance> done = perform_model(name);
      if (!done) return done.error();
      performances_.push_back(*std::move(done));
    }
    for (const std::string& word : options_.detections) {
      const std::size_t sign = word.find('=');
      Result<Performance> done =
          sign == std::string::npos
              ? run_detections(options_.run, std::filesystem::path{word}.stem().string(), word)
              : run_detections(options_.run, word.substr(0, sign), word.substr(sign + 1));
      if (!done) return done.error();
      performances_.push_back(*std::move(done));
    }
    return Done{};
  }

  Result<Performance> perform_model(const std::string& name) {
    if (name == "opencv-hog") return run_opencv(options_.run);
    Result<hog::Model> model = name == "default"  ? default_model()
                               : name == "opencv" ? default_people_detector()
                                                  : load_model(name);
    if (!model) return model.error();
    return run_model(options_.run, *std::move(model));
  }

  EvalOptions& options_;
  std::vector<std::vector<eval::TruthBox>> truth_;  // for each picture
  std::vector<Performance> performances_;
  EvalFacts facts_;
};

}  // namespace

void add_eval(CLI::App& app, Action& action) {
  CLI::App* group = app.add_subcommand("eval", "How good a detector is");
  group->require_subcommand(1);
  CLI::App* command = group->add_subcommand("detector", "Miss rates against false alarms");
  const auto o = std::make_shared<EvalOptions>();
  command->add_option("--model", o->models,
                      "Model; default, opencv (its coefficients), opencv-hog (its code)");
  command->add_option("--images", o->images, "Pictures: folders, files, @FILE")->required();
  command->add_option("--truth", o->truth, "Truth")->required();
  command->add_option("--negatives", o->negatives, "Pictures without people");
  command->add_option("--crops", o->crops, "Pictures of one person each");
  command->add_option("--crop-person", o->run.crop_person_height, "");
  command->add_option("--detections", o->detections, "NAME=FILE.jsonl");
  command->add_option("--json", o->json, "");
  command->add_option("--plot", o->plot, "");
  command->add_option("--truth-min-height", o->match.min_height, "");
  command->add_option("--truth-max-height", o->match.max_height, "");
  command->add_option("--min-visible", o->match.min_visible, "");
  add_search_options(*command, o->run.how, "Least score of a window");
  command->callback([o, &action] {
    action = [o] {
      if (Status ok = read_settings(o->run.how); !ok) return fail(ok.error());
      const Status done = EvalDetector{*o}.run();
      return done ? 0 : fail(done.error());
    };
  });
}

}  // namespace kerb::lab
