// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/can/alive_counter.hpp"
#include "firmware/can/vehicle_signals.hpp"
#include "firmware/control/change_reporter.hpp"
#include "firmware/control/control_types.hpp"
#include "firmware/control/service_test.hpp"
#include "firmware/control/signal_check.hpp"
#include "firmware/control/timeliness.hpp"
#include "firmware/control/warner.hpp"

namespace kerb {

/// What comes in over the bus: the vehicle's signals, the driver's buttons and the workshop's
/// requests. One thread.
class BusInput {
 public:
  /// `devices.bus` may be null: then nothing ever comes.
  BusInput(const ControlDevices& devices, const VehicleLimits& limits, const VehicleLayout& layout,
           Nanos start)
      : bus_{devices.bus},
        recorder_{devices.recorder},
        layout_{layout},
        vehicle_{limits, start, layout} {}

  /// Reads what has arrived, and hands on buttons and requests.
  void read(Nanos now, Warner& warner, ServiceTest& service, ChangeReporter& reporter,
            ControlTotals& totals);
  /// Passes the vehicle's motion on to every camera's pipeline.
  void tell_pipelines(Nanos now, const std::vector<ControlledCamera>& cameras) const noexcept;
  /// Compares the motion in the pictures with that on the bus: whether it is true and, as long as
  /// that is in doubt, whether it is late.
  void compare(Nanos now, const ego::MotionReport& report, ChangeReporter& reporter);

  /// The signals as they are to be used.
  [[nodiscard]] can::VehicleState vehicle(Nanos now) const noexcept {
    return check_.believed(now, vehicle_.at(now));
  }
  [[nodiscard]] std::optional<can::HealthFault> fault(Nanos now) const noexcept {
    const std::optional<can::HealthFault> received = vehicle_.fault(now);
    return received ? received : check_.fault();
  }

 private:
  void compare_turning(const ego::MotionReport& report, ChangeReporter& reporter);
  [[nodiscard]] const VehicleMessage* buttons_of(const CanFrame& frame) const noexcept;
  void take(const CanFrame& frame, const VehicleMessage& message, const can::VehicleDriver& buttons,
            Nanos now, Warner& warner);
  void take(const CanFrame& frame, const can::ServiceMessage& request, Nanos now,
            ServiceTest& service, ChangeReporter& reporter);

  CanBus* bus_;
  records::WarningRecorder* recorder_;
  VehicleLayout layout_;
  can::VehicleSignals vehicle_;
  SignalCheck check_;
  Timeliness timeliness_;
  can::AliveCounter driver_{Warner::kButtonsHold}, service_{std::chrono::seconds{1}};
  std::uint64_t corrupt_ = 0, repeated_ = 0;  ///< of these two messages
};

}  // namespace kerb
