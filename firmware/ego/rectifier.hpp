// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/ego/geometry.hpp"
#include "firmware/lens/lens.hpp"

namespace kerb::ego {

/// A part of the picture, in pixels of the frame the motion field leads to.
struct Region {
  double x = 0, y = 0, w = 0, h = 0;
};

/// Removes the lens's distortion and the camera's roll: maps the camera's pixels to those of a
/// level camera with the same axis and a lens without distortion. Costs nothing where there is
/// neither distortion nor roll.
class Rectifier {
 public:
  explicit Rectifier(const Camera& camera) noexcept;

  /// No distortion and no roll: both pictures are the same.
  [[nodiscard]] bool does_nothing() const noexcept { return nothing_; }
  /// The place in the rectified picture, in pixels from the axis.
  [[nodiscard]] Vec2 from_axis(Vec2 seen) const noexcept;
  [[nodiscard]] Vec2 straight(Vec2 seen) const noexcept;
  /// The inverse: from the rectified picture to the camera's.
  [[nodiscard]] Vec2 seen(Vec2 straight) const noexcept;
  /// A box by the middles of its edges: its width and height are the distances between them.
  [[nodiscard]] Region straight(const Region& seen) const noexcept;

 private:
  LensMap lens_;
  Vec2 center_;
  double cos_ = 1, sin_ = 0;  // of the roll
  bool nothing_ = true;
};

}  // namespace kerb::ego
