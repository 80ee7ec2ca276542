// SPDX-License-Identifier: Apache-2.0
// kerblab train: models from crops of people and pictures without any.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/hog/model_file.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/train/data.hpp"
#include "tools/train/cascade.hpp"
#include "tools/train/channels.hpp"
#include "tools/train/svm.hpp"

namespace kerb::lab {
namespace {

struct CascadeOptions {
  TrainOptions common;
  train::CascadeSettings settings;
  std::string votes = "real";
  bool separate = false, no_mirror = false;

  [[nodiscard]] bool looks_at_colour() const { return settings.colour; }
  void settle() {
    settings.votes = votes == "step" ? train::Votes::step : train::Votes::real;
    settings.chain = !separate;
  }
};

struct SvmOptions {
  TrainOptions common;
  train::SvmSettings settings;
  std::string kind = "rhog";
  bool no_gamma = false, no_mirror = false;

  [[nodiscard]] bool looks_at_colour() const { return settings.colour; }
  void settle() {
    settings.kind = kind == "cells"      ? hog::DenseKind::cells
                    : kind == "integral" ? hog::DenseKind::integral
                                         : hog::DenseKind::rhog;
    settings.gamma = !no_gamma;
  }
};

struct ChannelOptions {
  TrainOptions common;
  train::ChannelSettings settings;
  std::string votes = "step";
  std::vector<int> mix{1, 1, 1};
  bool grey = false, no_mirror = false, no_edges = false;

