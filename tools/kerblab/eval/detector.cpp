// SPDX-License-Identifier: Apache-2.0
// kerblab eval: how good a detector is.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "drivers/replay/picture.hpp"
#include "tools/eval/curves.hpp"
#include "tools/eval/intervals.hpp"
#include "tools/eval/labels.hpp"
#include "tools/eval/picture_sets.hpp"
#include "tools/eval/placement.hpp"
#include "tools/eval/truth.hpp"
#include "tools/files/text.hpp"
#include "tools/import/opencv_models.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/json_line.hpp"
#include "tools/kerblab/app/numbers.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/eval/contestants.hpp"
#include "tools/kerblab/eval/report.hpp"
#include "tools/kerblab/eval/worst.hpp"
#include "tools/kerblab/model/models.hpp"
#include "tools/kerblab/pictures/picture_truth.hpp"
#include "tools/kerblab/pictures/pictures.hpp"
#include "tools/kerblab/plot/plot.hpp"

namespace kerb::lab {
namespace {

namespace fs = std::filesystem;
using replay::failure;

struct EvalOptions {
  std::vector<std::string> models, crops, detections, plots, window_plots;
  std::string sets, data, json, save, labels, worst;
  std::size_t worst_count = 20;
  bool worst_advised = false, boxes = false;
  std::string camera;  // as given
  std::vector<double> thresholds;
  eval::PictureSet set;  // where there is no file of sets
  eval::Resampling resampling;
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

/// "curves.svg" for the set "day": "curves-day.svg".
std::string plot_name(const std::string& plot, const std::string& set) {
  if (set.empty()) return plot;
  const fs::path path{plot};
  return (path.parent_path() / (path.stem().string() + "-" + set + path.extension().string()))
      .string();
}

/// A file's name for a detector's.
std::string file_name(std::string name) {
  for (char& c : name)
    if (c == '/' || c == ' ' || static_cast<unsigned char>(c) < 0x20) c = '-';
  return name.empty() || name.front() == '.' ? "detector" + name : name;
}

struct PictureSize {
  int width = 0, height = 0;
};
/// Reads the picture where a file of detections does not say it.
Result<PictureSize> size_of(const Seen& seen, const std::string& path) {
  if (seen.width > 0) return PictureSize{seen.width, seen.height};
  const Result<LoadedPicture> loaded = load_picture(path, false);
  if (!loaded) return loaded.error();
  return PictureSize{loaded->bgr.cols, loaded->bgr.rows};
}

/// One set of pictures with what is true of them, and what the detectors did there.
struct JudgedSet {
  eval::PictureSet set;
  EvalRun run;
  PictureTruth truth;  // for each picture
  EvalFacts facts;
  std::vector<Performance> performances;
};

class EvalDetector {
 public:
  explicit EvalDetector(EvalOptions& options) : options_{options} {}

  Status run(std::vector<eval::PictureSet> sets) {
    for (eval::PictureSet& set : sets) {
      JudgedSet& judged = sets_.emplace_back();
      judged.set = std::move(set);
      if (Status ok = read_pictures(judged); !ok) return ok;
    }
    if (Status ok = check_outputs(); !ok) return ok;
    for (JudgedSet& set : sets_)
      if (Status ok = read_truth(set); !ok) return ok;
    if (Status ok = read_detectors(); !ok) return ok;
    for (JudgedSet& set : sets_)
      if (Status ok = perform(set); !ok) return ok;
    return report();
  }

 private:
  /// One that is to run: a model, OpenCV's own code without one, or a file of what one said.
  struct Contestant {
    std::string name;  // empty: the model's, or OpenCV's
    std::optional<hog::Model> model;
    std::string detections;
  };

