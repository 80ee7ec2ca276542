// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/types/fields.hpp"
#include "firmware/warning/warning_logic.hpp"

/// What the warning logic takes in and decides, as records of warnings hold it: every field. A
/// struct that grows fails to compile here: list the new field too.
/// If decisions depend on it, raise records::kDecisionsVersion.
namespace kerb {

template <typename F>
void fields(F& f, FieldsOf<F, DriverSide>& d) {
  static_assert(sizeof(DriverSide) == 8 + 2 * 16 + 8, "a new field? list it, see above");
  f.structure("DriverSide")("readiness", d.readiness)("speed_mps", d.speed_mps);
  f("yaw_rate_radps", d.yaw_rate_radps)("gear", d.gear)("turn_signal", d.turn_signal);
}
template <typename F>
void fields(F& f, FieldsOf<F, WarningDecision>& d) {
  static_assert(sizeof(WarningDecision) == 40, "a new field? list it, see above");
  f.structure("WarningDecision")("level", d.level)("time_to_collision_s", d.time_to_collision_s);
  f("person", d.person)("camera", d.camera);
  if constexpr (F::kReads)
    if (d.level > WarningLevel::collision) f.fail();
}

}  // namespace kerb
