// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/kerblab/sim/batch.hpp"

namespace kerb::lab {

/// Whether this build can make JPEGs: it needs OpenCV.
[[nodiscard]] bool can_draw_moments() noexcept;

/// Pictures of the important moments, as small JPEGs; none in a build without OpenCV.
[[nodiscard]] std::vector<sim::Picture> draw_moments(const BatchRun& run,
                                                     const sim::RunOptions& options);

/// The picture at this time of the run as a JPEG of at most `most_bytes`, as good as that allows.
/// Empty: it cannot be so small, or the build has no OpenCV.
[[nodiscard]] std::vector<std::uint8_t> draw_moment(const BatchRun& run, double t, int threads,
                                                    std::size_t most_bytes);

}  // namespace kerb::lab
