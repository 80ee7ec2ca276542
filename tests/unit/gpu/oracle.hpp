// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hal/base/view.hpp"

/// What the operators' headers say, pixel by pixel and in double: slow, obvious, and sharing no
/// code with them.
namespace kerb::test {

std::uint8_t grey_by_definition(const RawImageView<Space::host>& in, int x, int y);
/// The sample that plane `band` holds at (x, y).
std::uint16_t band_by_definition(const RawImageView<Space::host>& in, int band, int x, int y);

}  // namespace kerb::test
