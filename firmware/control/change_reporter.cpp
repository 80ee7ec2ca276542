// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/change_reporter.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "firmware/events/events.hpp"

namespace kerb {
namespace {

using std::chrono::seconds;

constexpr Nanos kEgoPeriod = seconds{1};     // least time between events about ego-motion
constexpr Nanos kMoverPeriod = seconds{10};  // and about people who move

/// "camera_silent (420 ms)"
std::string in_words(const HealthReport& report) {
  std::string text = name_of(report.cause);
  const double rounded = std::round(report.number * 10) / 10;
  std::string number = std::to_string(rounded);
  number.resize(number.find('.') + 2);
  if (number.ends_with(".0")) number.resize(number.size() - 2);
  text += " (" + number;
  if (*unit_of(report.cause) != '\0') text += std::string{" "} + unit_of(report.cause);
  return text + ")";
}

/// " (12 more left out)"; nothing for none.
std::string more(std::uint64_t left_out) {
  return left_out == 0 ? "" : " (" + std::to_string(left_out) + " more left out)";
}

/// The index of the moving person with the highest significance, or -1.
int surest_mover(const ego::MotionReport& report) noexcept {
  int most = -1;
  for (int i = 0; i < report.people; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (report.of[at].verdict != ego::RegionVerdict::moving) continue;
    if (most < 0 ||
        report.of[at].significance > report.of[static_cast<std::size_t>(most)].significance)
      most = i;
  }
  return most;
}

}  // namespace

ChangeReporter::ChangeReporter(const Config& config, const std::vector<ControlledCamera>& cameras,
                               EventLog* events, Log& log, ControlTotals& totals)
    : config_{config},
      cameras_{cameras},
      events_{events},
      log_{log},
      totals_{totals},
      reported_(cameras.size()) {}

void ChangeReporter::detectors(Nanos now) noexcept {
  for (const ControlledCamera& camera : cameras_) {
    if (const char* name = camera.pipeline->detector()) {
      post(events::detector_loaded(now, camera.name, name, camera.pipeline->backend()));
    } else {
      post(events::detector_missing(now, camera.detector_error ? describe(*camera.detector_error)
                                         : config_.detector.enabled
                                             ? "no model is configured, and none is installed"
                                             : "detector.enabled is false"));
    }
  }
}

void ChangeReporter::service_request(Nanos now, can::ServiceRequest request, bool accepted) {
  Requests& of = requests_[accepted ? 1 : 0];
  if (of.limit.admit(now)) {
    of.waiting.reset();
    write({now, request}, accepted, of.limit.take_left_out());
  } else {
    of.waiting = {now, request};
    of.limit.leave_out();
  }
}

void ChangeReporter::write(const Request& request, bool accepted, std::uint64_t left_out) {
  constexpr const char* kNames[] = {"stop", "lamp_test", "sound_test", "warning_test"};
  const char* name = kNames[static_cast<int>(request.request)];
  post(events::service_request(request.at, name, "can", accepted, left_out));
  log_.info("service", std::string{name} + (accepted ? " begins" : " refused") + more(left_out));
}

void ChangeReporter::tick(Nanos now, bool last) {
  for (const bool accepted : {false, true}) {
    Requests& of = requests_[accepted ? 1 : 0];
    if (!of.waiting || !of.limit.admit(now, last)) continue;
    write(*of.waiting, accepted, of.limit.take_left_out() - 1);
    of.waiting.reset();
  }
}

void ChangeReporter::signals_in_time(Nanos now) {
  if (in_time_.admit(now))
    log_.info("can", "the vehicle's signals are not late: their yaw rate agrees with the pictures");
}

void ChangeReporter::condition(Nanos now, std::size_t camera, CameraCondition condition) noexcept {
  const CameraCondition before = std::exchange(reported_[camera].condition, condition);
  if (condition == before) return;
  const ControlledCamera& c = cameras_[camera];
  if (condition == CameraCondition::delivering) {
    post(events::camera_opened(now, c.name, c.pipeline->info()));
  } else if (before == CameraCondition::delivering) {
    Error why{Errc::timeout, 0, "camera is silent"};
    if (condition == CameraCondition::no_signal) why = {Errc::no_signal, 0, "no signal"};
    if (condition == CameraCondition::gone) why = {Errc::gone, 0, "camera is gone"};
    post(events::camera_lost(now, c.name, why));
  }
}

void ChangeReporter::flow(Nanos now, std::size_t camera, const PipelineFacts& facts, bool missing) {
  const ControlledCamera& c = cameras_[camera];
  if (missing && !reported_[camera].flow_missing)
    post(events::flow_missing(now, c.name, static_cast<Errc>(facts.flow_error),
                              c.flow_error ? describe(*c.flow_error) : "failed on a frame"));
  reported_[camera].flow_missing = missing;
  if (facts.flow_too_slow && !reported_[camera].flow_too_slow) {
    post(events::flow_too_slow(now, c.name, facts.flow_time, config_.budget.flow,
                               ego::MotionEstimatorSettings{}.first_rest));
    log_.warning(
        "flow",
        "camera " + c.name +
            ": motion estimation off: flow takes too long on this machine (budget.flow_ms)");
  }
  reported_[camera].flow_too_slow = facts.flow_too_slow;
}

void ChangeReporter::motion(Nanos now, std::size_t camera,
                            const ego::MotionReport& report) noexcept {
  const std::string& name = cameras_[camera].name;
  Camera& last = reported_[camera];
  const ego::EgoMotion& ego = report.ego;
  const bool changed = ego.state != last.ego || ego.yaw_distrusted != last.yaw_distrusted ||
                       ego.speed_distrusted != last.speed_distrusted;
  if (changed && (last.ego_at == Nanos::zero() || now - last.ego_at >= kEgoPeriod) &&
      last.ego_limit.admit(now)) {
    post(events::ego_changed(now, name, last.ego, ego));
    last.ego = ego.state;
    last.yaw_distrusted = ego.yaw_distrusted;
    last.speed_distrusted = ego.speed_distrusted;
    last.ego_at = now;
  }
  if (last.mover_at != Nanos::zero() && now - last.mover_at < kMoverPeriod) return;
  const int mover = surest_mover(report);
  if (mover < 0) return;
  const auto at = static_cast<std::size_t>(mover);
  post(events::person_moves(now, name, report.boxes[at], report.of[at]));
  last.mover_at = now;
}

void ChangeReporter::bands(Nanos now, std::size_t camera, const PipelineFacts& facts,
                           bool missing) {
  if (std::exchange(reported_[camera].bands_missing, missing) == missing) return;
  const ControlledCamera& c = cameras_[camera];
  if (!missing) {
    log_.info("spectral", "camera " + c.name + ": spectral search works again");
    return;
  }
  const auto code = static_cast<Errc>(facts.spectral_error);
  post(events::bands_missing(now, c.name, code,
                             c.spectral_error ? describe(*c.spectral_error) : "failed on a frame"));
  if (!c.spectral_error)  // else whoever could not make it has said so
    log_.warning("spectral", "camera " + c.name + ": spectral search fails (" + name_of(code) +
                                 "); people are told apart by colours until it works again");
}

void ChangeReporter::bus(Nanos now, const CanBus& bus) {
  restart(now, bus);
  const CanState state = bus.state();
  const auto change = bus_.see(state, now);
  if (!change) return;
  post(events::bus_state(now, config_.can.interface, change->from, state, bus.counters(),
                         change->left_out));
  const bool bad = state == CanState::down || state == CanState::bus_off;
  log_.write(bad ? LogLevel::warning : LogLevel::info, "can",
             config_.can.interface + " is " + name_of(state) + more(change->left_out));
}

void ChangeReporter::restart(Nanos now, const CanBus& bus) {
  const std::optional<Error> refusal = bus.restart_refusal();
  if (std::exchange(restart_refused_, refusal.has_value()) || !refusal || !restarts_.admit(now))
    return;
  const std::string advice = "ip link set " + config_.can.interface +
                             " type can restart-ms 100, or give kerbwatch CAP_NET_ADMIN";
  post(events::bus_restart_refused(now, config_.can.interface, *refusal, advice));
  log_.error("can", describe(*refusal) + "; it stays off the bus: " + advice);
}

void ChangeReporter::sending(Nanos now, bool refused, const std::optional<Error>& why) {
  if (std::exchange(sending_refused_, refused) == refused || !refused || !why) return;
  if (sending_.admit(now))
    log_.error("can", "messages are refused: " + describe(*why) +
                          "; does another node acknowledge them, is txqueuelen 10 or more?");
}

void ChangeReporter::outputs(Nanos now, const std::optional<Error>& refusal) {
  if (std::exchange(output_refused_, refusal.has_value()) == refusal.has_value()) return;
  if (!refusal) return;
  post(events::output_refused(now, "lamp or sound", *refusal));
  log_.error("warning", describe(*refusal));
}

void ChangeReporter::self_test(Nanos now, const SelfTestReport& report) {
  post(events::self_test(now, report));
  std::string failed;
  for (const TestPart part : kAllTestParts)
    if (report[part] == TestResult::failed) failed += std::string{" "} + name_of(part);
  if (!failed.empty()) log_.error("health", "the self-test has failed:" + failed);
}

void ChangeReporter::health(Nanos now, const HealthReport& before, const HealthReport& after) {
  if (after.state != before.state) ++totals_.state_changes;
  const bool urgent = after.state == HealthState::failed;
  const auto change = health_.see({after.state, after.cause}, now, urgent);
  if (!change) return;
  post(events::health_changed(now, change->from.first, after, change->left_out));
  std::string text = name_of(after.state);
  if (after.cause != Cause::none) text += ": " + in_words(after);
  if (after.camera >= 0 && cameras_.size() > 1)
    text += ", camera " + cameras_[static_cast<std::size_t>(after.camera)].name;
  const LogLevel level = after.state == HealthState::failed     ? LogLevel::error
                         : after.state == HealthState::degraded ? LogLevel::warning
                                                                : LogLevel::info;
  log_.write(level, "health", text + more(change->left_out));
}

void ChangeReporter::warning(WarningLevel level) {
  const WarningLevel before = std::exchange(warning_, level);
  if (level == before) return;
  if (level == WarningLevel::information && before == WarningLevel::none) ++totals_.informations;
  if (level == WarningLevel::collision) ++totals_.collisions;
  log_.info("warning", std::string{name_of(before)} + " -> " + name_of(level));
}

void ChangeReporter::readiness(Nanos now, Readiness readiness,
                               const std::optional<ViewReport>& view) {
  const auto change = readiness_.see(readiness, now);
  if (!change) return;
  post(events::readiness_changed(now, change->from ? name_of(*change->from) : "none",
                                 name_of(readiness), change->left_out));
  std::string text = std::string{"readiness: "} + name_of(readiness);
  if (readiness == Readiness::limited_view && view)
    text += ", people are seen up to " + std::to_string(std::lround(view->distance_m)) + " m (" +
            name_of(view->limit) + ")";
  if (change->from) log_.info("warning", text + more(change->left_out));
}

void ChangeReporter::lamp(Nanos now, WarningLevel before, WarningLevel after,
                          bool by_test) noexcept {
  post(events::warning_changed(now, name_of(before), name_of(after),
                               by_test ? "service test" : "people"));
}

}  // namespace kerb
