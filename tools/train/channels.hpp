// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/hog/model.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/workers.hpp"
#include "tools/train/features.hpp"
#include "tools/train/mining.hpp"
#include "tools/train/trees.hpp"

/// The channel cascade: boosted trees over sums of gradient and colour channels, after Dollar et
/// al.'s integral and aggregated channel features.
namespace kerb::train {

struct ChannelSettings {
  hog::Geometry geometry{64, 128, 12, 16, 40, 96, Scaling::octaves};
  hog::Channels channels{6, false, true, true};
  int grid = 4;
  CropOptions crops;
  bool edges = true;  ///< each person also as they look where the picture ends at their feet, and
                      ///< where it ends at their head
  std::vector<int> rounds{64, 256, 1024, 2048};  ///< trees of each; negatives are added in between
  std::size_t pool = 30000;                      ///< features drawn for each round
  FeatureMix mix;
  BoostSettings boost;
  std::size_t first_negatives = 5000, round_negatives = 5000, most_negatives = 15000;
  std::size_t per_picture = 25;  ///< negatives from one picture in one round
  double rejection = -4;         ///< a window whose votes ever add up to less is thrown out
  double hard = -1;              ///< negatives are added that reach so many votes
  double step = 1.1;             ///< between levels of the pictures negatives come from
  int stride = 4, padding = 16;
  std::uint64_t seed = 1;
  std::string name = "channels";
};
/// Fails, naming what is wrong: invalid_argument.
Status validate(const ChannelSettings& settings);

/// What a training works with and reports to. All must outlive it.
struct Bench {
  const Context& context;
  Workers& workers;
  PictureSet& crops;
  PictureSet& negatives;
  Observer& observer;
};

/// Fails: as validate(), mine() and PictureSet.
Result<hog::Model> train_channels(const ChannelSettings& settings, const Bench& bench);

}  // namespace kerb::train
