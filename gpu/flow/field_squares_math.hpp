// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/image/both.hpp"
#include "hal/motion.hpp"

/// What a vector of the smaller picture is in the whole one, the same on both backends: compiled
/// without fused multiply-add. For gpu/flow alone.
namespace kerb::flow {

/// Without its quality.
KERB_BOTH FlowVector in_full_picture(int x, int y, float u, float v, float full) {
  FlowVector out;
  out.x = (static_cast<float>(x) + 0.5F) * full - 0.5F;
  out.y = (static_cast<float>(y) + 0.5F) * full - 0.5F;
  out.dx = u * full;
  out.dy = v * full;
  return out;
}

KERB_BOTH bool leads_into(const Detection& box, const FlowVector& v) {
  const float x = v.x + v.dx, y = v.y + v.dy;
  return x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h;
}

}  // namespace kerb::flow
