// SPDX-License-Identifier: Apache-2.0
#include "firmware/health/health_monitor.hpp"

namespace kerb {

bool is_of_camera(Cause cause) noexcept {
  return (cause >= Cause::camera_silent && cause <= Cause::frames_dropped) ||
         cause == Cause::over_budget || cause == Cause::vision_failed ||
         cause == Cause::flow_missing || cause == Cause::camera_dirty ||
         cause == Cause::camera_misaligned || cause == Cause::bands_missing ||
         cause == Cause::vision_stalled;
}

void HealthMonitor::report(Cause cause, PartState severity, double number, Nanos now,
                           int camera) noexcept {
  if (camera < 0 || camera >= kMaxCameras) return;
  Part& p = parts_[static_cast<std::size_t>(index(cause, camera))];
  p.reported = severity;
  if (severity >= p.held) {
    if (p.held == PartState::fine && severity != PartState::fine) p.since = now;
    p.held = severity;
    p.getting_better = false;
    if (severity != PartState::fine) p.number = number;
    return;
  }
  // Better than the held state: accepted only when it lasts. Falling back to the held state starts
  // the wait again (above); the part improves to the worst state reported meanwhile.
  if (!p.getting_better || severity > p.candidate) {
    p.candidate = severity;
    if (!p.getting_better) p.better_since = now;
    p.getting_better = true;
  }
  if (severity != PartState::fine) p.number = number;
  if (now - p.better_since >= recover_) {
    p.held = p.candidate;
    p.getting_better = false;
    // Still not fine: the next improvement waits again, from the state reported now.
  }
}

bool HealthMonitor::failed(int camera) const noexcept {
  for (int c = 0; c < kCauseCount; ++c) {
    const Cause cause = static_cast<Cause>(c);
    if (is_of_camera(cause) && severity(cause, camera) == PartState::failed) return true;
  }
  return false;
}

bool HealthMonitor::one_camera_protects() const noexcept {
  for (int c = 0; c < kCauseCount; ++c) {
    const Cause cause = static_cast<Cause>(c);
    if (!is_of_camera(cause) && severity(cause) == PartState::failed) return false;
  }
  for (int camera = 0; camera < cameras_; ++camera)
    if (!failed(camera)) return true;
  return false;
}

HealthReport HealthMonitor::evaluate(Nanos now) const noexcept {
  HealthReport worst{HealthState::active, Cause::none, 0, -1};
  PartState worst_severity = PartState::fine;
  Nanos worst_since{};
  for (int c = 0; c < kCauseCount; ++c) {
    const Cause cause = static_cast<Cause>(c);
    for (int camera = 0; camera < kMaxCameras; ++camera) {
      const Part& p = part(cause, camera);
      if (p.held == PartState::fine) continue;
      if (p.held < worst_severity || (p.held == worst_severity && p.since >= worst_since)) continue;
      worst_severity = p.held;
      worst_since = p.since;
      worst.cause = cause;
      worst.number = p.number;
      worst.camera = is_of_camera(cause) ? camera : -1;
    }
  }
  if (worst_severity == PartState::failed)
    worst.state = one_camera_protects() ? HealthState::degraded : HealthState::failed;
  if (worst_severity == PartState::degraded) worst.state = HealthState::degraded;
  if (!flowing_ && now < start_deadline_ && worst.state != HealthState::failed)
    worst.state = HealthState::starting;
  return worst;
}

}  // namespace kerb
