// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>

#include "firmware/config/config.hpp"
#include "firmware/pipeline/camera_pipeline.hpp"
#include "firmware/records/record_header.hpp"
#include "firmware/vision/vision.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/log.hpp"

namespace kerb {

/// A pipeline, and why it is without the detector, the flow or the look at bands that was asked
/// for, if it is.
struct OpenedPipeline {
  std::unique_ptr<CameraPipeline> pipeline;
  std::optional<Error> detector_error;
  std::optional<Error> flow_error;
  std::optional<Error> spectral_error;
};

/// What a camera's people watch is made with, for pictures of this size.
[[nodiscard]] records::RecordedCamera watch_settings(const Config& config,
                                                     const CameraSettings& settings, int width,
                                                     int height, float worth_telling);

/// Opens a camera for the first time and builds its pipeline. A camera that is there but has no
/// signal, or has just left, is waited for where the settings alone say what it will deliver (a
/// format is named, not "auto"); otherwise, and when it does not exist or cannot do what is asked,
/// that is an error. A detector, a flow or a look at bands that cannot be made is none: the
/// pipeline runs without.
Result<OpenedPipeline> open_pipeline(const Config& config, const CameraSettings& settings,
                                     const SourceOpener& open, Vision& vision, const Clock& clock,
                                     Log& log);

}  // namespace kerb
