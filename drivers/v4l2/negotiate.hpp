// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/v4l2/device.hpp"
#include "drivers/v4l2/format_table.hpp"
#include "hal/camera_settings.hpp"

namespace kerb::v4l2 {

/// The format negotiated between camera and settings.
struct Agreement {
  FormatEntry entry;
  KernelFormat format;
  PictureLayout layout;  ///< uncompressed formats only
};

/// Fails with invalid_argument for the first setting that is wrong for any camera.
Status validate(const CameraSettings& settings);

/// Sets size and pixel format. A named format is taken exactly or not at all. "auto" is the first
/// of known_formats() (of mosaic_formats() under a mosaic, of thermal_formats() of a thermal
/// camera) that the camera has in this size at this rate, or, when none reaches the rate, in this
/// size. Fails: unsupported (with what the camera offers instead), io, gone.
Result<Agreement> set_format(const Device& device, const CameraSettings& settings);

/// Requests a frame rate where the camera allows it, and returns the actual one; 0 when the camera
/// does not report it. Fails: io, gone.
Result<double> set_rate(const Device& device, double rate_hz);

}  // namespace kerb::v4l2
