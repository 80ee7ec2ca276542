// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/base/clock.hpp"

namespace kerb {

/// Which values of the vehicle's signals are accepted. Plain data with usable defaults;
/// [can.vehicle] of the configuration fills and checks it, VehicleSignals applies it.
struct VehicleLimits {
  Nanos motion_stale = std::chrono::milliseconds{200};  ///< VEH_Motion comes every 20 ms
  Nanos body_stale = std::chrono::milliseconds{1000};   ///< VEH_Body comes every 100 ms
  double speed_min_mps = -20;                           ///< backwards is negative
  double speed_max_mps = 100;
  double yaw_rate_max_radps = 2;            ///< either way
  double acceleration_max_mps2 = 12;        ///< between two messages, either way
  double yaw_acceleration_max_radps2 = 15;  ///< between two messages, either way
  double steering_max_rad = 1;              ///< of the front wheels, either way
  double steering_rate_max_radps = 3;       ///< between two messages, either way
  int recover_messages = 3;                 ///< good ones in a row that end a fault
};

}  // namespace kerb
