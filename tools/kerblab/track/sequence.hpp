// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "hal/base/result.hpp"

namespace kerb::lab {

/// The frames of one recording, as MOT's folders have them.
struct Sequence {
  std::vector<std::string> paths;
  std::vector<int> frames;  ///< the number of each, from 1, rising
  double fps = 30;
};

/// A folder of pictures, or one with them in img1. Frames are numbered as number_frames() does;
/// the rate is `fps`, else frameRate of the folder's seqinfo.ini, else 30. Fails, naming the file:
/// not_found, io, damaged, invalid_argument (a frame before the first).
Result<Sequence> read_sequence(const std::string& folder, std::optional<double> fps);

}  // namespace kerb::lab
