// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/types/fields.hpp"
#include "firmware/warning/warning_logic.hpp"

/// What the warning logic takes in and decides, as records of warnings hold it: every field. A
/// struct that grows fails to compile here: list the new field too, and raise records::kFormat.
namespace kerb {

template <typename F>
void fields(F& f, FieldsOf<F, DriverSide>& d) {
  static_assert(sizeof(DriverSide) == 8 + 2 * 16 + 8, "a new field? list it, see above");
  f(d.readiness, d.speed_mps, d.yaw_rate_radps, d.gear, d.turn_signal);
}
template <typename F>
void fields(F& f, FieldsOf<F, WarningDecision>& d) {
  static_assert(sizeof(WarningDecision) == 40, "a new field? list it, see above");
  f(d.level, d.time_to_collision_s, d.person, d.camera);
  if constexpr (F::kReads)
    if (d.level > WarningLevel::collision) f.fail();
}

}  // namespace kerb
