// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>

#include "hal/can_bus.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim {

/// The rest of the car, on the bus: VEH_Motion every 20 ms and VEH_Body every 100 ms of the
/// scenario's clock, as the world moves, and applies the scenario's signal faults to them:
///   signals_lost         nothing is sent
///   signals_stuck        the last message is repeated, with the same counter
///   signals_late         every message comes `amount` seconds late, in order
///   signals_implausible  the reported speed is `amount` km/h too high, or too low
///   signals_reverse      the gear is told as reverse
///   signals_standing     the speed is told as 0, with a good counter and checksum
class Car {
 public:
  Car(const World& world, CanBus& bus) : world_{world}, bus_{bus} {}
  /// Sends what is due until the scenario's time `t`; call it as time goes by.
  void tick(double t);

 private:
  struct Due {
    double at;
    CanFrame frame;
  };
  void say_motion(double t);
  void say_body(double t);
  void post(double t, const CanFrame& frame);
  [[nodiscard]] const FaultSpec* fault(FaultSpec::Kind kind, double t) const;

  const World& world_;
  CanBus& bus_;
  Moment now_;
  long motions_ = 0, bodies_ = 0;  // slots gone by
  std::uint8_t motion_counter_ = 0, body_counter_ = 0;
  CanFrame last_motion_, last_body_;
  std::deque<Due> queue_;
};

/// Whether a fault is active at a time.
[[nodiscard]] inline bool active(const FaultSpec& fault, double t) noexcept {
  return t >= fault.from_s && t < fault.to_s;
}

}  // namespace kerb::sim
