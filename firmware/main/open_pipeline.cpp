// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/open_pipeline.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "firmware/ego/motion_watch.hpp"

namespace kerb {
namespace {

/// What a camera that cannot be opened just now will deliver, if the settings alone say so.
std::optional<FrameSourceInfo> expected_info(const CameraSettings& settings) {
  FrameSourceInfo info;
  info.name = std::string_view{settings.device};
  info.mosaic = settings.mosaic;
  info.width = settings.width;
  info.height = settings.height;
  info.rate_hz = settings.rate_hz;
  if (settings.kind != CameraKind::v4l2) return std::nullopt;
  if (settings.format == "mjpeg") {
    info.format = PixelFormat::rgb24;
  } else if (!parse(settings.format, info.format)) {
    return std::nullopt;  // "auto": the camera decides
  }
  const bool order_unknown =
      info.format >= PixelFormat::bayer8 && info.format <= PixelFormat::bayer12 && info.mosaic == 0;
  if (order_unknown) return std::nullopt;
  return info;
}

/// A black frame through the stages before the first real one: memory is touched, kernels are
/// loaded and recorded now, and not while frames are waiting. Should it fail, so will the first
/// frame, and that is told.
void warm_up(const FrameSourceInfo& info, ImagePreparer& preparer, Detector* detector,
             FlowEstimator* flow) {
  RawImageView<Space::host> image;
  image.format = info.format;
  image.bayer = info.bayer;
  image.mosaic = info.mosaic;
  image.width = info.width;
  image.height = info.height;
  image.row_stride = min_row_bytes(info.format, info.width);
  const auto plane =
      static_cast<std::size_t>(image.row_stride) * static_cast<std::size_t>(info.height);
  const std::vector<std::uint8_t> black(plane + plane / 2);  // with NV12's second plane
  image.data = black.data();
  if (info.format == PixelFormat::nv12) {
    image.chroma = image.data + plane;
    image.chroma_stride = image.row_stride;
  }
  const Result<PreparedImage> prepared = preparer.prepare(image);
  if (!prepared) return;
  if (flow != nullptr) {
    const auto field = std::make_unique<MotionField>();
    for (int i = 0; i < 3; ++i) static_cast<void>(flow->estimate(*prepared, 1, *field));
    flow->forget();
  }
  if (detector == nullptr) return;
  const auto nobody = std::make_unique<DetectionList>();
  static_cast<void>(detector->detect(*prepared, *nobody));
}

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

/// The lens and the mounting, for pictures of the size the camera delivers.
ego::Camera camera_of(const CameraSettings& settings, const FrameSourceInfo& info) {
  ego::Camera camera;
  camera.focal_px =
      settings.focal_px.value_or(info.width / 2.0 / std::tan(radians(settings.fov_deg) / 2));
  camera.center_x = settings.center_x.value_or((info.width - 1) / 2.0);
  camera.center_y = settings.center_y.value_or((info.height - 1) / 2.0);
  camera.height_m = settings.height_m;
  camera.pitch_rad = radians(settings.pitch_deg);
  camera.yaw_rad = radians(settings.yaw_deg);
  camera.ahead_m = settings.ahead_m;
  return camera;
}

ego::EgoSettings ego_of(const EgoMotionSettings& settings) {
  ego::EgoSettings ego;
  ego.noise_px = settings.noise_px;
  ego.aim_tolerance_rad = radians(settings.aim_tolerance_deg);
  ego.nearest_m = settings.nearest_m;
  ego.slope_rad = radians(settings.slope_deg);
  ego.significance = settings.significance;
  ego.walking_mps = settings.walking_mps;
  return ego;
}

StageBudgets budgets_of(const BudgetSettings& budget, bool with_detector, bool with_motion) {
  StageBudgets budgets;
  const auto set = [&](Stage stage, Nanos limit) {
    budgets.of[static_cast<std::size_t>(stage)] = limit;
  };
  set(Stage::capture, budget.capture);
  set(Stage::prepare, budget.prepare);
  set(Stage::check, budget.check);
  if (with_detector) set(Stage::detect, budget.detect);
  if (with_motion) {
    set(Stage::flow, budget.flow);
    set(Stage::motion, budget.motion);
  }
  set(Stage::total, budget.capture + budget.prepare + budget.check +
                        (with_detector ? budget.detect : Nanos::zero()) +
                        (with_motion ? budget.flow + budget.motion : Nanos::zero()));
  return budgets;
}

}  // namespace

Result<OpenedPipeline> open_pipeline(const Config& config, const CameraSettings& settings,
                                     const SourceOpener& open, Vision& vision, const Clock& clock,
                                     Log& log) {
  Result<std::unique_ptr<FrameSource>> first = open();
  std::unique_ptr<FrameSource> source;
  FrameSourceInfo info;
  if (first) {
    source = std::move(*first);
    info = source->info();
  } else {
    const Errc code = first.error().code;
    const std::optional<FrameSourceInfo> expected = expected_info(settings);
    const bool may_come = code == Errc::no_signal || code == Errc::gone || code == Errc::timeout;
    if (!may_come || !expected) return first.error();
    info = *expected;
    log.warning("camera", describe(first.error()) + "; waiting for it");
  }
  log.info("camera", fmt::format("{}: {}, {}x{} {}{}, {:.4g} Hz, buffers {}", settings.name,
                                 info.name.view(), info.width, info.height, name_of(info.format),
                                 info.mosaic > 0 ? fmt::format(" mosaic {0}x{0}", info.mosaic) : "",
                                 info.rate_hz, info.memory));
  const HandOver hand_over = settings.kind != CameraKind::v4l2 && settings.pace == Pace::recorded
                                 ? HandOver::every
                                 : HandOver::newest;
  OpenedPipeline opened;
  std::unique_ptr<Detector> detector;
  Result<std::unique_ptr<Detector>> made = vision.make_detector(info);
  if (made) {
    detector = std::move(*made);
  } else {
    opened.detector_error = made.error();
  }
  Result<std::unique_ptr<ImagePreparer>> preparer =
      vision.make_preparer(info, detector != nullptr && detector->needs_colour());
  if (!preparer) return preparer.error();
  // Without it people are still found: what is lost is whether they move.
  Result<std::unique_ptr<FlowEstimator>> flow = vision.make_flow(info);
  if (!flow)
    log.error("flow", fmt::format("camera {}: {}; nobody looks at motion", settings.name,
                                  describe(flow.error())));
  warm_up(info, **preparer, detector.get(), flow ? flow->get() : nullptr);
  std::unique_ptr<ego::MotionWatch> motion;
  if (flow && *flow) {
    ego::MotionWatchSettings watch;
    watch.points = config.flow.points;
    watch.flow_budget = config.budget.flow;
    motion = std::make_unique<ego::MotionWatch>(std::move(*flow), camera_of(settings, info),
                                                ego_of(config.ego), watch);
  }
  const StageBudgets budgets = budgets_of(config.budget, detector != nullptr, motion != nullptr);
  opened.pipeline = std::make_unique<CameraPipeline>(
      std::make_unique<ReopeningSource>(std::move(source), info, open, clock, log),
      std::move(*preparer), std::move(detector), budgets, hand_over, clock, std::move(motion));
  return opened;
}

}  // namespace kerb
