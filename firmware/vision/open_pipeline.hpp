// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>

#include "firmware/config/config.hpp"
#include "firmware/pipeline/camera_pipeline.hpp"
#include "firmware/records/record_header.hpp"
#include "firmware/visibility/view_meter.hpp"
#include "firmware/vision/vision.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/log.hpp"

namespace kerb {

/// A pipeline, and why its detector, flow or spectral search is missing, if one is.
struct OpenedPipeline {
  std::unique_ptr<CameraPipeline> pipeline;
  std::optional<Error> detector_error;
  std::optional<Error> flow_error;
  std::optional<Error> spectral_error;
};

/// The settings of a camera's people estimator, for pictures of this size.
[[nodiscard]] records::RecordedCamera people_settings(const Config& config,
                                                      const CameraSettings& settings, int width,
                                                      int height, const TrackingScores& scores);

/// What "seen" means for a camera.
[[nodiscard]] ViewMeterSettings view_settings(const Config& config, const CameraSettings& settings,
                                              const FrameSourceInfo& info, const Camera& camera);

/// A camera's motion estimator, on this flow.
[[nodiscard]] std::unique_ptr<ego::MotionEstimator> make_motion_estimator(
    const Config& config, const CameraSettings& settings, const FrameSourceInfo& info,
    std::unique_ptr<FlowEstimator> flow);

/// Opens a camera for the first time and builds its pipeline. A camera that is not there, is in use
/// or has no signal is opened later, if its settings alone say what it will deliver (its format is
/// not "auto"). Otherwise, and when it cannot deliver what is configured, that is an error. Without
/// a detector, flow or spectral search that cannot be made, the pipeline runs.
Result<OpenedPipeline> open_pipeline(const Config& config, const CameraSettings& settings,
                                     const SourceOpener& open, Vision& vision, const Clock& clock,
                                     Log& log);

}  // namespace kerb
