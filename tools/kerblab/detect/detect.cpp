// SPDX-License-Identifier: Apache-2.0
// kerblab detect: people in pictures, as JSON lines and as drawings.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/hog/fusion.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/input_files.hpp"
#include "tools/kerblab/app/json_line.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/model/models.hpp"
#include "tools/kerblab/model/search_options.hpp"
#include "tools/kerblab/model/searches.hpp"
#include "tools/kerblab/pictures/draw.hpp"
#include "tools/kerblab/pictures/pictures.hpp"

namespace kerb::lab {
namespace {

struct DetectOptions {
  std::vector<std::string> images;
  std::string model, json = "-", draw;
  SearchOptions how;
};

int windows_of(const hog::Geometry& geometry, const hog::SearchSettings& search, int width,
               int height) {
  const Result<hog::SearchPlan> plan = hog::plan_search(geometry, search, width, height);
  return plan ? plan->window_count : 0;
}

/// Which option leaves no window of a picture that has some without it; empty: it is just small.
std::string who_left_nothing(const hog::Geometry& geometry, const hog::SearchSettings& search,
                             int width, int height) {
  hog::SearchSettings no_min = search, no_max = search, no_region = search, no_ground = search;
  no_min.min_height = 0;
  no_max.max_height = 0;
  no_region.region = {};
  no_ground.ground.reset();
  hog::SearchSettings nothing = no_ground;
  nothing.min_height = nothing.max_height = 0;
  nothing.region = {};
  const auto holds = [&](const hog::SearchSettings& s) {
    return windows_of(geometry, s, width, height) > 0;
  };
  if (!holds(nothing)) return {};
  if (holds(no_max))
    return fmt::format(
        "--max-height (the model's person is {} pixels tall; --min-height enlarges pictures)",
        geometry.person_height);
  if (holds(no_region)) return "--region";
  if (holds(no_ground)) return "--ground";
  if (holds(no_min)) return "--min-height";
  std::string together;
  const auto add = [&](bool given, const char* name) {
    if (given) together += (together.empty() ? "" : " with ") + std::string{name};
  };
  add(search.min_height != 0, "--min-height");
  add(search.max_height != 0, "--max-height");
  add(search.region.width != 0, "--region");
  add(search.ground.has_value(), "--ground");
  return together;
}

class Detect {
 public:
  explicit Detect(const DetectOptions& options) : options_{options} {}

  Status run() {
    const Result<std::vector<std::string>> paths = expand_list(options_.images);
    if (!paths) return paths.error();
    if (Status ok = check_output(options_.json); !ok) return ok;
    std::vector<std::string> inputs = *paths;
    if (!options_.model.empty()) inputs.push_back(options_.model);
    for (const std::string& word : options_.images)
      if (word.front() == '@') inputs.push_back(word.substr(1));
    if (Status ok = check_apart({options_.json}, inputs); !ok) return ok;
    if (Status ok = open(); !ok) return ok;
    std::vector<std::string> drawn(paths->size());
    if (drawings_) {
      for (std::size_t i = 0; i < drawn.size(); ++i)
        drawn[i] = drawings_->next(std::filesystem::path{(*paths)[i]}.stem().string(), ".png");
      if (Status ok = check_apart(drawings_->targets(), inputs); !ok) return ok;
    }
    Progress progress{clock_, "detect"};
    for (std::size_t i = 0; i < paths->size(); ++i) {
      if (Status done = one((*paths)[i], drawn[i]); !done) return done;
      progress.show(i + 1, paths->size());
    }
    progress.clear();
    if (drawings_)
      if (Status ok = drawings_->commit(); !ok) return ok;
    if (Status ok = write_output(options_.json, lines_); !ok) return ok;
    if (!nothing_searched_.empty()) warn(nothing_searched_);
    if (const std::string note = default_model_note(); options_.model.empty() && !note.empty())
      warn(note);
    return Done{};
  }

