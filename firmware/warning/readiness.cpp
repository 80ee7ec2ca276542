// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/readiness.hpp"

#include <algorithm>

namespace kerb {
namespace {

// Hysteresis of the speed.
constexpr double kTooFastEnter_mps = 82 / 3.6, kTooFastExit_mps = 80 / 3.6;
constexpr double kReversingEnter_mps = -1 / 3.6, kReversingExit_mps = -0.1;

/// Whether a cause stops warnings, by its number.
constexpr std::array<bool, kCauseCount> kStops{
    false,  // none
    true,   // camera_silent
    true,   // camera_no_signal
    true,   // camera_gone
    false,  // camera_damaged: the undamaged frames are used
    true,   // camera_frozen
    true,   // camera_blinded
    true,   // camera_dark
    false,  // frames_dropped
    false,  // board_hot: the state is FAILED when it is too hot to continue
    false,  // thermal_unreadable
    false,  // bus_lost: without a speed the readiness is no_speed
    false,  // signals_missing: likewise; a missing yaw rate does not stop warnings
    false,  // signals_implausible
    false,  // over_budget
    false,  // output_refused: the other outputs still work
    false,  // event_log_refused
    true,   // vision_failed
    false,  // flow_missing: people are still detected and tracked
    false,  // records_refused
    true,   // camera_dirty
    true,   // camera_misaligned: people's positions are wrong
    false,  // signals_late: without a speed the readiness is no_speed
    false,  // bands_missing: people are detected, tracked and told apart by colours
    false,  // sending_refused: lamp and sound still work
    false,  // bus_restart_refused: without a speed the readiness is no_speed
    false,  // watchdog_refused
    false,  // gpu_missing: a CPU that is too slow shows as over_budget and frames_dropped
    true,   // vision_stalled
    false,  // self_test_failed: FAILED where it is the detector
};

}  // namespace

bool stops_warnings(Cause cause) noexcept { return kStops[static_cast<std::size_t>(cause)]; }

bool CauseSet::stops_warnings() const noexcept {
  for (int i = 0; i < kCauseCount; ++i)
    if (has(static_cast<Cause>(i)) && kerb::stops_warnings(static_cast<Cause>(i))) return true;
  return false;
}

void take_health(const HealthMonitor& monitor, const HealthReport& report, int cameras,
                 ReadinessFacts& facts) noexcept {
  facts.starting = report.state == HealthState::starting;
  facts.failed = false;
  facts.cameras = std::clamp(cameras, 0, HealthMonitor::kMaxCameras);
  facts.causes = {};
  facts.camera_causes = {};
  facts.camera_failed = {};
  for (int i = 0; i < kCauseCount; ++i) {
    const Cause cause = static_cast<Cause>(i);
    for (int camera = 0; camera < facts.cameras; ++camera) {
      const PartState now = monitor.present(cause, camera);
      if (now == PartState::fine) continue;
      if (is_of_camera(cause)) {
        const auto at = static_cast<std::size_t>(camera);
        facts.camera_causes[at].add(cause);
        facts.camera_failed[at] = facts.camera_failed[at] || now == PartState::failed;
      } else {
        facts.causes.add(cause);
        facts.failed = facts.failed || now == PartState::failed;
      }
    }
  }
}

bool ReadinessJudge::sees(const ReadinessFacts& facts, int camera) noexcept {
  if (camera < 0 || camera >= facts.cameras) return false;
  const auto i = static_cast<std::size_t>(camera);
  return !facts.camera_failed[i] && !facts.camera_causes[i].stops_warnings();
}

Readiness ReadinessJudge::step(const ReadinessFacts& facts) noexcept {
  const double speed = facts.speed_mps.value_or(0);
  too_fast_ = speed > (too_fast_ ? kTooFastExit_mps : kTooFastEnter_mps);
  backwards_ = speed < (backwards_ ? kReversingExit_mps : kReversingEnter_mps);
  const bool in_reverse = facts.gear == Gear::reverse;
  const bool limited = view_.step(facts.now, facts.view, facts.speed_mps);

  if (facts.switched_off) return Readiness::switched_off;
  if (facts.starting) return Readiness::starting;
  if (!facts.detector_present) return Readiness::no_detector;
  if (facts.failed || facts.causes.stops_warnings()) return Readiness::not_active;
  bool one_sees = false;
  for (int i = 0; i < facts.cameras; ++i) one_sees = one_sees || sees(facts, i);
  if (!one_sees) return Readiness::not_active;
  if (!facts.speed_mps) return Readiness::no_speed;
  if (in_reverse || backwards_) return Readiness::reversing;
  if (too_fast_) return Readiness::too_fast;
  return limited ? Readiness::limited_view : Readiness::ready;
}

}  // namespace kerb
