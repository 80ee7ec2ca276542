// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "firmware/risk/car_path.hpp"
#include "firmware/types/person.hpp"

namespace kerb::test {

/// Somebody at a place with a velocity, each known so well.
inline track::Person somebody(double x, double y, double vx, double vy, double place_sigma = 0.1,
                              double speed_sigma = 0.15) {
  track::Person p;
  p.id = 7;
  p.x_m = x;
  p.y_m = y;
  p.vx_mps = vx;
  p.vy_mps = vy;
  p.confirmed = true;
  p.covariance[0] = p.covariance[5] = place_sigma * place_sigma;
  p.covariance[10] = p.covariance[15] = speed_sigma * speed_sigma;
  return p;
}

/// A car that has driven like this for two seconds, told 30 times a second; `change` m/s^2. The
/// speed is that of the end.
inline risk::CarPath driven(double speed, double yaw_rate = 0, double change = 0) {
  risk::CarPath path;
  for (int i = 0; i <= 60; ++i) {
    const double t = (i - 60) / 30.0;
    path.update(Nanos{std::llround((i + 1) * 1e9 / 30)},
                {.speed_mps = speed + change * t, .yaw_rate_radps = yaw_rate});
  }
  return path;
}

}  // namespace kerb::test
