// SPDX-License-Identifier: Apache-2.0
#include "drivers/v4l2/controls.hpp"

#include <cerrno>

namespace kerb::v4l2 {
namespace {

// NVIDIA's sensor drivers have 64-bit controls of their own (media/tegra-v4l2-camera.h in L4T).
constexpr std::uint32_t kTegraBase = V4L2_CTRL_CLASS_CAMERA | 0x2000;
constexpr std::uint32_t kTegraGain = kTegraBase + 9;
constexpr std::uint32_t kTegraExposure = kTegraBase + 10;

constexpr Candidate kExposure[] = {
    {V4L2_CID_EXPOSURE_ABSOLUTE, 100}, {kTegraExposure, 1}, {V4L2_CID_EXPOSURE, 1}};
constexpr Candidate kGain[] = {{V4L2_CID_GAIN, 1}, {V4L2_CID_ANALOGUE_GAIN, 1}, {kTegraGain, 1}};

/// 0 or -errno.
int query(const Device& device, std::uint32_t id, v4l2_query_ext_ctrl& control) noexcept {
  control = {};
  control.id = id;
  return device.call(VIDIOC_QUERY_EXT_CTRL, &control);
}

/// Failures may be ignored: a camera need not have an automatic mode, or this kind of one.
int write_if_there(const Device& device, std::uint32_t id, std::int64_t value) noexcept {
  const std::optional<v4l2_query_ext_ctrl> control = find_control(device, id);
  return control ? write_control(device, *control, value) : -EINVAL;
}

/// `name` is the setting's, `unit_name` what it is counted in.
Status set_value(const Device& device, std::span<const Candidate> candidates, int value,
                 const char* where, const char* name, const char* unit_name) {
  for (const Candidate& candidate : candidates) {
    const std::optional<v4l2_query_ext_ctrl> control = find_control(device, candidate.id);
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
    const int rc = write_control(device, *control, steps);
    if (rc == -ERANGE) return out_of_range();
    if (rc < 0) return device.error(rc, where);
    return Done{};
  }
  return device.error_text(Errc::unsupported, where, "the camera has no %s control", name);
}

}  // namespace

std::span<const Candidate> exposure_candidates() noexcept { return kExposure; }
std::span<const Candidate> gain_candidates() noexcept { return kGain; }

std::optional<v4l2_query_ext_ctrl> find_control(const Device& device, std::uint32_t id) noexcept {
  v4l2_query_ext_ctrl control{};
  if (query(device, id, control) < 0) return std::nullopt;
  if ((control.flags & (V4L2_CTRL_FLAG_DISABLED | V4L2_CTRL_FLAG_READ_ONLY)) != 0)
    return std::nullopt;
  return control;
}

int write_control(const Device& device, const v4l2_query_ext_ctrl& control,
                  std::int64_t value) noexcept {
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

std::optional<std::int64_t> read_control(const Device& device, std::uint32_t id) noexcept {
  v4l2_query_ext_ctrl control{};
  if (query(device, id, control) < 0 || (control.flags & V4L2_CTRL_FLAG_DISABLED) != 0)
    return std::nullopt;
  v4l2_ext_control one{};
  one.id = id;
  v4l2_ext_controls all{};
  all.which = V4L2_CTRL_WHICH_CUR_VAL;
  all.count = 1;
  all.controls = &one;
  if (device.call(VIDIOC_G_EXT_CTRLS, &all) < 0) return std::nullopt;
  return control.type == V4L2_CTRL_TYPE_INTEGER64 ? one.value64 : std::int64_t{one.value};
}

int set_automatic_exposure(const Device& device, bool on) noexcept {
  // Web cameras call it aperture priority (the aperture is fixed, the time is automatic), and some
  // call their manual mode shutter priority.
  const int first = on ? V4L2_EXPOSURE_AUTO : V4L2_EXPOSURE_MANUAL;
  const int other = on ? V4L2_EXPOSURE_APERTURE_PRIORITY : V4L2_EXPOSURE_SHUTTER_PRIORITY;
  const int rc = write_if_there(device, V4L2_CID_EXPOSURE_AUTO, first);
  return rc < 0 ? write_if_there(device, V4L2_CID_EXPOSURE_AUTO, other) : rc;
}

int set_automatic_gain(const Device& device, bool on) noexcept {
  return write_if_there(device, V4L2_CID_AUTOGAIN, on ? 1 : 0);
}

Status set_controls(const Device& device, const CameraSettings& settings) {
  static_cast<void>(set_automatic_exposure(device, !settings.exposure_us));
  if (settings.exposure_us) {
    if (Status s = set_value(device, kExposure, *settings.exposure_us, "set camera exposure",
                             "exposure", " us");
        !s)
      return s;
  }
  static_cast<void>(set_automatic_gain(device, !settings.gain));
  if (settings.gain) return set_value(device, kGain, *settings.gain, "set camera gain", "gain", "");
  return Done{};
}

}  // namespace kerb::v4l2
