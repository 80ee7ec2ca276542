// SPDX-License-Identifier: Apache-2.0
#include "drivers/guard/lamp_guard.hpp"

namespace kerb {

bool LampGuard::lit(GuardedLamp lamp, Nanos now) const noexcept {
  const bool wanted = wanted_[static_cast<std::size_t>(lamp)];
  if (lamp == GuardedLamp::warning) return wanted;
  return wanted || !heard_at_ || now - *heard_at_ >= patience_;
}

}  // namespace kerb
