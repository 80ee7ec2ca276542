// SPDX-License-Identifier: Apache-2.0
#include "firmware/exposure/exposure_controller.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kerb {
namespace {

constexpr double kEncodedResponse = 0.5;
constexpr double kLinearTarget = 50, kEncodedTarget = 90;
constexpr double kTrustRecovery = 1.5;  // per correction without an overshoot
constexpr double kLeastLevel = 0.25;    // grey value: below it the logarithm says nothing

double seconds(Nanos time) noexcept { return static_cast<double>(time.count()) * 1e-9; }
Nanos nanos(double seconds) noexcept {
  return Nanos{std::llround(std::min(seconds * 1e9, 3.6e12))};
}

}  // namespace

bool is_linear(PixelFormat format) noexcept {
  return is_single_sample(format);  // grey and Bayer: as the sensor gives them
}

ExposureControllerSettings controller_settings(const ExposureSettings& settings, PixelFormat format,
                                               double rate_hz) {
  ExposureControllerSettings out;
  const bool linear = is_linear(format);
  out.longest = nanos(settings.longest_ms * 1e-3);
  if (rate_hz > 0) out.longest = std::min(out.longest, nanos(1 / rate_hz));
  out.most_gain = settings.most_gain;
  out.target = settings.target.value_or(linear ? kLinearTarget : kEncodedTarget);
  out.response = linear ? 1 : kEncodedResponse;
  if (settings.mains == MainsLight::hz50) out.light_period = std::chrono::milliseconds{10};
  if (settings.mains == MainsLight::hz60) out.light_period = nanos(1.0 / 120);
  out.latency_frames = settings.latency_frames;
  return out;
}

ExposureController::ExposureController(const ExposureControllerSettings& settings,
                                       const ExposureRange& range)
    : settings_{settings}, range_{range} {}

double ExposureController::light_of(const Exposure& exposure) const noexcept {
  return (range_.has_time() ? seconds(exposure.time) : 1) * exposure.gain;
}

Exposure ExposureController::split(double light_s) const noexcept {
  Exposure out;
  const bool has_gain = range_.gain.adjustable();
  const double most_gain = std::clamp(range_.gain.most(), 1.0, std::max(1.0, settings_.most_gain));
  double rest = light_s;
  if (range_.has_time()) {
    const Nanos most = std::clamp(settings_.longest, range_.shortest, range_.longest);
    Nanos time = std::clamp(nanos(light_s), range_.shortest, most);
    const Nanos period = settings_.light_period;
    const bool whole = period > Nanos::zero() && time >= period;
    if (whole) time = time / period * period;
    // The gain makes up for what a shorter time lacks, in finer steps.
    out.time = whole || !has_gain ? range_.nearest(time) : range_.at_most(time);
    if (out.time > most) out.time = range_.at_most(most);
    rest = light_s / seconds(out.time);
  }
  const double gain = std::clamp(rest, 1.0, most_gain);
  std::int64_t steps = range_.gain.steps_for(gain);
  if (range_.gain.gain_of(steps) > most_gain * (1 + 1e-9))
    steps = std::max(range_.gain.minimum, steps - range_.gain.step);
  out.gain = range_.gain.gain_of(steps);
  return out;
}

double ExposureController::error_of(const MeterReading& reading) const noexcept {
  if (reading.level >= MeterReading::kClipped) return -settings_.largest_stops;
  const double level = std::max(reading.level, kLeastLevel);
  return std::log2(settings_.target / level) / settings_.response;
}

void ExposureController::applied(const Exposure& set, Nanos at) noexcept {
  current_ = set;
  applied_at_ = at;
  known_ = true;
  waiting_ = settled_ = false;
  first_after_.reset();
  last_error_.reset();
}

std::optional<Exposure> ExposureController::update(const MeterReading& reading,
                                                   std::uint64_t sequence,
                                                   Nanos captured) noexcept {
  settled_ = false;
  if (!known_ || waiting_ || captured < applied_at_) return std::nullopt;
  if (!first_after_) first_after_ = sequence;
  if (sequence < *first_after_ + static_cast<std::uint64_t>(settings_.latency_frames))
    return std::nullopt;
  settled_ = true;
  error_ = error_of(reading);
  const std::optional<double> before = std::exchange(last_error_, error_);
  if (!before || (*before > 0) != (error_ > 0)) return std::nullopt;
  const double error = std::abs(*before) < std::abs(error_) ? *before : error_;

  const double size = std::abs(error);
  if (size < (correcting_ ? settings_.finish_stops : settings_.start_stops)) {
    correcting_ = false;
    return std::nullopt;
  }
  const bool overshot = correcting_ && corrected_ != 0 && (corrected_ > 0) != (error > 0);
  const double trust = overshot ? std::max(settings_.least_trust, trust_ / 2)
                                : std::min(1.0, trust_ * kTrustRecovery);
  trust_ = trust;
  const double stops = std::clamp(error * trust, -settings_.largest_stops, settings_.largest_stops);
  const double light = light_of(current_);
  const Exposure wanted = split(light * std::exp2(stops));
  // At a limit, or between two steps of the camera, there is nothing nearer.
  const double gained = std::log2(light_of(wanted) / light);
  if ((wanted.time == current_.time && wanted.gain == current_.gain) ||
      std::abs(error - gained) >= size) {
    correcting_ = false;
    return std::nullopt;
  }
  correcting_ = true;
  corrected_ = error;
  waiting_ = true;
  return wanted;
}

}  // namespace kerb
