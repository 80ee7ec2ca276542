// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "tools/simulator/base/scenario.hpp"
#include "tools/simulator/render/vecf.hpp"

namespace kerb::sim {

/// Where a camera is and looks: rows of `axes` are its right, its down and its forward, in the
/// world.
struct CameraPose {
  Vec3 at;
  std::array<Vec3, 3> axes{};
  /// A point of the world as the camera has it: right, down, forward.
  [[nodiscard]] Vec3 seen(Vec3 p) const noexcept {
    const Vec3 d = p - at;
    return {dot(axes[0], d), dot(axes[1], d), dot(axes[2], d)};
  }
};

/// How the camera of a car that stands there sits.
CameraPose pose_of(const CameraSpec& spec, const Place& car);

/// The lens. Pixels are counted at their middles: the upper left one's middle is (0, 0), the axis
/// meets the picture at ((width - 1) / 2, (height - 1) / 2), and points go to pixels as OpenCV's
/// projectPoints has it with k1 and k2.
struct Lens {
  double focal = 0, centre_x = 0, centre_y = 0, k1 = 0, k2 = 0;
  explicit Lens(const CameraSpec& spec);
  [[nodiscard]] bool straight() const noexcept { return k1 == 0 && k2 == 0; }
  /// Whether the lens's polynomial still means something in this direction (x / z and y / z): it
  /// falls or runs away far to the side.
  [[nodiscard]] bool sees(Vec2 ray) const noexcept;
  /// x / z and y / z to a pixel.
  [[nodiscard]] Vec2 pixel(Vec2 ray) const noexcept;
  /// And back; `ok` is false where no ray goes to this pixel.
  [[nodiscard]] Vec2 ray(Vec2 pixel, bool& ok) const noexcept;
};

/// The picture without the lens, in which everything is drawn: the same focal length, wide enough
/// for all that the lens brings in.
struct Canvas {
  int width = 0, height = 0;
  double focal = 0, centre_x = 0, centre_y = 0;
  explicit Canvas(const CameraSpec& spec, const Lens& lens);
};

}  // namespace kerb::sim