  Status read_pictures(JudgedSet& out) {
    const eval::PictureSet& set = out.set;
    out.run = options_.run;
    if (out.run.how.min_height == 0) out.run.how.min_height = set.search_min_height;
    std::vector<std::string> listed;
    if (!set.list.empty()) {
      const Result<std::string> text = files::read_text("read list", set.list);
      if (!text) return text.error();
      files::Lines lines{*text};
      for (std::string_view line; lines.next(line);)
        if (!files::trimmed(line).empty()) listed.emplace_back(files::trimmed(line));
      std::sort(listed.begin(), listed.end());
      inputs_.push_back(set.list);
    }
    for (const auto& [words, is_negative] :
         {std::pair{&set.images, false}, std::pair{&set.negatives, true}}) {
      const Result<std::vector<std::string>> paths = expand_pictures(*words);
      if (!paths) return paths.error();
      for (const std::string& path : *paths) {
        if (!is_negative && !eval::is_taken(set, listed, path)) continue;
        out.run.pictures.push_back({path, is_negative});
        inputs_.push_back(path);
        if (is_negative) ++out.facts.negatives;
      }
    }
    warn_of_missing(set, listed, out.run.pictures);
    if (std::ssize(out.run.pictures) == out.facts.negatives)
      return failure(Errc::invalid_argument, "no picture left by names and list", set.name);
    std::set<fs::path> seen;
    for (const EvalPicture& picture : out.run.pictures)
      if (std::error_code ignored; !seen.insert(fs::weakly_canonical(picture.path, ignored)).second)
        return failure(Errc::invalid_argument, "picture given twice", picture.path);
    out.facts.name = set.name;
    out.facts.pictures = static_cast<int>(out.run.pictures.size());
    Result<std::vector<std::string>> crops = expand_pictures(options_.crops);
    if (!crops) return crops.error();
    out.run.crops = *std::move(crops);
    out.facts.crops = static_cast<int>(out.run.crops.size());
    inputs_.insert(inputs_.end(), out.run.crops.begin(), out.run.crops.end());
    inputs_.insert(inputs_.end(), set.truth.begin(), set.truth.end());
    return Done{};
  }

  /// A name that is misspelt would make the set smaller without a word.
  static void warn_of_missing(const eval::PictureSet& set, const std::vector<std::string>& listed,
                              const std::vector<EvalPicture>& pictures) {
    std::set<std::string> there;
    for (const EvalPicture& picture : pictures)
      there.insert(fs::path{picture.path}.filename().string());
    std::string first;
    int missing = 0;
    for (const std::string& name : listed)
      if (!there.contains(name) && missing++ == 0) first = name;
    if (missing > 0)
      warn(fmt::format("{}: {} names are not among the pictures, the first '{}'", set.list, missing,
                       first));
  }

  Status check_outputs() {
    std::vector<std::string> outputs;
    if (!options_.json.empty()) {
      if (Status ok = check_output(options_.json); !ok) return ok;
      outputs.push_back(options_.json);
    }
    if (!options_.labels.empty()) {
      if (Status ok = check_output(options_.labels); !ok) return ok;
      outputs.push_back(options_.labels);
      if (Status ok = check_distinct(outputs); !ok) return ok;
    }
    for (const std::vector<std::string>* plots : {&options_.plots, &options_.window_plots})
      for (const std::string& plot : *plots)
        for (const JudgedSet& set : sets_) {
          const std::string name = plot_name(plot, set.set.name);
          if (Status ok = check_plot_name(name); !ok) return ok;
          outputs.push_back(name);
        }
    if (!options_.window_plots.empty() &&
        (options_.crops.empty() || options_.set.negatives.empty()))
      return Error{Errc::invalid_argument, 0, "--plot-fppw", "needs --crops and --negatives"};
    if (!options_.sets.empty()) inputs_.push_back(options_.sets);
    for (const std::string& word : options_.detections) inputs_.push_back(parse_named(word).file);
    for (const std::string& word : options_.models) inputs_.push_back(parse_named(word).file);
    return check_apart(outputs, inputs_);
  }

  Status read_truth(JudgedSet& out) {
    std::vector<std::string> paths;
    for (const EvalPicture& picture : out.run.pictures)
      if (!picture.is_negative) paths.push_back(picture.path);
    Result<PictureTruth> truth = truth_of(paths, out.set.truth, out.set.rules);
    if (!truth) return truth.error();
    out.truth = *std::move(truth);
    if (out.set.list.empty() && out.set.names == "*" && left_out_.empty())
      left_out_ = out.truth.left_out;
    out.truth.boxes.resize(out.run.pictures.size());  // of the negatives there is none
    out.truth.things.resize(out.run.pictures.size());
    out.facts.match = out.set.match;
    out.facts.camera = out.set.camera;
    for (const std::vector<eval::TruthBox>& boxes : out.truth.boxes) {
      const auto people = static_cast<int>(eval::judge(boxes, {}, out.set.match).people.size());
      out.facts.people += people;
      out.facts.ignored += static_cast<int>(boxes.size()) - people;
    }
    if (out.facts.people == 0)
      return failure(Errc::invalid_argument, "the truth has no people in these pictures",
                     out.set.truth.front());
    return Done{};
  }

