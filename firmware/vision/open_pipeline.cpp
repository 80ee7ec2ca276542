// SPDX-License-Identifier: Apache-2.0
#include "firmware/vision/open_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "firmware/ego/configured.hpp"
#include "firmware/ego/motion_estimator.hpp"
#include "firmware/lens/camera_geometry.hpp"
#include "firmware/records/product_deciders.hpp"

namespace kerb {
namespace {

/// What a camera that cannot be opened yet will deliver, if the settings alone say so.
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

/// Runs a synthetic frame full of edges through the stages, so that memory is touched and kernels
/// are loaded before the first real frame. Errors are ignored: the first real frame has them too,
/// and reports them. Returns the time of one flow measurement, or zero.
Nanos warm_up(const FrameSourceInfo& info, ImagePreparer& preparer, Detector* detector,
              FlowEstimator* flow, int points, const Clock& clock) {
  RawImageView<Space::host> image;
  image.format = info.format;
  image.bayer = info.bayer;
  image.mosaic = info.mosaic;
  image.width = info.width;
  image.height = info.height;
  image.row_stride = min_row_bytes(info.format, info.width);
  const auto plane =
      static_cast<std::size_t>(image.row_stride) * static_cast<std::size_t>(info.height);
  std::vector<std::uint8_t> pixels(plane + plane / 2);  // with NV12's second plane
  for (std::size_t i = 0; i < pixels.size(); ++i) {     // blocks of 16 bytes by 16 rows
    const std::size_t block = i % static_cast<std::size_t>(image.row_stride) / 16 +
                              31 * (i / static_cast<std::size_t>(image.row_stride) / 16);
    pixels[i] = static_cast<std::uint8_t>(block * 2654435761U >> 13);
  }
  image.data = pixels.data();
  if (info.format == PixelFormat::nv12) {
    image.chroma = image.data + plane;
    image.chroma_stride = image.row_stride;
  }
  const Result<PreparedImage> prepared = preparer.prepare(image);
  preparer.forget();
  if (!prepared) return Nanos::zero();
  Nanos measurement{};
  if (flow != nullptr) {
    const auto field = std::make_unique<MotionField>();
    for (int i = 0; i < 3; ++i) {
      const Nanos start = clock.now();
      static_cast<void>(flow->estimate(*prepared, points, *field));
      const Nanos spent = clock.now() - start;
      if (i > 0) measurement = i == 1 ? spent : std::min(measurement, spent);
    }
    flow->forget();
  }
  if (detector == nullptr) return measurement;
  const auto nobody = std::make_unique<DetectionList>();
  static_cast<void>(detector->detect(*prepared, *nobody));
  return measurement;
}

StageBudgets budgets_of(const BudgetSettings& budget, bool with_detector, bool with_motion,
                        bool with_spectral) {
  StageBudgets budgets;
  const auto set = [&](Stage stage, Nanos limit) {
    budgets.of[static_cast<std::size_t>(stage)] = limit;
  };
  set(Stage::capture, budget.capture);
  set(Stage::prepare, budget.prepare);
  set(Stage::check, budget.check);
  if (with_detector) {
    set(Stage::detect, budget.detect);
    set(Stage::track, budget.track);
  }
  if (with_motion) {
    set(Stage::flow, budget.flow);
    set(Stage::motion, budget.motion);
  }
  if (with_spectral) set(Stage::spectral, budget.spectral);
  set(Stage::total, budget.capture + budget.prepare + budget.check +
                        (with_detector ? budget.detect + budget.track : Nanos::zero()) +
                        (with_motion ? budget.flow + budget.motion : Nanos::zero()) +
                        (with_spectral ? budget.spectral : Nanos::zero()));
  return budgets;
}

}  // namespace

records::RecordedCamera people_settings(const Config& config, const CameraSettings& settings,
                                        int width, int height, const TrackingScores& scores) {
  track::TrackerSettings tracker = config.decisions.tracker;
  tracker.existence.score_even = scores.even;
  tracker.existence.sure_score = scores.sure;
  risk::ContactSettings contact = config.decisions.contact;
  contact.pace.any_way_mps = tracker.filter.speed_sigma_mps;
  return {.name = settings.name,
          .model = camera_of(settings, width, height),
          .tracker = tracker,
          .car = {config.car.width_m, config.car.length_m, config.car.axle_to_bumper_m},
          .contact = contact};
}

ViewMeterSettings view_settings(const Config& config, const CameraSettings& settings,
                                const FrameSourceInfo& info, const Camera& camera) {
  ViewMeterSettings out;
  // 0 is the model's own height, about the default.
  if (const int smallest = config.detector.min_height.value_or(0); smallest > 0)
    out.smallest_px = smallest;
  out.response = is_linear(info.format) ? 1 : 0.5;
  out.by_light = settings.imaging != Imaging::thermal;
  out.to_bumper_m = config.car.axle_to_bumper_m - camera.ahead_m;
  return out;
}

std::unique_ptr<ego::MotionEstimator> make_motion_estimator(const Config& config,
                                                            const CameraSettings& settings,
                                                            const FrameSourceInfo& info,
                                                            std::unique_ptr<FlowEstimator> flow) {
  ego::MotionEstimatorSettings motion;
  motion.points = config.flow.points;
  motion.flow_budget = config.budget.flow;
  if (info.rate_hz > 0) motion.frame_interval = Nanos{std::llround(1e9 / info.rate_hz)};
  return std::make_unique<ego::MotionEstimator>(std::move(flow),
                                                ego::camera_of(settings, info.width, info.height),
                                                ego::settings_of(config.ego), motion);
}

PictureLimits picture_limits(const HealthSettings& health) {
  return {health.blinded_mean, health.dark_mean, health.dirty_percent / 100};
}

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
    const bool may_come = code == Errc::no_signal || code == Errc::gone || code == Errc::timeout ||
                          code == Errc::not_found || code == Errc::io;
    if (!may_come || !expected) return first.error();
    info = *expected;
    log.warning("camera", describe(first.error()) + "; retrying");
  }
  log.info("camera",
           fmt::format("{}: {}, {}x{} {}{}{}, {:.4g} Hz{}{}", settings.name, info.name.view(),
                       info.width, info.height, name_of(info.format),
                       info.mosaic > 0 ? fmt::format(" mosaic {0}x{0}", info.mosaic) : "",
                       settings.imaging == Imaging::thermal ? " thermal" : "", info.rate_hz,
                       source ? ", buffers " : ", not there yet", info.memory));
  const HandOver hand_over = settings.kind != CameraKind::v4l2 && settings.pace == Pace::recorded
                                 ? HandOver::every
                                 : HandOver::newest;
  OpenedPipeline opened;
  std::unique_ptr<Detector> detector;
  Result<std::unique_ptr<Detector>> made = vision.make_detector(info, settings);
  if (made) {
    detector = std::move(*made);
  } else {
    opened.detector_error = made.error();
  }
  Result<std::unique_ptr<ImagePreparer>> preparer =
      vision.make_preparer(info, settings, detector != nullptr && detector->needs_colour());
  if (!preparer) return preparer.error();
  // Without flow people are still detected, but not whether they move.
  Result<std::unique_ptr<FlowEstimator>> flow = vision.make_flow(info);
  if (!flow) {
    opened.flow_error = flow.error();
    log.error("flow", fmt::format("camera {}: {}; motion estimation off", settings.name,
                                  describe(flow.error())));
  }
  const Nanos flow_time = warm_up(info, **preparer, detector.get(), flow ? flow->get() : nullptr,
                                  config.flow.points, clock);
  std::unique_ptr<ego::MotionEstimator> motion;
  if (flow && *flow) {
    motion = make_motion_estimator(config, settings, info, std::move(*flow));
    if (hand_over == HandOver::newest) motion->expect(flow_time);
  }
  std::unique_ptr<PeopleEstimator> people;  // tracks the people, and predicts contacts
  if (detector)
    people = records::make_people_estimator(
        people_settings(config, settings, info.width, info.height, detector->tracking_scores()));
  std::unique_ptr<SpectralSearch> spectral;
  if (people) {
    Result<std::unique_ptr<SpectralMatcher>> matcher = vision.make_spectral(info, settings);
    // Without it people are told apart by the brightness of their clothes.
    if (!matcher) {
      opened.spectral_error = matcher.error();
      log.error("spectral", fmt::format("camera {}: {}; spectral search off", settings.name,
                                        describe(matcher.error())));
    } else if (*matcher) {
      spectral = std::make_unique<SpectralSearch>(std::move(*matcher), config.budget.spectral);
    }
  }
  const StageBudgets budgets =
      budgets_of(config.budget, detector != nullptr, motion != nullptr, spectral != nullptr);
  opened.pipeline = std::make_unique<CameraPipeline>(
      std::make_unique<ReopeningSource>(std::move(source), info, open, clock, log),
      std::move(*preparer), std::move(detector), budgets, hand_over, clock, std::move(motion),
      std::move(people), std::move(spectral));
  const Camera camera = ego::camera_of(settings, info.width, info.height);
  opened.pipeline->set_camera(camera);
  if (settings.kind == CameraKind::v4l2)  // one that is not there yet may be given more
    opened.pipeline->set_buffers(std::max(settings.buffers, info.buffers));
  opened.pipeline->set_picture_limits(picture_limits(config.health));
  opened.pipeline->set_view_source(
      std::make_unique<ViewMeter>(camera, view_settings(config, settings, info, camera)));
  if (settings.exposure.mode == ExposureMode::people)
    opened.pipeline->set_exposure(
        std::make_unique<ExposureLoop>(settings.exposure, camera, info, settings.name, log));
  return opened;
}

}  // namespace kerb
