// SPDX-License-Identifier: Apache-2.0
#include "firmware/vision/open_recorder.hpp"

#include <utility>

#include "firmware/vision/open_pipeline.hpp"

namespace kerb {
namespace {

Nanos from_seconds(double seconds) { return Nanos{static_cast<Nanos::rep>(seconds * 1e9)}; }

}  // namespace

Result<std::unique_ptr<records::WarningRecorder>> open_recorder(
    const Config& config, std::span<CameraPipeline* const> pipelines, const char* version,
    EncoderMaker make_encoder, Log& log) {
  const RecordSettings& wanted = config.record;
  if (!wanted.enabled) return std::unique_ptr<records::WarningRecorder>{};
  records::RecorderOptions options;
  options.path = wanted.path;
  options.before = from_seconds(wanted.before_s);
  options.after = from_seconds(wanted.after_s);
  options.max_bytes = static_cast<std::uint64_t>(wanted.max_megabytes) << 20;
  options.pictures = wanted.pictures;
  options.from =
      wanted.what == RecordWhat::collisions ? WarningLevel::collision : WarningLevel::information;
  records::RecordedSettings settings;
  settings.version = version;
  settings.sensitivity = config.warning.sensitivity;
  settings.rules = config.decisions.warning;
  for (std::size_t i = 0; i < pipelines.size(); ++i) {
    const FrameSourceInfo& info = pipelines[i]->info();
    settings.cameras.push_back(people_settings(config, config.cameras[i], info.width, info.height,
                                               pipelines[i]->tracking_scores()));
  }
  std::unique_ptr<PictureEncoder> encoder;
  if (wanted.pictures) {
    Result<std::unique_ptr<PictureEncoder>> made = make_encoder();
    if (!made) return made.error();
    encoder = std::move(*made);
  }
  Result<std::unique_ptr<records::WarningRecorder>> recorder =
      records::WarningRecorder::open(options, settings, std::move(encoder), log);
  if (!recorder) return recorder.error();
  for (std::size_t i = 0; i < pipelines.size(); ++i)
    pipelines[i]->set_sink(&(*recorder)->camera(i));
  return recorder;
}

}  // namespace kerb
