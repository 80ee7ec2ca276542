// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kerb::risk {

/// Standard deviations of the car's predicted path. Larger ones: contacts are less certain, and
/// warned of later. On a straight a driver wanders, in a bend by a share of its lateral
/// acceleration.
struct PathSettings {
  double wander_mps2 = 0.15;             ///< to the side
  double bend_share = 0.1;               ///< of the lateral acceleration
  double yaw_rate_sigma_radps = 0.004;   ///< of the car's sensor
  double yaw_rate_unknown_radps = 0.08;  ///< where no yaw rate is reported
  double yaw_change_fades_s = 0.6;  ///< time constant with which a change of the yaw rate fades
  double speed_error_share = 0.01;  ///< of the speed, of the car's sensor
  double driver_sigma_mps2 = 0.4;   ///< what the driver may change along the path
  double driver_share = 0.15;       ///< of the acceleration
};

/// What people who walk do next.
struct PaceSettings {
  double usual_mps = 1.4;            ///< the pace that one who has begun to walk reaches
  double stopping_distance_m = 1;    ///< of one who stops
  double speeds_up_share = 0.75;     ///< largest probability of walking faster
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
