// SPDX-License-Identifier: Apache-2.0
#include "firmware/types/warning_level.hpp"

namespace kerb {

const char* name_of(WarningLevel level) noexcept {
  constexpr const char* kNames[] = {"none", "information", "collision"};
  return kNames[static_cast<int>(level)];
}

const char* name_of(Readiness readiness) noexcept {
  constexpr const char* kNames[kReadinessCount] = {"ready",        "starting",    "not_active",
                                                   "no_speed",     "too_fast",    "reversing",
                                                   "switched_off", "no_detector", "limited_view"};
  return kNames[static_cast<int>(readiness)];
}

}  // namespace kerb
