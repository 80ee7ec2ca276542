// SPDX-License-Identifier: Apache-2.0
#include "drivers/replay/open_replay.hpp"

#include "drivers/replay/folder_reader.hpp"
#include "drivers/replay/pattern_reader.hpp"
#include "drivers/replay/playback.hpp"
#include "drivers/replay/video_reader.hpp"

namespace kerb {
namespace {

Result<std::unique_ptr<replay::PictureReader>> open_reader(const CameraSettings& settings) {
  switch (settings.kind) {
    case CameraKind::pattern:
      return replay::PatternReader::open(settings);
    case CameraKind::folder:
      return replay::open_folder(settings);
    case CameraKind::video:
      return replay::open_video(settings);
    case CameraKind::v4l2:
      break;
  }
  return replay::failure(Errc::invalid_argument, "replay: not a recording or a pattern",
                         settings.device);
}

}  // namespace

Result<std::unique_ptr<FrameSource>> open_replay(const CameraSettings& settings,
                                                 FrameMemory& memory, const Clock& clock) {
  Result<std::unique_ptr<replay::PictureReader>> reader = open_reader(settings);
  if (!reader) return reader.error();
  return replay::Playback::open(*std::move(reader), settings, memory, clock);
}

}  // namespace kerb
