// SPDX-License-Identifier: Apache-2.0
// kerblab eval: how good a detector is.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "drivers/replay/picture.hpp"
#include "tools/eval/curves.hpp"
#include "tools/eval/truth.hpp"
#include "tools/import/opencv_models.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/json_line.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/eval/contestants.hpp"
#include "tools/kerblab/eval/report.hpp"
#include "tools/kerblab/model/models.hpp"
#include "tools/kerblab/pictures/picture_truth.hpp"
#include "tools/kerblab/pictures/pictures.hpp"
#include "tools/kerblab/plot/plot.hpp"

namespace kerb::lab {
namespace {

namespace fs = std::filesystem;
using replay::failure;

struct EvalOptions {
  std::vector<std::string> models, images, truth, negatives, crops, detections, plots, window_plots;
  std::string json, save;
  std::vector<double> thresholds;
  eval::MatchSettings match;
  EvalRun run;
};

/// "NAME=FILE", or a file alone, whose name may have a sign of its own.
struct Named {
  std::string name, file;
};
Named parse_named(const std::string& word) {
  const std::size_t sign = word.find('=');
  std::error_code ignored;
  if (sign == std::string::npos || sign == 0 || fs::exists(word, ignored))
    return {fs::path{word}.stem().string(), word};
  return {word.substr(0, sign), word.substr(sign + 1)};
}

/// A file's name for a detector's.
std::string file_name(std::string name) {
  for (char& c : name)
    if (c == '/' || c == ' ' || static_cast<unsigned char>(c) < 0x20) c = '-';
  return name.empty() || name.front() == '.' ? "detector" + name : name;
}

class EvalDetector {
 public:
  explicit EvalDetector(EvalOptions& options) : options_{options} {}

  Status run() {
    if (Status ok = read_pictures(); !ok) return ok;
    if (Status ok = check_outputs(); !ok) return ok;
    if (Status ok = read_truth(); !ok) return ok;
    if (Status ok = read_detectors(); !ok) return ok;
    for (std::size_t i = 0; i < models_.size(); ++i)
      if (Status ok = perform(models_[i], performances_[i]); !ok) return ok;
    return report();
  }

 private:
  /// One that is to run; without a model it is OpenCV's own code.
  struct Runner {
    std::string name;  // empty: the model's
    std::optional<hog::Model> model;
  };

  Status read_pictures() {
    for (const auto& [words, is_negative] :
         {std::pair{&options_.images, false}, std::pair{&options_.negatives, true}}) {
      const Result<std::vector<std::string>> paths = expand_pictures(*words);
      if (!paths) return paths.error();
      for (const std::string& path : *paths) {
        options_.run.pictures.push_back({path, is_negative});
        inputs_.push_back(path);
      }
      if (is_negative) facts_.negatives = static_cast<int>(paths->size());
    }
    std::set<fs::path> seen;
    for (const EvalPicture& picture : options_.run.pictures)
      if (std::error_code ignored; !seen.insert(fs::weakly_canonical(picture.path, ignored)).second)
        return failure(Errc::invalid_argument, "picture given twice", picture.path);
    facts_.pictures = static_cast<int>(options_.run.pictures.size());
    Result<std::vector<std::string>> crops = expand_pictures(options_.crops);
    if (!crops) return crops.error();
    options_.run.crops = *std::move(crops);
    facts_.crops = static_cast<int>(options_.run.crops.size());
    inputs_.insert(inputs_.end(), options_.run.crops.begin(), options_.run.crops.end());
    return Done{};
  }

  Status check_outputs() {
    std::vector<std::string> outputs;
    if (!options_.json.empty()) {
      if (Status ok = check_output(options_.json); !ok) return ok;
      outputs.push_back(options_.json);
    }
    for (const std::vector<std::string>* plots : {&options_.plots, &options_.window_plots})
      for (const std::string& plot : *plots) {
        if (Status ok = check_plot_name(plot); !ok) return ok;
        outputs.push_back(plot);
      }
    if (!options_.window_plots.empty() && (options_.crops.empty() || options_.negatives.empty()))
      return Error{Errc::invalid_argument, 0, "--plot-fppw", "needs --crops and --negatives"};
    inputs_.insert(inputs_.end(), options_.truth.begin(), options_.truth.end());
    for (const std::string& word : options_.detections) inputs_.push_back(parse_named(word).file);
    for (const std::string& word : options_.models) inputs_.push_back(parse_named(word).file);
    return check_apart(outputs, inputs_);
  }

