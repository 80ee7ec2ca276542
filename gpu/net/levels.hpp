// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "gpu/net/network.hpp"

/// For gpu/net alone.
namespace kerb::net {

/// What each sample of a crop becomes: normalise_crop() as a table.
using LevelTable = std::array<std::uint8_t, 256>;
void fill_levels(const CropShape& shape, const std::uint8_t* crop, LevelTable& levels) noexcept;

}  // namespace kerb::net