 private:
  Status open() {
    Result<Context> context = Context::create(options_.how.backend);
    if (!context) return context.error();
    context_.emplace(std::move(*context));
    workers_.emplace(options_.how.threads);
    Result<hog::Model> model =
        options_.model.empty() ? default_model() : load_model(options_.model);
    if (!model) return model.error();
    settings_ = settings_for(options_.how, *model);
    if (Status ok = hog::validate(settings_.fuse); !ok) return ok;
    colour_ = options_.how.colour || hog::needs_colour(*model);
    searches_.emplace(*context_, *workers_, std::move(*model), settings_.search, settings_.fuse);
    if (options_.draw.empty()) return Done{};
    Result<OutputFolder> drawings = OutputFolder::create(options_.draw);
    if (!drawings) return drawings.error();
    drawings_.emplace(std::move(*drawings));
    return Done{};
  }

  Status one(const std::string& path, const std::string& drawn) {
    Result<LoadedPicture> picture = load_picture(path, colour_);
    if (!picture) return picture.error();
    const Result<hog::PeopleSearch*> search =
        searches_->search(picture->bgr.cols, picture->bgr.rows);
    if (!search) return search.error();
    if ((*search)->engine().plan().window_count == 0 && nothing_searched_.empty())
      if (const std::string who = who_left_nothing(searches_->model().geometry(), settings_.search,
                                                   picture->bgr.cols, picture->bgr.rows);
          !who.empty())
        nothing_searched_ = path + ": nothing to search because of " + who;
    const Nanos start = clock_.now();
    if (Status ok = (*search)->find(picture->view(), settings_.threshold, people_); !ok) return ok;
    const double ms = std::chrono::duration<double, std::milli>(clock_.now() - start).count();
    lines_ +=
        json_line(path, picture->bgr.cols, picture->bgr.rows, ms, people_.items, people_.count);
    if (!drawings_) return Done{};
    draw_detections(picture->bgr, people_, settings_.threshold);
    return write_png(drawn, picture->bgr);
  }

  const DetectOptions& options_;
  RunSettings settings_;
  SystemClock clock_;
  std::optional<Context> context_;
  std::optional<Workers> workers_;
  std::optional<SearchShelf> searches_;
  std::optional<OutputFolder> drawings_;
  bool colour_ = false;
  DetectionList people_;
  std::string lines_;
  std::string nothing_searched_;  // a warning about the first such picture
};

}  // namespace

void add_detect(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("detect", "Find people in pictures");
  command->footer(
      "Writes one JSON line per picture: image, width, height, ms (search and fusion) and at most "
      "256\n"
      "detections, each with x, y, w, h (the person, in pixels of the picture) and score, best "
      "first.\n"
      "If a picture cannot be read, it stops with one error line and exit code 2 and writes "
      "nothing.\n"
      "An output that is also an input is refused.\n"
      "The search follows the model's advice (kerblab model info) unless an option says "
      "otherwise.\n"
      "Without --model it uses default.kwm of the installed models (in share/kerbwatch/models, or "
      "the\n"
      "folder that the variable KERBWATCH_MODELS names). If there is none, it warns and uses the\n"
      "coefficients of OpenCV's people detector.\n"
      "Example: kerblab detect --scale 1.1 --draw drawn --json found.jsonl @pictures.txt");
  const auto o = std::make_shared<DetectOptions>();
  command
      ->add_option(
          "image", o->images,
          "Pictures, at most 65535 pixels wide and high; @FILE reads a list, one path per line")
      ->required()
      ->option_text("IMAGE...");
  add_name_option(
      *command, "--model", o->model,
      "Model: Kerbwatch's, or OpenCV's HOG coefficients or HOG cascade (XML, YAML, text)");
  add_name_option(*command, "--json", o->json, "Output file of the JSON lines; - is stdout")
      ->capture_default_str();
  add_name_option(*command, "--draw", o->draw,
                  "Folder for one PNG file per picture, with boxes and scores");
  add_search_options(
      *command, o->how,
      "Lowest score of a window, or lowest: all that is of use for a curve; default: the "
      "model's advice");
  run_when_chosen(*command, action, [o]() -> Status {
    if (Status ok = read_settings(o->how); !ok) return ok;
    return Detect{*o}.run();
  });
}

}  // namespace kerb::lab
