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
  CLI::App* cascade =
      command.add_subcommand("cascade", "A cascade of HoG blocks (AdaBoost over linear SVMs)");
  const auto o = std::make_shared<CascadeOptions>();
  o->common.name = "hog-cascade";
  add_train_options(*cascade, o->common);
  train::CascadeSettings& s = o->settings;
  cascade->add_option("--d-min", s.d_min, "Of the people, the part a stage lets through at least")
      ->capture_default_str();
  cascade
      ->add_option("--f-max", s.f_max,
                   "Of the false positives, the part a stage lets through at most")
      ->capture_default_str();
  cascade->add_option("--stages", s.stages, "At most")->capture_default_str();
  cascade->add_option("--target", s.target, "Part of all windows that passes: ends there")
      ->capture_default_str();
  cascade
      ->add_option("--pool", s.grid,
                   "Grid of the blocks, pixels: 1 (the thesis's 5029), 2 or 4 (fastest to run)")
      ->capture_default_str();
  cascade->add_flag("--colour", s.colour,
                    "Gradients of the strongest of L, U and V at each pixel, not of grey");
  cascade->add_flag("--fine-pool", s.fine_pool, "Blocks every 4 pixels instead of every 8");
  cascade->add_option("--sample", s.sample, "Blocks tried for each learner")->capture_default_str();
  cascade->add_option("--max-learners", s.max_learners, "Of one stage")->capture_default_str();
  cascade
      ->add_option("--last-learners", s.last_learners,
                   "Learners of one more stage at the end, which ranks what is left; 0: none")
      ->capture_default_str();
  cascade
      ->add_option("--last-rounds", s.last_rounds,
                   "So many of those, each with the hardest negatives left")
      ->capture_default_str();
  cascade->add_option("--negatives-per-stage", s.negatives,
                      "Windows without people; 0: as many as with");
  cascade->add_option("--votes", o->votes, "real (by distance from the plane) or step")
      ->check(CLI::IsMember({"real", "step"}))
      ->capture_default_str();
  cascade->add_flag("--separate", o->separate,
                    "Each stage counts for itself, as in the thesis, instead of going on with the "
                    "sum of those before");
  cascade->add_option("--cost", s.cost, "C of the SVMs")->capture_default_str();
  cascade
      ->add_option("--trim", s.trim,
                   "The lightest examples with so much of the weight are not learnt from")
      ->capture_default_str();
  cascade
      ->add_option("--shrink", s.shrink, "Real votes times this: slower, and less sure of itself")
      ->capture_default_str();
  cascade->add_option("--shift", s.crops.shift,
                      "Also people moved by so many pixels, four ways; 0: not");
  cascade->add_option("--shift-copies", s.crops.copies,
                      "Instead moved so many times at random, by up to --shift");
  cascade->add_flag("--no-mirror", o->no_mirror, "Not also people mirrored");
  cascade->footer(
      "Writes the model, and beside it a log of JSON lines (OUT.log.jsonl) and the beginning of a "
      "card\n"
      "(OUT.md). While it runs,\n"
      "OUT.checkpoint holds all that is done: after a kill, the same command with --resume gives\n"
      "the same model as if nothing had happened.\n"
      "Example: kerblab train cascade --positives people --negatives streets --out mine.kwm");
  on_call(*cascade, o, action, "cascade", train::train_cascade);
}

void add_svm(CLI::App& command, Action& action) {
  CLI::App* svm = command.add_subcommand("svm", "Dense HoG and a linear SVM");
  const auto o = std::make_shared<SvmOptions>();
  o->common.name = "hog-svm";
  add_train_options(*svm, o->common);
  train::SvmSettings& s = o->settings;
  svm->add_option("--kind", o->kind, "rhog (Dalal and Triggs), cells or integral")
      ->check(CLI::IsMember({"rhog", "cells", "integral"}))
      ->capture_default_str();
  svm->add_flag("--colour", s.colour, "rhog: the strongest of red, green and blue at each pixel");
  svm->add_flag("--no-gamma", o->no_gamma, "rhog: not the square roots of the samples");
  svm->add_option("--cost", s.cost, "C of the windows without people")->capture_default_str();
  svm->add_option("--person-cost", s.person_cost, "Times that, of those with people")
      ->capture_default_str();
  svm->add_option("--random-negatives", s.negatives, "Windows of the first round")
      ->capture_default_str();
  svm->add_option("--rounds", s.rounds, "Of hard negatives")->capture_default_str();
  svm->add_option("--hard-negatives", s.hard_negatives, "Of each round at most")
      ->capture_default_str();
  svm->add_option("--margin", s.margin, "Windows that score at least this are hard")
      ->capture_default_str();
  svm->add_option("--tolerance", s.tolerance, "Of the solver")->capture_default_str();
  svm->add_option("--shift", s.crops.shift,
                  "Also people moved by so many pixels, four ways; 0: not");
  svm->add_option("--shift-copies", s.crops.copies,
                  "Instead moved so many times at random, by up to --shift");
  svm->add_flag("--no-mirror", o->no_mirror, "Not also people mirrored");
  svm->footer(
      "Writes the model, its log (OUT.log.jsonl) and the beginning of a card (OUT.md); "
      "OUT.checkpoint\n"
      "and --resume are as for train cascade.\n"
      "Example: kerblab train svm --positives people --negatives streets --out mine.kwm");
  on_call(*svm, o, action, "svm", train::train_svm);
}

