// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "firmware/ego/ego_estimator.hpp"
#include "hal/base/clock.hpp"

namespace kerb::lab {

/// Estimates the camera's speed from the motion of the road right ahead. The scale comes from the
/// camera's height above the road: an error of 10 % in the height is one of 10 % in the speed. For
/// recordings without a speed. One thread at a time.
class RoadSpeed {
 public:
  /// After an update() of `ego` over `interval`. If too little of the road is visible: the previous
  /// value; before the first one, nothing.
  std::optional<double> update(const ego::EgoEstimator& ego, Nanos interval);

 private:
  std::optional<double> speed_mps_;
  std::vector<double> ways_;  // of one frame
};

}  // namespace kerb::lab
