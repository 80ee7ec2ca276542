// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <span>

#include "firmware/config/config.hpp"
#include "firmware/pipeline/camera_pipeline.hpp"
#include "firmware/records/warning_recorder.hpp"
#include "hal/base/log.hpp"

namespace kerb {

/// The recorder of warnings, set up as the sink of each of `pipelines` (those of config.cameras, in
/// their order, not started yet); null with record.enabled = false. It must outlive their threads.
/// `make_encoder` is called with record.pictures = true. Fails: as
/// WarningRecorder::open() and make_encoder().
using EncoderMaker = Result<std::unique_ptr<PictureEncoder>> (*)();
Result<std::unique_ptr<records::WarningRecorder>> open_recorder(
    const Config& config, std::span<CameraPipeline* const> pipelines, const char* version,
    EncoderMaker make_encoder, Log& log);

}  // namespace kerb
