// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "hal/vision.hpp"

namespace kerb::lab {

/// A picture's detections as `kerblab detect` writes them, line end included: image, width, height,
/// ms, detections. Floats have the fewest digits that give them back: the same bits are the same
/// text.
[[nodiscard]] std::string json_line(const std::string& path, int width, int height, double ms,
                                    const Detection* people, int count);

}  // namespace kerb::lab
