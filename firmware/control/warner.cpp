// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/warner.hpp"

namespace kerb {
namespace {

/// Of the cameras that look ahead, the one that sees farthest: a person it finds is warned of.
std::optional<ViewReport> farthest_view(
    Nanos now,
    const std::array<const risk::PeopleReport*, WarningLogic::kMostCameras>& reports) noexcept {
  std::optional<ViewReport> out;
  for (const risk::PeopleReport* report : reports) {
    if (report == nullptr || !report->view.known || now - report->at > WarningLogic::kStale)
      continue;
    if (!out || report->view.distance_m > out->distance_m) out = report->view;
  }
  return out;
}

}  // namespace

const WarningDecision& Warner::step(
    Nanos now, const std::array<const risk::PeopleReport*, WarningLogic::kMostCameras>& reports,
    ReadinessFacts facts, const can::VehicleState& vehicle, records::ControlTap* record) noexcept {
  std::optional<OffSwitch::Buttons> buttons;
  if (pressed_at_ && now - *pressed_at_ < kButtonsHold) buttons = buttons_;
  switch_.step(now, buttons);
  facts.switched_off = switch_.off();
  facts.speed_mps = vehicle.held_speed.mps;
  facts.gear = vehicle.gear.value;
  // Of a camera that cannot see, whom it saw before is carried on; what it shows now does not
  // count.
  auto seen = reports, told = reports;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const int camera = static_cast<int>(i);
    side_.sees[i] = camera >= facts.cameras || ReadinessJudge::sees(facts, camera);
    if (side_.sees[i]) continue;
    seen[i] = nullptr;
    if (reports[i] != nullptr && !risk::is_carried(*reports[i])) told[i] = nullptr;
  }
  view_ = farthest_view(now, seen);
  facts.now = now;
  facts.view = view_;
  side_.readiness = ready_.step(facts);
  side_.speed_mps = vehicle.held_speed.mps;
  side_.yaw_rate_radps = vehicle.yaw_rate_radps.value;
  side_.gear = vehicle.gear.value;
  side_.turn_signal = vehicle.turn_signal.value;
  if (record != nullptr) record->before_round(now, reports, decider_);
  decision_ = decider_.step(now, told, side_);
  if (record != nullptr) record->after_round(now, told, side_, decision_);
  return decision_;
}

}  // namespace kerb
