// SPDX-License-Identifier: Apache-2.0
// In the place of pictures.cpp where the build has no OpenCV.
#include "tools/kerblab/sim/moments.hpp"

namespace kerb::lab {

bool can_draw_moments() noexcept { return false; }

std::vector<sim::Picture> draw_moments(const BatchRun& /*run*/,
                                       const sim::RunOptions& /*options*/) {
  return {};
}

std::vector<std::uint8_t> draw_moment(const BatchRun& /*run*/, double /*t*/, int /*threads*/,
                                      std::size_t /*most_bytes*/) {
  return {};
}

}  // namespace kerb::lab
