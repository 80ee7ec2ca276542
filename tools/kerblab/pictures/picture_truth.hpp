// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "hal/base/result.hpp"
#include "tools/eval/truth.hpp"

namespace kerb::lab {

/// Pictures of folders, of lists (@FILE), and by their names. Fails: as list_pictures() and
/// expand_list().
Result<std::vector<std::string>> expand_pictures(const std::vector<std::string>& words);

/// What is true of some pictures.
struct PictureTruth {
  std::vector<std::vector<eval::TruthBox>> boxes;  ///< of each picture, in their order
  std::vector<std::vector<eval::TruthThing>> things;
  std::string left_out;  ///< a warning about truth of pictures that were not given; or empty
};

/// Of `pictures` (paths, all different), from files and folders as eval::read_truth() takes them.
/// Fails: as that and eval::find_pictures(); invalid_argument (it names none of the pictures).
Result<PictureTruth> truth_of(const std::vector<std::string>& pictures,
                              const std::vector<std::string>& files,
                              const eval::TruthRules& rules = {});

}  // namespace kerb::lab
