// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/ego/geometry.hpp"
#include "firmware/lens/lens.hpp"

namespace kerb::ego {

/// A part of the picture, in pixels of the frame the motion field leads to.
struct Region {
  double x = 0, y = 0, w = 0, h = 0;
};

/// Takes a lens's distortion and a camera's roll off what it sees: from its pixels to those of a
/// camera that looks the same way, levelled, through a lens without. Costs nothing where there is
/// neither.
class Rectifier {
 public:
  explicit Rectifier(const Camera& camera) noexcept;

  /// No distortion and no roll: both pictures are the same.
  [[nodiscard]] bool does_nothing() const noexcept { return nothing_; }
  /// Where the straight picture shows it; pixels from the axis.
  [[nodiscard]] Vec2 from_axis(Vec2 seen) const noexcept;
  [[nodiscard]] Vec2 straight(Vec2 seen) const noexcept;
  /// And back.
  [[nodiscard]] Vec2 seen(Vec2 straight) const noexcept;
  /// A box by the middles of its edges: as wide and as high as they are apart.
  [[nodiscard]] Region straight(const Region& seen) const noexcept;

 private:
  LensMap lens_;
  Vec2 center_;
  double cos_ = 1, sin_ = 0;  // of the roll
  bool nothing_ = true;
};

}  // namespace kerb::ego
