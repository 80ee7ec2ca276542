// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/types/camera.hpp"
#include "firmware/types/fields.hpp"

/// A camera, as records of warnings hold it: every field. A struct that grows fails to compile here:
/// list the new field too, and raise records::kFormat.
namespace kerb {

template <typename F>
void fields(F& f, FieldsOf<F, Camera>& c) {
  static_assert(sizeof(Camera) == 8 + 15 * 8, "a new field? list it, see above");
  f(c.width, c.height, c.focal_px, c.center_x, c.center_y, c.k1, c.k2, c.k3, c.p1, c.p2, c.height_m,
    c.pitch_rad, c.yaw_rad, c.roll_rad, c.ahead_m, c.left_m, c.pitch_sigma_rad);
}

}  // namespace kerb
