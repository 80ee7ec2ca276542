// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/train/mining.hpp"
#include "tools/train/session.hpp"

namespace kerb::train {

/// Dense HoG and a linear SVM: section 3.2 of the thesis, after Dalal and Triggs.
struct SvmSettings {
  std::string name = "hog-svm";
  hog::Geometry geometry{64, 128, 12, 16, 40, 96, Scaling::octaves};
  hog::DenseKind kind = hog::DenseKind::rhog;
  bool gamma = true;
  bool colour = false;         ///< rhog: the strongest of R, G and B at each pixel
  double cost = 0.01;          ///< C of the windows without people
  double person_cost = 1;      ///< cost of windows with people, relative to `cost`
  int negatives = 12180;       ///< windows drawn at random for the first round
  int rounds = 3;              ///< of hard negatives
  int hard_negatives = 15000;  ///< of each round at most
  double margin = 0;           ///< windows that score at least this are hard
  double tolerance = 0.01;     ///< of the solver
  CropOptions crops;
  std::vector<hog::SearchSettings> searches;  ///< for mining, in turn; empty: see svm_searches()
  std::uint64_t seed = 1;
  int stop_after = 0;  ///< for tests: ends with Errc::end after N checkpoints; 0: never
};

/// Stride 8 and scale 1.1.
[[nodiscard]] std::vector<hog::SearchSettings> svm_searches();
[[nodiscard]] std::string text_of(const SvmSettings& settings);
/// Fails, naming the option: invalid_argument.
Status validate(const SvmSettings& settings);

/// As train_cascade(). Descriptors are kept in memory: 15 KB for each window of 64 x 128.
Result<hog::Model> train_svm(const Context& context, Workers& workers, const SvmSettings& settings,
                             PictureSet& positives, PictureSet& negatives, Session& session,
                             Observer& observer);

}  // namespace kerb::train
