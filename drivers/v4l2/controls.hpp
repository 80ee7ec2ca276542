// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/v4l2/device.hpp"
#include "hal/camera_settings.hpp"

namespace kerb::v4l2 {

/// Sets exposure and gain, in the first control of each list that the camera has:
///   exposure  EXPOSURE_ABSOLUTE (100 us), the Tegra sensors' own (1 us), EXPOSURE (the driver's
///             unit: it is handed the microseconds as they are), with automatic exposure off
///   gain      GAIN, ANALOGUE_GAIN, the Tegra sensors' own, with automatic gain off
/// A setting that is unset is left to the camera: its automatic mode is switched on where it has
/// one. Fails: unsupported (asked for, and the camera has no such control), invalid_argument
/// (outside what the camera allows; says what that is), io, gone.
Status set_controls(const Device& device, const CameraSettings& settings);

}  // namespace kerb::v4l2