  /// All files before the first search: what is wrong with them is known at once.
  Status read_detectors() {
    if (options_.models.empty() && options_.detections.empty()) options_.models = {"default"};
    for (const std::string& word : options_.models) {
      Contestant& one = contestants_.emplace_back();
      if (word == "opencv-hog") continue;
      const bool is_ours = word == "default", is_opencv = word == "opencv";
      const Named named = parse_named(word);
      if (named.file != word) one.name = named.name;
      Result<hog::Model> model = is_ours     ? default_model()
                                 : is_opencv ? default_people_detector()
                                             : load_model(named.file);
      if (!model) return model.error();
      one.model = *std::move(model);
    }
    for (const std::string& word : options_.detections) {
      const Named named = parse_named(word);
      contestants_.push_back({named.name, {}, named.file});
      for (const JudgedSet& set : sets_) {
        const Result<Performance> done = run_detections(set.run, named.name, named.file);
        if (!done) return done.error();
      }
    }
    return Done{};
  }

  Status perform(JudgedSet& out) {
    for (std::size_t number = 0; number < contestants_.size(); ++number) {
      const Contestant& one = contestants_[number];
      const std::string name = !one.name.empty() ? one.name : one.model ? one.model->name : "";
      const std::vector<std::string>& wanted = out.set.models;
      if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end())
        continue;
      Result<Performance> done = !one.detections.empty()
                                     ? run_detections(out.run, one.name, one.detections)
                                 : one.model ? run_model(out.run, *one.model)
                                             : run_opencv(out.run);
      if (!done) return done.error();
      if (!one.name.empty()) done->name = one.name;
      done->contestant = number;
      out.performances.push_back(*std::move(done));
    }
    return Done{};
  }

  Result<SetReport> judge(const JudgedSet& set) {
    SetReport out{set.facts, {}};
    for (const Performance& performance : set.performances) {
      std::vector<eval::Judged> judged;
      for (std::size_t i = 0; i < set.truth.boxes.size(); ++i)
        judged.push_back(eval::judge(set.truth.boxes[i], performance.seen[i].boxes, set.set.match));
      eval::Resampling how = options_.resampling;
      how.block = set.set.block;
      Report& report = out.reports.emplace_back(
          make_report(performance, judged, set.truth.things, options_.thresholds, how));
      if (!options_.boxes && options_.json.empty()) continue;
      const Result<std::vector<eval::BoxError>> errors = box_errors(set, performance, judged);
      if (!errors) return errors.error();
      place_boxes(report, *errors);
    }
    return out;
  }

  Result<std::vector<eval::BoxError>> box_errors(const JudgedSet& set,
                                                 const Performance& performance,
                                                 const std::vector<eval::Judged>& judged) {
    std::vector<eval::PictureBoxes> pictures;
    for (std::size_t i = 0; i < judged.size(); ++i) {
      const auto is_hit = [](const eval::JudgedDetection& d) {
        return d.verdict == eval::Verdict::hit;
      };
      if (std::none_of(judged[i].detections.begin(), judged[i].detections.end(), is_hit)) continue;
      const Seen& seen = performance.seen[i];
      const Result<PictureSize> size = size_of(seen, set.run.pictures[i].path);
      if (!size) return size.error();
      pictures.push_back({&set.truth.boxes[i], &seen.boxes, &judged[i], size->height});
    }
    return eval::box_errors(pictures, set.set.camera);
  }

  Status report() {
    std::vector<SetReport> all;
    for (const JudgedSet& set : sets_) {
      Result<SetReport> judged = judge(set);
      if (!judged) return judged.error();
      all.push_back(*std::move(judged));
    }
    if (!options_.save.empty())
      if (Status ok = save(); !ok) return ok;
    if (!options_.labels.empty())
      if (Status ok = write_labels(); !ok) return ok;
    if (!options_.worst.empty())
      if (Status ok = draw_worst(all); !ok) return ok;
    for (const SetReport& set : all) {
      for (const std::string& plot : options_.plots)
        if (Status ok = write_plot(plot_name(plot, set.facts.name), fppi_plot(set)); !ok) return ok;
      for (const std::string& plot : options_.window_plots)
        if (Status ok = write_plot(plot_name(plot, set.facts.name), fppw_plot(set)); !ok) return ok;
    }
    if (!options_.json.empty())
      if (Status ok = write_output(options_.json, to_json(all)); !ok) return ok;
    if (options_.json != "-" && options_.labels != "-")
      if (Status ok = write_output("-", to_text(all, options_.boxes)); !ok) return ok;
    if (!left_out_.empty()) warn(left_out_);
    const auto is_default = [](const std::string& word) { return word == "default"; };
    if (std::any_of(options_.models.begin(), options_.models.end(), is_default))
      if (const std::string note = default_model_note(); !note.empty()) warn(note);
    return Done{};
  }

