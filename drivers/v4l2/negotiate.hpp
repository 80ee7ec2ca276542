// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/v4l2/device.hpp"
#include "drivers/v4l2/format_table.hpp"
#include "hal/camera_settings.hpp"

namespace kerb::v4l2 {

/// What camera and settings have agreed on.
struct Agreement {
  FormatEntry entry;
  KernelFormat format;
  PictureLayout layout;  ///< uncompressed formats only
};

/// Done, or the first setting that makes no sense whatever the camera is: invalid_argument.
Status validate(const CameraSettings& settings);

/// Sets size and pixel format. An exact format is that or nothing. "auto" is the first of
/// known_formats() (of mosaic_formats() under a mosaic) that the camera has in this size at this
/// rate, or, when none reaches the rate, in this size. Fails: unsupported (with what the camera
/// offers instead), io, gone.
Result<Agreement> set_format(const Device& device, const CameraSettings& settings);

/// Asks for a frame rate where the camera lets us, and gives the one it really has; 0 when it does
/// not say. Fails: io, gone.
Result<double> set_rate(const Device& device, double rate_hz);

}  // namespace kerb::v4l2
