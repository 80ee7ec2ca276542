// SPDX-License-Identifier: Apache-2.0
#include "firmware/types/view.hpp"

namespace kerb {

const char* name_of(ViewLimit limit) noexcept {
  constexpr const char* kNames[kViewLimitCount] = {"size", "light", "fog", "glass", "people"};
  return kNames[static_cast<int>(limit)];
}

}  // namespace kerb
