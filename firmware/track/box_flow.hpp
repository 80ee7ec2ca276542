// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "firmware/types/senses.hpp"
#include "firmware/types/tracker_settings.hpp"
#include "hal/motion.hpp"

namespace kerb::track {

struct FlowWithin {
  BoxFlow flow;
  /// The vectors continue the motion beside the box: they may be those of the background, seen past
  /// a narrow thing. Nothing then follows for the thing itself from a car that drives.
  bool like_surroundings = false;
};

/// How the picture moved within `box` of the previous frame: a robust fit of shift and growth to
/// the vectors of its inner part. Where enough of them differ from the motion to the left and right
/// of the box, these are the thing's own, and the others are left out. Vectors of the inner part
/// within one of `before`, the boxes of people in front of this one, are left out, too; so are
/// those beside it within one of `others`, the boxes of all other people: how somebody walks is not
/// how the background moves. Allocates nothing.
[[nodiscard]] FlowWithin flow_within(const BoxFlowSettings& settings, const MotionField& field,
                                     const Detection& box, std::span<const Detection> before,
                                     std::span<const Detection> others) noexcept;

}  // namespace kerb::track
