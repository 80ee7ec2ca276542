// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/report.hpp"

#include <fmt/format.h>

namespace kerb {
namespace {

double to_ms(Nanos duration) { return static_cast<double>(duration.count()) * 1e-6; }

/// The last ego-motion, and how often it was valid.
std::string render_motion(const ControlledCamera& camera) {
  if (camera.pipeline->flow() == nullptr)
    return "  motion: estimation off (flow.enabled = false, or flow failed at the start)\n";
  const ego::MotionReport& report = camera.pipeline->motion();
  const ego::EgoMotion& e = report.ego;
  const ego::MotionTotals& t = report.totals;
  std::string out = fmt::format(
      "  motion: flow {}; {} frames processed, {} skipped to save time, ego-motion valid in {}; "
      "verdicts about people: {} moving, {} standing, {} unknown\n",
      camera.pipeline->flow(), t.frames, t.passed, t.valid, t.moving, t.standing, t.unknown);
  if (const PipelineFacts facts = camera.pipeline->facts(); facts.flow_too_slow)
    out += fmt::format(
        "  motion: estimation off: one flow measurement takes {:.0f} ms, too long for "
        "budget.flow_ms\n",
        to_ms(facts.flow_time));
  if (e.state != ego::EgoState::valid)
    return out + fmt::format("  ego-motion at the end: {}\n", name_of(e.state));
  out += fmt::format(
      "  ego-motion at the end: travel {}{}, pitch {:+.3f} yaw {:+.3f} roll {:+.3f} rad/s, horizon "
      "row {:.0f} +- {:.0f}, ",
      name_of(e.travel),
      e.speed_distrusted   ? " (speed of the bus distrusted)"
      : e.travel_from_flow ? " (no speed on the bus)"
                           : "",
      e.pitch_rate_radps, e.yaw_rate_radps, e.roll_rate_radps, e.horizon_row, e.horizon_sigma_px);
  if (e.yaw_distrusted) out += "yaw rate of the bus distrusted, ";
  if (e.travel != ego::Travel::none)
    out += fmt::format("focus of expansion {:.0f} {:.0f} +- {:.0f}, ", e.foe_x, e.foe_y,
                       e.foe_sigma_px);
  return out + fmt::format("{:.0f} % of {} points agree, to {:.2f} px\n", 100 * e.inlier_share,
                           e.points, e.noise_px);
}

/// The last setting, where Kerbwatch sets it.
std::string render_exposure(const ControlledCamera& camera) {
  const FrameExposure& e = camera.pipeline->exposure();
  if (!e.controlled) return "";
  std::string out = fmt::format(
      "  exposure for people: {:.3g} ms, gain {:.3g} at the end, {} corrections; road at grey "
      "{:.0f}, {:.0f} % clipped, {:.0f} % dark",
      to_ms(e.exposure.time), e.exposure.gain, e.corrections, e.road.level, 100 * e.road.clipped,
      100 * e.road.dark);
  if (e.noise.known)
    out += fmt::format("; noise at gain 1: variance {:.3g} + {:.3g} per grey value", e.noise.read,
                       e.noise.shot);
  return out + "\n";
}

std::string render_camera(const ControlledCamera& camera) {
  const FrameSourceInfo& info = camera.pipeline->info();
  const PipelineFacts facts = camera.pipeline->facts();
  std::string out = fmt::format(
      "camera {}: {}, {}x{} {}, buffers {}, vision on {}, detector {}\n"
      "  frames: {} delivered, {} processed, {} skipped for a newer one, {} dropped by the camera, "
      "{} damaged\n",
      camera.name, info.name.view(), info.width, info.height, name_of(info.format), info.memory,
      camera.pipeline->backend(),
      camera.pipeline->detector() == nullptr ? "none" : camera.pipeline->detector(),
      facts.camera.delivered, facts.processed, facts.skipped, facts.camera.dropped,
      facts.camera.damaged);
  if (facts.reopened > 0) out += fmt::format("  lost and reopened {} times\n", facts.reopened);
  out += fmt::format("  {:<9}{:>8}{:>11}{:>10}{:>10}{:>10}{:>10}{:>10}\n", "stage", "frames",
                     "median ms", "p95 ms", "p99 ms", "max ms", "budget", "over");
  for (int i = 0; i < kStageCount; ++i) {
    const Stage stage = static_cast<Stage>(i);
    if (stage == Stage::detect && camera.pipeline->detector() == nullptr) {
      out += fmt::format("  {:<9}{:>8}  no model: detection off\n", "detect", "-");
      continue;
    }
    if (stage == Stage::track && !camera.pipeline->follows()) continue;
    if ((stage == Stage::flow || stage == Stage::motion) && camera.pipeline->flow() == nullptr)
      continue;
    if (stage == Stage::spectral && camera.pipeline->spectral() == nullptr) continue;
    const StageReport r = camera.pipeline->stage(stage);
    out += fmt::format("  {:<9}{:>8}{:>11.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.1f}{:>10}\n",
                       name_of(stage), r.frames, to_ms(r.median), to_ms(r.p95), to_ms(r.p99),
                       to_ms(r.max), to_ms(r.budget), r.over_budget);
  }
  if (camera.pipeline->spectral() != nullptr) {
    const SpectralTotals& t = facts.spectral;
    out += fmt::format(
        "  bands: {}; {} frames processed, {} skipped to save time; people, summed over frames: {} "
        "searched, {} skipped to save time, {} located\n",
        camera.pipeline->spectral(), t.frames, t.passed, t.searches, t.spared, t.found);
    if (facts.spectral_error >= 0)
      out += fmt::format("  bands: spectral search failing at the end: {}\n",
                         name_of(static_cast<Errc>(facts.spectral_error)));
  }
  return out + render_exposure(camera) + render_motion(camera);
}

}  // namespace

std::string render_health(const HealthReport& report) {
  if (report.cause == Cause::none) return name_of(report.state);
  return fmt::format("{}: {}, {:.4g} {}", name_of(report.state), name_of(report.cause),
                     report.number, unit_of(report.cause));
}

std::string render_report(const Controller& controller,
                          const std::vector<ControlledCamera>& cameras, Nanos ran) {
  std::string out = fmt::format("ran {:.1f} s\n", to_ms(ran) * 1e-3);
  for (const ControlledCamera& camera : cameras) out += render_camera(camera);
  const ControlTotals& t = controller.totals();
  out += fmt::format("health: {} after {} changes of state\n", render_health(controller.health()),
                     t.state_changes);
  if (controller.board_celsius())
    out += fmt::format("board: {:.1f} degC\n", *controller.board_celsius());
  out += fmt::format(
      "CAN: {} status and {} warning messages and {} lists of people sent, {} refused; {} "
      "received, {} corrupt, {} repeated\n",
      t.status_sent, t.warnings_sent, t.lists_sent, t.send_refused, t.frames_received,
      t.frames_corrupt, t.frames_repeated);
  const StageReport publish = controller.publish_times();
  out += fmt::format(
      "publish: median {:.3f} ms, p95 {:.3f} ms, p99 {:.3f} ms, max {:.3f} ms, budget {:.1f} ms, "
      "over budget {}\n",
      to_ms(publish.median), to_ms(publish.p95), to_ms(publish.p99), to_ms(publish.max),
      to_ms(publish.budget), publish.over_budget);
  if (const StageReport r = controller.reaction_times(); r.frames > 0)
    out += fmt::format(
        "from a frame's exposure to its people on the bus: median {:.2f} ms, p99 {:.2f} ms, max "
        "{:.2f} ms\n",
        to_ms(r.median), to_ms(r.p99), to_ms(r.max));
  out += fmt::format("warnings of people: {} information, {} collision; now {}\n", t.informations,
                     t.collisions, name_of(controller.readiness()));
  if (t.watchdog_kicks > 0) out += fmt::format("watchdog: {} kicks\n", t.watchdog_kicks);
  return out;
}

}  // namespace kerb
