// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kerb::track {

/// How tall people are.
struct HeightPrior {
  double mean_m = 1.70, sigma_m = 0.10;
};

/// Noise and priors of the Kalman filter of a person. Names without a unit are shares. Larger
/// process noise (wander) follows changes sooner and jitters more; larger jitter trusts boxes less.
struct FilterSettings {
  HeightPrior adult{1.70, 0.10}, child{1.25, 0.13};
  double child_share = 0.2;      ///< of people
  double speed_sigma_mps = 1.0;  ///< of people over ground, along each axis
  double speed_time_s = 2;       ///< a velocity decays with this time constant, so that no one
                                 ///< is predicted to walk away at 5 m/s
  // Whether a person stands or walks: see PersonFilter.
  double walks_share = 0.5;        ///< of people when they are first detected
  double starts_per_s = 0.3;       ///< rate at which people who stand begin to walk,
  double stops_per_s = 0.3;        ///< and those who walk stop
  double sway = 0.01;              ///< growth of the place's variance while they stand, m^2/s
  double wander = 0.5;             ///< growth of the velocity's variance, m^2/s^3
  double row_jitter = 0.035;       ///< of a box's upper and lower edge, in heights of the box
  double column_jitter = 0.03;     ///< of its middle, in heights of the box
  double least_jitter_px = 1;      ///< lower limit of both
  double jitter_time_s = 0.05;     ///< correlation time of a detector's errors
  double pitch_time_s = 2;         ///< correlation time of the car's nodding
  double yaw_rate_sigma = 0.005;   ///< of the reported yaw rate, rad/s
  double yaw_unknown_sigma = 0.1;  ///< where none is reported, rad/s
  double speed_share = 0.01;       ///< error of the car's speed
  double speed_unknown_mps = 8;    ///< where no speed is reported: standard deviation of the car's
  double wander_unknown = 4;       ///< likewise: growth of its variance, m^2/s^3
  double flow_doubt = 2;  ///< factor on the flow's standard deviation: neighbours err together
  double flow_least_px = 0.15;  ///< lower limit of the flow's standard deviation
  double flow_share = 0.03;     ///< error that grows with the flow's length
  double growth_least = 0.002;  ///< lower limit of the growth's standard deviation
};

}  // namespace kerb::track
