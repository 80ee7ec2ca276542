// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hal/base/view.hpp"

namespace kerb::records {

using GreyView = ImageView<Space::host, const std::uint8_t>;

/// A picture is made smaller by 1, 2, 4 or 8, so that it is at most 960 pixels wide.
[[nodiscard]] int shrink_for(int width) noexcept;
/// Each pixel of `out` is the mean of `by` x `by` pixels; what is over at the right and below is
/// left out. `out` has room for (width / by) * (height / by), rows without gaps. `by` is 1, 2, 4
/// or 8.
void shrink(const GreyView& picture, int by, std::uint8_t* out) noexcept;

}  // namespace kerb::records
