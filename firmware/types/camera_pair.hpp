// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace kerb {

/// How the second of two cameras is placed relative to the first, as `kerblab calibrate pair`
/// measures it. The position is in the first camera's own axes: along its optical axis, to its left
/// and upwards in its picture. The angles are the second camera's relative to these axes, defined
/// as those of Camera are relative to the car's. firmware/lens/pair_geometry.hpp applies them.
struct CameraPair {
  std::string first, second;  ///< names of cameras of the configuration
  double ahead_m = 0, left_m = 0, up_m = 0;
  double pitch_deg = 0;           ///< upwards is positive
  double yaw_deg = 0;             ///< to the left is positive
  double roll_deg = 0;            ///< right side down is positive
  double position_sigma_m = 0.1;  ///< standard deviation of the least certain coordinate
  double angle_sigma_deg = 1;     ///< standard deviation of the least certain angle
};

}  // namespace kerb
