// SPDX-License-Identifier: Apache-2.0
#include "hal/can_bus.hpp"

namespace kerb {

bool is_valid(const CanFrame& frame) noexcept {
  if (frame.id > (frame.extended ? 0x1FFFFFFFu : 0x7FFu)) return false;
  if (frame.size <= 8) return !(frame.fd && frame.remote);
  if (!frame.fd || frame.remote) return false;
  for (const int size : {12, 16, 20, 24, 32, 48, 64})
    if (frame.size == size) return true;
  return false;
}

const char* name_of(CanState state) noexcept {
  constexpr const char* kNames[] = {"active", "warning", "passive", "bus_off", "down"};
  return kNames[static_cast<int>(state)];
}

}  // namespace kerb
