// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/types/camera.hpp"
#include "firmware/types/fields.hpp"

/// A camera, as records of warnings hold it: every field. A struct that grows fails to compile
/// here: list the new field too. If decisions depend on it, raise records::kDecisionsVersion.
namespace kerb {

template <typename F>
void fields(F& f, FieldsOf<F, Camera>& c) {
  static_assert(sizeof(Camera) == 8 + 15 * 8, "a new field? list it, see above");
  f.structure("Camera")("width", c.width)("height", c.height)("focal_px", c.focal_px);
  f("center_x", c.center_x)("center_y", c.center_y)("k1", c.k1)("k2", c.k2)("k3", c.k3)("p1", c.p1);
  f("p2", c.p2)("height_m", c.height_m)("pitch_rad", c.pitch_rad)("yaw_rad", c.yaw_rad);
  f("roll_rad", c.roll_rad)("ahead_m", c.ahead_m)("left_m", c.left_m);
  f("pitch_sigma_rad", c.pitch_sigma_rad);
}

}  // namespace kerb
