// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/hog/fusion.hpp"
#include "tools/train/pictures.hpp"

namespace kerb::train {

/// A first judgement of a model on crops and pictures it was not trained on: for choosing settings.
/// `kerblab eval detector` judges whole pictures with people in them.
struct Judgement {
  static constexpr int kPoints = 9;
  int people = 0;
  double found = 0;                      ///< share of the people found at any threshold
  std::int64_t windows = 0, passed = 0;  ///< of the pictures without people; that score enough
  double false_positives[kPoints] = {};  ///< 10^-2 .. 10^0 for each 640 x 480 pixels
  double miss_rate[kPoints] = {};        ///< at these
  float threshold[kPoints] = {};         ///< the lowest score with at most this rate
  double log_average = 1;                ///< exp of the mean of their logarithms
  double learners = 0;                   ///< evaluated for each window; dense: blocks
  std::vector<double> reach;             ///< cascade: part of the windows that reach stage i
};

struct JudgeSettings {
  hog::SearchSettings search;
  hog::FusionSettings fusion;
  float threshold = 0;
  double crop_scale = 1;   ///< pixels of the crops to one of the model's window
  bool count_work = true;  ///< fill `learners` and `reach`, with a second search
};

/// A person in a crop is the model's, in its middle. So that windows do not stand better on them
/// than in a picture, up to 7 columns and rows are cut from the crop's left and top, other ones for
/// each, where it is larger than the window by twice that. They are found where a detection shares
/// half with it (intersection over union). False positives are what is found in the pictures
/// without people, scaled to pictures of 640 x 480 pixels, since small pictures have fewer. Fails:
/// as the engines.
Result<Judgement> judge(const Context& context, Workers& workers, const hog::Model& model,
                        const JudgeSettings& settings, PictureSet& people, PictureSet& pictures,
                        Observer& observer);

}  // namespace kerb::train
