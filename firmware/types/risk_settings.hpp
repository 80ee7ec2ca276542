// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kerb::risk {

/// A turn into another street that the indicator tells of (firmware/risk/turn.hpp). The shares are
/// probabilities; higher ones: people in the other street are warned of earlier, people straight
/// ahead later.
struct TurnSettings {
  double signalled_share = 0.3;  ///< at the speed of the road: most others change lanes, or park
  double slowing_share = 0.7;    ///< slowing down, or as slow as turns are driven
  double begun_share = 0.95;     ///< a heading of `begun_rad` has been turned
  double begun_rad = 0.5;
  double untold_share = 0;      ///< no indicator, but twice `begun_rad` turned as narrowly as turns
  double begins_radius_m = 30;  ///< a wider bend is the road's
  double least_radius_m = 6;    ///< of the rear axle's arc, evenly between these
  double most_radius_m = 14;
  double angle_rad = 1.5708;     ///< between the streets,
  double angle_half_rad = 0.26;  ///< give or take, evenly
  double ramp_m = 4;             ///< over which the curvature grows and falls
  double within_m = 10;          ///< where it begins: evenly up to this way after the first place
  double lateral_mps2 = 2.5;     ///< with which turns are driven: gives their speed
  double braking_mps2 = 2;       ///< before it, as late as possible
};

/// The end of a bend. Roads bend for a few seconds; where the bend ends is not known. A shorter
/// time: who stands where the bend would lead is warned of later.
struct BendSettings {
  double lasts_s = 4;        ///< mean time that a bend still lasts; 0: for ever
  double from_mps2 = 0.4;    ///< lateral acceleration from which it is a bend,
  double surely_mps2 = 1;    ///< and surely one
  double straightens_s = 1;  ///< in which the yaw rate falls to none
  /// Where the steering is being turned back: it ends this much more often than after the time in
  /// which the yaw rate would fall to none at this pace. 0: that says nothing.
  double turned_back_share = 1;
};

/// Standard deviations of the car's predicted path. Larger ones: contacts are less certain, and
/// warned of later. On a straight a driver wanders, in a bend by a share of its lateral
/// acceleration.
struct PathSettings {
  double wander_mps2 = 0.15;              ///< to the side
  double bend_share = 0.1;                ///< of the lateral acceleration,
  double bend_change_share = 0.7;         ///< and of what it is expected to change by
  double yaw_rate_sigma_radps = 0.004;    ///< of the car's sensor
  double yaw_rate_unknown_radps = 0.08;   ///< where no yaw rate is reported
  double flow_yaw_sigma_radps = 0.02;     ///< of the road's flow, where it counts
  double yaw_contradiction_radps = 0.15;  ///< sensor and flow further apart: the flow counts
  double steering_sigma_rad = 0.004;      ///< of the front wheels' angle, and
  double steering_share = 0.1;            ///< of the yaw rate that it gives
  double wheelbase_m = 2.7;
  double characteristic_mps = 25;   ///< the speed at which understeer halves the yaw rate
  double yaw_change_fades_s = 0.6;  ///< time constant with which a change of the yaw rate fades
  double speed_error_share = 0.01;  ///< of the speed, of the car's sensor
  double driver_sigma_mps2 = 0.4;   ///< what the driver may change along the path
  double driver_share = 0.15;       ///< of the acceleration
  BendSettings bend;
  TurnSettings turn;
};

/// What people do next, and where they are.
struct PaceSettings {
  double usual_mps = 1.4;          ///< the pace that one who has begun to walk reaches
  double stopping_distance_m = 1;  ///< of one who stops
  double speeds_up_share = 0.75;   ///< largest probability of walking faster
  // Along the road, rather than any way: see along_road.hpp. A larger share: people on pavements
  // are less often warned of, those who leave them later.
  double along_share = 0.6;        ///< of people who walk
  double along_sigma_mps = 0.6;    ///< of their speed about the usual pace,
  double across_sigma_mps = 0.12;  ///< and across the road
  double any_way_mps = 1;  ///< the others, along each axis; no key: FilterSettings::speed_sigma_mps
  /// How much rarer people stand, or walk along the road, in the way of cars than beside it.
  /// Smaller: who stands where the car only may go is warned of later; 1: as often.
  double in_way_ratio = 0.2;
  double stays_m = 0.5;  ///< who moves less than this until a contact, and in a second, counts like
                         ///< one who stands
  double stops_share = 0.2;          ///< probability that a walking person stops,
  double stops_slowing_share = 0.4;  ///< and how much more where they slow down
};

struct ContactSettings {
  double horizon_s = 4;  ///< up to CarPath::kHorizon_s
  double person_radius_m = 0.3;
  PathSettings path;
  PaceSettings pace;
};

}  // namespace kerb::risk
