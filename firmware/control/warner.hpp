// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "firmware/can/messages.hpp"
#include "firmware/can/vehicle_signals.hpp"
#include "firmware/fuse/people_fuser.hpp"
#include "firmware/health/health_monitor.hpp"
#include "firmware/records/taps.hpp"
#include "firmware/warning/off_switch.hpp"
#include "firmware/warning/readiness.hpp"
#include "firmware/warning/warning_decider.hpp"
#include "firmware/warning/warning_logic.hpp"

namespace kerb {

/// The id on the bus of a person with this identity (track::identity_camera()): unique over all
/// cameras.
[[nodiscard]] constexpr std::uint16_t bus_number(std::uint32_t person, int camera) noexcept {
  return static_cast<std::uint16_t>(
      (std::uint64_t{person} * WarningLogic::kMostCameras + static_cast<unsigned>(camera)) %
      can::kObjectIds);
}

/// The decision: the driver's off switch, whether a warning can be given, and which.
/// One thread; allocates only when constructed.
class Warner {
 public:
  static constexpr Nanos kButtonsHold =
      std::chrono::milliseconds{500};  ///< after this without a press() they count as released

  explicit Warner(const WarningRules& rules, const LimitedViewSettings& view = {},
                  const fuse::FuserSettings& fusion = {})
      : ready_{view}, decider_{rules, fusion} {}

  /// The driver's buttons, as received at `now`.
  void press(const can::VehicleDriver& buttons, Nanos now) noexcept {
    buttons_ = {buttons.off_pressed, buttons.confirm_pressed};
    pressed_at_ = now;
    switch_.ignition(buttons.ignition_cycle);
  }
  /// One round. `facts` holds all but the switch and the vehicle. `record` may be null.
  const WarningDecision& step(
      Nanos now, const std::array<const risk::PeopleReport*, WarningLogic::kMostCameras>& reports,
      ReadinessFacts facts, const can::VehicleState& vehicle,
      records::ControlTap* record = nullptr) noexcept;

  [[nodiscard]] const WarningDecision& decision() const noexcept { return decision_; }
  [[nodiscard]] const DriverSide& side() const noexcept { return side_; }  ///< of the last round
  [[nodiscard]] Readiness readiness() const noexcept { return side_.readiness; }
  /// How far people are seen: of the camera that sees farthest ahead; nothing: not known.
  [[nodiscard]] const std::optional<ViewReport>& view() const noexcept { return view_; }
  /// The reports of the last round, with everybody in one of them; null: the camera cannot see.
  [[nodiscard]] const fuse::Reports& people() const noexcept { return decider_.people(); }
  [[nodiscard]] bool switched_off() const noexcept { return switch_.off(); }
  [[nodiscard]] std::uint8_t ignition_cycle() const noexcept { return switch_.cycle(); }
  /// What an earlier run left of the switch (OffSwitch::remember()).
  void remember(bool off, std::uint8_t cycle) noexcept { switch_.remember(off, cycle); }

 private:
  OffSwitch switch_;
  OffSwitch::Buttons buttons_{};
  std::optional<Nanos> pressed_at_;
  ReadinessJudge ready_;
  WarningDecider decider_;
  DriverSide side_;
  WarningDecision decision_;
  std::optional<ViewReport> view_;
};

}  // namespace kerb
