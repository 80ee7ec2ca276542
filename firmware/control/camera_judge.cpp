// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/camera_judge.hpp"

#include <algorithm>
#include <numbers>
#include <utility>

#include "firmware/warning/warning_logic.hpp"

namespace kerb {
namespace {

double to_ms(Nanos duration) { return static_cast<double>(duration.count()) * 1e-6; }

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void CameraJudge::judge(const PipelineFacts& facts, const StageReport& total, Nanos reported,
                        Nanos now, HealthMonitor& monitor) noexcept {
  judge_presence(facts, now, monitor);
  judge_progress(facts, now, monitor);
  too_late_ = is_too_late(reported, now);
  judge_rates(facts, total, now, monitor);
  judge_picture(facts, now, monitor);
  monitor.report(Cause::vision_failed, facts.vision_error < 0 ? PartState::fine : PartState::failed,
                 facts.vision_error, now, camera_);
  // People are still detected.
  monitor.report(Cause::flow_missing, facts.flow_error < 0 ? PartState::fine : PartState::degraded,
                 facts.flow_error, now, camera_);
  // People are still told apart, less well.
  monitor.report(Cause::bands_missing,
                 facts.spectral_error < 0 ? PartState::fine : PartState::degraded,
                 facts.spectral_error, now, camera_);
}

void CameraJudge::judge_presence(const PipelineFacts& facts, Nanos now,
                                 HealthMonitor& monitor) noexcept {
  if (facts.camera.delivered != delivered_) {
    delivered_ = facts.camera.delivered;
    damaged_at_last_frame_ = facts.camera.damaged;
  }
  const Nanos without = now - std::max(facts.last_frame, start_);
  const bool long_silent = without >= settings_.camera_silent;
  // The first frame may take health.start_ms: until then the state is STARTING, not FAILED.
  const bool starting = facts.last_frame == Nanos::zero() && without < settings_.start;
  const bool failed = without >= settings_.camera_failed && !starting;
  const PartState by_time = failed        ? PartState::failed
                            : long_silent ? PartState::degraded
                                          : PartState::fine;

  // One cause for one fault: what the device reports goes before mere silence.
  PartState silent = by_time, no_signal = PartState::fine, gone = PartState::fine,
            damaged = PartState::fine;
  const PartState at_once = std::max(by_time, PartState::degraded);
  if (facts.condition == CameraCondition::no_signal) {
    no_signal = at_once;
    silent = PartState::fine;
  } else if (facts.condition == CameraCondition::gone) {
    gone = at_once;
    silent = PartState::fine;
  } else if (long_silent && facts.camera.damaged > damaged_at_last_frame_) {
    damaged = by_time;  // frames arrive, but none is intact
    silent = PartState::fine;
  }
  const Nanos in_condition = now - facts.condition_since;
  monitor.report(Cause::camera_silent, silent, to_ms(without), now, camera_);
  monitor.report(Cause::camera_no_signal, no_signal, to_ms(in_condition), now, camera_);
  monitor.report(Cause::camera_gone, gone, to_ms(in_condition), now, camera_);
  if (damaged != PartState::fine) {
    monitor.report(Cause::camera_damaged, damaged, 100, now, camera_);
  } else {
    const bool many = rates_.damaged_percent > settings_.damaged_degraded_percent;
    monitor.report(Cause::camera_damaged, many ? PartState::degraded : PartState::fine,
                   rates_.damaged_percent, now, camera_);
  }
}

/// Frames arrive and nothing comes of them: an operator, the detector or the GPU hangs.
void CameraJudge::judge_progress(const PipelineFacts& facts, Nanos now,
                                 HealthMonitor& monitor) noexcept {
  const bool waits = facts.camera.delivered > facts.finished + facts.skipped;
  if (!live_ || !waits || facts.finished != finished_) progress_at_ = now;
  finished_ = facts.finished;
  const Nanos stalled = now - progress_at_;
  monitor.report(Cause::vision_stalled,
                 stalled >= settings_.vision_stalled ? PartState::failed : PartState::fine,
                 to_ms(stalled), now, camera_);
}

void CameraJudge::judge_rates(const PipelineFacts& facts, const StageReport& total, Nanos now,
                              HealthMonitor& monitor) noexcept {
  const Sample latest{now,           facts.camera.delivered, facts.camera.dropped,
                      facts.skipped, facts.camera.damaged,   total.sum,
                      total.frames,  total.over_budget};
  if (!settled_at_ && facts.camera.delivered > 0) settled_at_ = now + kSettle;
  if (!settled_at_ || now < *settled_at_) {  // the window starts afterwards
    newest_ = -1;
    filled_ = 0;
  }
  if (newest_ < 0 || now - window_[static_cast<std::size_t>(newest_)].at >= kSampleStep) {
    newest_ = (newest_ + 1) % kSamples;
    window_[static_cast<std::size_t>(newest_)] = latest;
    filled_ = std::min(filled_ + 1, kSamples);
  }
  const int oldest = filled_ < kSamples ? 0 : (newest_ + 1) % kSamples;
  const Sample& first = window_[static_cast<std::size_t>(oldest)];
  const double seconds = static_cast<double>((now - first.at).count()) * 1e-9;
  const std::uint64_t delivered = latest.delivered - first.delivered;
  const std::uint64_t dropped = latest.dropped - first.dropped;
  const std::uint64_t damaged = latest.damaged - first.damaged;
  if (seconds > 0.05) rates_.frames_per_s = static_cast<double>(delivered) / seconds;
  // Skipped frames were delivered; frames that the camera dropped or damaged were not.
  const std::uint64_t exposed = delivered + damaged + dropped;
  const std::uint64_t lost = dropped + latest.skipped - first.skipped;
  const bool enough = static_cast<double>(exposed) >= kEnoughFrames;
  rates_.dropped_percent = enough ? percent(lost, exposed) : 0;
  rates_.damaged_percent = enough ? percent(damaged, exposed) : 0;

  const bool many = rates_.dropped_percent > settings_.dropped_degraded_percent;
  monitor.report(Cause::frames_dropped, many ? PartState::degraded : PartState::fine,
                 rates_.dropped_percent, now, camera_);
  const std::uint64_t frames = latest.frames - first.frames;
  const std::uint64_t over = latest.over_budget - first.over_budget;
  const bool slow = static_cast<double>(frames) >= kEnoughFrames && percent(over, frames) > 50;
  const Nanos mean =
      frames == 0 ? Nanos::zero() : (latest.spent - first.spent) / static_cast<Nanos::rep>(frames);
  // Nobody is warned of by reports that are too old.
  const PartState state = too_late_ ? PartState::failed
                          : slow    ? PartState::degraded
                                    : PartState::fine;
  monitor.report(Cause::over_budget, state, to_ms(too_late_ ? late_by_ : mean), now, camera_);
}

/// Pictures are processed, but all of them so late that WarningLogic ignores what they show. Where
/// no report comes any more, another cause tells why.
bool CameraJudge::is_too_late(Nanos reported, Nanos now) noexcept {
  if (!live_ || reported == Nanos::zero() || std::exchange(reported_, reported) == reported)
    return too_late_;
  late_by_ = now - reported;
  // The first pictures have waited for the start of the processing.
  const bool late = late_by_ > WarningLogic::kStale && settled_at_ && now >= *settled_at_;
  if (!late)
    late_since_.reset();
  else if (!late_since_)
    late_since_ = now;
  return late && now - *late_since_ >= WarningLogic::kStale;
}

void CameraJudge::judge_picture(const PipelineFacts& facts, Nanos now,
                                HealthMonitor& monitor) noexcept {
  const bool any = facts.processed > 0;
  const auto when = [](bool bad) { return bad ? PartState::degraded : PartState::fine; };
  monitor.report(Cause::camera_frozen,
                 when(any && facts.image.unchanged >= std::max(settings_.frozen, shutter_)),
                 to_ms(facts.image.unchanged), now, camera_);
  const bool blinded = facts.image.mean >= settings_.blinded_mean;
  const bool dark = facts.image.mean <= settings_.dark_mean;
  if (!any || !(blinded || dark)) extreme_since_ = now;
  const bool lasts = any && now - extreme_since_ >= shutter_;
  monitor.report(Cause::camera_blinded, when(lasts && blinded), facts.image.mean, now, camera_);
  monitor.report(Cause::camera_dark, when(lasts && dark), facts.image.mean, now, camera_);
  // All white or black is not dirt; nor is what lasts a moment, such as a bridge overhead.
  const double dull = 100 * facts.image.dull;
  if (!any || blinded || dark || dull < settings_.dirty_percent) dull_since_ = now;
  monitor.report(Cause::camera_dirty, when(now - dull_since_ >= std::max(kDirtyFor, shutter_)),
                 dull, now, camera_);
  const double off = facts.aim_off_rad * 180 / std::numbers::pi;
  monitor.report(Cause::camera_misaligned, when(any && off >= settings_.misaligned_deg), off, now,
                 camera_);
}

}  // namespace kerb
