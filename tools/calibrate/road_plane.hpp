// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>

#include "firmware/ego/geometry.hpp"

namespace kerb::calibrate {

/// A point of the picture that moved outwards from the focus of expansion.
struct OutwardPoint {
  double x = 0, y = 0;  ///< from the focus of expansion, pixels
  double share = 0;     ///< of that distance it has moved: the way travelled by its depth
  double sigma = 0;     ///< of the share
};

/// An estimate from the road's motion. On a plane, the share grows linearly with the distance below
/// the horizon; for a rolled camera it grows along a tilted line.
struct RoadPlane {
  double roll_rad = 0;     ///< right side down
  double share_a_row = 0;  ///< of the way by the depth, a pixel below the horizon
  int points = 0;          ///< that lie on it
};

/// The plane through the horizon (which the focus of expansion lies on) that most points agree
/// with; nothing where fewer than twelve or a third of them do. The same for the same points.
[[nodiscard]] std::optional<RoadPlane> fit_road(std::span<const OutwardPoint> points);

}  // namespace kerb::calibrate
