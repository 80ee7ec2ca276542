// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "gpu/hog/engine.hpp"

/// The cascade written down as plainly as can be: every pixel of every level by its definition,
/// sums pixel by pixel, one window after the other. Slow, and right.
namespace kerb::hog::test {

/// A level's area, one pixel of rim included, from the picture by the definition of levels.hpp.
std::vector<std::uint8_t> level_by_definition(const PyramidPlan& plan, const Level& level,
                                              const ImageView<Space::host, const std::uint8_t>& in);

std::vector<Hit> cascade_by_definition(
    const Model& model, const SearchPlan& plan,
    const std::vector<ImageView<Space::host, const std::uint8_t>>& planes, float threshold);

}  // namespace kerb::hog::test
