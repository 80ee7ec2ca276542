// SPDX-License-Identifier: Apache-2.0
// kerblab train rejection: a cascade that rejects sooner.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gpu/hog/model_file.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/pictures/picture_truth.hpp"
#include "tools/kerblab/train/data.hpp"
#include "tools/train/rejection.hpp"

namespace kerb::lab {
namespace {

struct RejectionOptions {
  std::string model, out, backend = "auto";
  std::vector<std::string> images, truth;
  double min_height = 0;
  int threads = 0;
  train::RejectionSettings settings;
};

/// People who count, with boxes as wide as those of the model.
std::vector<std::vector<train::Area>> people_of(const PictureTruth& truth,
                                                const hog::Geometry& geometry, double min_height) {
  if (min_height <= 0) min_height = double{geometry.person_height};
  const double aspect = double{geometry.person_width} / double{geometry.person_height};
  std::vector<std::vector<train::Area>> people;
  for (const std::vector<eval::TruthBox>& boxes : truth.boxes) {
    people.emplace_back();
    for (const eval::TruthBox& person : boxes) {
      const eval::Box& b = person.box;
      if (person.ignore || b.h < min_height) continue;
      const double width = aspect * b.h;
      people.back().push_back({b.x + b.w / 2 - width / 2, b.y, width, b.h});
    }
  }
  return people;
}

Status make_model(RejectionOptions& o) {
  if (Status ok = check_output(o.out); !ok) return ok;
  const Result<hog::Model> model = hog::load(o.model);
  if (!model) return model.error();
  const Result<std::vector<std::string>> paths = expand_pictures(o.images);
  if (!paths) return paths.error();
  std::vector<std::string> inputs = *paths;
  inputs.push_back(o.model);
  if (Status ok = check_apart({o.out}, inputs); !ok) return ok;
  const Result<PictureTruth> truth = truth_of(*paths, o.truth);
  if (!truth) return truth.error();
  if (!truth->left_out.empty()) warn(truth->left_out);
  BackendChoice choice = BackendChoice::automatic;
  parse(o.backend, choice);
  Result<Context> context = Context::create(choice);
  if (!context) return context.error();
  Workers workers{o.threads};
  const SystemClock clock;
  TrainObserver observer{clock};
  const auto* cascade = std::get_if<hog::CascadeModel>(&model->kind);
  train::PictureSet::Options read;
  read.colour = cascade != nullptr && cascade->channels.colour;
  Result<train::PictureSet> pictures =
      train::PictureSet::open(*paths, picture_loader(), read, "read pictures", observer);
  if (!pictures) return pictures.error();
  hog::SearchSettings& search = o.settings.search;
  search.scale_step = hog::advised_scale_step(model->advice);
  search.stride = model->advice.stride;
  search.padding = model->advice.padding;
  search.min_height = static_cast<int>(o.min_height);
  const Result<train::Rejection> made = train::set_rejection(
      *context, workers, *model, *pictures, people_of(*truth, model->geometry(), o.min_height),
      o.settings, observer);
  if (!made) return made.error();
  if (Status ok = hog::save(made->model, o.out); !ok) return ok;
  return write_output("-", fmt::format("{}: {} of {} people found, {} before\n", o.out, made->kept,
                                       made->people, made->found));
}

}  // namespace

void add_train_rejection(CLI::App& group, Action& action) {
  CLI::App* rejection =
      group.add_subcommand("rejection", "Make a cascade of train channels reject sooner: faster");
  const auto o = std::make_shared<RejectionOptions>();
  rejection->add_option("file", o->model, "Model")->required()->option_text("FILE");
  const auto list = [rejection](const char* name, std::vector<std::string>& out, const char* help) {
    rejection->add_option(name, out, help)->check(not_empty)->required();
  };
  list("--images", o->images, "Pictures with people: folders, files, or @FILE with a list");
  list("--truth", o->truth, "Truth, as for kerblab eval detector");
  add_name_option(*rejection, "--out", o->out, "Output file of the model")->required();
  rejection
      ->add_option("--min-height", o->min_height,
                   "Leave out shorter people, pixels; less than the model's enlarges the pictures; "
                   "0: the model's")
      ->check(between(0, 65535))
      ->capture_default_str();
  rejection
      ->add_option("--keep", o->settings.keep,
                   "Share of the people found before who must still be found")
      ->check(between(0.5, 1))
      ->capture_default_str();
  rejection
      ->add_option("--threshold", o->settings.threshold,
                   "Lowest score at which a window counts as found, such as the one from which "
                   "windows become candidates (kerblab model look-again)")
      ->capture_default_str();
  rejection
      ->add_option("--overlap", o->settings.overlap,
                   "Least intersection over union of a window with the person it finds")
      ->check(between(0.1, 1))
      ->capture_default_str();
  rejection->add_option("--backend", o->backend, "Where the search runs: auto, cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  rejection->add_option("--threads", o->threads, "Number of threads; 0: one per core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  rejection->footer(
      "Each stage gets the highest threshold at which nearly all people are still found: by one of "
      "the\n"
      "windows on each, as the others are not needed. Scores do not change. Use pictures that the "
      "model\n"
      "was not trained on, if there are any: people it has seen pass more easily.\n"
      "Example: kerblab train rejection mine.kwm --images street --truth street.csv --keep 0.99 "
      "--out fast.kwm");
  run_when_chosen(*rejection, action, [o] { return make_model(*o); });
}

}  // namespace kerb::lab
