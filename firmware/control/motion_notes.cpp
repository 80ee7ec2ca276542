// SPDX-License-Identifier: Apache-2.0
// What the controller tells the pipelines of the car's motion, and tells the log of theirs.
#include "firmware/control/controller.hpp"
#include "firmware/events/events.hpp"

namespace kerb {
namespace {

using std::chrono::seconds;

constexpr Nanos kEgoPeriod = seconds{1};     // changes of the own motion's state are told no faster
constexpr Nanos kMoverPeriod = seconds{10};  // nor those who move by themselves

}  // namespace

void Controller::tell_vehicle(Nanos now) {
  const can::VehicleState vehicle = vehicle_.at(now);
  // Both are of one message, which came a while ago.
  const Nanos age = vehicle.speed_mps.value        ? vehicle.speed_mps.age
                    : vehicle.yaw_rate_radps.value ? vehicle.yaw_rate_radps.age
                                                   : Nanos::zero();
  for (const Camera& camera : cameras_)
    camera.pipeline->set_vehicle(now - age,
                                 {vehicle.speed_mps.value, vehicle.yaw_rate_radps.value});
}

void Controller::note_flow(Camera& camera, const PipelineFacts& facts, Nanos now) {
  const bool missing = monitor_.severity(Cause::flow_missing, camera.index) != PartState::fine;
  if (missing && !camera.flow_missing)
    post(events::flow_missing(
        now, camera.name, static_cast<Errc>(facts.flow_error),
        camera.flow_error ? describe(*camera.flow_error) : "it fails on a frame"));
  camera.flow_missing = missing;
  if (facts.flow_too_slow && !camera.flow_too_slow) {
    post(events::flow_too_slow(now, camera.name, facts.flow_time, config_.budget.flow,
                               ego::MotionEstimatorSettings{}.first_rest));
    log_.warning("flow", "camera " + camera.name +
                             ": it takes too long on this machine; nobody looks at motion");
  }
  camera.flow_too_slow = facts.flow_too_slow;
}

void Controller::note_motion(Camera& camera, Nanos now) {
  const ego::MotionReport& report = camera.pipeline->motion();
  if (report.at == Nanos::zero() || report.at == camera.motion_at) return;
  camera.motion_at = report.at;
  if (camera.index == 0) judge_lateness(report);
  const ego::EgoMotion& ego = report.ego;
  const bool changed = ego.state != camera.ego || ego.yaw_distrusted != camera.yaw_distrusted ||
                       ego.speed_distrusted != camera.speed_distrusted;
  if (changed && (camera.ego_told == Nanos::zero() || now - camera.ego_told >= kEgoPeriod)) {
    post(events::ego_changed(now, camera.name, camera.ego, ego));
    camera.ego = ego.state;
    camera.yaw_distrusted = ego.yaw_distrusted;
    camera.speed_distrusted = ego.speed_distrusted;
    camera.ego_told = now;
  }
  if (camera.mover_told != Nanos::zero() && now - camera.mover_told < kMoverPeriod) return;
  int most = -1;
  for (int i = 0; i < report.people; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (report.of[at].verdict != ego::RegionVerdict::moving) continue;
    if (most < 0 ||
        report.of[at].significance > report.of[static_cast<std::size_t>(most)].significance)
      most = i;
  }
  if (most < 0) return;
  const auto at = static_cast<std::size_t>(most);
  post(events::person_moves(now, camera.name, report.boxes[at], report.of[at]));
  camera.mover_told = now;
}

/// While the signals seem late they are not used, so that what the pictures show is theirs alone.
void Controller::judge_lateness(const ego::MotionReport& report) {
  const Nanos lag = vehicle_.lag();
  const std::optional<double> told = vehicle_.told_yaw_rate();
  if (lag == Nanos::zero()) return timeliness_.reset();
  if (report.ego.state != ego::EgoState::valid || !told) return;
  timeliness_.add(report.at, report.ego.yaw_rate_radps, *told, lag);
  if (!timeliness_.is_timely()) return;
  log_.info("can", "the vehicle's signals are not late: the pictures show it turn as it says");
  vehicle_.are_timely();
}

void Controller::summarise_motion(Camera& camera, Nanos now) {
  if (camera.pipeline->flow() == nullptr) return;
  const ego::MotionReport& report = camera.pipeline->motion();
  const ego::MotionTotals &all = report.totals, &told = camera.motion_summarised;
  events::MotionSummary s;
  s.period = now - last_summary_;
  s.frames = all.frames - told.frames;
  s.passed = all.passed - told.passed;
  s.valid = all.valid - told.valid;
  s.moving = all.moving - told.moving;
  s.standing = all.standing - told.standing;
  s.unknown = all.unknown - told.unknown;
  camera.motion_summarised = all;
  post(events::motion_summary(now, camera.name, s));
  if (report.ego.state == ego::EgoState::valid)
    post(events::ego_motion(now, camera.name, report.ego));
}

}  // namespace kerb
