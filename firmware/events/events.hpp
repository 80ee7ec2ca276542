// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

#include "firmware/events/event.hpp"
#include "firmware/types/ego_motion.hpp"
#include "firmware/types/health_state.hpp"
#include "firmware/types/self_test.hpp"
#include "hal/can_bus.hpp"
#include "hal/frame_source.hpp"
#include "hal/vision.hpp"

/// Makers of events: one for each kind, and the only ones the product uses, so that
/// docs/events.schema.json can be checked against all there is. None allocates. `now` is on the
/// Clock.
namespace kerb::events {

/// The first of a run. `command`: run, demo. `boot` is the kernel's boot id, see boot_id().
Event started(Nanos now, std::string_view version, std::string_view command,
              std::string_view boot) noexcept;
/// The last of a run that ended in order. `reason`: SIGTERM, end ...
Event stopped(Nanos now, std::string_view reason, int exit_code, Nanos uptime) noexcept;
/// `path` is empty where the built-in defaults are used.
Event config_loaded(Nanos now, std::string_view path, int cameras, std::string_view bus) noexcept;
// `left_out`, of several kinds: how many before it are not in the log, to keep a flood out of it.
/// info when it becomes active, warning when degraded, error when failed.
Event health_changed(Nanos now, HealthState from, const HealthReport& to,
                     std::uint64_t left_out = 0) noexcept;
/// Whether warnings can be given, and if not why.
Event readiness_changed(Nanos now, std::string_view from, std::string_view to,
                        std::uint64_t left_out = 0) noexcept;
/// Levels by name: off, none, information, collision ... `reason`: why it changed.
Event warning_changed(Nanos now, std::string_view from, std::string_view to,
                      std::string_view reason) noexcept;
/// `camera` is its name in the configuration.
Event camera_opened(Nanos now, std::string_view camera, const FrameSourceInfo& info) noexcept;
/// The camera stopped delivering: it was unplugged, or could not be opened.
Event camera_lost(Nanos now, std::string_view camera, const Error& error) noexcept;
/// warning unless the bus is active; error when it is off or down.
Event bus_state(Nanos now, std::string_view bus, CanState from, CanState to,
                const CanCounters& counters, std::uint64_t left_out = 0) noexcept;
/// After bus-off the controller cannot be put back on the bus. `advice`: what somebody must do.
Event bus_restart_refused(Nanos now, std::string_view bus, const Error& error,
                          std::string_view advice) noexcept;
/// A request from outside: a signal, a diagnostic message, the driver's switch.
Event service_request(Nanos now, std::string_view request, std::string_view origin, bool accepted,
                      std::uint64_t left_out = 0) noexcept;
/// `frames` took longer than the budget since the last such event; `worst` is the longest.
Event stage_over_budget(Nanos now, std::string_view stage, Nanos worst, Nanos budget,
                        std::uint64_t frames) noexcept;
/// Detection is on. `model` is the model's name, `backend` cpu or cuda.
Event detector_loaded(Nanos now, std::string_view camera, std::string_view model,
                      std::string_view backend) noexcept;
/// Detection is off. `detail`: which model is configured, and what is wrong with it.
Event detector_missing(Nanos now, std::string_view detail) noexcept;
/// The self-test at the start: what came of each part. Again where a part changes later.
Event self_test(Nanos now, const SelfTestReport& report) noexcept;
/// The lamp or the loudspeaker did not accept its command.
Event output_refused(Nanos now, std::string_view output, const Error& error) noexcept;

struct FramesSummary {
  Nanos period{};                                         ///< that the numbers cover
  std::uint64_t delivered = 0, dropped = 0, damaged = 0;  ///< by the camera
  std::uint64_t processed = 0;                            ///< went through the whole pipeline
  Nanos mean{}, worst{};                                  ///< capture to decision
};
Event frames_summary(Nanos now, std::string_view camera, const FramesSummary& summary) noexcept;

/// Ego-motion became valid or invalid (with the reason and the number of points), or a signal of
/// the vehicle is distrusted, or trusted again.
Event ego_changed(Nanos now, std::string_view camera, ego::EgoState from,
                  const ego::EgoMotion& to) noexcept;
/// The ego-motion at the end of a period, as a sample.
Event ego_motion(Nanos now, std::string_view camera, const ego::EgoMotion& motion) noexcept;

struct MotionSummary {
  Nanos period{};                        ///< that the numbers cover
  std::uint64_t frames = 0, passed = 0;  ///< processed; skipped to save time
  std::uint64_t valid = 0;               ///< with valid ego-motion
  std::uint64_t moving = 0, standing = 0,
                unknown = 0;  ///< verdicts about people, summed over frames
};
Event motion_summary(Nanos now, std::string_view camera, const MotionSummary& summary) noexcept;
/// A person moves; at most one such event in 10 s for each camera.
Event person_moves(Nanos now, std::string_view camera, const Detection& person,
                   const ego::RegionMotion& motion) noexcept;

/// Motion estimation is off: flow could not be made, or fails. People are still detected.
Event flow_missing(Nanos now, std::string_view camera, Errc code, std::string_view detail) noexcept;
/// Motion estimation is off: one measurement takes `look`, so that the budget of each frame allows
/// less than one a second. It is tried again after `rest`.
Event flow_too_slow(Nanos now, std::string_view camera, Nanos look, Nanos budget,
                    Nanos rest) noexcept;

/// Spectral search is off: it could not be made, or fails. People are told apart by colours.
Event bands_missing(Nanos now, std::string_view camera, Errc code,
                    std::string_view detail) noexcept;

/// Events of the log about itself.
Event events_lost(Nanos now, std::uint64_t count) noexcept;
Event log_refused(Nanos now, int error, std::uint64_t refusals, Nanos lasted) noexcept;
Event log_repaired(Nanos now, std::uint64_t bytes_cut) noexcept;

/// The kernel's id of this boot, or "unknown". Reads a file.
[[nodiscard]] Text<96> boot_id() noexcept;

}  // namespace kerb::events
