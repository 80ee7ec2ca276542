// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/hog/engine.hpp"
#include "hal/base/result.hpp"
#include "tools/eval/detections.hpp"
#include "tools/kerblab/model/search_options.hpp"

/// The detectors that `kerblab eval detector` compares, with their results on the same pictures.
namespace kerb::lab {

struct EvalPicture {
  std::string path;
  bool is_negative = false;  ///< known to show no people, so its windows count for FPPW
};

/// What a detector said of a picture.
struct Seen {
  std::vector<eval::ScoredBox> boxes;
  std::optional<double> ms;
  int width = 0, height = 0;  ///< of the picture; 0: not known
};

/// What one detector did.
struct Performance {
  std::string name, settings;         ///< for the legend; in words
  std::vector<Seen> seen;             ///< for each picture
  std::optional<double> recommended;  ///< the threshold a model advises
  std::size_t contestant = 0;         ///< which of those that were asked for

  // Of our models only: before fusion.
  std::optional<hog::Work> work;       ///< over the negatives, or over all where there is none
  std::int64_t learners = 0;           ///< of the model; blocks of a dense one
  std::int64_t negative_windows = 0;   ///< looked at
  std::vector<float> negative_scores;  ///< of those that passed
  std::vector<double> crop_scores;     ///< -infinity: rejected

  /// The mean of a picture, where it is known of all.
  [[nodiscard]] std::optional<double> mean_ms() const;
};

struct EvalRun {
  std::vector<EvalPicture> pictures;
  std::vector<std::string> crops;  ///< pictures of one person each, for FPPW
  int crop_person_height = 96;     ///< their height in the crops, whose middle they stand in
  bool count_work = true;
  SearchOptions how;
};

/// OpenCV's detector by OpenCV's own code: HOGDescriptor with its people detector, grouped as
/// detectMultiScale does by default. Boxes are the person, as in the importer's: the middle half of
/// the width and three quarters of the height. Fails: as load_picture(); device (an exception of
/// OpenCV's).
Result<Performance> run_opencv(const EvalRun& run);

/// A model on our engines. Fails: as load_picture(), make_engine(), search().
Result<Performance> run_model(const EvalRun& run, hog::Model model);

/// Boxes from a file of JSON lines. Every picture must have a line; lines for other pictures are
/// left out. Fails: as eval::read_detections(); invalid_argument (a picture without a line, a name
/// that fits several).
Result<Performance> run_detections(const EvalRun& run, const std::string& name,
                                   const std::string& file);

}  // namespace kerb::lab
