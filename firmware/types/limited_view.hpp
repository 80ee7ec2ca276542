// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace kerb {

/// What the status lamp (amber) does during a limited view.
enum class ViewLamp : std::uint8_t { off, slow_blink, on };

/// When the driver is told of a limited view: people are seen only nearer than the car needs to
/// stop, speed * reaction_s + speed^2 / (2 braking_mps2).
struct LimitedViewSettings {
  bool enabled = true;
  double reaction_s = 1.3;  ///< 0.3 until people are tracked, 1.0 until the driver brakes
  double braking_mps2 = 6;  ///< firm braking on a dry road
  ViewLamp lamp = ViewLamp::slow_blink;
};

}  // namespace kerb
