// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "firmware/control/bus_input.hpp"
#include "firmware/control/change_reporter.hpp"
#include "firmware/control/control_types.hpp"
#include "firmware/control/send_tally.hpp"
#include "firmware/health/health_monitor.hpp"
#include "firmware/warning/alert_outputs.hpp"

/// The health of everything but the cameras: each judge turns what its device says into parts of
/// the health monitor, once a round. One thread.
namespace kerb {

/// The bus, the vehicle's signals on it, and whether it takes our messages.
class BusJudge {
 public:
  /// `bus` may be null; `config` must outlive this.
  BusJudge(const Config& config, const CanBus* bus, Nanos start) noexcept
      : config_{config}, bus_{bus}, start_{start}, good_at_{start} {}
  void judge(Nanos now, const BusInput& input, const SendTally& sends, HealthMonitor& monitor,
             ChangeReporter& reporter);

 private:
  void judge_sending(Nanos now, const SendTally& sends, HealthMonitor& monitor,
                     ChangeReporter& reporter);

  const Config& config_;
  const CanBus* bus_;
  Nanos start_;
  Nanos good_at_;  ///< when the bus last worked
};

/// The board's temperature, once a second.
class BoardJudge {
 public:
  /// `thermal` may be null: nothing is judged.
  BoardJudge(const ThermalSettings& settings, Thermal* thermal, Nanos start) noexcept
      : settings_{settings}, thermal_{thermal}, read_at_{start}, next_{start} {}
  void judge(Nanos now, HealthMonitor& monitor);
  [[nodiscard]] std::optional<double> celsius() const noexcept { return celsius_; }

 private:
  ThermalSettings settings_;
  Thermal* thermal_;
  std::optional<double> celsius_;
  Nanos read_at_, next_;
  PartState heat_ = PartState::fine;
};

/// Lamps and sound, the event log, the records and the watchdog: whether they accept what they are
/// given. And what has been missing since the start.
class OutputJudge {
 public:
  explicit OutputJudge(const ControlDevices& devices) noexcept
      : events_{devices.events}, recorder_{devices.recorder}, gaps_{devices.gaps} {}
  /// `watchdog`: why it could not be kicked; nothing: it was, or there is none.
  void judge(Nanos now, const AlertOutputs& outputs, const std::optional<Error>& watchdog,
             HealthMonitor& monitor, ChangeReporter& reporter);

 private:
  EventLog* events_;
  records::WarningRecorder* recorder_;
  StartGaps gaps_;
};

}  // namespace kerb
