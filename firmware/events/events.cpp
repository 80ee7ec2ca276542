// SPDX-License-Identifier: Apache-2.0
#include "firmware/events/events.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <limits>

namespace kerb::events {
namespace {

constexpr double kNull = std::numeric_limits<double>::quiet_NaN();  // written as null

double ms(Nanos time) { return std::chrono::duration<double, std::milli>{time}.count(); }
double seconds(Nanos time) { return std::chrono::duration<double>{time}.count(); }

Severity severity_of(HealthState state) {
  if (state == HealthState::failed) return Severity::error;
  return state == HealthState::degraded ? Severity::warning : Severity::info;
}

Severity severity_of(CanState state) {
  if (state == CanState::bus_off || state == CanState::down) return Severity::error;
  return state == CanState::active ? Severity::info : Severity::warning;
}

}  // namespace

Event started(Nanos now, std::string_view version, std::string_view command,
              std::string_view boot) noexcept {
  return Event{now, EventKind::started, Severity::info}
      .with("version", version)
      .with("command", command)
      .with("boot", boot)
      .with("pid", ::getpid());
}

Event stopped(Nanos now, std::string_view reason, int exit_code, Nanos uptime) noexcept {
  return Event{now, EventKind::stopped, exit_code == 0 ? Severity::info : Severity::error}
      .with("reason", reason)
      .with("exit_code", exit_code)
      .with("uptime_s", seconds(uptime));
}

Event config_loaded(Nanos now, std::string_view path, int cameras, std::string_view bus) noexcept {
  return Event{now, EventKind::config_loaded, Severity::info}
      .with("path", path)
      .with("cameras", cameras)
      .with("bus", bus);
}

Event health_changed(Nanos now, HealthState from, const HealthReport& to,
                     std::uint64_t left_out) noexcept {
  return Event{now, EventKind::health_changed, severity_of(to.state)}
      .with("from", name_of(from))
      .with("to", name_of(to.state))
      .with("cause", name_of(to.cause))
      .with("number", to.number)
      .with("unit", unit_of(to.cause))
      .with("left_out", left_out);
}

Event warning_changed(Nanos now, std::string_view from, std::string_view to,
                      std::string_view reason) noexcept {
  return Event{now, EventKind::warning_changed, Severity::info}
      .with("from", from)
      .with("to", to)
      .with("reason", reason);
}

Event readiness_changed(Nanos now, std::string_view from, std::string_view to,
                        std::uint64_t left_out) noexcept {
  return Event{now, EventKind::readiness_changed, Severity::info}
      .with("from", from)
      .with("to", to)
      .with("left_out", left_out);
}

Event camera_opened(Nanos now, std::string_view camera, const FrameSourceInfo& info) noexcept {
  return Event{now, EventKind::camera_opened, Severity::info}
      .with("camera", camera)
      .with("device", info.name.view())
      .with("format", name_of(info.format))
      .with("width", info.width)
      .with("height", info.height)
      .with("rate_hz", info.rate_hz)
      .with("memory", info.memory);
}

Event camera_lost(Nanos now, std::string_view camera, const Error& error) noexcept {
  return Event{now, EventKind::camera_lost, Severity::error}
      .with("camera", camera)
      .with("code", name_of(error.code))
      .with("native", error.native)
      .with("where", error.where)
      .with("what", error.what.view());
}

Event bus_state(Nanos now, std::string_view bus, CanState from, CanState to,
                const CanCounters& counters, std::uint64_t left_out) noexcept {
  return Event{now, EventKind::bus_state, severity_of(to)}
      .with("bus", bus)
      .with("from", name_of(from))
      .with("to", name_of(to))
      .with("sent", counters.sent)
      .with("received", counters.received)
      .with("refused", counters.refused)
      .with("error_frames", counters.error_frames)
      .with("bus_offs", counters.bus_offs)
      .with("left_out", left_out);
}

Event bus_restart_refused(Nanos now, std::string_view bus, const Error& error,
                          std::string_view advice) noexcept {
  return Event{now, EventKind::bus_restart_refused, Severity::error}
      .with("bus", bus)
      .with("code", name_of(error.code))
      .with("native", error.native)
      .with("advice", advice);
}

Event service_request(Nanos now, std::string_view request, std::string_view origin, bool accepted,
                      std::uint64_t left_out) noexcept {
  return Event{now, EventKind::service_request, accepted ? Severity::info : Severity::warning}
      .with("request", request)
      .with("origin", origin)
      .with("accepted", accepted)
      .with("left_out", left_out);
}

Event stage_over_budget(Nanos now, std::string_view stage, Nanos worst, Nanos budget,
                        std::uint64_t frames) noexcept {
  return Event{now, EventKind::stage_over_budget, Severity::warning}
      .with("stage", stage)
      .with("worst_ms", ms(worst))
      .with("budget_ms", ms(budget))
      .with("frames", frames);
}

Event detector_loaded(Nanos now, std::string_view camera, std::string_view model,
                      std::string_view backend) noexcept {
  return Event{now, EventKind::detector_loaded, Severity::info}
      .with("camera", camera)
      .with("model", model)
      .with("backend", backend);
}

Event detector_missing(Nanos now, std::string_view detail) noexcept {
  return Event{now, EventKind::detector_missing, Severity::warning}.with("detail", detail);
}

Event self_test(Nanos now, const SelfTestReport& report) noexcept {
  Event event{now, EventKind::self_test, Severity::info};
  for (const TestResult result : report.results)
    if (result == TestResult::failed) event.severity = Severity::error;
  const auto told = [&](TestPart part) { return name_of(report[part]); };
  return event.with("detector", told(TestPart::detector))
      .with("warning_lamp", told(TestPart::warning_lamp))
      .with("status_lamp", told(TestPart::status_lamp))
      .with("sound", told(TestPart::sound))
      .with("watchdog", told(TestPart::watchdog))
      .with("storage", told(TestPart::storage));
}

Event output_refused(Nanos now, std::string_view output, const Error& error) noexcept {
  return Event{now, EventKind::output_refused, Severity::error}
      .with("output", output)
      .with("code", name_of(error.code))
      .with("native", error.native)
      .with("where", error.where)
      .with("what", error.what.view());
}

Event frames_summary(Nanos now, std::string_view camera, const FramesSummary& summary) noexcept {
  return Event{now, EventKind::frames_summary, Severity::info}
      .with("camera", camera)
      .with("period_s", seconds(summary.period))
      .with("delivered", summary.delivered)
      .with("dropped", summary.dropped)
      .with("damaged", summary.damaged)
      .with("processed", summary.processed)
      .with("mean_ms", ms(summary.mean))
      .with("worst_ms", ms(summary.worst));
}

Event ego_changed(Nanos now, std::string_view camera, ego::EgoState from,
                  const ego::EgoMotion& to) noexcept {
  return Event{now, EventKind::ego_changed, Severity::info}
      .with("camera", camera)
      .with("from", name_of(from))
      .with("to", name_of(to.state))
      .with("travel", name_of(to.travel))
      .with("points", to.points)
      .with("inlier_share", to.inlier_share)
      .with("noise_px", to.noise_px)
      .with("speed_mps", to.speed_mps.value_or(kNull))
      .with("yaw_distrusted", to.yaw_distrusted)
      .with("speed_distrusted", to.speed_distrusted);
}

Event ego_motion(Nanos now, std::string_view camera, const ego::EgoMotion& motion) noexcept {
  const bool travels = motion.travel != ego::Travel::none;
  return Event{now, EventKind::ego_motion, Severity::info}
      .with("camera", camera)
      .with("travel", name_of(motion.travel))
      .with("pitch_rate_radps", motion.pitch_rate_radps)
      .with("yaw_rate_radps", motion.yaw_rate_radps)
      .with("roll_rate_radps", motion.roll_rate_radps)
      .with("foe_x", travels ? motion.foe_x : kNull)
      .with("foe_y", travels ? motion.foe_y : kNull)
      .with("horizon_row", motion.horizon_row)
      .with("inlier_share", motion.inlier_share)
      .with("yaw_distrusted", motion.yaw_distrusted)
      .with("speed_distrusted", motion.speed_distrusted);
}

Event motion_summary(Nanos now, std::string_view camera, const MotionSummary& summary) noexcept {
  return Event{now, EventKind::motion_summary, Severity::info}
      .with("camera", camera)
      .with("period_s", seconds(summary.period))
      .with("frames", summary.frames)
      .with("passed", summary.passed)
      .with("valid", summary.valid)
      .with("moving", summary.moving)
      .with("standing", summary.standing)
      .with("unknown", summary.unknown);
}

Event person_moves(Nanos now, std::string_view camera, const Detection& person,
                   const ego::RegionMotion& motion) noexcept {
  return Event{now, EventKind::person_moves, Severity::info}
      .with("camera", camera)
      .with("x", double{person.x})
      .with("y", double{person.y})
      .with("w", double{person.w})
      .with("h", double{person.h})
      .with("residual_px", std::hypot(double{motion.rx}, double{motion.ry}))
      .with("sigma_px", double{motion.sigma})
      .with("significance", double{motion.significance});
}

Event flow_missing(Nanos now, std::string_view camera, Errc code,
                   std::string_view detail) noexcept {
  return Event{now, EventKind::flow_missing, Severity::warning}
      .with("camera", camera)
      .with("code", name_of(code))
      .with("detail", detail);
}

Event flow_too_slow(Nanos now, std::string_view camera, Nanos look, Nanos budget,
                    Nanos rest) noexcept {
  return Event{now, EventKind::flow_too_slow, Severity::warning}
      .with("camera", camera)
      .with("look_ms", ms(look))
      .with("budget_ms", ms(budget))
      .with("rest_s", seconds(rest));
}

Event bands_missing(Nanos now, std::string_view camera, Errc code,
                    std::string_view detail) noexcept {
  return Event{now, EventKind::bands_missing, Severity::warning}
      .with("camera", camera)
      .with("code", name_of(code))
      .with("detail", detail);
}

Event events_lost(Nanos now, std::uint64_t count) noexcept {
  return Event{now, EventKind::events_lost, Severity::warning}.with("count", count);
}

Event log_refused(Nanos now, int error, std::uint64_t refusals, Nanos lasted) noexcept {
  return Event{now, EventKind::log_refused, Severity::warning}
      .with("error", error)
      .with("refusals", refusals)
      .with("lasted_s", seconds(lasted));
}

Event log_repaired(Nanos now, std::uint64_t bytes_cut) noexcept {
  return Event{now, EventKind::log_repaired, Severity::warning}.with("bytes_cut", bytes_cut);
}

Text<96> boot_id() noexcept {
  const int fd = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "unknown";
  std::array<char, 64> text;
  const ssize_t n = ::read(fd, text.data(), text.size());
  ::close(fd);
  std::string_view id{text.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
  id = id.substr(0, id.find('\n'));
  return id.empty() ? Text<96>{"unknown"} : Text<96>{id};
}

}  // namespace kerb::events
