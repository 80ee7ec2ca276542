// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "gpu/hog/fusion.hpp"
#include "tools/train/channels.hpp"

namespace kerb::train {

/// How good a model is on crops and pictures it was not trained with, for choosing settings. A crop
/// counts as found when a window whose person overlaps the crop's (by half of their union, both
/// made 0.41 as wide as high) scores enough; false positives are the fused boxes of whole pictures.
struct HeldOut {
  double miss_rate = 1;  ///< log-average over nine points of 0.01 to 1 false positives a picture
  double at_tenth = 1;   ///< miss rate at 0.1 of them
  float threshold_tenth = 0, threshold_one = 0;  ///< scores at 0.1 and at 1
  double false_positives = 0;                    ///< a picture, at the lowest score there is
  double learners = 0;  ///< evaluated a window, on average, in the pictures
};

/// `person_height`: of the people in the crops, who stand in their middle. Fails: as make_engine(),
/// Engine::search() and PictureSet::get(). Pictures no window fits into count as empty.
Result<HeldOut> held_out(const hog::Model& model, double person_height, const Bench& bench);

}  // namespace kerb::train
