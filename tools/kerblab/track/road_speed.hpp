// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "firmware/ego/ego_estimator.hpp"
#include "hal/base/clock.hpp"

namespace kerb::lab {

/// How fast a camera travels, as the road right ahead flows by: the height above it is the
/// yardstick, so an error of a tenth in that is one in the speed. For recordings of cars that tell
/// nothing. One thread at a time.
class RoadSpeed {
 public:
  /// After an update() of `ego` over `interval`. Where too little of the road is seen, what was
  /// known before; nothing before the first time.
  std::optional<double> update(const ego::EgoEstimator& ego, Nanos interval);

 private:
  std::optional<double> speed_mps_;
  std::vector<double> ways_;  // of one frame
};

}  // namespace kerb::lab
