// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "drivers/replay/picture.hpp"
#include "hal/camera_settings.hpp"

namespace kerb::replay {

/// The frames of the video file settings.device. When decoding cannot keep up with Pace::real,
/// frames are skipped only as far as that is cheap: the video then runs slower than the clock, and
/// sequence numbers have gaps. Fails: not_found, unsupported (format; built without OpenCV),
/// damaged (not a video, or no frame in it).
Result<std::unique_ptr<PictureReader>> open_video(const CameraSettings& settings);

}  // namespace kerb::replay
