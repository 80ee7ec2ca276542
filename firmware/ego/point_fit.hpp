// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/ego/ego_estimator.hpp"

namespace kerb::ego {

[[nodiscard]] constexpr double square(double x) noexcept { return x * x; }

/// One point under one hypothesis: its motion after the camera's rotation is undone, along the line
/// from the focus of expansion and across it. Where the camera only turns there is no such line:
/// along is then the picture's x, across its y, and both should be zero.
struct EgoEstimator::PointFit {
  Vec2 turned;      ///< where it would be now, had the camera not turned
  Vec2 u;           ///< its motion then
  Vec2 along_unit;  ///< away from the focus
  double rho = 0;   ///< distance from the focus; 0 where the camera only turns
  double along = 0, across = 0;
  double excess = 0;  ///< the part of `along` that no allowed distance explains

  /// Derivative of `across` by the unknowns.
  [[nodiscard]] Vector row_across(double focal_px, Travel travel) const noexcept {
    const TurnJacobian j = turn_jacobian(focal_px, turned);
    const auto turn = [&](std::size_t i) { return j.y[i] * along_unit.x - j.x[i] * along_unit.y; };
    Vector row = {turn(0), turn(1), turn(2), 0, 0};
    if (travel != Travel::none && rho > 1e-9) {
      // d/dfoe of (g x u) / |g|, g = p - foe.
      row[3] = (-u.y + across * along_unit.x) / rho;
      row[4] = (u.x + across * along_unit.y) / rho;
    }
    return row;
  }
  /// Of `along`; the focus hardly changes it.
  [[nodiscard]] Vector row_along(double focal_px) const noexcept {
    const TurnJacobian j = turn_jacobian(focal_px, turned);
    const auto turn = [&](std::size_t i) { return j.x[i] * along_unit.x + j.y[i] * along_unit.y; };
    return {turn(0), turn(1), turn(2), 0, 0};
  }
};

}  // namespace kerb::ego
