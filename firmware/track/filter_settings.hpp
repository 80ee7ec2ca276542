// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kerb::track {

/// How tall people are.
struct HeightPrior {
  double mean_m = 1.70, sigma_m = 0.10;
};

/// What the filter takes for likely. The units are in the names; where there are none, shares.
struct FilterSettings {
  HeightPrior adult{1.70, 0.10}, child{1.25, 0.13};
  double child_share = 0.2;        ///< of people
  double speed_sigma_mps = 1.0;    ///< of people, over ground, along each axis
  double speed_time_s = 2;         ///< for so long they keep a velocity: nobody walks off at 5 m/s
  double wander = 0.5;             ///< how it changes: its variance in a second, m^2/s^3
  double row_jitter = 0.035;       ///< of a box's upper and lower edge, in heights of the box
  double column_jitter = 0.03;     ///< of its middle
  double least_jitter_px = 1;      ///< of any
  double jitter_time_s = 0.05;     ///< for so long a detector errs alike
  double pitch_time_s = 2;         ///< how long a nod of the car lasts
  double yaw_rate_sigma = 0.005;   ///< of what the car tells, rad/s
  double yaw_unknown_sigma = 0.1;  ///< where nobody tells
  double speed_share = 0.01;       ///< by which the car's speed may be wrong
  double speed_unknown_mps = 8;    ///< where nobody tells: how fast it may be, for a first guess
  double wander_unknown = 4;       ///< and how its speed changes, m^2/s^3
  double flow_doubt = 2;           ///< neighbours err together: so much worse than flow says
  double flow_least_px = 0.15;
  double flow_share = 0.03;  ///< of its length
  double growth_least = 0.002;
};

}  // namespace kerb::track