  [[nodiscard]] bool looks_at_colour() const { return settings.channels.colour; }
  void settle() {
    settings.boost.discrete = votes == "step";
    settings.mix = {mix[0], mix[1], mix[2]};
    settings.channels.colour = !grey;
    settings.edges = !no_edges;
  }
};

/// One training, whichever: `make` is train_cascade() or one of its kind.
template <typename Options, typename Make>
Status train_model(Options& o, const char* trainer, Make* make) {
  auto& s = o.settings;
  s.seed = o.common.seed;
  s.name = o.common.name;
  s.crops.mirror = !o.no_mirror;
  s.crops.scale = o.common.crop_scale;
  o.settle();
  const Result<hog::Geometry> geometry = geometry_of(o.common, s.geometry);
  if (!geometry) return geometry.error();
  s.geometry = *geometry;
  if (Status ok = train::validate(s); !ok) return ok;
  Result<TrainRun> run = TrainRun::open(o.common, s.geometry, o.looks_at_colour());
  if (!run) return run.error();
  if (o.common.judge_only) {
    const Result<hog::Model> model = hog::load(o.common.out);
    if (!model) return model.error();
    const Result<Verdict> judged = run->say_judgement(*model, nullptr);
    if (!judged) return judged.error();
    return Done{};
  }
  train::Session session = run->session(trainer, train::text_of(s));
  const Result<hog::Model> model = make(run->context(), run->workers(), s, run->positives(),
                                        run->negatives(), session, run->observer());
  if (!model) return model.error();
  return run->finish(*model, session);
}

template <typename Options, typename Make>
void on_call(CLI::App& command, const std::shared_ptr<Options>& o, Action& action,
             const char* trainer, Make* make) {
  run_when_chosen(command, action, [o, trainer, make] { return train_model(*o, trainer, make); });
}

void add_cascade(CLI::App& command, Action& action) {
  CLI::App* cascade = command.add_subcommand(
      "cascade", "Train a cascade of HoG blocks (AdaBoost over linear SVMs)");
  const auto o = std::make_shared<CascadeOptions>();
  o->common.name = "hog-cascade";
  add_train_options(*cascade, o->common);
  train::CascadeSettings& s = o->settings;
  cascade->add_option("--d-min", s.d_min, "Least share of people that each stage must pass")
      ->capture_default_str();
  cascade
      ->add_option("--f-max", s.f_max, "Largest share of false positives that each stage may pass")
      ->capture_default_str();
  cascade->add_option("--stages", s.stages, "Most stages")->capture_default_str();
  cascade->add_option("--target", s.target, "Stop when only this share of all windows passes")
      ->capture_default_str();
  cascade
      ->add_option(
          "--pool", s.grid,
          "Grid of the blocks, pixels: 1 (the thesis's 5029 blocks), 2 or 4 (fastest to run)")
      ->capture_default_str();
  cascade->add_flag("--colour", s.colour,
                    "Use the strongest gradient of L, U and V at each pixel instead of grey");
  cascade->add_flag("--fine-pool", s.fine_pool, "Blocks every 4 pixels instead of every 8");
  cascade->add_option("--sample", s.sample, "Blocks tried for each learner")->capture_default_str();
  cascade->add_option("--max-learners", s.max_learners, "Most learners of one stage")
      ->capture_default_str();
  cascade
      ->add_option("--last-learners", s.last_learners,
                   "Learners of an additional last stage that ranks the remaining windows; 0: none")
      ->capture_default_str();
  cascade
      ->add_option(
          "--last-rounds", s.last_rounds,
          "Rounds of training of the last stage, each with the hardest remaining negatives")
      ->capture_default_str();
  cascade->add_option("--negatives-per-stage", s.negatives,
                      "Windows without people per stage; 0: as many as with people");
  cascade->add_option("--votes", o->votes, "Votes: real (by distance from the plane) or step")
      ->check(CLI::IsMember({"real", "step"}))
      ->capture_default_str();
  cascade->add_flag(
      "--separate", o->separate,
      "Each stage has its own sum, as in the thesis, instead of continuing that of earlier stages");
  cascade->add_option("--cost", s.cost, "Cost C of the SVMs")->capture_default_str();
  cascade
      ->add_option("--trim", s.trim,
                   "Skip the examples of lowest weight that have this share of the weight")
      ->capture_default_str();
  cascade
      ->add_option("--shrink", s.shrink,
                   "Factor on real votes: smaller learns more slowly, with less confident scores")
      ->capture_default_str();
  cascade->add_option("--shift", s.crops.shift,
                      "Also train on people shifted by N pixels in four directions; 0: off");
  cascade->add_option("--shift-copies", s.crops.copies,
                      "Instead of four directions: N random shifts of up to --shift pixels");
  cascade->add_flag("--no-mirror", o->no_mirror, "Do not train on mirrored people");
  cascade->footer(
      "Writes the model, a log of JSON lines (OUT.log.jsonl) and a draft of its card (OUT.md). "
      "During the\n"
      "training, OUT.checkpoint holds everything that is done: after an interruption, the same "
      "command\n"
      "with --resume gives the same model as an uninterrupted training.\n"
      "Example: kerblab train cascade --positives people --negatives streets --out mine.kwm");
  on_call(*cascade, o, action, "cascade", train::train_cascade);
}

void add_svm(CLI::App& command, Action& action) {
  CLI::App* svm = command.add_subcommand("svm", "Train a linear SVM on dense HoG");
  const auto o = std::make_shared<SvmOptions>();
  o->common.name = "hog-svm";
  add_train_options(*svm, o->common);
  train::SvmSettings& s = o->settings;
  svm->add_option("--kind", o->kind,
                  "Kind of descriptor: rhog (Dalal and Triggs), cells or integral")
      ->check(CLI::IsMember({"rhog", "cells", "integral"}))
      ->capture_default_str();
  svm->add_flag("--colour", s.colour,
                "rhog: use the strongest gradient of red, green and blue at each pixel");
  svm->add_flag("--no-gamma", o->no_gamma, "rhog: do not take square roots of the samples");
  svm->add_option("--cost", s.cost, "Cost C of windows without people")->capture_default_str();
  svm->add_option("--person-cost", s.person_cost, "Cost of windows with people, relative to --cost")
      ->capture_default_str();
  svm->add_option("--random-negatives", s.negatives, "Random windows of the first round")
      ->capture_default_str();
  svm->add_option("--rounds", s.rounds, "Rounds of hard negatives")->capture_default_str();
  svm->add_option("--hard-negatives", s.hard_negatives, "Most hard negatives per round")
      ->capture_default_str();
  svm->add_option("--margin", s.margin, "Lowest score of a hard negative")->capture_default_str();
  svm->add_option("--tolerance", s.tolerance, "Tolerance of the solver")->capture_default_str();
  svm->add_option("--shift", s.crops.shift,
                  "Also train on people shifted by N pixels in four directions; 0: off");
  svm->add_option("--shift-copies", s.crops.copies,
                  "Instead of four directions: N random shifts of up to --shift pixels");
  svm->add_flag("--no-mirror", o->no_mirror, "Do not train on mirrored people");
  svm->footer(
      "Writes the model, its log (OUT.log.jsonl) and a draft of its card (OUT.md); OUT.checkpoint "
      "and\n"
      "--resume work as for train cascade.\n"
      "Example: kerblab train svm --positives people --negatives streets --out mine.kwm");
  on_call(*svm, o, action, "svm", train::train_svm);
}

void add_channels(CLI::App& command, Action& action) {
  CLI::App* channels = command.add_subcommand(
      "channels",
      "Train a cascade of small trees on gradients and colours (the most accurate kind)");
  const auto o = std::make_shared<ChannelOptions>();
  o->common.name = "channels";
  add_train_options(*channels, o->common);
  train::ChannelSettings& s = o->settings;
  channels->add_flag("--grey", o->grey, "Use grey only, for cameras without colour");
  channels->add_option("--bins", s.channels.bins, "Bins of gradient directions: 6 or 9")
      ->check(CLI::IsMember({6, 9}))
      ->capture_default_str();
  channels->add_option("--grid", s.grid, "Cell size of the rectangles, pixels: 1, 2 or 4")
      ->capture_default_str();
  channels
      ->add_option("--rounds", s.rounds,
                   "Trees of each round; hard negatives are added between rounds")
      ->delimiter(',')
      ->capture_default_str();
  channels->add_option("--depth", s.boost.depth, "Depth of the trees, 1..6")->capture_default_str();
  channels->add_option("--votes", o->votes, "Votes: step (equal for all leaves of a tree) or real")
      ->check(CLI::IsMember({"real", "step"}))
      ->capture_default_str();
  channels->add_option("--shrink", s.boost.shrink, "Factor on the votes")->capture_default_str();
  channels->add_option("--pool", s.pool, "Random features chosen for each round")
      ->capture_default_str();
  channels->add_option("--sample", s.boost.sample, "Features of --pool tried for each tree")
      ->capture_default_str();
  channels
      ->add_option("--mix", o->mix,
                   "Shares of plain sums, sums divided by their surroundings, and sums divided by "
                   "a neighbour")
      ->delimiter(',')
      ->expected(3)
      ->capture_default_str();
  channels
      ->add_option("--trim", s.boost.trim,
                   "Share of the weight that may be skipped (lowest weights first)")
      ->capture_default_str();
  channels->add_option("--random-negatives", s.first_negatives, "Random windows of the first round")
      ->capture_default_str();
  channels->add_option("--hard-negatives", s.round_negatives, "Most hard negatives per later round")
      ->capture_default_str();
  channels
      ->add_option("--most-negatives", s.most_negatives, "Most negatives of all rounds together")
      ->capture_default_str();
  channels->add_option("--per-picture", s.per_picture, "Most hard negatives per picture and round")
      ->capture_default_str();
  channels->add_option("--hard", s.hard, "Lowest sum of votes of a hard negative")
      ->capture_default_str();
  channels
      ->add_option("--rejection", s.rejection,
                   "A window is rejected as soon as its sum of votes is lower; near 0 is fast")
      ->capture_default_str();
  channels->add_option("--step", s.step, "Scale ratio between levels of the search")
      ->capture_default_str();
  channels->add_option("--stride", s.stride, "Step between windows, pixels of the level")
      ->capture_default_str();
  channels
      ->add_option("--padding", s.padding, "How far windows may extend beyond the picture, pixels")
      ->capture_default_str();
  channels->add_option(
      "--least-height", s.least_height,
      "Height of the smallest person looked for in the negatives, pixels: less than "
      "the model's enlarges them, as kerblab detect --min-height does");
  channels
      ->add_option("--shift", s.crops.shift,
                   "Also train on people shifted by N pixels in four directions; 0: off")
      ->capture_default_str();
  channels->add_flag("--no-mirror", o->no_mirror, "Do not train on mirrored people");
  channels->add_flag("--no-edges", o->no_edges,
                     "Do not train on people at the edge of the picture");
  channels->footer(
      "Writes the model, its log (OUT.log.jsonl) and a draft of its card (OUT.md); OUT.checkpoint "
      "and\n"
      "--resume work as for train cascade.\n"
      "Example: kerblab train channels --positives people --negatives streets --out mine.kwm");
  on_call(*channels, o, action, "channels", train::train_channels);
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("train", "Train models from pictures");
  command->require_subcommand(1);
  command->footer(
      "Example: kerblab train cascade --positives people --negatives streets --out mine.kwm");

  add_cascade(*command, action);
  add_svm(*command, action);
  add_channels(*command, action);
  add_train_crops(*command, action);
  add_train_rejection(*command, action);
}

}  // namespace kerb::lab