  /// What the models said, for --detections of another day: a file for each, of all sets.
  Status save() {
    Result<OutputFolder> folder = OutputFolder::create(options_.save);
    if (!folder) return folder.error();
    for (std::size_t number = 0; number < contestants_.size(); ++number) {
      if (!contestants_[number].detections.empty()) continue;
      std::string lines, name;
      std::map<std::string, std::string> written;  // sets may share pictures
      for (const JudgedSet& set : sets_)
        for (const Performance& performance : set.performances)
          if (performance.contestant == number) {
            name = performance.name;
            if (Status ok = add_lines(set, performance, written, lines); !ok) return ok;
          }
      if (lines.empty()) continue;
      const std::string path = folder->next(file_name(name), ".jsonl");
      if (Status ok = write_output(path, lines); !ok) return ok;
    }
    if (Status ok = check_apart(folder->targets(), inputs_); !ok) return ok;
    return folder->commit();
  }

  /// What each detection is, and who was found.
  Result<std::vector<eval::LabelledPicture>> label(const JudgedSet& set,
                                                   const Performance& performance) {
    std::vector<eval::LabelledPicture> out;
    for (std::size_t i = 0; i < performance.seen.size(); ++i) {
      const Seen& seen = performance.seen[i];
      eval::LabelledPicture& picture = out.emplace_back();
      picture.set = set.set.name;
      picture.model = performance.name;
      picture.image = set.run.pictures[i].path;
      picture.labels =
          eval::label(set.truth.boxes[i], set.truth.things[i], seen.boxes, set.set.match);
      const Result<PictureSize> size = size_of(seen, picture.image);
      if (!size) return size.error();
      picture.width = size->width;
      picture.height = size->height;
    }
    return out;
  }

  /// A line for each picture, set and detector.
  Status write_labels() {
    std::string lines;
    for (const JudgedSet& set : sets_)
      for (const Performance& performance : set.performances) {
        const Result<std::vector<eval::LabelledPicture>> pictures = label(set, performance);
        if (!pictures) return pictures.error();
        for (const eval::LabelledPicture& picture : *pictures) lines += eval::to_json_line(picture);
      }
    return write_output(options_.labels, lines);
  }

  /// The pictures with most errors: at 0.1 FPPI in the set, or as the model recommends.
  Status draw_worst(const std::vector<SetReport>& reports) {
    Result<OutputFolder> folder = OutputFolder::create(options_.worst);
    if (!folder) return folder.error();
    WorstPictures worst{*std::move(folder)};
    for (std::size_t i = 0; i < sets_.size(); ++i)
      for (const Report& report : reports[i].reports) {
        const Performance& performance = *report.performance;
        double threshold = report.operating[0].threshold;
        // So few pictures that one false alarm is too many: no threshold has 0.1 FPPI.
        if (performance.recommended && (options_.worst_advised || !std::isfinite(threshold)))
          threshold = *performance.recommended;
        const Result<std::vector<eval::LabelledPicture>> pictures = label(sets_[i], performance);
        if (!pictures) return pictures.error();
        const std::string& set = sets_[i].set.name;
        const std::string name = (set.empty() ? "" : set + "-") + file_name(performance.name);
        if (Status ok = worst.draw(name, *pictures, threshold, options_.worst_count); !ok)
          return ok;
      }
    return worst.commit(inputs_);
  }

