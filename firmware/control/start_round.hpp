// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "firmware/can/publisher.hpp"
#include "firmware/config/config.hpp"
#include "firmware/control/control_types.hpp"
#include "firmware/control/self_test.hpp"
#include "firmware/warning/alert_outputs.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/log.hpp"

namespace kerb {

/// What keeps the product from starting.
struct StartFailure {
  Cause cause = Cause::vision_failed;
  int camera = -1;  ///< which one, for a camera's cause
  Error error;
  bool lasting = false;  ///< it will be the same at every attempt: a recording that is not there
};

/// The messages that are sent from the first moment, before the controller and by it: their
/// counters run on. And the self-test, which runs on too.
struct StartMessages {
  can::StatusPublisher status;
  can::ReadyPublisher ready;
  SelfTest test;
};

/// What driver and bus are told until the cameras are open: the amber lamp lit, STARTING, and
/// FAILED with its cause from the first failure on, or when opening takes longer than
/// health.start_ms. The self-test lights the red lamp and sounds the tone meanwhile, unless the run
/// before ended without order. One thread; allocates only where a log line is written.
class StartRound {
 public:
  /// `config` and the devices must outlive this.
  StartRound(const Config& config, const ControlDevices& devices, Log& log, Nanos start);

  /// One round. `failure`: of the last attempt; nothing while none has failed.
  void tick(Nanos now, const std::optional<StartFailure>& failure);
  /// At the end without a start: the amber lamp stays on.
  void finish(Nanos now);

  [[nodiscard]] const HealthReport& health() const noexcept { return health_; }
  [[nodiscard]] const StartMessages& messages() const noexcept { return messages_; }

 private:
  [[nodiscard]] HealthReport judge(Nanos now, const std::optional<StartFailure>& failure);
  void report(Nanos now, const HealthReport& before, const std::optional<StartFailure>& failure);

  const Config& config_;
  CanBus* bus_;
  EventLog* events_;
  Log& log_;
  Nanos start_;
  bool tries_outputs_;
  std::optional<Nanos> failing_since_;
  AlertOutputs outputs_;
  StartMessages messages_;
  HealthReport health_{};
};

}  // namespace kerb
