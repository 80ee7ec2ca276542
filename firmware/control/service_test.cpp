// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/service_test.hpp"

#include <algorithm>
#include <cmath>

namespace kerb {
namespace {

using can::ServiceRequest;

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

void ServiceTest::update(std::optional<double> speed_mps, Nanos now) noexcept {
  if (running_ && (now >= until_ || !stands(speed_mps, kStandstill_mps))) running_ = false;
}

WarningLevel ServiceTest::lamp() const noexcept {
  if (!running_) return WarningLevel::none;
  if (what_.request == ServiceRequest::lamp_test) return WarningLevel::collision;
  return message();
}

bool ServiceTest::sound() const noexcept {
  return running_ &&
         (what_.request == ServiceRequest::sound_test || message() == WarningLevel::collision);
}

WarningLevel ServiceTest::message() const noexcept {
  const bool warning = running_ && what_.request == ServiceRequest::warning_test;
  return warning ? what_.level : WarningLevel::none;
}

}  // namespace kerb