  Status read_truth() {
    std::vector<std::string> paths;
    for (const EvalPicture& picture : options_.run.pictures)
      if (!picture.is_negative) paths.push_back(picture.path);
    Result<PictureTruth> truth = truth_of(paths, options_.truth);
    if (!truth) return truth.error();
    left_out_ = std::move(truth->left_out);
    truth_ = std::move(truth->boxes);
    truth_.resize(options_.run.pictures.size());  // of the negatives there is none
    facts_.match = options_.match;
    for (const std::vector<eval::TruthBox>& boxes : truth_) {
      const auto people = static_cast<int>(eval::judge(boxes, {}, options_.match).people.size());
      facts_.people += people;
      facts_.ignored += static_cast<int>(boxes.size()) - people;
    }
    if (facts_.people == 0)
      return failure(Errc::invalid_argument, "the truth has no people in these pictures",
                     options_.truth.front());
    return Done{};
  }

  /// All files before the first search: what is wrong with them is known at once.
  Status read_detectors() {
    if (options_.models.empty() && options_.detections.empty()) options_.models = {"default"};
    for (const std::string& word : options_.models) {
      Runner& runner = models_.emplace_back();
      if (word == "opencv-hog") continue;
      const bool is_ours = word == "default", is_opencv = word == "opencv";
      const Named named = parse_named(word);
      if (named.file != word) runner.name = named.name;
      Result<hog::Model> model = is_ours     ? default_model()
                                 : is_opencv ? default_people_detector()
                                             : load_model(named.file);
      if (!model) return model.error();
      runner.model = *std::move(model);
    }
    performances_.resize(models_.size());
    for (const std::string& word : options_.detections) {
      const Named named = parse_named(word);
      Result<Performance> done = run_detections(options_.run, named.name, named.file);
      if (!done) return done.error();
      performances_.push_back(*std::move(done));
    }
    return Done{};
  }

  Status perform(const Runner& runner, Performance& out) {
    Result<Performance> done =
        runner.model ? run_model(options_.run, *runner.model) : run_opencv(options_.run);
    if (!done) return done.error();
    out = *std::move(done);
    if (!runner.name.empty()) out.name = runner.name;
    return Done{};
  }

  Status report() {
    std::vector<Report> reports;
    for (const Performance& performance : performances_) {
      std::vector<eval::Judged> judged;
      for (std::size_t i = 0; i < truth_.size(); ++i)
        judged.push_back(eval::judge(truth_[i], performance.seen[i].boxes, options_.match));
      reports.push_back(make_report(performance, judged, options_.thresholds));
    }
    if (!options_.save.empty())
      if (Status ok = save(); !ok) return ok;
    for (const std::string& plot : options_.plots)
      if (Status ok = write_plot(plot, fppi_plot(facts_, reports)); !ok) return ok;
    for (const std::string& plot : options_.window_plots)
      if (Status ok = write_plot(plot, fppw_plot(facts_, reports)); !ok) return ok;
    if (!options_.json.empty())
      if (Status ok = write_output(options_.json, to_json(facts_, reports)); !ok) return ok;
    if (options_.json != "-")
      if (Status ok = write_output("-", to_text(facts_, reports)); !ok) return ok;
    if (!left_out_.empty()) warn(left_out_);
    const auto is_default = [](const std::string& word) { return word == "default"; };
    if (std::any_of(options_.models.begin(), options_.models.end(), is_default))
      if (const std::string note = default_model_note(); !note.empty()) warn(note);
    return Done{};
  }

  /// What the models said, for --detections of another day.
  Status save() {
    Result<OutputFolder> folder = OutputFolder::create(options_.save);
    if (!folder) return folder.error();
    for (std::size_t m = 0; m < models_.size(); ++m) {
      std::string lines;
      for (std::size_t i = 0; i < performances_[m].seen.size(); ++i) {
        const Seen& seen = performances_[m].seen[i];
        std::vector<Detection> people;
        for (const eval::ScoredBox& b : seen.boxes)
          people.push_back({static_cast<float>(b.box.x), static_cast<float>(b.box.y),
                            static_cast<float>(b.box.w), static_cast<float>(b.box.h),
                            static_cast<float>(b.score)});
        lines += json_line(options_.run.pictures[i].path, seen.width, seen.height,
                           seen.ms.value_or(0), people.data(), static_cast<int>(people.size()));
      }
      const std::string path = folder->next(file_name(performances_[m].name), ".jsonl");
      if (Status ok = write_output(path, lines); !ok) return ok;
    }
    if (Status ok = check_apart(folder->targets(), inputs_); !ok) return ok;
    return folder->commit();
  }

