// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "firmware/config/config.hpp"
#include "firmware/control/controller.hpp"
#include "firmware/control/start_round.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/log.hpp"

namespace kerb {

/// All devices of the configuration. The only place that names drivers.
class Machine {
 public:
  /// With the amber lamp lit. Lamps, bus, sound and temperature sensors that are not there yet are
  /// opened when they come, and the watchdog is armed by its first kick.
  static std::unique_ptr<Machine> make(const Config& config, const Clock& clock, Log& log);
  virtual ~Machine() = default;
  [[nodiscard]] virtual const ControlDevices& devices() const = 0;
  [[nodiscard]] virtual const std::vector<ControlledCamera>& cameras() const = 0;
  /// Opens cameras, models and what they need, which takes seconds; on any thread. Nothing when all
  /// are open; after a failure it may be called again. `strict`: a camera that may come later is a
  /// failure, too.
  virtual std::optional<StartFailure> open_cameras(bool strict) = 0;
  /// The GPU that should work and does not, once the cameras are open.
  [[nodiscard]] virtual const std::optional<Error>& gpu_gap() const = 0;
  /// Done, or why the first device is missing that would be opened when it comes. Arms the
  /// watchdog.
  virtual Status check_devices() = 0;
  virtual void start() = 0;  ///< starts the pipelines
  virtual void stop() = 0;
  /// Something starts this process again when it ends with a failure: a guard, a service manager or
  /// the hardware watchdog, which starts the board.
  [[nodiscard]] virtual bool starts_again() const = 0;
  /// Tells the process that guards this one, if there is one, that it lives. Every round.
  virtual void beat(Nanos now) = 0;
  /// Sends the state to the service manager, if there is one: "READY=1", "STATUS=...".
  virtual void notify(const char* state) = 0;
};

}  // namespace kerb
