// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tools/simulator/base/scenario.hpp"

namespace kerb::sim {

/// Applies camera faults to a rendered picture:
///   camera_blinded     every sample goes to white by `amount`, 0..1
///   camera_dark        every sample goes to black by `amount`, 0..1
///   camera_dirty       blurred, dull spots over `amount` of the picture, 0..1
///   camera_misaligned  the camera looks `amount` degrees further up (down if negative), and half
///   as
///                      much to the right (left)
///   camera_frozen      the picture stays what it was
///   camera_silent      no picture is delivered
///   camera_time_jump   the picture is good, but its time is `amount` seconds off
/// Deterministic; the dirt is the scenario's seed's.
class CameraFaults {
 public:
  CameraFaults(const Scenario& scenario, int channels);
  /// Changes a picture taken at `t`. False: it is not delivered.
  bool apply(double t, std::vector<std::uint8_t>& bytes);
  /// The time that a picture taken at `t` bears.
  [[nodiscard]] double stamp(double t) const;

 private:
  void shift(double degrees, std::vector<std::uint8_t>& bytes);
  void soil(double share, std::vector<std::uint8_t>& bytes);

  const Scenario& scenario_;
  const int channels_;
  std::vector<std::uint8_t> last_, copy_;
  std::vector<float> dirt_;  // 0..1 for each pixel; made when first needed
};

}  // namespace kerb::sim
