// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tools/simulator/world/world.hpp"

namespace kerb::sim {

/// How much of somebody the camera can see, by geometry alone: no picture is drawn. A person is a
/// flat figure as tall as they are (seated or on wheels: as high as their head is) and 0.26 of
/// their body height wide, turned to the camera; things are boxes of their size, cars a body and a
/// cabin on it, scaffolding, shelters and stalls their poles, roofs and panels (solid_parts()); an
/// open door is a board, with its window seen through. Light and weather play no part, nor does
/// what the street has of its own, such as the cars of `parked_cars`.
class Visibility {
 public:
  explicit Visibility(const Scenario& scenario);
  /// The share of the figure that is inside the picture and has nothing in front, 0..1.
  [[nodiscard]] double visible(const Moment& now, std::size_t person) const;

 private:
  struct Box {
    std::size_t prop;
    double length, width, bottom, top;  ///< metres
    double ahead = 0, left = 0;         ///< of its middle, from the thing's
    double door_side = 0;               ///< 1, -1: the door on that side, from its hinge backwards
  };
  [[nodiscard]] bool hidden(const Moment& now, Vec3 eye, Vec3 point) const;

  Scenario scenario_;
  std::vector<Box> boxes_;
};

}  // namespace kerb::sim
