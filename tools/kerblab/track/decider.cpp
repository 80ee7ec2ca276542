// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/track/decider.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace kerb::lab {
namespace {

constexpr Nanos kRound = std::chrono::milliseconds{10};

can::VehicleState told_by(const ego::VehicleMotion& vehicle) {
  can::VehicleState state;
  const auto read = [](const std::optional<double>& value, can::Reading<double>& out) {
    out.value = value;
    out.validity = value ? can::Validity::valid : can::Validity::missing;
  };
  read(vehicle.speed_mps, state.speed_mps);
  state.held_speed.mps = vehicle.speed_mps;
  read(vehicle.yaw_rate_radps, state.yaw_rate_radps);
  return state;
}

}  // namespace

const WarningDecision& Decider::step(int frame, const risk::PeopleReport& report,
                                     const ego::VehicleMotion& vehicle, Nanos end) {
  if (first_ == Nanos::zero()) first_ = report.at;
  ReadinessFacts facts;
  facts.starting = false;
  facts.detector_present = true;
  const can::VehicleState state = told_by(vehicle);
  std::array<const risk::PeopleReport*, WarningLogic::kMostCameras> reports{};
  reports[0] = &report;
  loudest_ = {};
  for (now_ = std::max(now_, report.at); now_ < end; now_ += kRound) {
    const WarningDecision& told = warner_.step(now_, reports, facts, state);
    const bool begins = told.level != last_.level && told.level != WarningLevel::none &&
                        last_.level != WarningLevel::collision;
    last_ = told;
    if (told.level >= loudest_.level) loudest_ = told;
    if (begins) note(frame, report);
  }
  return loudest_;
}

void Decider::note(int frame, const risk::PeopleReport& report) {
  ++(last_.level == WarningLevel::collision ? collisions_ : informations_);
  risk::Contact contact;
  for (int i = 0; i < report.people.count; ++i)
    if (last_.person == report.people.items[i].id) contact = report.contacts[i];
  const std::string in_s =
      last_.time_to_collision_s ? fmt::format("{:.2f}", *last_.time_to_collision_s) : "";
  lines_ += fmt::format("{},{:.2f},{},{},{:.1f},{:.1f},{:.1f},{},{:.2f}\n", frame,
                        std::chrono::duration<double>(now_ - first_).count(), name_of(last_.level),
                        last_.person.value_or(0), contact.ahead_m, contact.beside_m,
                        3.6 * report.speed_mps, in_s, contact.probability);
}

}  // namespace kerb::lab
