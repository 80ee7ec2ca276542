// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace kerb {

/// The level of a warning. The numbers are those of the CAN message.
enum class WarningLevel : std::uint8_t {
  none = 0,
  information = 1,  ///< a person is near: light only
  collision = 2     ///< light and sound
};
[[nodiscard]] const char* name_of(WarningLevel level) noexcept;

/// Whether warnings can be given; if not, why. The numbers are those of the CAN message.
enum class Readiness : std::uint8_t {
  ready = 0,
  starting = 1,      ///< no frame has been processed yet
  not_active = 2,    ///< the state is FAILED, or DEGRADED by a cause that stops warnings
  no_speed = 3,      ///< the vehicle's speed is not known
  too_fast = 4,      ///< above 80 km/h
  reversing = 5,     ///< the cameras look ahead
  switched_off = 6,  ///< by the driver
  no_detector = 7,   ///< detection is off
  limited_view = 8   ///< warnings are given, but people are seen later than the car can stop
};
inline constexpr int kReadinessCount = 9;
/// Whether warnings are given.
[[nodiscard]] constexpr bool can_warn(Readiness readiness) noexcept {
  return readiness == Readiness::ready || readiness == Readiness::limited_view;
}
[[nodiscard]] const char* name_of(Readiness readiness) noexcept;

}  // namespace kerb
