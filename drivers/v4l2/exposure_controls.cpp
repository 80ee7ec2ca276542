// SPDX-License-Identifier: Apache-2.0
#include "drivers/v4l2/exposure_controls.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "drivers/v4l2/controls.hpp"

namespace kerb::v4l2 {
namespace {

constexpr const char* kSetExposure = "set camera exposure";
constexpr const char* kSetGain = "set camera gain";
constexpr double kDefaultLinearUnit = 16, kDefaultDecibelUnit = 10;
constexpr double kLongestUnit_ns = 1e9;

std::int64_t step_of(const v4l2_query_ext_ctrl& control) noexcept {
  return static_cast<std::int64_t>(std::max<std::uint64_t>(control.step, 1));
}

/// How long a line of the sensor takes; 0: unknown.
double line_ns(const Device& device, int width) noexcept {
  const std::optional<std::int64_t> rate = read_control(device, V4L2_CID_PIXEL_RATE);
  const std::optional<std::int64_t> blank = read_control(device, V4L2_CID_HBLANK);
  if (!rate || !blank || *rate <= 0 || *blank < 0) return 0;
  return (static_cast<double>(width) + static_cast<double>(*blank)) * 1e9 /
         static_cast<double>(*rate);
}

}  // namespace

std::unique_ptr<ExposureControls> ExposureControls::find(const Device& device,
                                                         const CameraSettings& settings) {
  std::unique_ptr<ExposureControls> found{new ExposureControls{device}};
  found->find_time(settings);
  found->find_gain(settings.exposure);
  if (found->time_) return found;
  const bool fixed_time = !find_control(device, V4L2_CID_EXPOSURE_AUTO).has_value();
  if (found->gain_ && fixed_time) return found;
  return nullptr;
}

void ExposureControls::find_time(const CameraSettings& settings) {
  for (const Candidate& candidate : exposure_candidates()) {
    const std::optional<v4l2_query_ext_ctrl> control = find_control(device_, candidate.id);
    if (!control) continue;
    double unit_ns = candidate.unit * 1e3;
    if (candidate.id == V4L2_CID_EXPOSURE)
      unit_ns = settings.exposure.step_us ? *settings.exposure.step_us * 1e3
                                          : line_ns(device_, settings.width);
    // From the first step that is not zero, which no camera could mean.
    const std::int64_t least =
        control->minimum > 0
            ? control->minimum
            : control->minimum + (-control->minimum / step_of(*control) + 1) * step_of(*control);
    if (!(unit_ns > 0) || unit_ns > kLongestUnit_ns || least > control->maximum) continue;
    time_ = control;
    time_->minimum = least;
    time_unit_ns_ = unit_ns;
    const auto time_of = [&](std::int64_t steps) {  // an hour is more than any camera exposes
      return Nanos{std::llround(std::min(static_cast<double>(steps) * unit_ns, 3.6e12))};
    };
    range_.shortest = time_of(least);
    range_.longest = time_of(control->maximum);
    range_.step = std::max(time_of(step_of(*control)), Nanos{1});
    return;
  }
}

void ExposureControls::find_gain(const ExposureSettings& settings) {
  GainScale& scale = range_.gain;
  scale.kind = settings.gain_kind;
  for (const Candidate& candidate : gain_candidates()) {
    const std::optional<v4l2_query_ext_ctrl> control = find_control(device_, candidate.id);
    if (!control || control->maximum <= control->minimum) continue;
    gain_ = control;
    scale.minimum = control->minimum;
    scale.maximum = control->maximum;
    scale.step = step_of(*control);
    const double linear =
        scale.minimum > 0 ? static_cast<double>(scale.minimum) : kDefaultLinearUnit;
    scale.unit =
        settings.gain_unit.value_or(scale.kind == GainKind::linear ? linear : kDefaultDecibelUnit);
    return;
  }
}

Result<Exposure> ExposureControls::read() {
  Exposure now;
  if (time_) {
    const std::optional<std::int64_t> steps = read_control(device_, time_->id);
    if (!steps) return device_.error(-EIO, "read camera exposure");
    now.time = Nanos{std::llround(static_cast<double>(*steps) * time_unit_ns_)};
    now.time = std::clamp(now.time, range_.shortest, range_.longest);
  }
  if (gain_) {
    const std::optional<std::int64_t> steps = read_control(device_, gain_->id);
    if (!steps) return device_.error(-EIO, "read camera gain");
    now.gain = range_.gain.gain_of(*steps);
  }
  return now;
}

Status ExposureControls::take_over() {
  if (manual_) return Done{};
  // A camera without an automatic mode has nothing to turn off.
  if (time_ && find_control(device_, V4L2_CID_EXPOSURE_AUTO))
    if (const int rc = set_automatic_exposure(device_, false); rc < 0)
      return device_.error(rc, kSetExposure);
  if (gain_ && find_control(device_, V4L2_CID_AUTOGAIN))
    if (const int rc = set_automatic_gain(device_, false); rc < 0)
      return device_.error(rc, kSetGain);
  manual_ = true;
  time_steps_.reset();
  gain_steps_.reset();
  return Done{};
}

Status ExposureControls::write(const v4l2_query_ext_ctrl& control, std::int64_t steps,
                               std::optional<std::int64_t>& written) noexcept {
  if (written == steps) return Done{};
  if (const int rc = write_control(device_, control, steps); rc < 0) {
    written.reset();
    return device_.error(rc, control.id == (time_ ? time_->id : 0) ? kSetExposure : kSetGain);
  }
  written = steps;
  return Done{};
}

Result<Exposure> ExposureControls::set(const Exposure& wanted) {
  if (Status s = take_over(); !s) return s.error();
  Exposure set;
  if (time_) {
    const Nanos nearest = range_.nearest(wanted.time);
    const std::int64_t step = step_of(*time_);
    const double above = static_cast<double>((nearest - range_.shortest).count()) / time_unit_ns_;
    std::int64_t steps = time_->minimum + std::llround(above / static_cast<double>(step)) * step;
    if (steps > time_->maximum) steps -= step;
    if (Status s = write(*time_, steps, time_steps_); !s) return s.error();
    set.time = Nanos{std::llround(static_cast<double>(steps) * time_unit_ns_)};
  }
  if (gain_) {
    const std::int64_t steps = range_.gain.steps_for(wanted.gain);
    if (Status s = write(*gain_, steps, gain_steps_); !s) return s.error();
    set.gain = range_.gain.gain_of(steps);
  }
  return set;
}

Status ExposureControls::set_automatic() {
  manual_ = false;
  const int time = time_ ? set_automatic_exposure(device_, true) : -EINVAL;
  const int gain = gain_ ? set_automatic_gain(device_, true) : -EINVAL;
  if (time >= 0 || gain >= 0) return Done{};
  const int rc = time != -EINVAL ? time : gain;
  return device_.error(rc, kSetExposure, rc == -EINVAL ? Errc::unsupported : Errc::io);
}

}  // namespace kerb::v4l2
