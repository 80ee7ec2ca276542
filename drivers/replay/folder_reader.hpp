// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "drivers/replay/picture.hpp"
#include "hal/camera_settings.hpp"

namespace kerb::replay {

/// The pictures of the folder settings.device. The first readable one gives the size (and for
/// "auto" the format); one of another size or kind is damaged, as is one that cannot be read. See
/// open_replay() for formats. Fails: not_found, unsupported (format; built without OpenCV), damaged
/// (no picture is readable), io.
Result<std::unique_ptr<PictureReader>> open_folder(const CameraSettings& settings);

}  // namespace kerb::replay
