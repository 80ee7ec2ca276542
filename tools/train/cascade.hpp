// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/train/blocks.hpp"
#include "tools/train/mining.hpp"
#include "tools/train/session.hpp"

namespace kerb::train {

/// How a learner votes: `step`, as AdaBoost and the thesis have it, its weight for or against;
/// `real`, in proportion to its distance from the plane (confidence-rated boosting), which ranks
/// windows as well as it rejects them.
enum class Votes : std::uint8_t { step, real };

/// A cascade of stages of linear learners on blocks: section 5.4 of the thesis.
struct CascadeSettings {
  std::string name = "hog-cascade";
  hog::Geometry geometry{64, 128, 12, 16, 40, 96, Scaling::octaves};
  bool colour = false;     ///< gradients of the strongest of L, U and V at each pixel, not of grey
  int grid = 4;            ///< of the pool: 1 (all 5029 blocks), 2 or 4
  bool fine_pool = false;  ///< steps of 4 pixels instead of 8
  int sample = 125;        ///< blocks tried for each learner
  double d_min = 0.99;     ///< of the people left, the part that each stage lets through, at least
  double f_max = 0.65;     ///< of the false positives left, the part that it lets through, at most
  int stages = 23;         ///< at most
  double target = 5e-5;    ///< of all windows, the part that passes: stages are added until then
  int max_learners = 200;  ///< of a stage; it ends there even above f_max
  int last_learners = 0;   ///< learners of a last stage that ranks the remaining windows; 0: none
  int last_rounds = 1;  ///< number of last stages, each trained on the hardest remaining negatives,
                        ///< with a threshold at which no person is lost
  int negatives = 0;    ///< examples of each stage; 0: as many as there are of people
  int least_negatives = 100;  ///< with fewer false positives left than this it ends
  Votes votes = Votes::real;
  bool chain = true;   ///< each stage continues the sum of the one before (cumulative)
  double cost = 100;   ///< C of the SVMs, for example weights that add up to 1
  double trim = 0.05;  ///< examples of lowest weight, up to this share of all weight, are skipped
  double shrink = 1;   ///< factor on real votes; smaller: slower, with less confident scores
  CropOptions crops;
  std::vector<hog::SearchSettings>
      searches;  ///< for mining, in turn; empty: see default_searches()
  std::uint64_t seed = 1;
  int checkpoint_every = 20;  ///< learners
  int stop_after = 0;         ///< for tests: ends with Errc::end after N checkpoints; 0: never
};

/// Stride 8 and scale 1.1; where that leaves too few, stride 4 and scale 1.05.
[[nodiscard]] std::vector<hog::SearchSettings> default_searches();

/// The settings that decide the model, for checkpoint and card.
[[nodiscard]] std::string text_of(const CascadeSettings& settings);

/// Fails, naming the option: invalid_argument.
Status validate(const CascadeSettings& settings);

/// Trains it. The same settings and pictures give the same model, whatever the backend, the number
/// of threads, and how often it was killed and resumed. Positives: crops of people, the window in
/// their middle; negatives: pictures without people. Context and workers search for false
/// positives. Fails: invalid_argument (settings), io (a checkpoint could not be written: the last
/// one is intact), and as the pictures' loader and the engines.
Result<hog::Model> train_cascade(const Context& context, Workers& workers,
                                 const CascadeSettings& settings, PictureSet& positives,
                                 PictureSet& negatives, Session& session, Observer& observer);

}  // namespace kerb::train
