// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace kerb::risk {

/// Whether the car is about to turn into another street, as of one frame.
struct TurnOutlook {
  double share = 0;       ///< probability; the rest: it goes on as it moves now
  double turned_rad = 0;  ///< since the turn began, towards its side; 0: it has not begun
  std::int8_t side = 0;   ///< 1: to the left, -1: to the right, 0: no turn
};

}  // namespace kerb::risk
