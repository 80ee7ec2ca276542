// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "firmware/types/senses.hpp"
#include "hal/motion.hpp"

namespace kerb::track {

/// How the picture moved within `box` of the previous frame: a robust fit of shift and growth to
/// the vectors of its inner part. Vectors within one of `before`, the boxes of people in front of
/// this one, are left out. Allocates nothing.
[[nodiscard]] BoxFlow flow_within(const MotionField& field, const Detection& box,
                                  std::span<const Detection> before) noexcept;

}  // namespace kerb::track
