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

/// What the spread grows with.
struct PathDoubt {
  double speed_mps = 0, acceleration_mps2 = 0;
  double lateral_mps2 = 0;         ///< acceleration of the bend, either way
  double lateral_change_mps2 = 0;  ///< by which it is expected to change, either way
  double yaw_sigma_radps = 0;      ///< of the yaw rate now
};

[[nodiscard]] inline PathSpread path_spread(const PathSettings& settings, const PathDoubt& doubt,
                                            double t) noexcept {
  const double v = std::abs(doubt.speed_mps);
  const double yaw = v * doubt.yaw_sigma_radps;
  const double wander = std::min(1.0, v / 3) * settings.wander_mps2;
  const double bend = settings.bend_share * doubt.lateral_mps2;
  const double change = settings.bend_change_share * doubt.lateral_change_mps2;
  const double across = std::sqrt(wander * wander + bend * bend + change * change + yaw * yaw);
  const double pace =
      std::min(1.0, v) *
      (settings.driver_sigma_mps2 + settings.driver_share * std::abs(doubt.acceleration_mps2));
  const double speed = settings.speed_error_share * v * t, along = pace * t * t / 2;
  return {std::sqrt(speed * speed + along * along), across * t * t / 2, v < 1 ? 0 : across * t / v};
}

}  // namespace kerb::risk
