// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <linux/videodev2.h>

#include <cstdint>
#include <optional>
#include <span>

#include "drivers/v4l2/device.hpp"
#include "hal/camera_settings.hpp"

namespace kerb::v4l2 {

/// A control for a setting, and the number of the setting's units in one of its steps.
struct Candidate {
  std::uint32_t id;
  int unit;
};
/// Microseconds in a step. That of EXPOSURE is the driver's own: it is taken for a microsecond.
[[nodiscard]] std::span<const Candidate> exposure_candidates() noexcept;
[[nodiscard]] std::span<const Candidate> gain_candidates() noexcept;

/// A control that the camera has and can set.
[[nodiscard]] std::optional<v4l2_query_ext_ctrl> find_control(const Device& device,
                                                              std::uint32_t id) noexcept;
/// 0 or -errno. `value` is in the control's steps.
int write_control(const Device& device, const v4l2_query_ext_ctrl& control,
                  std::int64_t value) noexcept;
/// Also of one that cannot be set: nothing when the camera does not have it, or does not say.
[[nodiscard]] std::optional<std::int64_t> read_control(const Device& device,
                                                       std::uint32_t id) noexcept;
/// The camera's automatic exposure, or its automatic gain: 0 or -errno; -EINVAL when it has none.
int set_automatic_exposure(const Device& device, bool on) noexcept;
int set_automatic_gain(const Device& device, bool on) noexcept;

/// Sets exposure and gain, in the first control of each list that the camera has:
///   exposure  EXPOSURE_ABSOLUTE (100 us), the Tegra sensors' own (1 us), EXPOSURE (the driver's
///             unit: it is handed the microseconds as they are), with automatic exposure off
///   gain      GAIN, ANALOGUE_GAIN, the Tegra sensors' own, with automatic gain off
/// A setting that is unset is left to the camera: its automatic mode is switched on where it has
/// one. Fails: unsupported (asked for, and the camera has no such control), invalid_argument
/// (outside what the camera allows; says what that is), io, gone.
Status set_controls(const Device& device, const CameraSettings& settings);

}  // namespace kerb::v4l2
