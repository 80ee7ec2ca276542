// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "firmware/types/senses.hpp"
#include "hal/motion.hpp"

namespace kerb::track {

/// How the picture moved within `box` of the frame before: the middle of what most vectors of its
/// inner part say, and the growth that fits them best; vectors that lie within one of `before`, the
/// boxes of whoever stands before this one, are left out. Allocates nothing.
[[nodiscard]] BoxFlow flow_within(const MotionField& field, const Detection& box,
                                  std::span<const Detection> before) noexcept;

}  // namespace kerb::track
