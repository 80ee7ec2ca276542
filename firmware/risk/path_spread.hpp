// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>

#include "firmware/types/risk_settings.hpp"

namespace kerb::risk {

/// Standard deviations of the car's place on a way after some time.
struct PathSpread {
  double along = 0, across = 0, heading = 0;
};

/// `lateral_mps2`: of the bend, either way; `yaw_sigma_radps`: of the yaw rate now.
[[nodiscard]] inline PathSpread path_spread(const PathSettings& settings, double speed_mps,
                                            double acceleration_mps2, double lateral_mps2,
                                            double yaw_sigma_radps, double t) noexcept {
  const double v = std::abs(speed_mps), side = lateral_mps2;
  const double yaw = v * yaw_sigma_radps;
  const double wander = std::min(1.0, v / 3) * settings.wander_mps2;
  const double across = std::sqrt(
      wander * wander + settings.bend_share * settings.bend_share * side * side + yaw * yaw);
  const double pace = std::min(1.0, v) * (settings.driver_sigma_mps2 +
                                          settings.driver_share * std::abs(acceleration_mps2));
  const double speed = settings.speed_error_share * v * t, along = pace * t * t / 2;
  return {std::sqrt(speed * speed + along * along), across * t * t / 2, v < 1 ? 0 : across * t / v};
}

}  // namespace kerb::risk