void add_channels(CLI::App& command, Action& action) {
  CLI::App* channels = command.add_subcommand(
      "channels", "A cascade of small trees over gradients and colours: the best there is here");
  const auto o = std::make_shared<ChannelOptions>();
  o->common.name = "channels";
  add_train_options(*channels, o->common);
  train::ChannelSettings& s = o->settings;
  channels->add_flag("--grey", o->grey, "Look at grey alone, for grey cameras");
  channels->add_option("--bins", s.channels.bins, "Of gradient directions: 6 or 9")
      ->check(CLI::IsMember({6, 9}))
      ->capture_default_str();
  channels->add_option("--grid", s.grid, "Rectangles are whole cells of so many pixels: 1, 2, 4")
      ->capture_default_str();
  channels->add_option("--rounds", s.rounds, "Trees of each round, with hard negatives in between")
      ->delimiter(',')
      ->capture_default_str();
  channels->add_option("--depth", s.boost.depth, "Questions from root to leaf, 1..6")
      ->capture_default_str();
  channels->add_option("--votes", o->votes, "step (all leaves of a tree alike) or real")
      ->check(CLI::IsMember({"real", "step"}))
      ->capture_default_str();
  channels->add_option("--shrink", s.boost.shrink, "Votes times this")->capture_default_str();
  channels->add_option("--pool", s.pool, "Features drawn for each round")->capture_default_str();
  channels->add_option("--sample", s.boost.sample, "Of these, tried for each tree")
      ->capture_default_str();
  channels
      ->add_option("--mix", o->mix,
                   "Shares of plain sums, sums over what is around, and over a neighbour")
      ->delimiter(',')
      ->expected(3)
      ->capture_default_str();
  channels->add_option("--trim", s.boost.trim, "Share of weight that need not be looked at")
      ->capture_default_str();
  channels->add_option("--random-negatives", s.first_negatives, "Windows of the first round")
      ->capture_default_str();
  channels->add_option("--hard-negatives", s.round_negatives, "Of each later round at most")
      ->capture_default_str();
  channels->add_option("--most-negatives", s.most_negatives, "Of all rounds together")
      ->capture_default_str();
  channels->add_option("--per-picture", s.per_picture, "Hard negatives of one picture and round")
      ->capture_default_str();
  channels->add_option("--hard", s.hard, "Votes from which on a window is a hard negative")
      ->capture_default_str();
  channels
      ->add_option("--rejection", s.rejection,
                   "A window whose votes ever add up to less is thrown out: near 0 is fast")
      ->capture_default_str();
  channels->add_option("--step", s.step, "Scale between levels of the pictures")
      ->capture_default_str();
  channels->add_option("--stride", s.stride, "Pixels of a level between windows")
      ->capture_default_str();
  channels->add_option("--padding", s.padding, "Pixels by which windows may stand out")
      ->capture_default_str();
  channels->add_option("--shift", s.crops.shift, "Also people moved by so many pixels; 0: not")
      ->capture_default_str();
  channels->add_flag("--no-mirror", o->no_mirror, "Not also people mirrored");
  channels->add_flag("--no-edges", o->no_edges, "Not also people at the edge of the picture");
  channels->footer(
      "Writes the model, its log (OUT.log.jsonl) and the beginning of a card (OUT.md); "
      "OUT.checkpoint\n"
      "and --resume are as for train cascade.\n"
      "Example: kerblab train channels --positives people --negatives streets --out mine.kwm");
  on_call(*channels, o, action, "channels", train::train_channels);
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("train", "Make models from pictures");
  command->require_subcommand(1);
  command->footer(
      "Example: kerblab train cascade --positives people --negatives streets --out mine.kwm");

  add_cascade(*command, action);
  add_svm(*command, action);
  add_channels(*command, action);
  add_train_crops(*command, action);
}

}  // namespace kerb::lab
