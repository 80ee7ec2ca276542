// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/flow/block_matching.hpp"
#include "tests/support/flow_scenes.hpp"

namespace kerb::test {

/// Block matching as its header describes it, pixel by pixel and in double: slow, obvious, and
/// sharing no code with it.
Vectors block_matching_by_definition(const flow::BlockMatchingSettings& settings,
                                     const ImageView<Space::host, const std::uint8_t>& first,
                                     const ImageView<Space::host, const std::uint8_t>& second);

}  // namespace kerb::test
