// SPDX-License-Identifier: Apache-2.0
#include "firmware/types/ego_motion.hpp"

namespace kerb::ego {

const char* name_of(EgoState state) noexcept {
  constexpr const char* kNames[] = {"valid",          "off",          "no_previous",
                                    "too_few_points", "no_consensus", "too_slow"};
  return kNames[static_cast<int>(state)];
}

const char* name_of(Travel travel) noexcept {
  constexpr const char* kNames[] = {"none", "forward", "backward"};
  return kNames[static_cast<int>(travel)];
}

const char* name_of(RegionVerdict verdict) noexcept {
  constexpr const char* kNames[] = {"unknown", "standing", "moving"};
  return kNames[static_cast<int>(verdict)];
}

}  // namespace kerb::ego
