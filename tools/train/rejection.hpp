// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/hog/model.hpp"
#include "gpu/hog/search.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/workers.hpp"
#include "tools/train/observer.hpp"
#include "tools/train/pictures.hpp"

/// When a cascade rejects a window. The trainer uses one threshold for all stages, which is low
/// enough for the worst of them. Here each stage gets the highest threshold that still finds nearly
/// all people, measured on pictures: windows are rejected after a few trees. After Zhang and
/// Viola, "Multiple-Instance Pruning For Learning Efficient Cascade Detectors" (2007): it is enough
/// if one of the windows on a person passes.
namespace kerb::train {

/// One window on a person: the sums of its votes after each stage, in hog::kVoteUnit.
struct WindowTrace {
  std::int32_t person = 0;
  std::vector<std::int32_t> sums;
};

/// Thresholds of stages 0 .. `stages` - 1 such that of the people in `traces` at least the share
/// `keep` has a window whose sums reach all of them. People who are given up are given up early,
/// where it saves most. Every trace has `stages` sums.
[[nodiscard]] std::vector<std::int32_t> rejection_thresholds(const std::vector<WindowTrace>& traces,
                                                             std::size_t stages, double keep);

struct RejectionSettings {
  hog::SearchSettings search;
  float threshold = 0;    ///< lowest score at which a window is of use; relative to the last stage
  double overlap = 0.5;   ///< a window finds a person from this intersection over union on
  double keep = 0.98;     ///< share of the people who must still be found; 0.5..1
  int windows_most = 24;  ///< windows per person, the best
};

struct Rejection {
  hog::Model model;        ///< as before, but for the thresholds of all stages except the last
  std::size_t people = 0;  ///< in the pictures
  std::size_t found = 0;   ///< by the model as it was
  std::size_t kept = 0;    ///< of these, by the new one
};

/// `people[i]`: the people in picture i, with boxes as wide as the model's. Fails: invalid_argument
/// (not a cumulative cascade of trees; not the people of each picture; nobody is found), as
/// make_engine() and PictureSet::get().
Result<Rejection> set_rejection(const Context& context, Workers& workers, const hog::Model& model,
                                PictureSet& pictures, const std::vector<std::vector<Area>>& people,
                                const RejectionSettings& settings, Observer& observer);

}  // namespace kerb::train
