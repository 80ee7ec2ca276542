// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/train_data.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <utility>

#include "gpu/hog/model_file.hpp"
#include "gpu/memory/context.hpp"
#include "tools/kerblab/command.hpp"
#include "tools/kerblab/output.hpp"
#include "tools/kerblab/pictures.hpp"
#include "tools/train/random.hpp"

namespace kerb::lab {

void add_train_options(CLI::App& command, TrainOptions& o) {
  command
      .add_option("--positives", o.positives,
                  "Folders of crops, each with a person; the window is the middle of each")
      ->required()
      ->check(not_empty);
  command
      .add_option("--negatives", o.negatives, "Folders of whole pictures without anybody in them")
      ->required()
      ->check(not_empty);
  command.add_option("--out", o.out, "Model to write")->required()->check(not_empty);
  command.add_option("--name", o.name, "Of the model")->capture_default_str();
  command.add_option("--seed", o.seed, "The same seed gives the same model")->capture_default_str();
  command.add_flag("--resume", o.resume, "Go on with a training that was interrupted");
  command
      .add_option("--hold-out", o.hold_out,
                  "Every so-manyth crop and picture is left out of the training; 0: none")
      ->check(CLI::Range(0, 1000000));
  command.add_option("--backend", o.backend, "Who searches for false positives: auto, cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  command.add_option("--threads", o.threads, "0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
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

void TrainObserver::progress(const std::string& what, std::size_t done, std::size_t all) {
  if (bar_ == nullptr || what != what_) {
    bar_.reset();
    bar_ = std::make_unique<Progress>(clock_, what);
    what_ = what;
  }
  bar_->show(done, all);
}

void TrainObserver::say(const std::string& line) {
  bar_.reset();
  std::fprintf(stderr, "%s\n", line.c_str());
}

Result<TrainRun> TrainRun::open(const TrainOptions& options, const hog::Geometry& geometry,
                                bool colour) {
  TrainRun run;
  run.options_ = options;
  if (Status ok = check_output(options.out); !ok) return ok.error();
  run.clock_ = std::make_unique<SystemClock>();
  run.observer_ = std::make_unique<TrainObserver>(*run.clock_);
  BackendChoice choice = BackendChoice::automatic;
  parse(options.backend, choice);
  Result<Context> context = Context::create(choice);
  if (!context) return context.error();
  run.context_ = std::make_unique<Context>(std::move(*context));
  run.workers_ = std::make_unique<Workers>(options.threads);
  struct Part {
    const std::vector<std::string>& folders;
    std::unique_ptr<train::PictureSet>& set;
    const char* what;
  };
  for (const Part& part : {Part{options.positives, run.positives_, "read people"},
                           Part{options.negatives, run.negatives_, "read pictures"}}) {
    const Result<std::vector<std::string>> paths = train::list_pictures(part.folders);
    if (!paths) return paths.error();
    train::PictureSet::Options o;
    o.colour = colour;
    o.least_width = geometry.window_width;
    o.least_height = geometry.window_height;
    Result<train::PictureSet> set =
        train::PictureSet::open(train::hold_out(*paths, options.hold_out).kept, picture_loader(), o,
                                part.what, *run.observer_);
    if (!set) return set.error();
    part.set = std::make_unique<train::PictureSet>(std::move(*set));
  }
  return run;
}

train::Session TrainRun::session(const std::string& trainer, const std::string& settings) {
  const std::uint64_t data = train::key_of({positives_->fingerprint(), negatives_->fingerprint()});
  return {*clock_,
          *observer_,
          {options_.out + ".checkpoint", options_.out + ".log.jsonl", options_.resume},
          trainer,
          settings,
          data};
}

Status TrainRun::finish(const hog::Model& model, train::Session& session) {
  if (Status ok = hog::save(model, options_.out); !ok) return ok;
  return session.finish();
}

}  // namespace kerb::lab
