// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/train/data.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string_view>
#include <utility>

#include "gpu/hog/model_file.hpp"
#include "gpu/memory/context.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/input_files.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/pictures/picture_truth.hpp"
#include "tools/kerblab/pictures/pictures.hpp"
#include "tools/train/judge.hpp"
#include "tools/train/random.hpp"

namespace kerb::lab {
namespace {

const char* works_on(const hog::Model& model) {
  const auto* cascade = std::get_if<hog::CascadeModel>(&model.kind);
  return cascade != nullptr && cascade->linear.empty() ? "trees" : "blocks";
}

/// All that a training writes.
std::vector<std::string> files_of(const std::string& out) {
  return {out, out + ".log.jsonl", out + ".checkpoint", out + ".md"};
}

/// Of folders in the order of tools/train, by which a training gives the same bytes.
Result<std::vector<std::string>> pictures_of(const std::vector<std::string>& words) {
  std::vector<std::string> paths;
  for (const std::string& word : words) {
    const Result<std::vector<std::string>> more =
        word.front() == '@' ? expand_list({word}) : train::list_pictures({word});
    if (!more) return more.error();
    paths.insert(paths.end(), more->begin(), more->end());
  }
  return paths;
}

/// Where people are in these pictures, and what is like them.
Result<std::vector<std::vector<train::Area>>> people_in(const std::vector<std::string>& pictures,
                                                        const std::vector<std::string>& truth) {
  const Result<PictureTruth> boxes = truth_of(pictures, truth);
  if (!boxes) return boxes.error();
  std::vector<std::vector<train::Area>> people(pictures.size());
  for (std::size_t i = 0; i < pictures.size(); ++i)
    for (const eval::TruthBox& t : boxes->boxes[i])
      people[i].push_back({t.box.x, t.box.y, t.box.w, t.box.h});
  return people;
}

Status check_options(const TrainOptions& options) {
  const auto wrong = [](const char* option, const char* text) {
    return Error{Errc::invalid_argument, 0, option, text};
  };
  if (const char* text = hog::wrong_with_name(options.name); text != nullptr)
    return wrong("--name", text);
  if (options.out == "-") return wrong("--out", "must be a file: others are written beside it");
  if (options.judge_scale != 0 && !(options.judge_scale >= 1.001 && options.judge_scale <= 16))
    return wrong("--judge-scale", "must be 1.001..16, or 0 for the model's advice");
  for (const std::string& path : files_of(options.out))
    if (Status ok = check_output(path); !ok) return ok;
  return Done{};
}

}  // namespace

void add_train_options(CLI::App& command, TrainOptions& o) {
  command
      .add_option("--positives", o.positives,
                  "Folders of crops (or @FILE with a list) with one person each; the window is cut "
                  "from the middle")
      ->required()
      ->check(not_empty);
  command
      .add_option("--negatives", o.negatives,
                  "Folders of pictures (or @FILE with a list) without people, or with --truth")
      ->required()
      ->check(not_empty);
  command
      .add_option(
          "--truth", o.truth,
          "Truth of negatives that do show people, as for kerblab eval detector: these, and "
          "all classes that are like a person, are avoided")
      ->check(not_empty);
  command.add_flag("--mirror-negatives", o.mirror_negatives,
                   "Also search the mirrored pictures for false positives");
  command
      .add_option("--window", o.window,
                  "Window of the model, pixels; the person has three quarters of its height")
      ->capture_default_str();
  command
      .add_option(
          "--crop-scale", o.crop_scale,
          "Scale of the crops relative to the window: 2 if people in the crops are twice as tall")
      ->check(between(0.1, 16))
      ->capture_default_str();
  command.add_option("--out", o.out, "Output file of the model")->required()->check(not_empty);
  command.add_option("--name", o.name, "Name of the model")->capture_default_str();
  command
      .add_option("--seed", o.seed,
                  "Seed of the random numbers; the same seed gives the same model")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_flag("--resume", o.resume, "Continue an interrupted training");
  command
      .add_option("--hold-out", o.hold_out,
                  "Hold out 1 of N crops and pictures for evaluation; 0: none")
      ->check(CLI::Range(0, 1000000));
  command
      .add_option("--judge-stride", o.judge_stride,
                  "Step between windows when the held-out pictures are searched, pixels; 0: the "
                  "model's advice")
      ->check(CLI::Range(0, 256));
  command.add_option("--judge-scale", o.judge_scale,
                     "Scale ratio between levels of that search; 0: the model's advice");
  command
      .add_flag("--judge-only", o.judge_only,
                "With --hold-out: do not train; evaluate the model OUT on the held-out pictures")
      ->needs("--hold-out");
  add_backend_option(command, o.backend,
                     "Where the search for false positives runs: auto, cpu or cuda");
  add_threads_option(command, o.threads, "Number of threads; 0: one per core");
}

Result<hog::Geometry> geometry_of(const TrainOptions& options, const hog::Geometry& like) {
  int width = 0, height = 0, end = 0;
  // NOLINTNEXTLINE(cert-err34-c): checked below
  if (std::sscanf(options.window.c_str(), "%5dx%5d%n", &width, &height, &end) != 2 ||
      static_cast<std::size_t>(end) != options.window.size() || width < 16 || height < 16 ||
      width > hog::kMaxWindowSide || height > hog::kMaxWindowSide)
    return Error{Errc::invalid_argument, 0, "--window",
                 "WIDTHxHEIGHT, each 16..1024 pixels, such as 64x128"};
  hog::Geometry geometry = like;
  const float x = static_cast<float>(width) / static_cast<float>(like.window_width);
  const float y = static_cast<float>(height) / static_cast<float>(like.window_height);
  geometry.window_width = width;
  geometry.window_height = height;
  geometry.person_x *= x;
  geometry.person_width *= x;
  geometry.person_y *= y;
  geometry.person_height *= y;
  return geometry;
}

train::Loader picture_loader() {
  return [](const std::string& path, bool colour) -> Result<train::Pixels> {
    Result<LoadedPicture> loaded = load_picture(path, colour);
    if (!loaded) return loaded.error();
    train::Pixels pixels;
    pixels.width = loaded->bgr.cols;
    pixels.height = loaded->bgr.rows;
    pixels.grey = std::move(loaded->grey);
    pixels.planes = std::move(loaded->planes);
    return pixels;
  };
}

void TrainObserver::progress(const std::string& what, std::size_t done, std::size_t all,
                             const std::string& note) {
  if (bar_ == nullptr || what != what_) {
    bar_.reset();
    bar_ = std::make_unique<Progress>(clock_, what);
    what_ = what;
  }
  bar_->show(done, all, note);
}

void TrainObserver::say(const std::string& line) {
  bar_.reset();
  std::fprintf(stderr, "%s\n", line.c_str());
}

Result<TrainRun> TrainRun::open(const TrainOptions& options, const hog::Geometry& geometry,
                                bool colour) {
  TrainRun run;
  run.options_ = options;
  if (Status ok = check_options(options); !ok) return ok.error();
  run.clock_ = std::make_unique<SystemClock>();
  run.observer_ = std::make_unique<TrainObserver>(*run.clock_);
  BackendChoice choice = BackendChoice::automatic;
  parse(options.backend, choice);
  Result<Context> context = Context::create(choice);
  if (!context) return context.error();
  run.context_ = std::make_unique<Context>(std::move(*context));
  run.workers_ = std::make_unique<Workers>(options.threads);
  const auto scaled_up = [&](int side) {  // the least that makes so many window pixels
    return static_cast<int>(std::ceil((side - 0.5) * options.crop_scale));
  };
  struct Part {
    const std::vector<std::string>& folders;
    std::unique_ptr<train::PictureSet>& set;
    std::unique_ptr<train::PictureSet>& held;
    const char* what;
  };
  for (const Part& part :
       {Part{options.positives, run.positives_, run.held_people_, "read people"},
        Part{options.negatives, run.negatives_, run.held_pictures_, "read pictures"}}) {
    const Result<std::vector<std::string>> paths = pictures_of(part.folders);
    if (!paths) return paths.error();
    if (!options.judge_only)
      if (Status ok = check_apart(files_of(options.out), *paths); !ok) return ok.error();
    train::PictureSet::Options o;
    o.colour = colour;
    const bool crops = &part.folders == &options.positives;
    o.least_width = crops ? scaled_up(geometry.window_width) : geometry.window_width;
    o.least_height = crops ? scaled_up(geometry.window_height) : geometry.window_height;
    train::Split split = train::hold_out(*paths, options.hold_out);
    if (options.hold_out > 0 && (split.held_out.empty() || split.kept.empty()))
      return Error{Errc::invalid_argument, 0, "--hold-out",
                   crops ? "leaves no --positives for training or for evaluation"
                         : "leaves no --negatives for training or for evaluation"};
    o.mirror = options.mirror_negatives && &part.folders == &options.negatives;
    const auto read = [&](std::vector<std::string> files,
                          std::unique_ptr<train::PictureSet>& set) -> Status {
      std::vector<std::vector<train::Area>> people;
      if (!crops && !options.truth.empty()) {
        Result<std::vector<std::vector<train::Area>>> found = people_in(files, options.truth);
        if (!found) return found.error();
        people = *std::move(found);
      }
      Result<train::PictureSet> opened =
          train::PictureSet::open(std::move(files), picture_loader(), o, part.what, *run.observer_);
      if (!opened) return opened.error();
      set = std::make_unique<train::PictureSet>(std::move(*opened));
      if (!people.empty()) set->avoid(people);
      return Done{};
    };
    if (!options.judge_only)
      if (Status ok = read(std::move(split.kept), part.set); !ok) return ok.error();
    o.mirror = false;
    if (!split.held_out.empty())
      if (Status ok = read(std::move(split.held_out), part.held); !ok) return ok.error();
  }
  return run;
}

train::Session TrainRun::session(const std::string& trainer, const std::string& settings) {
  const std::uint64_t data = train::key_of({positives_->fingerprint(), negatives_->fingerprint()});
  return {*clock_,
          {options_.out + ".checkpoint", options_.out + ".log.jsonl", options_.resume},
          trainer,
          settings,
          data};
}

Status TrainRun::finish(const hog::Model& model, train::Session& session) {
  if (Status ok = hog::save(model, options_.out); !ok) return ok;
  std::string held_out = "nothing held out";
  if (held_people_ != nullptr && held_pictures_ != nullptr) {
    const Result<Verdict> verdict = say_judgement(model, &session);
    if (!verdict) return verdict.error();
    held_out = verdict->text;
    hog::Model advised = model;
    advised.advice.threshold = verdict->threshold;
    if (Status ok = hog::save(advised, options_.out); !ok) return ok;
  }
  if (Status ok = write_output(options_.out + ".md", card(session, held_out)); !ok) return ok;
  return session.finish();
}

std::string TrainRun::card(const train::Session& session, const std::string& held_out) const {
  std::string folders[2];
  for (const std::string& folder : options_.positives) folders[0] += " " + folder;
  for (const std::string& folder : options_.negatives) folders[1] += " " + folder;
  std::string settings;
  std::istringstream lines{session.settings()};
  for (std::string line; std::getline(lines, line);) settings += "    " + line + "\n";
  return fmt::format(
      "# {}\n"
      "\n"
      "Made by `kerblab train {}`. Please add: where the pictures come from and what their "
      "licences\n"
      "allow, how the settings were chosen, results on pictures that were never used for that\n"
      "(`kerblab eval detector`), and limits.\n"
      "\n"
      "| | |\n"
      "|---|---|\n"
      "| people | {} crops of{} |\n"
      "| places | {} pictures of{} |\n"
      "| held out | {} |\n"
      "| time | {:.1f} minutes, {} threads, search on {} |\n"
      "\n"
      "Settings:\n"
      "\n"
      "{}",
      options_.name, session.trainer(), positives_->size(), folders[0], negatives_->size(),
      folders[1], held_out, session.seconds() / 60, workers_->count(), name_of(context_->backend()),
      settings);
}

Result<Verdict> TrainRun::say_judgement(const hog::Model& model, train::Session* session) {
  if (held_people_ == nullptr || held_pictures_ == nullptr)
    return Error{Errc::invalid_argument, 0, "--hold-out", "too few pictures to hold any out"};
  train::JudgeSettings settings;
  settings.crop_scale = options_.crop_scale;
  const hog::Advice& advice = model.advice;
  settings.search.scale_step = hog::advised_scale_step(advice);
  settings.search.stride = advice.stride;
  settings.search.padding = advice.padding;
  settings.fusion.kind = advice.fusion;
  settings.fusion.overlap = advice.overlap;
  settings.fusion.of_smaller = advice.of_smaller;
  if (options_.judge_stride > 0) settings.search.stride = options_.judge_stride;
  if (options_.judge_scale > 0) settings.search.scale_step = options_.judge_scale;
  if (std::holds_alternative<hog::DenseModel>(model.kind)) {
    settings.threshold = -1;
    settings.fusion.zero = -1;
  }
  const Result<train::Judgement> judged = train::judge(*context_, *workers_, model, settings,
                                                       *held_people_, *held_pictures_, *observer_);
  if (!judged) return judged.error();
  const bool has_stages = std::string_view{works_on(model)} == "blocks";  // not a tree each
  constexpr int kTenth = 4;  // the point of 0.1 false positives
  const float threshold = judged->threshold[kTenth];
  std::string misses, reach;
  for (const double miss : judged->miss_rate)
    misses += fmt::format("{}{:.3f}", misses.empty() ? "" : ",", miss);
  for (const double part : judged->reach)
    reach += fmt::format("{}{:.5f}", reach.empty() ? "" : ",", part);
  if (session != nullptr)
    session->log(fmt::format(
        R"({{"held_out":{},"found_at_all":{:.4f},"windows":{},"passed":{:.4g},"log_average":{:.4f},"miss_rate":[{}],"threshold":{:.4f},"learners_per_window":{:.3f},"reach":[{}]}})",
        judged->people, judged->found, judged->windows,
        static_cast<double>(judged->passed) /
            static_cast<double>(std::max<std::int64_t>(1, judged->windows)),
        judged->log_average, misses, threshold, judged->learners, reach));
  std::string text = fmt::format(
      "{} people, {} windows: log-average miss rate {:.3f} (at 0.01..1 false positives per "
      "640x480: {}), threshold {:.2f} for 0.1 of them, {:.2f} {} per window{}",
      judged->people, judged->windows, judged->log_average, misses, threshold, judged->learners,
      works_on(model),
      has_stages && judged->reach.size() > 4
          ? fmt::format(", {:.1f} % left after 4 stages", 100 * judged->reach[4])
          : "");
  observer_->say("held out: " + text);
  return Verdict{threshold, std::move(text)};
}

}  // namespace kerb::lab
