// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>

#include "firmware/can/publisher.hpp"
#include "firmware/config/config.hpp"
#include "firmware/control/camera_judge.hpp"
#include "firmware/control/change_reporter.hpp"
#include "firmware/control/control_types.hpp"
#include "firmware/control/send_tally.hpp"
#include "firmware/control/service_test.hpp"
#include "firmware/control/start_round.hpp"
#include "firmware/control/warner.hpp"
#include "firmware/types/alert_levels.hpp"
#include "firmware/types/people_report.hpp"
#include "firmware/warning/alert_outputs.hpp"

namespace kerb {

/// What one round has found: all that is shown, sounded and sent.
struct RoundResult {
  const HealthReport& health;
  const Warner& warner;
  const ServiceTest& service;
  AlertLevel level{};                   ///< how bright and how loud
  std::optional<double> speed_mps;      ///< nothing: not known
  std::optional<double> board_celsius;  ///< nothing: not measured
  std::optional<CameraRates> rates;     ///< the worst of all cameras; nothing: no camera
  SelfTestReport self_test{};           ///< what came of it
  bool detects = false;                 ///< every camera has a detector and a tracker
  /// One for each camera; null before its first.
  std::span<const risk::PeopleReport* const> reports;
  /// The same with everybody in one of them; null where a camera cannot see.
  std::span<const risk::PeopleReport* const> people;
};

/// Shows, sounds and sends: lamps, tone and the messages on the bus. KW_Warning goes first, and the
/// people's list is spread over the rounds, so that a warning waits behind nothing. One thread;
/// allocates nothing.
class AlertPublisher {
 public:
  /// `config` must outlive this.
  AlertPublisher(const Config& config, const ControlDevices& devices, Nanos start,
                 ControlTotals& totals);

  /// The messages that were sent before: their counters run on.
  void take_over(const StartMessages& messages) noexcept {
    status_ = messages.status;
    ready_ = messages.ready;
  }
  /// One round.
  void publish(Nanos now, const RoundResult& round, ChangeReporter& reporter);
  /// At the end: warning lamp and sound off, status lamp on, no warning on the bus.
  void finish(Nanos now);

  [[nodiscard]] const AlertOutputs& outputs() const noexcept { return outputs_; }
  [[nodiscard]] const SendTally& sends() const noexcept { return sends_; }

 private:
  void show(Nanos now, const RoundResult& round, ChangeReporter& reporter);
  void send_status(Nanos now, const RoundResult& round);
  void send_warning(Nanos now, const RoundResult& round);
  void send_ready(Nanos now, const RoundResult& round);
  void send_objects(Nanos now, const RoundResult& round);
  bool send(Nanos now, const CanFrame& frame);

  const Config& config_;
  CanBus* bus_;
  ControlTotals& totals_;
  AlertOutputs outputs_;
  can::StatusPublisher status_;
  can::WarningPublisher warning_;
  can::ReadyPublisher ready_;
  can::ObjectPublisher objects_;
  can::FramePacer list_;
  SendTally sends_;
  WarningLevel lamp_ = WarningLevel::none;  ///< as shown
  bool lamp_by_test_ = false;               ///< it is on for a service test
};

}  // namespace kerb
