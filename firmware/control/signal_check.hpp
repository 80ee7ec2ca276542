// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "firmware/can/vehicle_signals.hpp"
#include "firmware/ego/motion_estimator.hpp"
#include "hal/base/clock.hpp"

namespace kerb {

/// Finds signals of the vehicle that cannot be true although counter and CRC are good, by the
/// others and by the motion in the pictures, and says what to believe instead: what leads to the
/// earlier warning.
///
/// - The gear is reverse, and the car drives forward: faster than a car reverses, or at 2 m/s and
///   more while the pictures do not show it going backwards. The gear then counts as unknown.
/// - The speed is 0 while the road flows by: a sensor that is stuck. The last speed before is held
///   for a while, with a growing uncertainty; where none was told just before, there is no speed.
///
/// One thread; allocates nothing.
class SignalCheck {
 public:
  /// The motion between two pictures, and the signals as they were received.
  void see(const ego::MotionReport& motion, const can::VehicleState& told) noexcept;
  /// Once a round, with the signals as they were received.
  void step(Nanos now, const can::VehicleState& told) noexcept;

  /// The signals to be used instead of those that were received.
  [[nodiscard]] can::VehicleState believed(Nanos now, can::VehicleState told) const noexcept;
  /// What the state of health says about it.
  [[nodiscard]] std::optional<can::HealthFault> fault() const noexcept;

 private:
  struct Driven {
    double mps = 0;
    Nanos at{};
  };
  bool speed_wrong_ = false, gear_wrong_ = false;
  double told_mps_ = 0;
  std::optional<Driven> driven_;        ///< the last speed that was no standstill
  Nanos wrong_since_{};                 ///< of the speed
  double flows_for_s_ = 0;              ///< the road flows by, and no speed is told
  double calm_for_s_ = 0;               ///< it does not while the speed counts as wrong
  Nanos backward_at_ = Nanos::min();    ///< when the pictures last showed it going backwards
  std::optional<Nanos> reverse_since_;  ///< reverse is told while it drives forward
};

}  // namespace kerb
