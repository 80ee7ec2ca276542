// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "firmware/lens/camera_axes.hpp"
#include "firmware/types/camera_pair.hpp"

namespace kerb {

/// Between the axes of two cameras of one car: x to the right, y down, z forward, metres. Exact
/// (see firmware/exact); allocates nothing.
class PairGeometry {
 public:
  explicit PairGeometry(const CameraPair& pair) noexcept;

  /// A place in the first camera's axes, in those of the second; and back.
  [[nodiscard]] Vec3 in_second(const Vec3& in_first) const noexcept;
  [[nodiscard]] Vec3 in_first(const Vec3& in_second) const noexcept;

  /// Where the second camera shows what the first shows at `pixel`, `distance_m` away from the
  /// first (infinity: so far that the position does not matter). Nothing for what lies behind the
  /// second camera. The pixel may lie outside the second picture.
  [[nodiscard]] std::optional<Pixel> shown_by_second(const Camera& first, const Camera& second,
                                                     Pixel pixel, double distance_m) const noexcept;

 private:
  CameraAxes axes_;  // of the second camera; the first takes the place of the car
};

}  // namespace kerb
