// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/service_test.hpp"

#include <algorithm>
#include <cmath>

namespace kerb {
namespace {

using can::ServiceRequest;
using diagnostics::Output;

bool stands(std::optional<double> speed_mps, double limit) {
  return speed_mps.has_value() && std::abs(*speed_mps) < limit;
}

}  // namespace

bool ServiceTest::request(const can::ServiceMessage& message, std::optional<double> speed_mps,
                          Nanos now) noexcept {
  if (message.request == ServiceRequest::stop) {
    running_ = false;
    return enabled_;
  }
  if (!enabled_ || !stands(speed_mps, kStandstill_mps) || !(message.duration_s > 0) ||
      !starts_.admit(now))
    return false;
  what_ = message;
  running_ = true;
  const double seconds = std::min(message.duration_s, kLongest_s);
  until_ = now + Nanos{static_cast<Nanos::rep>(seconds * 1e9)};
  return true;
}

bool ServiceTest::hold(Output output, bool on, std::optional<double> speed_mps) noexcept {
  if (!enabled_ || !stands(speed_mps, kStandstill_mps)) return false;
  held_[static_cast<std::size_t>(output)] = on;
  return true;
}

void ServiceTest::let_go(Output output) noexcept {
  held_[static_cast<std::size_t>(output)].reset();
}

void ServiceTest::update(std::optional<double> speed_mps, Nanos now) noexcept {
  const bool stands_still = stands(speed_mps, kStandstill_mps);
  if (running_ && (now >= until_ || !stands_still)) running_ = false;
  if (!stands_still) held_ = {};
}

WarningLevel ServiceTest::lamp() const noexcept {
  if (const std::optional<bool> on = held(Output::warning_lamp))
    return *on ? WarningLevel::collision : WarningLevel::none;
  if (!running_) return WarningLevel::none;
  if (what_.request == ServiceRequest::lamp_test) return WarningLevel::collision;
  return message();
}

bool ServiceTest::sound() const noexcept {
  if (const std::optional<bool> on = held(Output::tone)) return *on;
  return running_ &&
         (what_.request == ServiceRequest::sound_test || message() == WarningLevel::collision);
}

WarningLevel ServiceTest::message() const noexcept {
  const bool warning = running_ && what_.request == ServiceRequest::warning_test;
  return warning ? what_.level : WarningLevel::none;
}

}  // namespace kerb
