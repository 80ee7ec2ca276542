// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/train/features.hpp"
#include "tools/train/mining.hpp"
#include "tools/train/session.hpp"
#include "tools/train/trees.hpp"

namespace kerb::train {

/// The channel cascade: boosted trees over sums of gradient and colour channels, after Dollar et
/// al.'s integral and aggregated channel features. Each round boosts anew, with more trees, against
/// the negatives so far and the false positives of the round before.
struct ChannelSettings {
  std::string name = "channels";
  hog::Geometry geometry{64, 128, 12, 16, 40, 96, Scaling::octaves};
  hog::Channels channels{6, false, true, true};
  int grid = 4;  ///< pixels; rectangles are whole cells of it
  CropOptions crops{1, true, 2};
  bool edges = true;  ///< each person also as they look where the picture ends at their feet, and
                      ///< where it ends at their head
  std::vector<int> rounds{64, 256, 1024, 2048};  ///< trees of each
  int pool = 20000;                              ///< features drawn for each round
  FeatureMix mix;
  BoostSettings boost;
  int first_negatives = 5000, round_negatives = 5000, most_negatives = 15000;
  int per_picture = 25;   ///< negatives from one picture in one round
  double rejection = -2;  ///< a window is rejected as soon as its sum of votes is lower
  double hard = -1;       ///< lowest sum of votes of a hard negative
  double step = 1.1;      ///< between levels of the pictures negatives come from
  int stride = 4, padding = 16;
  int least_height =
      0;  ///< of people searched for when negatives are found, pixels; 0: the model's
  std::uint64_t seed = 1;
  int stop_after = 0;  ///< for tests: ends with Errc::end after N checkpoints; 0: never
};
[[nodiscard]] std::string text_of(const ChannelSettings& settings);
/// Fails, naming the option: invalid_argument.
Status validate(const ChannelSettings& settings);

/// As train_cascade(). Takes a byte for each window and feature of the pool, besides the windows.
Result<hog::Model> train_channels(const Context& context, Workers& workers,
                                  const ChannelSettings& settings, PictureSet& positives,
                                  PictureSet& negatives, Session& session, Observer& observer);

}  // namespace kerb::train
