// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <linux/videodev2.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "drivers/v4l2/device.hpp"
#include "hal/camera_settings.hpp"
#include "hal/exposure_control.hpp"

namespace kerb::v4l2 {

/// Exposure and gain of a V4L2 camera, in the first control of each list of controls.hpp that it
/// has. Of these, EXPOSURE counts in a unit of its driver's own. That is
/// ExposureSettings::step_us; where that is unset, a line of the sensor, if the camera says how
/// long one is (PIXEL_RATE and HBLANK); otherwise the control is not used.
class ExposureControls final : public ExposureControl {
 public:
  /// Null where the camera has no such controls. One that has gain alone is used only if it has no
  /// automatic exposure, which would work against it. `device` must outlive the object.
  static std::unique_ptr<ExposureControls> find(const Device& device,
                                                const CameraSettings& settings);
  [[nodiscard]] ExposureRange range() const noexcept override { return range_; }
  Result<Exposure> read() override;
  Result<Exposure> set(const Exposure& wanted) override;
  Status set_automatic() override;

 private:
  explicit ExposureControls(const Device& device) : device_{device} {}
  void find_time(const CameraSettings& settings);
  void find_gain(const ExposureSettings& settings);
  Status take_over();
  /// Writes `steps`, unless the control has them already.
  Status write(const v4l2_query_ext_ctrl& control, std::int64_t steps,
               std::optional<std::int64_t>& written) noexcept;

  const Device& device_;
  std::optional<v4l2_query_ext_ctrl> time_, gain_;
  double time_unit_ns_ = 0;  // of a step
  ExposureRange range_;
  bool manual_ = false;
  std::optional<std::int64_t> time_steps_, gain_steps_;  // as last written
};

}  // namespace kerb::v4l2
