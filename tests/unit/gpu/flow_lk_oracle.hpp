// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/flow/lucas_kanade.hpp"
#include "tests/support/flow_scenes.hpp"

namespace kerb::test {

/// Lucas-Kanade as gpu/flow/README.md defines it: whole pictures, one step after the other, nothing
/// shared with the product. Slow.
Vectors lucas_kanade_by_definition(const flow::LucasKanadeSettings& settings,
                                   const ImageView<Space::host, const std::uint8_t>& first,
                                   const ImageView<Space::host, const std::uint8_t>& second);

}  // namespace kerb::test
