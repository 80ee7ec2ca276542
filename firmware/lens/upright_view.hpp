// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "firmware/lens/camera_axes.hpp"
#include "hal/vision.hpp"

namespace kerb {

/// What a camera that looks down, is tilted or sees very wide would show if it stood upright: a
/// picture on a cylinder round it. A column is a direction on the road, in radians; a row is the
/// tangent of the angle above the level; both in steps of 1 / scale_px(). Whoever stands in front
/// of the camera stands upright in it, feet and head alike in scale, however near and however far
/// to the side: as detectors were taught. (In the camera's own picture somebody a metre before a
/// truck has a large head, small feet, and leans to the outside.) As in a level camera's picture of
/// that focal length, feet are camera_height * scale_px() / distance below the horizon.
///
/// It holds as much as the picture shows of people not nearer than kNearest, within kWidest to each
/// side. Exact (see firmware/exact); allocates nothing.
class UprightView {
 public:
  static constexpr double kNearest = 0.8;  ///< metres on the road, from the camera
  static constexpr double kWidest = 1.3;   ///< radians
  static constexpr double kTallest = 2.1;  ///< metres: a person's

  explicit UprightView(const Camera& camera) noexcept;

  /// False: the camera shows nothing of people on the road.
  [[nodiscard]] bool shows_people() const noexcept { return width_ > 1 && height_ > 1; }
  [[nodiscard]] int width() const noexcept { return width_; }
  [[nodiscard]] int height() const noexcept { return height_; }
  [[nodiscard]] double scale_px() const noexcept { return scale_; }
  [[nodiscard]] double horizon_row() const noexcept { return top_ * scale_ - 0.5; }
  [[nodiscard]] double middle_column() const noexcept { return left_ * scale_ - 0.5; }

  /// Where the camera's picture shows what this one shows there; nothing for what lies behind it.
  [[nodiscard]] std::optional<Pixel> in_picture(Pixel upright) const noexcept;
  /// Where this one shows what the camera's picture shows there; nothing straight up or down.
  [[nodiscard]] std::optional<Pixel> in_view(Pixel picture) const noexcept;
  /// Somebody found in this view, as the tracker has people in the camera's picture: the rows of
  /// head and feet, and the column between them. Nothing where either lies behind the camera.
  [[nodiscard]] std::optional<Detection> in_picture(const Detection& upright) const noexcept;

 private:
  struct Direction {
    double side, up;  ///< radians to the right; tangent above the level
  };
  [[nodiscard]] std::optional<Direction> direction_of(Pixel picture) const noexcept;

  Camera camera_;
  CameraAxes axes_;
  double scale_ = 1, left_ = 0, top_ = 0;  // left_: radians left of the middle
  int width_ = 0, height_ = 0;
};

}  // namespace kerb
