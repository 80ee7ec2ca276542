// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tools/eval/plot.hpp"

namespace kerb::lab {

/// The drawing as a PNG file, two pixels for each of its own; empty: OpenCV could not. OpenCV's
/// letters are ASCII's: others become question marks. Only where the build has OpenCV.
[[nodiscard]] std::vector<unsigned char> to_png(const eval::Drawing& drawing);

}  // namespace kerb::lab
