// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "firmware/config/config.hpp"
#include "firmware/control/controller.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/log.hpp"

namespace kerb {

/// All devices of the configuration, opened. The only place that names drivers.
class Machine {
 public:
  /// Fails with the first device that cannot be opened, by name.
  static Result<std::unique_ptr<Machine>> open(const Config& config, const Clock& clock, Log& log);
  virtual ~Machine() = default;
  [[nodiscard]] virtual const ControlDevices& devices() const = 0;
  [[nodiscard]] virtual const std::vector<ControlledCamera>& cameras() const = 0;
  virtual void start() = 0;  ///< starts the pipelines
  virtual void stop() = 0;
  /// Sends the state to the service manager, if there is one: "READY=1", "STATUS=...".
  virtual void notify(const char* state) = 0;
};

}  // namespace kerb
