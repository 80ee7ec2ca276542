// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <optional>

namespace kerb::risk {

/// The predicted contact of one person and the car.
struct Contact {
  double probability = 0;            ///< that the car touches them within the horizon
  std::optional<double> expected_s;  ///< to the contact: the mean over all predicted futures
  double expected_sigma_s = 0;       ///< its standard deviation
  std::optional<double> time_s;      ///< to the contact on their likeliest paths
  double closest_m = std::numeric_limits<double>::infinity();  ///< distance on those paths
  double closest_in_s = 0;
  double ahead_m = 0;   ///< now, from the front bumper to their middle; negative: beside or behind
  double beside_m = 0;  ///< now, from the car's side to their middle; 0: within its width
};

}  // namespace kerb::risk
