// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "firmware/can/messages.hpp"
#include "firmware/risk/people_report.hpp"
#include "firmware/warning/warning_level.hpp"
#include "hal/base/clock.hpp"

namespace kerb {

/// How early it warns.
enum class Sensitivity : std::uint8_t { late, normal, early };

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
  WarningDecision step(Nanos now,
                       const std::array<const risk::PeopleReport*, kMostCameras>& reports,
                       const DriverSide& side) noexcept;
};

}  // namespace kerb
