// SPDX-License-Identifier: Apache-2.0
#include "firmware/pipeline/exposure_loop.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace kerb {
namespace {

constexpr int kMostFailures = 5;  // in succession, before the camera gets its automatic mode back

double to_ms(Nanos time) { return static_cast<double>(time.count()) * 1e-6; }

}  // namespace

ExposureLoop::ExposureLoop(const ExposureSettings& settings, const Camera& camera,
                           const FrameSourceInfo& info, std::string name, Log& log)
    : settings_{settings},
      controller_settings_{controller_settings(settings, info.format, info.rate_hz)},
      name_{std::move(name)},
      log_{log},
      meter_{camera} {
  if (settings.noise_read && settings.noise_shot) {
    model_ = {*settings.noise_read, *settings.noise_shot, true};
  } else if (is_linear(info.format)) {
    noise_ = std::make_unique<NoiseEstimator>(camera.width, camera.height);
  }
}

void ExposureLoop::apply(FrameSource& source, std::uint64_t source_number, Nanos now) {
  ExposureControl* const control = source.exposure_control();
  if (source_ != source_number) {
    source_ = source_number;
    take_over(control, now);
    return;
  }
  if (!controls_ || control == nullptr) return;
  if (const Order& order = orders_.latest(); order.number != obeyed_) {
    obeyed_ = order.number;
    if (order.source == source_number) pending_ = order.exposure;
  }
  if (pending_) set(*control, now);
}

void ExposureLoop::take_over(ExposureControl* control, Nanos now) {
  controls_ = control != nullptr;
  failures_ = 0;
  pending_.reset();
  if (control == nullptr) {
    tell({}, now);
    if (!std::exchange(said_none_, true))
      log_.warning("exposure",
                   "camera " + name_ +
                       " has no exposure control that can be set: it keeps its own automatic "
                       "exposure, as with camera.exposure.mode = \"camera\"");
    return;
  }
  range_ = control->range();
  char text[160];
  std::snprintf(
      text, sizeof text,
      ": exposure set for people: %.3g to %.3g ms, gain 1 to %.3g, road at grey %.0f",
      to_ms(range_.shortest),
      to_ms(std::min(std::max(controller_settings_.longest, range_.shortest), range_.longest)),
      std::min(std::max(controller_settings_.most_gain, 1.0), range_.gain.most()),
      controller_settings_.target);
  log_.info("exposure", "camera " + name_ + text);
  pending_ = start_of(*control);
  set(*control, now);
}

/// Near to what the camera uses, so that the picture does not jump.
Exposure ExposureLoop::start_of(ExposureControl& control) const {
  const ExposureController limits{controller_settings_, range_};
  const Result<Exposure> now = control.read();
  if (now) return limits.split((range_.has_time() ? to_ms(now->time) * 1e-3 : 1) * now->gain);
  // It does not say: the middle of the times, by their ratio.
  const double shortest = std::max(to_ms(range_.shortest), 1e-3);
  return limits.split(
      range_.has_time() ? std::sqrt(shortest * to_ms(controller_settings_.longest)) * 1e-3 : 1);
}

/// What fails is tried again before the next frame.
void ExposureLoop::set(ExposureControl& control, Nanos now) {
  const Result<Exposure> set = control.set(*pending_);
  if (set) {
    pending_.reset();
    failures_ = 0;
    tell(*set, now);
    return;
  }
  if (++failures_ == 1 && set.error().code != Errc::gone)  // a lost camera is logged as such
    log_.warning("exposure", "camera " + name_ + ": " + describe(set.error()));
  if (failures_ >= kMostFailures) give_up(control);
}

void ExposureLoop::give_up(ExposureControl& control) {
  controls_ = false;
  pending_.reset();
  const Status automatic = control.set_automatic();
  log_.error("exposure",
             "camera " + name_ + " refuses its exposure controls: " +
                 (automatic ? std::string{"automatic exposure is on again"}
                            : "its last setting stays: " + describe(automatic.error())));
  tell({}, Nanos::zero());
}

void ExposureLoop::tell(const Exposure& exposure, Nanos now) {
  applied_.draft() = {++told_, *source_, controls_, range_, exposure, now};
  applied_.publish();
}

FrameExposure ExposureLoop::process(const ImageView<Space::host, const std::uint8_t>& grey,
                                    std::uint64_t sequence, Nanos captured,
                                    bool standing) noexcept {
  if (const Applied& applied = applied_.latest(); applied.number != heard_) {
    if (applied.source != heard_source_ || heard_ == 0)
      controller_ = ExposureController{controller_settings_, applied.range};
    heard_ = applied.number;
    heard_source_ = applied.source;
    controlled_ = applied.controlled;
    if (controlled_) controller_.applied(applied.exposure, applied.at);
  }
  FrameExposure out;
  out.road = meter_.measure(grey);
  out.corrections = asked_;
  out.noise = model_;
  if (!controlled_) return out;

  const std::optional<Exposure> wanted = controller_.update(out.road, sequence, captured);
  out.controlled = true;
  out.settled = controller_.settled();
  out.exposure = controller_.current();
  out.error_stops = controller_.error_stops();
  if (wanted) {
    orders_.draft() = {++asked_, heard_source_, *wanted};
    orders_.publish();
    out.corrections = asked_;
  }
  if (noise_) {
    if (standing && out.settled) {
      noise_->add(grey, out.exposure.gain);
      model_ = noise_->model();
      out.noise = model_;
    } else {
      noise_->forget();
    }
  }
  return out;
}

}  // namespace kerb