  /// A line for each picture that is not yet among those written, each with its line.
  static Status add_lines(const JudgedSet& set, const Performance& performance,
                          std::map<std::string, std::string>& written, std::string& lines) {
    for (std::size_t i = 0; i < performance.seen.size(); ++i) {
      const Seen& seen = performance.seen[i];
      const std::string& path = set.run.pictures[i].path;
      std::vector<Detection> people;
      for (const eval::ScoredBox& b : seen.boxes)
        people.push_back({static_cast<float>(b.box.x), static_cast<float>(b.box.y),
                          static_cast<float>(b.box.w), static_cast<float>(b.box.h),
                          static_cast<float>(b.score)});
      const auto line = [&](double ms) {
        return json_line(path, seen.width, seen.height, ms, people.data(),
                         static_cast<int>(people.size()));
      };
      const auto [at, is_new] = written.emplace(path, line(0));
      if (is_new)
        lines += line(seen.ms.value_or(0));
      else if (at->second != line(0))
        return failure(Errc::invalid_argument,
                       "two sets searched a picture in different ways: save one set at a time",
                       path);
    }
    return Done{};
  }

  EvalOptions& options_;
  std::vector<std::string> inputs_;
  std::vector<JudgedSet> sets_;
  std::vector<Contestant> contestants_;
  std::string left_out_;  // a warning, for a run that is fine otherwise
};

Status check_set(const eval::PictureSet& set) {
  if (set.images.empty() || set.truth.empty())
    return Error{Errc::invalid_argument, 0, "eval detector",
                 "--images and --truth are needed, or --sets"};
  const eval::MatchSettings& match = set.match;
  // CLI11's ranges let NaN through
  if (std::isnan(match.min_height) || std::isnan(match.max_height) || std::isnan(match.min_visible))
    return Error{Errc::invalid_argument, 0, "eval", "heights and visibility must be numbers"};
  if (match.min_height >= match.max_height)
    return Error{Errc::invalid_argument, 0, "--truth-max-height",
                 "must be greater than --truth-min-height"};
  return Done{};
}

Status read_camera(const std::string& text, std::optional<eval::RoadCamera>& out) {
  constexpr const char* kOption = "--foot-camera";
  const Result<std::vector<double>> n =
      parse_numbers(kOption, "FOCAL_PX,HEIGHT_M,HORIZON_ROW", text, 3, 3);
  if (!n) return n.error();
  using Camera = eval::RoadCamera;
  const Camera camera{(*n)[0], (*n)[1], (*n)[2]};
  if (camera.focal_px < Camera::kLeastFocal_px || camera.focal_px > Camera::kGreatestFocal_px)
    return Error{Errc::invalid_argument, 0, kOption, "FOCAL_PX must be 1..100000"};
  if (camera.height_m < Camera::kLeastHeight_m || camera.height_m > Camera::kGreatestHeight_m)
    return Error{Errc::invalid_argument, 0, kOption, "HEIGHT_M must be 0.05..100"};
  if (std::abs(camera.horizon_row) > Camera::kFarthestHorizon)
    return Error{Errc::invalid_argument, 0, kOption, "HORIZON_ROW must be -65535..65535"};
  out = camera;
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
      "Intervals are the middle 95 % of what a figure is when the pictures are drawn anew.\n"
      "--boxes: errors are detection minus truth, in the boxes' own shape. bias is the mean error, "
      "of\n"
      "distances the median; median and 90 % are of errors without their sign. People whose true "
      "box\n"
      "ends at the picture's lower edge are cut off: only their place to the side counts.\n"
      "Truth: a CSV file of image,x,y,w,h[,ignore], or with a header that also names a column "
      "class;\n"
      "a folder of PASCAL text, one file per picture; or MOT text, SEQ/gt/gt.txt or SEQ, for "
      "pictures\n"
      "in SEQ/img1. Names are matched by their last parts.\n"
      "Models are searched with a low threshold to get the whole curve. FPPW, with --crops and\n"
      "--negatives: the window in the middle of each crop against all windows of the negatives,\n"
      "before fusion.\n"
      "Example: kerblab eval detector --model people.kwm --model opencv-hog --images street\n"
      "  --truth street.csv --negatives nobody --plot curves.svg --json curves.json\n"
      "Example: kerblab eval detector --model default --sets sets.toml --data ../shared/data\n"
      "Example: kerblab eval detector --model people.kwm --images street --truth street.csv\n"
      "  --labels labels.jsonl --worst drawn");
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
  add_name_option(
      *command, "--sets", o->sets,
      "TOML file of several sets of pictures, each with its truth: instead of --images, "
      "--truth, --negatives, --crops and what says who counts");
  add_name_option(*command, "--data", o->data,
                  "Folder that the paths in the file of sets begin at; default: its own");
  list("--images", o->set.images, "Pictures: a folder, a file, or @FILE with a list; repeatable");
  list("--truth", o->set.truth, "Truth: a file or a folder");
  list("--negatives", o->set.negatives, "More pictures, without people");
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
      ->check(between(-1e6, 1e6))
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag(
      "--boxes", o->boxes,
      "Also print how well the boxes of those who are found are placed, by height: foot "
      "point, height, and with a camera distance; --json has it always");
  add_name_option(*command, "--foot-camera", o->camera,
                  "FOCAL_PX,HEIGHT_M,HORIZON_ROW of the pictures' camera over a flat road: --boxes "
                  "with errors of distance; for --sets it stands in the file");
  list("--plot", o->plots, "Plot of miss rate over FPPI, P.svg or P.png; of sets, P-SET.svg each");
  list("--plot-fppw", o->window_plots, "Plot of miss rate over FPPW, P.svg or P.png");
  add_name_option(*command, "--save", o->save,
                  "Folder for the detections of the models, NAME.jsonl");
  add_name_option(*command, "--labels", o->labels,
                  "Write what each detection is (person, duplicate, ignored, false) and who was "
                  "found as JSON lines, one a picture for each set and detector; - is stdout (the "
                  "text is then not printed)");
  add_name_option(
      *command, "--worst", o->worst,
      "Folder for drawings of the pictures with most errors, and ledger.csv, a line for "
      "each error: missed people red, false alarms yellow, found people green, what is "
      "ignored grey");
  command
      ->add_option("--worst-count", o->worst_count,
                   "Most drawings for a set and detector: the worst of so many runs of neighbours")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--worst-advised", o->worst_advised,
                    "Draw at the threshold that the model recommends; default: at 0.1 FPPI in the "
                    "set");
  list("--truth-person", o->set.rules.people,
       "Class of people to be found, where the truth has classes; repeatable; default: person, "
       "pedestrian");
  list("--truth-ignore", o->set.rules.ignored,
       "Class in which nothing counts; repeatable; default: cyclist, group and others that are "
       "like a person");
  command
      ->add_option("--truth-min-height", o->set.match.min_height, "Ignore shorter people, pixels")
      ->check(between(0, 1e6));
  command
      ->add_option("--truth-max-height", o->set.match.max_height,
                   "Ignore people of this height and taller, pixels")
      ->check(between(0, 1e6));
  command
      ->add_option("--truth-min-visible", o->set.match.min_visible,
                   "Ignore people of whom a smaller share is visible, 0..1, if the truth has it")
      ->check(between(0, 1));
  command
      ->add_option("--resample", o->resampling.rounds,
                   "How often the pictures are drawn anew for the intervals")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command
      ->add_option("--resample-block", o->set.block,
                   "Pictures that follow one another and are drawn together: 1, or so many frames "
                   "of a drive that the next ones show others")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_flag("!--no-work", o->run.count_work,
                    "Do not count evaluated learners and stages (saves a second search)");
  add_search_options(*command, o->run.how,
                     "Lowest score of a window; default: lowest, all that is of use for a curve");
  run_when_chosen(*command, action, [o]() -> int {
    const auto done = [](const Status& status) { return status ? 0 : fail(status.error()); };
    if (Status ok = read_settings(o->run.how); !ok) return fail(ok.error());
    if (!o->run.how.threshold) o->run.how.lowest = true;
    if (!o->camera.empty()) {
      if (!o->sets.empty())
        return fail("--sets replaces --foot-camera: each set of the file has its own camera");
      if (Status ok = read_camera(o->camera, o->set.camera); !ok) return fail(ok.error());
      o->boxes = true;
    }
    if (o->sets.empty()) {
      if (Status ok = check_set(o->set); !ok) return fail(ok.error());
      return done(EvalDetector{*o}.run({o->set}));
    }
    if (!o->set.images.empty() || !o->set.truth.empty() || !o->set.negatives.empty() ||
        !o->crops.empty())
      return fail("--sets replaces --images, --truth, --negatives and --crops");
    if (o->data.empty()) o->data = fs::path{o->sets}.parent_path().string();
    eval::PictureSets sets = eval::read_picture_sets(o->sets, o->data);
    for (const schema::Problem& problem : sets.problems) fail(problem.line());
    return sets.problems.empty() ? done(EvalDetector{*o}.run(std::move(sets.sets))) : kBadInput;
  });
}

}  // namespace kerb::lab
