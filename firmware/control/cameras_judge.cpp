// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/cameras_judge.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace kerb {
namespace {

constexpr Nanos kTells = std::chrono::milliseconds{300};
constexpr int kDeviceError = static_cast<int>(Errc::device);

/// What the pipeline says of itself, with what could not be made for it at the start: a detector
/// that is not there fails on every frame.
PipelineFacts facts_of(const ControlledCamera& camera) noexcept {
  PipelineFacts facts = camera.pipeline->facts();
  if (facts.vision_error < 0 && camera.detector_error)
    facts.vision_error = static_cast<int>(camera.detector_error->code);
  if (camera.flow_error) facts.flow_error = static_cast<int>(camera.flow_error->code);
  if (camera.spectral_error) facts.spectral_error = static_cast<int>(camera.spectral_error->code);
  return facts;
}

}  // namespace

CamerasJudge::CamerasJudge(const HealthSettings& settings,
                           const std::vector<ControlledCamera>& cameras, Nanos start)
    : cameras_{cameras}, vision_{settings.vision_restart}, alive_at_{start} {
  for (std::size_t i = 0; i < cameras.size(); ++i)
    states_.push_back({CameraJudge{settings, static_cast<int>(i), start, cameras[i].imaging,
                                   cameras[i].pipeline->live()}});
}

void CamerasJudge::judge(Nanos now, HealthMonitor& monitor, BusInput& bus,
                         ChangeReporter& reporter) {
  bool all_delivered = true, all_alive = true, all_ended = true;
  bool one_works = false, one_fails = false;
  for (std::size_t i = 0; i < cameras_.size(); ++i) {
    CameraPipeline& pipeline = *cameras_[i].pipeline;
    State& state = states_[i];
    const PipelineFacts facts = facts_of(cameras_[i]);
    all_ended = all_ended && facts.ended;
    if (facts.processed > 0) state.delivered = true;
    const bool works = std::exchange(state.processed, facts.processed) != facts.processed;
    const bool done = std::exchange(state.finished, facts.finished) != facts.finished;
    one_works = one_works || works;
    one_fails = one_fails || (done && !works && facts.vision_error == kDeviceError);
    all_delivered = all_delivered && state.delivered;
    const Nanos reported = pipeline.follows() ? pipeline.people().at : Nanos::zero();
    state.judge.judge(facts, pipeline.stage(Stage::total), reported, now, monitor);

    const auto is_faulty = [&](Cause cause) {
      return monitor.severity(cause, static_cast<int>(i)) != PartState::fine;
    };
    reporter.condition(now, i, facts.condition);
    reporter.flow(now, i, facts, is_faulty(Cause::flow_missing));
    if (const ego::MotionReport& motion = pipeline.motion();
        motion.at != Nanos::zero() && motion.at != state.motion_at) {
      state.motion_at = motion.at;
      if (motion.ego.state == ego::EgoState::valid) state.motion_valid_at = now;
      // One camera is enough: the first that can tell.
      if (&state == &*first_that_tells(now)) bus.compare(now, motion, reporter);
      reporter.motion(now, i, motion);
    }
    reporter.bands(now, i, facts, is_faulty(Cause::bands_missing));

    const bool alive =
        facts.capture_beats != state.capture_beats && facts.process_beats != state.process_beats;
    all_alive = all_alive && (alive || facts.ended);
  }
  if (all_alive) {  // each has moved since the last time all had: none is stuck
    alive_at_ = now;
    for (std::size_t i = 0; i < cameras_.size(); ++i) {
      const PipelineFacts facts = cameras_[i].pipeline->facts();
      states_[i].capture_beats = facts.capture_beats;
      states_[i].process_beats = facts.process_beats;
    }
  }
  vision_.step(now, one_works, one_fails);
  if (all_delivered) monitor.frames_flow();
  ended_ = all_ended;
}

/// The first camera whose pictures have lately shown how the car moves; else the first.
std::vector<CamerasJudge::State>::const_iterator CamerasJudge::first_that_tells(
    Nanos now) const noexcept {
  const auto found = std::ranges::find_if(states_, [&](const State& state) {
    return state.motion_valid_at && now - *state.motion_valid_at <= kTells;
  });
  return found == states_.end() ? states_.begin() : found;
}

std::optional<CameraRates> CamerasJudge::worst_rates() const noexcept {
  if (states_.empty()) return std::nullopt;
  CameraRates worst;
  worst.frames_per_s = std::numeric_limits<double>::infinity();
  for (const State& state : states_) {
    worst.frames_per_s = std::min(worst.frames_per_s, state.judge.rates().frames_per_s);
    worst.dropped_percent = std::max(worst.dropped_percent, state.judge.rates().dropped_percent);
  }
  return worst;
}

}  // namespace kerb
