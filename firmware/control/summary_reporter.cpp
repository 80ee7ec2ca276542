// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/summary_reporter.hpp"

#include <utility>

#include "firmware/events/events.hpp"

namespace kerb {

void SummaryReporter::report(Nanos now, ChangeReporter& reporter) {
  for (std::size_t i = 0; i < cameras_.size(); ++i)
    report_frames(now, cameras_[i], last_[i], reporter);
  last_at_ = now;
  next_ = now + kPeriod;
}

void SummaryReporter::report_frames(Nanos now, const ControlledCamera& camera, Camera& last,
                                    ChangeReporter& reporter) {
  CameraPipeline& pipeline = *camera.pipeline;
  const PipelineFacts facts = pipeline.facts();
  const StageReport total = pipeline.stage(Stage::total);
  events::FramesSummary s;
  s.period = now - last_at_;
  s.delivered = facts.camera.delivered - last.frames.delivered;
  s.dropped = facts.camera.dropped - last.frames.dropped;
  s.damaged = facts.camera.damaged - last.frames.damaged;
  s.processed = facts.processed - last.processed;
  const std::uint64_t frames = total.frames - last.total.frames;
  if (frames > 0) s.mean = (total.sum - last.total.sum) / static_cast<Nanos::rep>(frames);
  s.worst = pipeline.take_recent_max(Stage::total);
  last.total = total;
  last.frames = facts.camera;
  last.processed = facts.processed;
  reporter.post(events::frames_summary(now, camera.name, s));
  report_motion(now, camera, last, reporter);
  for (std::size_t i = 0; i < last.over_budget.size(); ++i) {
    const auto which = static_cast<Stage>(i);
    const StageReport stage = pipeline.stage(which);
    const Nanos worst = which == Stage::total ? s.worst : pipeline.take_recent_max(which);
    const std::uint64_t before = std::exchange(last.over_budget[i], stage.over_budget);
    if (stage.over_budget > before)
      reporter.post(events::stage_over_budget(now, name_of(which), worst, stage.budget,
                                              stage.over_budget - before));
  }
}

void SummaryReporter::report_motion(Nanos now, const ControlledCamera& camera, Camera& last,
                                    ChangeReporter& reporter) const {
  if (camera.pipeline->flow() == nullptr) return;
  const ego::MotionReport& report = camera.pipeline->motion();
  const ego::MotionTotals& all = report.totals;
  const ego::MotionTotals before = std::exchange(last.motion, all);
  events::MotionSummary s;
  s.period = now - last_at_;
  s.frames = all.frames - before.frames;
  s.passed = all.passed - before.passed;
  s.valid = all.valid - before.valid;
  s.moving = all.moving - before.moving;
  s.standing = all.standing - before.standing;
  s.unknown = all.unknown - before.unknown;
  reporter.post(events::motion_summary(now, camera.name, s));
  if (report.ego.state == ego::EgoState::valid)
    reporter.post(events::ego_motion(now, camera.name, report.ego));
}

}  // namespace kerb
