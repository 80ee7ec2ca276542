// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tools/kerblab/sim/batch.hpp"

namespace kerb::lab {

/// Whether this build can make JPEGs: it needs OpenCV.
[[nodiscard]] bool can_draw_moments() noexcept;

/// Pictures of the important moments, as small JPEGs; none in a build without OpenCV.
[[nodiscard]] std::vector<sim::Picture> draw_moments(const BatchRun& run,
                                                     const sim::RunOptions& options);

}  // namespace kerb::lab
