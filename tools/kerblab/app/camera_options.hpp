// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "hal/base/result.hpp"
#include "hal/camera_settings.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace kerb::lab {

/// Options of lens and mounting, the same in every command that converts pixels to metres.
struct CameraOptions {
  std::optional<double> focal_px, fov_deg, height_m, pitch_deg, yaw_deg, roll_deg, ahead_m;
  std::vector<double> center;  ///< x, y; empty: not given

  /// Overrides `settings` with the options that were given.
  void apply(CameraSettings& settings) const;
};

/// Whether lens and mounting are possible for a camera with pictures of this size: what the
/// product's configuration asks of lens and mounting (see firmware/config). Fails, saying which
/// value is wrong and why: invalid_argument.
Status check_calibration(const CameraSettings& settings, int width, int height);

/// Whether the mounting's angles are known, or only initial values of an estimate.
enum class CameraAngles : std::uint8_t { known, rough };

/// Adds --focal, --fov, --center, --height, --pitch and --yaw; then --ahead where the angles are
/// known, --roll where they are rough. `options` must live until the command line is read.
void add_camera_options(CLI::App& command, CameraOptions& options,
                        CameraAngles angles = CameraAngles::known);

}  // namespace kerb::lab
