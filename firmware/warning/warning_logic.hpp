// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "firmware/can/messages.hpp"
#include "firmware/risk/people_report.hpp"
#include "firmware/warning/sensitivity.hpp"
#include "firmware/warning/warning_level.hpp"
#include "hal/base/clock.hpp"

namespace kerb {

/// Whether warnings can be given; if not, why. The numbers are those on the bus.
enum class Readiness : std::uint8_t {
  ready = 0,
  starting = 1,      ///< no frame has gone through yet
  not_active = 2,    ///< the state of health is FAILED, or DEGRADED by what a warning needs
  no_speed = 3,      ///< the vehicle's speed is not known
  too_fast = 4,      ///< above 80 km/h
  reversing = 5,     ///< the camera looks ahead
  switched_off = 6,  ///< by the driver
  no_detector = 7    ///< nobody looks for people
};
[[nodiscard]] const char* name_of(Readiness readiness) noexcept;

/// What the warning needs to know beside the people, each control round.
struct DriverSide {
  Readiness readiness = Readiness::starting;
  std::optional<double> speed_mps;
  std::optional<double> yaw_rate_radps;
  std::optional<can::Gear> gear;
  std::optional<can::TurnSignal> turn_signal;
};

/// What the driver is told.
struct WarningDecision {
  WarningLevel level = WarningLevel::none;
  std::optional<double> time_to_collision_s;
  std::optional<std::uint32_t> person;  ///< id
};

/// Decides what the driver is told, each control round, from the newest report of each camera.
/// Bit for bit the same for the same inputs. One thread; allocates nothing.
class WarningLogic {
 public:
  static constexpr int kMostCameras = 4;
  explicit WarningLogic(Sensitivity sensitivity) noexcept;
  /// `reports`: of each camera, null where there is none yet. `now` does not go back.
  WarningDecision step(Nanos now, const std::array<const risk::PeopleReport*, kMostCameras>& reports,
                       const DriverSide& side) noexcept;
};

}  // namespace kerb
