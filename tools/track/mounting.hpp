// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "tools/eval/boxes.hpp"

namespace kerb::lab {

/// The mounting of a camera, estimated from the people in its pictures.
struct Mounting {
  double height_m = 0;   ///< above the road
  double pitch_deg = 0;  ///< upwards is positive
  int boxes = 0;         ///< looked at
  double share = 0;      ///< of them, that agree
};

/// From boxes of people who stand on one flat road, most of them 1.7 m tall: the rows of their feet
/// then lie on a line over their heights in the picture, which meets height 0 at the horizon and
/// rises by the camera's height in people's heights. The line most boxes agree with, to a twentieth
/// of their height; the same boxes give the same line. Boxes that the picture's edge may cut are
/// left out. Nothing where there are fewer than 30, where fewer than a fifth agree, or where the
/// line is none that a camera can have.
[[nodiscard]] std::optional<Mounting> fit_mounting(const std::vector<eval::Box>& people,
                                                   double focal_px, double center_y,
                                                   double picture_height);

}  // namespace kerb::lab
