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
  f("sees", d.sees);
}
template <typename F>
void fields(F& f, FieldsOf<F, WarningRules>& r) {
  static_assert(sizeof(WarningRules) == 25 * 8, "a new field? list it, see above");
  f.structure("WarningRules")("likelihood", r.likelihood)("standing_ahead_s", r.standing_ahead_s);
  f("longer_ahead_s_per_mps", r.longer_ahead_s_per_mps)("most_ahead_s", r.most_ahead_s);
  f("late_sigmas", r.late_sigmas)("reports", r.reports);
  f("urgent_s", r.urgent_s)("detected_within_s", r.detected_within_s)("blind_s", r.blind_s);
  f("slow_kmh", r.slow_kmh);
  f("creeping_likelihood", r.creeping_likelihood)("creeping_ahead_s", r.creeping_ahead_s);
  f("stay_likelihood", r.stay_likelihood)("stay_longer_s", r.stay_longer_s);
  f("lingers_s", r.lingers_s)("lost_s", r.lost_s)("brakes_mps2", r.brakes_mps2);
  f("brakes_hard_mps2", r.brakes_hard_mps2)("steers_mps2", r.steers_mps2);
  f("information_kmh", r.information_kmh)("close_ahead_m", r.close_ahead_m);
  f("close_beside_m", r.close_beside_m)("close_soon_s", r.close_soon_s);
  f("close_evidence_s", r.close_evidence_s)("information_lingers_s", r.information_lingers_s);
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
