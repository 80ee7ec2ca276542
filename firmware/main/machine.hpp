// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "firmware/config/config.hpp"
#include "firmware/control/controller.hpp"
#include "firmware/main/vision.hpp"
#include "firmware/pipeline/camera_pipeline.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/log.hpp"

namespace kerb {

/// Prints "kerbwatch: error: TEXT" and returns the exit code for it, 2.
int fail(std::string_view text);

/// A pipeline, and why it is without the detector or the flow that was asked for, if it is.
struct OpenedPipeline {
  std::unique_ptr<CameraPipeline> pipeline;
  std::optional<Error> detector_error;
  std::optional<Error> flow_error;
};

/// Opens a camera for the first time and builds its pipeline. A camera that is there but has no
/// signal, or has just left, is waited for where the settings alone say what it will deliver (a
/// format is named, not "auto"); otherwise, and when it does not exist or cannot do what is asked,
/// that is an error. A detector or a flow that cannot be made is none: the pipeline runs without.
Result<OpenedPipeline> open_pipeline(const Config& config, const CameraSettings& settings,
                                     const SourceOpener& open, Vision& vision, const Clock& clock,
                                     Log& log);

/// Everything the configuration names, opened: the only place that knows which driver is which.
class Machine {
 public:
  /// Fails with the first device that cannot be had, named.
  static Result<std::unique_ptr<Machine>> open(const Config& config, const Clock& clock, Log& log);
  virtual ~Machine() = default;
  [[nodiscard]] virtual const ControlDevices& devices() const = 0;
  [[nodiscard]] virtual const std::vector<ControlledCamera>& cameras() const = 0;
  virtual void start() = 0;  ///< starts the pipelines
  virtual void stop() = 0;
  /// Tells the service manager, if there is one, how we are: "READY=1", "STATUS=...".
  virtual void notify(const char* state) = 0;
};

}  // namespace kerb
