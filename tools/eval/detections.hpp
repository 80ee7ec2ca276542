// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/base/result.hpp"
#include "tools/eval/boxes.hpp"

namespace kerb::eval {

struct ScoredBox {
  Box box;
  double score = 0;
};

/// What a detector says of one picture.
struct PictureDetections {
  std::string image;
  std::optional<double> ms;
  std::vector<ScoredBox> boxes;
  int width = 0, height = 0;  ///< of the picture, where the line has both; else 0
};

/// The JSON lines of `kerblab detect`, of this or any other detector: an object a line with "image"
/// and "detections", each of them with "x", "y", "w", "h" and "score"; "ms", "width" and "height"
/// are read where they are there, all else is passed over. Boxes are the person. Empty lines are
/// passed over. Fails, naming the line: damaged.
Result<std::vector<PictureDetections>> parse_detections(std::string_view text,
                                                        std::string_view file);

/// The same from a file. Fails: also not_found, io, invalid_argument (not a regular file).
Result<std::vector<PictureDetections>> read_detections(const std::string& path);

}  // namespace kerb::eval
