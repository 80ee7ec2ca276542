// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/risk/contact.hpp"
#include "firmware/types/fields.hpp"

/// What the judge of contacts is set to, as records of warnings hold it: every field. A struct
/// that grows fails to compile here: list the new field too.
/// If decisions depend on it, raise records::kDecisionsVersion.
namespace kerb::risk {

template <typename F>
void fields(F& f, FieldsOf<F, CarShape>& c) {
  static_assert(sizeof(CarShape) == 24, "a new field? list it, see above");
  f.structure("CarShape")("width_m", c.width_m)("length_m", c.length_m);
  f("axle_to_bumper_m", c.axle_to_bumper_m);
}
template <typename F>
void fields(F& f, FieldsOf<F, TurnSettings>& t) {
  static_assert(sizeof(TurnSettings) == 14 * 8, "a new field? list it, see above");
  f.structure("TurnSettings")("signalled_share", t.signalled_share);
  f("slowing_share", t.slowing_share)("begun_share", t.begun_share)("begun_rad", t.begun_rad);
  f("untold_share", t.untold_share);
  f("begins_radius_m", t.begins_radius_m)("least_radius_m", t.least_radius_m);
  f("most_radius_m", t.most_radius_m)("angle_rad", t.angle_rad);
  f("angle_half_rad", t.angle_half_rad)("ramp_m", t.ramp_m)("within_m", t.within_m);
  f("lateral_mps2", t.lateral_mps2)("braking_mps2", t.braking_mps2);
}
template <typename F>
void fields(F& f, FieldsOf<F, BendSettings>& b) {
  static_assert(sizeof(BendSettings) == 5 * 8, "a new field? list it, see above");
  f.structure("BendSettings")("lasts_s", b.lasts_s)("from_mps2", b.from_mps2);
  f("surely_mps2", b.surely_mps2)("straightens_s", b.straightens_s);
  f("turned_back_share", b.turned_back_share);
}
template <typename F>
void fields(F& f, FieldsOf<F, PathSettings>& p) {
  static_assert(sizeof(PathSettings) == 15 * 8 + sizeof(BendSettings) + sizeof(TurnSettings),
                "a new field? list it, see above");
  f.structure("PathSettings")("wander_mps2", p.wander_mps2)("bend_share", p.bend_share);
  f("bend_change_share", p.bend_change_share);
  f("yaw_rate_sigma_radps", p.yaw_rate_sigma_radps);
  f("yaw_rate_unknown_radps", p.yaw_rate_unknown_radps);
  f("yaw_change_fades_s", p.yaw_change_fades_s)("speed_error_share", p.speed_error_share);
  f("driver_sigma_mps2", p.driver_sigma_mps2)("driver_share", p.driver_share);
  f("flow_yaw_sigma_radps", p.flow_yaw_sigma_radps);
  f("yaw_contradiction_radps", p.yaw_contradiction_radps);
  f("steering_sigma_rad", p.steering_sigma_rad)("steering_share", p.steering_share);
  f("wheelbase_m", p.wheelbase_m)("characteristic_mps", p.characteristic_mps)("turn", p.turn);
  f("bend", p.bend);
}
template <typename F>
void fields(F& f, FieldsOf<F, PaceSettings>& p) {
  static_assert(sizeof(PaceSettings) == 11 * 8, "a new field? list it, see above");
  f.structure("PaceSettings")("usual_mps", p.usual_mps);
  f("stopping_distance_m", p.stopping_distance_m)("speeds_up_share", p.speeds_up_share);
  f("stops_share", p.stops_share)("stops_slowing_share", p.stops_slowing_share);
  f("along_share", p.along_share)("along_sigma_mps", p.along_sigma_mps);
  f("across_sigma_mps", p.across_sigma_mps)("any_way_mps", p.any_way_mps);
  f("in_way_ratio", p.in_way_ratio)("stays_m", p.stays_m);
}
template <typename F>
void fields(F& f, FieldsOf<F, ContactSettings>& c) {
  static_assert(sizeof(ContactSettings) == 16 + sizeof(PathSettings) + sizeof(PaceSettings),
                "a new field? list it, see above");
  f.structure("ContactSettings")("horizon_s", c.horizon_s)("person_radius_m", c.person_radius_m);
  f("path", c.path)("pace", c.pace);
}

}  // namespace kerb::risk
