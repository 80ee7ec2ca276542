// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace kerb {

/// How loudly the driver is told. The numbers are those of the CAN message.
enum class WarningLevel : std::uint8_t {
  none = 0,
  information = 1,  ///< somebody is near: light only
  collision = 2     ///< light and sound
};
[[nodiscard]] const char* name_of(WarningLevel level) noexcept;

}  // namespace kerb
