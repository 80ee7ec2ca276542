// SPDX-License-Identifier: Apache-2.0
#include "drivers/v4l2/controls.hpp"

#include <linux/videodev2.h>

#include <cerrno>
#include <optional>
#include <span>

namespace kerb::v4l2 {
namespace {

// NVIDIA's sensor drivers have 64-bit controls of their own (media/tegra-v4l2-camera.h in L4T).
constexpr std::uint32_t kTegraBase = V4L2_CTRL_CLASS_CAMERA | 0x2000;
constexpr std::uint32_t kTegraGain = kTegraBase + 9;
constexpr std::uint32_t kTegraExposure = kTegraBase + 10;

/// A control for a setting, and the number of the setting's units in one of its steps.
struct Candidate {
  std::uint32_t id;
  int unit;
};
constexpr Candidate kExposure[] = {
    {V4L2_CID_EXPOSURE_ABSOLUTE, 100}, {kTegraExposure, 1}, {V4L2_CID_EXPOSURE, 1}};
constexpr Candidate kGain[] = {{V4L2_CID_GAIN, 1}, {V4L2_CID_ANALOGUE_GAIN, 1}, {kTegraGain, 1}};

/// Nothing when the camera has no such control, or cannot set it.
std::optional<v4l2_query_ext_ctrl> find(const Device& device, std::uint32_t id) noexcept {
  v4l2_query_ext_ctrl control{};
  control.id = id;
  if (device.call(VIDIOC_QUERY_EXT_CTRL, &control) < 0) return std::nullopt;
  if ((control.flags & (V4L2_CTRL_FLAG_DISABLED | V4L2_CTRL_FLAG_READ_ONLY)) != 0)
    return std::nullopt;
  return control;
}

/// 0 or -errno.
int write(const Device& device, const v4l2_query_ext_ctrl& control, std::int64_t value) noexcept {
  v4l2_ext_control one{};
  one.id = control.id;
  if (control.type == V4L2_CTRL_TYPE_INTEGER64)
    one.value64 = value;
  else
    one.value = static_cast<std::int32_t>(value);
  v4l2_ext_controls all{};
  all.which = V4L2_CTRL_WHICH_CUR_VAL;
  all.count = 1;
  all.controls = &one;
  return device.call(VIDIOC_S_EXT_CTRLS, &all);
}

/// Failures are ignored: a camera need not have an automatic mode, or this kind of one.
int write_if_there(const Device& device, std::uint32_t id, std::int64_t value) noexcept {
  const std::optional<v4l2_query_ext_ctrl> control = find(device, id);
  return control ? write(device, *control, value) : -EINVAL;
}

/// `name` is the setting's, `unit_name` what it is counted in.
Status set_value(const Device& device, std::span<const Candidate> candidates, int value,
                 const char* where, const char* name, const char* unit_name) {
  for (const Candidate& candidate : candidates) {
    const std::optional<v4l2_query_ext_ctrl> control = find(device, candidate.id);
    if (!control) continue;
    const std::int64_t unit = candidate.unit;
    const auto out_of_range = [&] {
      return device.error_text(Errc::invalid_argument, where, "%s %d is not %lld..%lld%s", name,
                               value, static_cast<long long>(control->minimum * unit),
                               static_cast<long long>(control->maximum * unit), unit_name);
    };
    std::int64_t steps = (value + unit / 2) / unit;
    if (steps < control->minimum || steps > control->maximum) return out_of_range();
    const auto step = static_cast<std::int64_t>(control->step);
    if (step > 1) steps -= (steps - control->minimum) % step;
    const int rc = write(device, *control, steps);
    if (rc == -ERANGE) return out_of_range();
    if (rc < 0) return device.error(rc, where);
    return Done{};
  }
  return device.error_text(Errc::unsupported, where, "the camera has no %s control", name);
}

}  // namespace

Status set_controls(const Device& device, const CameraSettings& settings) {
  if (settings.exposure_us) {
    write_if_there(device, V4L2_CID_EXPOSURE_AUTO, V4L2_EXPOSURE_MANUAL);
    if (Status s = set_value(device, kExposure, *settings.exposure_us, "set camera exposure",
                             "exposure", " us");
        !s)
      return s;
  } else if (write_if_there(device, V4L2_CID_EXPOSURE_AUTO, V4L2_EXPOSURE_AUTO) < 0) {
    // The name that web cameras use: the aperture is fixed, the exposure time is automatic.
    write_if_there(device, V4L2_CID_EXPOSURE_AUTO, V4L2_EXPOSURE_APERTURE_PRIORITY);
  }
  write_if_there(device, V4L2_CID_AUTOGAIN, settings.gain ? 0 : 1);
  if (settings.gain) return set_value(device, kGain, *settings.gain, "set camera gain", "gain", "");
  return Done{};
}

}  // namespace kerb::v4l2
