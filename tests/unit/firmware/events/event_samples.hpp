// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cerrno>
#include <cmath>
#include <vector>

#include "firmware/events/events.hpp"

/// Events of every kind, plain and hostile: what the schema must allow.
inline std::vector<kerb::Event> event_samples() {
  using namespace kerb;  // NOLINT(google-build-using-namespace)
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  const Nanos now = seconds{5};
  const Error error{Errc::gone, ENODEV, "read camera", "/dev/video0"};
  FrameSourceInfo info;
  info.name = "/dev/video0";
  info.width = 1280;
  info.height = 720;
  info.rate_hz = 29.97;
  info.memory = "userptr";
  ego::EgoMotion moving;
  moving.state = ego::EgoState::valid;
  moving.travel = ego::Travel::forward;
  moving.speed_mps = 12.5;
  moving.foe_x = 640;
  moving.inlier_share = 0.8;
  ego::EgoMotion too_slow;
  too_slow.state = ego::EgoState::too_slow;
  ego::RegionMotion walker;
  walker.rx = 3;
  walker.ry = -4;
  walker.sigma = 0.5F;
  walker.significance = 10;
  std::vector<Event> all{
      events::started(now, "0.1.0", "run", events::boot_id().view()),
      events::stopped(now, "SIGTERM", 0, seconds{3600}),
      events::stopped(now, "error", 2, milliseconds{1}),
      events::config_loaded(now, "/etc/kerbwatch.toml", 2, "can0"),
      events::config_loaded(now, "", 1, ""),
      events::warning_changed(now, "none", "collision", "track 7: 1.6 s"),
      events::readiness_changed(now, "ready", "too_fast"),
      events::readiness_changed(now, "ready", "reversing", 1234),
      events::bus_restart_refused(now, "can0", error, "ip link set can0 type can restart-ms 100"),
      events::camera_opened(now, "front", info),
      events::camera_lost(now, "front", error),
      events::service_request(now, "mute", "switch", true),
      events::service_request(now, "lamp_test", "can", false, 99),
      events::stage_over_budget(now, "detect", milliseconds{41}, milliseconds{33}, 3),
      events::self_test(now, {{TestResult::passed, TestResult::failed, TestResult::passed,
                               TestResult::not_run, TestResult::not_run, TestResult::passed}}),
      events::detector_loaded(now, "front", "people-2024", "cuda"),
      events::detector_missing(now, "no model is configured"),
      events::output_refused(now, "lamp", error),
      events::frames_summary(now, "front",
                             {seconds{10}, 300, 2, 1, 298, milliseconds{12}, milliseconds{40}}),
      events::ego_changed(now, "front", ego::EgoState::no_previous, moving),
      events::ego_changed(now, "front", ego::EgoState::valid, {}),
      events::ego_changed(now, "front", ego::EgoState::valid, too_slow),
      events::ego_motion(now, "front", moving),
      events::ego_motion(now, "front", {}),
      events::motion_summary(now, "front", {seconds{10}, 300, 2, 290, 40, 20, 10}),
      events::person_moves(now, "front", {10, 20, 30, 60, 1}, walker),
      events::flow_missing(now, "front", Errc::device, "launch: 700"),
      events::flow_too_slow(now, "front", milliseconds{700}, milliseconds{4}, seconds{300}),
      events::bands_missing(now, "front", Errc::device, "launch: 700"),
      events::events_lost(now, 12),
      events::log_refused(now, ENOSPC, 4, milliseconds{1500}),
      events::log_repaired(now, 77),
      // what nobody means to send, but somebody will
      events::detector_missing(now, "\"},\n\x01\xFF{" + std::string(200, '\x02')),
      events::camera_lost(now, "\xE2\x82", Error{}),
      events::health_changed(now, HealthState::active,
                             {HealthState::degraded, Cause::signals_implausible, NAN}),
      events::health_changed(now, HealthState::active,
                             {HealthState::failed, Cause::board_hot, INFINITY}),
      events::frames_summary(Nanos::min(), "", {}),
      events::motion_summary(Nanos::min(), "", {}),
      events::person_moves(now, "", {NAN, INFINITY, 0, 0, 0}, {}),
  };
  for (int state = 0; state <= static_cast<int>(HealthState::failed); ++state)
    for (int cause = 0; cause < kCauseCount; ++cause)
      all.push_back(events::health_changed(
          now, static_cast<HealthState>(state),
          {static_cast<HealthState>(state), static_cast<Cause>(cause), 420.5}));
  for (int state = 0; state <= static_cast<int>(CanState::down); ++state)
    all.push_back(events::bus_state(now, "can0", static_cast<CanState>(state),
                                    static_cast<CanState>(state), {}));
  return all;
}