  EvalOptions& options_;
  std::vector<std::string> inputs_;
  std::vector<std::vector<eval::TruthBox>> truth_;  // for each picture
  std::vector<Runner> models_;
  std::vector<Performance> performances_;  // of the models, then of the files
  EvalFacts facts_;
  std::string left_out_;  // a warning, for a run that is fine otherwise
};

Status check_match(const eval::MatchSettings& match) {
  // CLI11's ranges let NaN through
  if (std::isnan(match.min_height) || std::isnan(match.max_height) || std::isnan(match.min_visible))
    return Error{Errc::invalid_argument, 0, "eval", "heights and visibility must be numbers"};
  if (match.min_height >= match.max_height)
    return Error{Errc::invalid_argument, 0, "--truth-max-height",
                 "must be greater than --truth-min-height"};
  return Done{};
}

}  // namespace

void add_eval_detector(CLI::App& group, Action& action) {
  CLI::App* command =
      group.add_subcommand("detector", "Miss rate of detectors over false positives");
  command->footer(
      "Boxes enclose the person. Truth and detections are set to a width of 0.41 x height around "
      "their\n"
      "middle. In the order of falling score, each detection is matched with the person of "
      "largest\n"
      "intersection over union, at least 0.5. A detection that lies by half or more in an ignore\n"
      "region does not count. The log-average miss rate is the geometric mean at 9 rates from 0.01 "
      "to\n"
      "1 false positives per image; a curve that ends before a rate keeps its last miss rate.\n"
      "Truth: a CSV file of image,x,y,w,h[,ignore]; a folder of PASCAL text, one file per picture; "
      "or\n"
      "MOT text, SEQ/gt/gt.txt or SEQ, for pictures in SEQ/img1. Names are matched by their last "
      "parts.\n"
      "Models are searched with a low threshold to get the whole curve. FPPW, with --crops and\n"
      "--negatives: the window in the middle of each crop against all windows of the negatives,\n"
      "before fusion.\n"
      "Example: kerblab eval detector --model people.kwm --model opencv-hog --images street\n"
      "  --truth street.csv --negatives nobody --plot curves.svg --json curves.json");
  const auto o = std::make_shared<EvalOptions>();
  const auto list = [command](const char* name, std::vector<std::string>& out, const char* help) {
    return command->add_option(name, out, help)
        ->check(not_empty)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  list("--model", o->models,
       "[NAME=]FILE, or default; opencv: the coefficients of OpenCV's people detector in "
       "Kerbwatch's engine; opencv-hog: OpenCV's detectMultiScale. Repeatable: all are compared");
  list("--detections", o->detections,
       "[NAME=]FILE of JSON lines in the format of kerblab detect, from any detector");
  list("--images", o->images, "Pictures: a folder, a file, or @FILE with a list; repeatable")
      ->required();
  list("--truth", o->truth, "Truth: a file or a folder")->required();
  list("--negatives", o->negatives, "More pictures, without people");
  list("--crops", o->crops, "Pictures with one person each, in the middle, for FPPW");
  command
      ->add_option("--crop-person", o->run.crop_person_height,
                   "Height of the people in the crops, pixels")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  add_name_option(*command, "--json", o->json,
                  "Write all results and curves as JSON to this file; - is stdout (the text is "
                  "then not printed)");
  command
      ->add_option("--at", o->thresholds,
                   "Also report miss rate (total and by height) and false positives at this "
                   "threshold, to compare sets of pictures")
      ->check(CLI::Range(-1e6, 1e6))
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  list("--plot", o->plots, "Plot of miss rate over FPPI, P.svg or P.png");
  list("--plot-fppw", o->window_plots, "Plot of miss rate over FPPW, P.svg or P.png");
  add_name_option(*command, "--save", o->save,
                  "Folder for the detections of the models, NAME.jsonl");
  command->add_option("--truth-min-height", o->match.min_height, "Ignore shorter people, pixels")
      ->check(CLI::Range(0.0, 1e6));
  command
      ->add_option("--truth-max-height", o->match.max_height,
                   "Ignore people of this height and taller, pixels")
      ->check(CLI::Range(0.0, 1e6));
  command
      ->add_option("--truth-min-visible", o->match.min_visible,
                   "Ignore people of whom a smaller share is visible, 0..1, if the truth has it")
      ->check(CLI::Range(0.0, 1.0));
  command->add_flag("!--no-work", o->run.count_work,
                    "Do not count evaluated learners and stages (saves a second search)");
  add_search_options(*command, o->run.how,
                     "Lowest score of a window; default: low, depending on the kind of model");
  run_when_chosen(*command, action, [o]() -> Status {
    if (Status ok = read_settings(o->run.how); !ok) return ok;
    if (Status ok = check_match(o->match); !ok) return ok;
    return EvalDetector{*o}.run();
  });
}

}  // namespace kerb::lab
