// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/run/car.hpp"

#include <algorithm>
#include <cmath>

#include "firmware/can/codec.hpp"

namespace kerb::sim {
namespace {

constexpr double kMotionPeriod = 0.02, kBodyPeriod = 0.1;
constexpr double kSlack = 1e-9;

std::uint8_t next(std::uint8_t& counter) {
  const std::uint8_t now = counter;
  counter = static_cast<std::uint8_t>((counter + 1) % 16);
  return now;
}

/// The angle of the front wheels in this bend: a single-track model, with the understeer and the
/// axles of a usual car.
double steering_of(const CarState& car) {
  constexpr double kWheelbase_m = 2.7, kCharacteristic_mps = 25, kStands_mps = 0.1;
  if (std::abs(car.mps) < kStands_mps) return 0;
  const double ratio = car.mps / kCharacteristic_mps;
  return std::atan(kWheelbase_m * (1 + ratio * ratio) * car.yaw_radps / car.mps);
}

}  // namespace

const FaultSpec* Car::fault(FaultSpec::Kind kind, double t) const {
  for (const FaultSpec& fault : world_.scenario().faults)
    if (fault.kind == kind && active(fault, t + kSlack)) return &fault;
  return nullptr;
}

void Car::post(double t, const CanFrame& frame) {
  if (fault(FaultSpec::Kind::signals_lost, t) != nullptr) return;
  const FaultSpec* late = fault(FaultSpec::Kind::signals_late, t);
  double at = t + (late != nullptr ? late->amount : 0);
  if (!queue_.empty()) at = std::max(at, queue_.back().at);  // nobody overtakes on a bus
  queue_.push_back({at, frame});
}

void Car::say_motion(double t) {
  if (fault(FaultSpec::Kind::signals_stuck, t) == nullptr) {
    world_.at(t, now_);
    can::VehicleMotion motion;
    const FaultSpec* wrong = fault(FaultSpec::Kind::signals_implausible, t);
    motion.speed_mps = now_.car.mps + (wrong != nullptr ? wrong->amount / 3.6 : 0);
    if (fault(FaultSpec::Kind::signals_standing, t) != nullptr) motion.speed_mps = 0;
    motion.yaw_rate_radps = now_.car.yaw_radps;
    if (world_.scenario().car.tells_steering) motion.steering_rad = steering_of(now_.car);
    motion.counter = next(motion_counter_);
    last_motion_ = can::encode(motion);
  }
  post(t, last_motion_);
}

void Car::say_body(double t) {
  if (fault(FaultSpec::Kind::signals_stuck, t) == nullptr) {
    can::VehicleBody body;
    body.turn_signal = TurnSignal::off;
    for (const IndicatorSpec& blinks : world_.scenario().car.indicators)
      if (t + kSlack >= blinks.from_s && t < blinks.to_s)
        body.turn_signal = blinks.left ? TurnSignal::left : TurnSignal::right;
    body.gear = fault(FaultSpec::Kind::signals_reverse, t) != nullptr ? Gear::reverse : Gear::drive;
    body.counter = next(body_counter_);
    last_body_ = can::encode(body);
  }
  post(t, last_body_);
}

void Car::tick(double t) {
  for (;;) {
    const double motion = static_cast<double>(motions_) * kMotionPeriod;
    const double body = static_cast<double>(bodies_) * kBodyPeriod;
    if (std::min(motion, body) > t + kSlack) break;
    if (motion <= body) {
      say_motion(motion);
      ++motions_;
    } else {
      say_body(body);
      ++bodies_;
    }
  }
  while (!queue_.empty() && queue_.front().at <= t + kSlack) {
    static_cast<void>(bus_.send(queue_.front().frame));  // a full queue is a lost message
    queue_.pop_front();
  }
}

}  // namespace kerb::sim
