// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

#include "hal/camera_settings.hpp"

namespace kerb::diagnostics {

/// A number for picture size, lens and mounting of all cameras, in their order: another one after
/// every calibration, the same whatever else is set.
[[nodiscard]] std::uint32_t calibration_crc(std::span<const CameraSettings> cameras);

}  // namespace kerb::diagnostics
