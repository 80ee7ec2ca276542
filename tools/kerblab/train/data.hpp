// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/kerblab/app/progress.hpp"
#include "tools/train/pictures.hpp"
#include "tools/train/session.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace kerb::lab {

/// Options of all trainers.
struct TrainOptions {
  std::vector<std::string> positives, negatives;  ///< folders, @FILE
  std::vector<std::string> truth;  ///< of negatives with people in them, who are avoided
  std::string out, name, backend = "auto";
  std::uint64_t seed = 1;
  std::string window = "64x128";
  double crop_scale = 1;
  int threads = 0;
  int hold_out = 0;  ///< 1 of N crops and pictures is held out
  bool resume = false;
  bool mirror_negatives = false;
  int judge_stride = 0;  ///< stride of the search in held-out pictures; 0: the model's advice
  double judge_scale = 0;
  bool judge_only = false;  ///< do not train; evaluate the existing model
};
void add_train_options(CLI::App& command, TrainOptions& options);

/// --window in the proportions of `like`, which has 64 x 128 pixels. Fails: invalid_argument.
Result<hog::Geometry> geometry_of(const TrainOptions& options, const hog::Geometry& like);

/// tools/train's loader over OpenCV's readers.
[[nodiscard]] train::Loader picture_loader();

/// A progress bar, and lines on stderr.
class TrainObserver final : public train::Observer {
 public:
  explicit TrainObserver(const Clock& clock) : clock_{clock} {}
  void progress(const std::string& what, std::size_t done, std::size_t all,
                const std::string& note) override;
  void say(const std::string& line) override;

 private:
  const Clock& clock_;
  std::string what_;
  std::unique_ptr<Progress> bar_;
};

/// On what was held out: the threshold for 0.1 false positives, and all of it in words.
struct Verdict {
  float threshold = 0;
  std::string text;
};

/// One training: its pictures, threads and files.
class TrainRun {
 public:
  /// Checks the output and reads all pictures. Fails, naming what is wrong: as check_output(),
  /// list_pictures(), PictureSet::open() and Context::create().
  static Result<TrainRun> open(const TrainOptions& options, const hog::Geometry& geometry,
                               bool colour);

  [[nodiscard]] const Context& context() const noexcept { return *context_; }
  [[nodiscard]] Workers& workers() noexcept { return *workers_; }
  [[nodiscard]] train::PictureSet& positives() noexcept { return *positives_; }
  [[nodiscard]] train::PictureSet& negatives() noexcept { return *negatives_; }
  [[nodiscard]] train::Observer& observer() noexcept { return *observer_; }
  [[nodiscard]] const Clock& clock() const noexcept { return *clock_; }

  /// With the checkpoint OUT.checkpoint and the log OUT.log.jsonl.
  [[nodiscard]] train::Session session(const std::string& trainer, const std::string& settings);
  /// Writes the model and its card, OUT.md, and ends the session. With --hold-out it says how the
  /// model does on what was held out, and the threshold it advises is the one that lets 0.1 false
  /// positives through there for each 640 x 480 pixels. Fails: io; the checkpoint is there still.
  Status finish(const hog::Model& model, train::Session& session);

  /// Says how a model does on what was held out. Fails:
  /// invalid_argument (nothing was), as judge().
  Result<Verdict> say_judgement(const hog::Model& model, train::Session* session);

 private:
  TrainRun() = default;
  /// The model's card, as far as a program can write it.
  [[nodiscard]] std::string card(const train::Session& session, const std::string& held_out) const;

  std::unique_ptr<SystemClock> clock_;
  std::unique_ptr<TrainObserver> observer_;
  std::unique_ptr<Context> context_;
  std::unique_ptr<Workers> workers_;
  std::unique_ptr<train::PictureSet> positives_, negatives_;
  std::unique_ptr<train::PictureSet> held_people_, held_pictures_;  // null: nothing is held out
  TrainOptions options_;
};

}  // namespace kerb::lab
