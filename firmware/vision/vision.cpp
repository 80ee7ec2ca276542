// SPDX-License-Identifier: Apache-2.0
#include "firmware/vision/vision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "firmware/config/bands.hpp"
#include "firmware/ego/configured.hpp"
#include "firmware/lens/camera_geometry.hpp"
#include "firmware/vision/known_person.hpp"
#include "firmware/vision/night_detector.hpp"
#include "firmware/vision/upright_detector.hpp"
#include "gpu/emd/matcher.hpp"
#include "gpu/flow/motion_points.hpp"
#include "gpu/hog/detector.hpp"
#include "gpu/hog/model_file.hpp"
#include "gpu/hog/shipped_models.hpp"
#include "gpu/image/preparer.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/frame_memory.hpp"
#include "gpu/memory/workers.hpp"

namespace kerb {
namespace {

BackendChoice choice_of(VisionBackend backend) {
  switch (backend) {
    case VisionBackend::cpu:
      return BackendChoice::cpu;
    case VisionBackend::cuda:
      return BackendChoice::cuda;
    case VisionBackend::automatic:
      break;
  }
  return BackendChoice::automatic;
}

flow::Method method_of(FlowMethod method) {
  switch (method) {
    case FlowMethod::lucas_kanade:
      return flow::Method::lucas_kanade;
    case FlowMethod::block_matching:
      return flow::Method::block_matching;
    case FlowMethod::points:
      return flow::Method::points;
    case FlowMethod::automatic:
      break;
  }
  return flow::Method::automatic;
}

/// What is searched where neither the configuration nor the model decides.
struct SearchDefaults {
  /// Ratio between neighbouring sizes on the CPU. Larger: faster, fewer people found. With 1.15 two
  /// cores keep up with 30 pictures a second.
  double cpu_scale_step = 1.15;
  /// The same in an upright view, which is small: more sizes cost less there.
  double cpu_upright_scale_step = 1.08;
  /// Height of the smallest person, pixels. Smaller: people are found farther away, more time. 40
  /// is a person of 1.7 m at 47 m before a camera of 60 degrees.
  int far_person_px = 40;
  int upright_person_px = 64;  ///< the same in the upright view of a camera that looks down
  // A camera looks along the road, and needs no upright view, within these.
  double pitch_max_deg = 12, roll_max_deg = 6;
  double distortion_max = 0.1;  ///< of k1
};
constexpr SearchDefaults kSearch;

bool looks_along(const CameraSettings& camera) {
  return std::abs(camera.pitch_deg) <= kSearch.pitch_max_deg &&
         std::abs(camera.roll_deg) <= kSearch.roll_max_deg &&
         std::abs(camera.k1) <= kSearch.distortion_max;
}

bool looks_upright(const DetectorSettings& settings, const CameraSettings& camera) {
  return settings.view == DetectorView::upright ||
         (settings.view == DetectorView::automatic && !looks_along(camera));
}

hog::GroundPlane ground_of(const DetectorSettings& settings, const CameraSettings& camera) {
  hog::GroundPlane ground;
  ground.camera_height_m = camera.height_m;
  ground.shortest_m = settings.ground_shortest_m;
  ground.tallest_m = settings.ground_tallest_m;
  ground.side_m = settings.ground_side_m;
  return ground;
}

/// The picture that is searched: the camera's own, or its upright view.
struct Scene {
  int width = 0, height = 0;
  int smallest = 0;  ///< height of the smallest person, pixels; 0: the model's
  std::optional<hog::GroundPlane> ground;
  std::optional<Camera> upright;
};

Scene own_picture(const DetectorSettings& settings, const CameraSettings& camera, int width,
                  int height) {
  Scene scene{width, height, looks_along(camera) ? kSearch.far_person_px : 0, {}, {}};
  if (settings.ground == GroundUse::anywhere || !looks_along(camera)) return scene;
  const Camera lens = ego::camera_of(camera, width, height);
  const ego::Vec2 ahead = ego::aim(lens);
  hog::GroundPlane ground = ground_of(settings, camera);
  ground.horizon_row = ahead.y;
  const double tilt = std::tan(radians(std::abs(camera.roll_deg))) * width / 2;
  ground.slack_rows = lens.focal_px * std::tan(radians(settings.ground_slack_deg)) + tilt;
  ground.middle_column = ahead.x;
  scene.ground = ground;
  return scene;
}

Result<Scene> upright_view(const DetectorSettings& settings, const CameraSettings& camera,
                           int width, int height) {
  const Camera model = camera_of(camera, width, height);
  const UprightView view{model};
  if (!view.shows_people())
    return Error{Errc::invalid_argument, 0, "make detector",
                 "the camera cannot see people on the road: check its mounting (camera.pitch_deg, "
                 "height_m)"};
  // A camera that looks along the road sees far in this view too.
  const bool level = std::abs(camera.pitch_deg) <= kSearch.pitch_max_deg;
  const double far = kSearch.far_person_px * view.scale_px() / model.focal_px;
  const int smallest = level ? static_cast<int>(std::lround(far)) : kSearch.upright_person_px;
  Scene scene{view.width(), view.height(), smallest, {}, model};
  if (settings.ground == GroundUse::anywhere) return scene;
  hog::GroundPlane ground = ground_of(settings, camera);
  ground.horizon_row = view.horizon_row();
  // Straight ahead of the car. To the side the angle stands for its sine, so a little more is
  // searched.
  ground.middle_column = view.middle_column() + view.scale_px() * radians(camera.yaw_deg);
  // An error of the pitch moves a point 45 degrees below the horizon by twice as many rows as one
  // at the horizon, and nearer points by more; but there the band from shortest to tallest is wide.
  ground.slack_rows = 2 * view.scale_px() * std::tan(radians(settings.ground_slack_deg));
  scene.ground = ground;
  return scene;
}

hog::SearchSettings search_of(const DetectorSettings& settings, const hog::Advice& advice,
                              const Scene& scene, bool on_cpu) {
  hog::SearchSettings search;
  const double advised = hog::advised_scale_step(advice);
  const double fast = scene.upright ? kSearch.cpu_upright_scale_step : kSearch.cpu_scale_step;
  search.scale_step = settings.scale_step.value_or(on_cpu ? std::max(advised, fast) : advised);
  search.stride = settings.stride.value_or(advice.stride);
  search.max_height = settings.max_height;
  search.padding = settings.padding.value_or(advice.padding);
  search.max_levels = 1024;  // limited by the picture and max_height
  if (!scene.upright)        // the region is of the camera's picture
    search.region = {settings.region_x, settings.region_y, settings.region_width,
                     settings.region_height};
  search.ground = scene.ground;
  search.min_height = settings.min_height.value_or(scene.smallest);
  return search;
}

hog::FusionSettings fusion_of(const DetectorSettings& settings, const hog::Advice& advice) {
  hog::FusionSettings fusion;
  fusion.kind = settings.fusion == FusionMethod::suppression  ? hog::FusionKind::suppression
                : settings.fusion == FusionMethod::mean_shift ? hog::FusionKind::mean_shift
                                                              : advice.fusion;
  fusion.overlap =
      static_cast<float>(settings.overlap.value_or(static_cast<double>(advice.overlap)));
  fusion.of_smaller = settings.overlap_of == OverlapMeasure::advised
                          ? advice.of_smaller
                          : settings.overlap_of == OverlapMeasure::smaller;
  fusion.min_hits = settings.min_hits;
  return fusion;
}

struct MadeDetector {
  std::unique_ptr<Detector> detector;
  std::string search;  ///< in words
};

Result<MadeDetector> detector_of(const DetectorSettings& settings, const Context& context,
                                 Workers& workers, const hog::Model& model,
                                 const CameraSettings& camera, int width, int height) {
  Result<Scene> scene = looks_upright(settings, camera)
                            ? upright_view(settings, camera, width, height)
                            : own_picture(settings, camera, width, height);
  if (!scene) return scene.error();
  const hog::Advice& advice = model.advice;
  const double sure = hog::advised_tracking_scores(advice).sure;
  if (settings.threshold.value_or(sure) > sure)
    return Error{
        Errc::invalid_argument, 0, "make detector",
        Text<112>{fmt::format("detector.threshold = {:g} is above {:.3g}, the score of who "
                              "is surely a person to this model",
                              *settings.threshold, sure)}};
  const float threshold = settings.threshold ? static_cast<float>(*settings.threshold)
                                             : advice.threshold - advice.tracking_margin;
  Result<std::unique_ptr<HogDetector>> made =
      HogDetector::create(context, workers, model,
                          search_of(settings, advice, *scene, context.backend() == Backend::cpu),
                          fusion_of(settings, advice), threshold, scene->width, scene->height);
  if (!made) return made.error();
  const hog::SearchPlan& plan = (*made)->engine().plan();
  MadeDetector out;
  out.search = fmt::format("{} windows in {} sizes", plan.window_count, plan.windows.size());
  if (!scene->upright) {
    out.detector = std::move(*made);
    return out;
  }
  out.search += fmt::format(" of an upright view of {}x{}", scene->width, scene->height);
  const hog::Region region{settings.region_x, settings.region_y, settings.region_width,
                           settings.region_height};
  Result<std::unique_ptr<UprightDetector>> upright =
      UprightDetector::create(context, workers, *scene->upright, region, std::move(*made));
  if (!upright) return upright.error();
  out.detector = std::move(*upright);
  return out;
}

/// What the configuration wants done to dark pictures; nothing by default.
std::optional<NightMeasures> night_of(const NightSettings& settings) {
  if (!settings.curve && !settings.filter) return std::nullopt;
  NightMeasures measures;
  measures.target = settings.target;
  if (settings.curve) {
    night::ToneCurveSettings curve;
    curve.target = settings.target;
    curve.max_gain = settings.max_gain;
    curve.local = settings.local;
    measures.curve = curve;
  }
  if (settings.filter) {
    night::TemporalFilterSettings filter;
    filter.noise_floor = settings.noise_floor;
    filter.noise_slope = settings.noise_slope;
    filter.strength = settings.strength;
    measures.filter = filter;
  }
  return measures;
}

/// On CUDA the detector needs no threads.
int threads_of(const Config& config, Backend backend) {
  if (backend == Backend::cuda) return 1;
  if (config.vision_threads > 0) return config.vision_threads;
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, cores / static_cast<int>(config.cameras.size()));
}

constexpr const char* kModelKey = "detector.model";
constexpr const char* kGreyKey = "detector.grey_model";
constexpr const char* kThermalKey = "detector.thermal_model";

/// What a model must be able to work with.
enum class Look : std::uint8_t { colour, grey, thermal };

bool is_thermal(const CameraSettings& camera) { return camera.imaging == Imaging::thermal; }

/// The models, loaded, or why they could not be.
class LoadedModels {
 public:
  explicit LoadedModels(const Config& config)
      : enabled_{config.detector.enabled}, files_{find_models(config.detector)} {
    if (!files_.model.empty()) model_.emplace(hog::load(files_.model));
    // A model without colour works for every camera.
    if (model_ && *model_ && hog::needs_colour(**model_) && !files_.grey.empty())
      grey_.emplace(hog::load(files_.grey));
    if (!files_.thermal.empty() && std::ranges::any_of(config.cameras, is_thermal))
      thermal_.emplace(hog::load(files_.thermal));
  }

  struct Choice {
    const char* key;
    const std::string& file;
    Result<const hog::Model*> model;  // nullptr: none is configured
  };
  /// `camera`: its name, for errors.
  [[nodiscard]] Choice choose(Look look, std::string_view camera) const {
    if (look == Look::thermal) return choose_thermal(camera);
    if (!model_) return {kModelKey, files_.model, nullptr};
    if (!*model_) return {kModelKey, files_.model, model_->error()};
    if (look == Look::colour || !hog::needs_colour(**model_))
      return {kModelKey, files_.model, &**model_};
    if (!grey_)
      return {kModelKey, files_.model,
              Error{Errc::unsupported, 0, "make detector",
                    "the model needs colour and the camera has none: detector.grey_model must name "
                    "one for it"}};
    if (!*grey_) return {kGreyKey, files_.grey, grey_->error()};
    if (hog::needs_colour(**grey_))
      return {kGreyKey, files_.grey,
              Error{Errc::unsupported, 0, "make detector",
                    "this model needs colour too, and the camera has none"}};
    return {kGreyKey, files_.grey, &**grey_};
  }
  [[nodiscard]] bool has_grey() const { return grey_.has_value(); }

 private:
  /// No other model stands in for the thermal one: they were trained on pictures of light.
  [[nodiscard]] Choice choose_thermal(std::string_view camera) const {
    const auto refused = [&](std::string_view what) {
      Error error{Errc::unsupported, 0, "make detector", "camera "};
      error.what.append(camera).append(what);
      return Choice{kThermalKey, files_.thermal, error};
    };
    if (!enabled_) return {kThermalKey, files_.thermal, nullptr};
    if (!thermal_)
      return refused(" is thermal and needs a thermal model: set detector.thermal_model");
    if (!*thermal_) return {kThermalKey, files_.thermal, thermal_->error()};
    if (hog::needs_colour(**thermal_))
      return refused(" is thermal, and this model needs colour, which it does not have");
    return {kThermalKey, files_.thermal, &**thermal_};
  }

  bool enabled_;
  DetectorModels files_;
  std::optional<Result<hog::Model>> model_, grey_, thermal_;
};

Look look_of(const FrameSourceInfo& info, const CameraSettings& camera) {
  if (is_thermal(camera)) return Look::thermal;
  return info.mosaic == 0 && kerb::has_colour(info.format) ? Look::colour : Look::grey;
}

/// The automatic range of a thermal camera, in time.
struct RangeTimes {
  double smooth_s = 1;  ///< time constant of both ends
  double hold_s = 3;    ///< for a closed shutter: the longest that is reported (docs/thermal.md)
  double rate_hz = 30;  ///< of a camera that does not report its own
};
constexpr RangeTimes kRangeTimes;

CountRangeSettings range_of(const FrameSourceInfo& info, const CameraSettings& camera) {
  const double rate = info.rate_hz > 0 ? info.rate_hz : kRangeTimes.rate_hz;
  const auto frames = [rate](double seconds, double most) {
    return static_cast<int>(std::lround(std::clamp(seconds * rate, 1.0, most)));
  };
  CountRangeSettings range;
  range.min_span = camera.range_min_counts;
  range.smooth_frames = frames(kRangeTimes.smooth_s, 255);
  range.hold_frames = frames(kRangeTimes.hold_s, 10000);
  return range;
}

class GpuVision final : public Vision {
 public:
  GpuVision(Context context, const Config& config, Log& log)
      : context_{std::move(context)},
        memory_{context_},
        settings_{config.detector},
        night_{config.night},
        flow_{config.flow},
        spectral_{config.spectral},
        models_{config},
        threads_{threads_of(config, context_.backend())},
        log_{log} {}
  FrameMemory& frame_memory() override { return memory_; }
  [[nodiscard]] std::optional<Errc> fell_back() const noexcept override {
    return context_.info().fell_back;
  }
  Result<std::unique_ptr<ImagePreparer>> make_preparer(const FrameSourceInfo& info,
                                                       const CameraSettings& camera,
                                                       bool colour) override {
    const CountRangeSettings range = range_of(info, camera);
    const bool counts =
        is_thermal(camera) && bit_depth(info.format) > 8 && !kerb::has_colour(info.format);
    Result<std::unique_ptr<Preparer>> preparer =
        Preparer::create(context_, &memory_, info, colour, counts ? &range : nullptr);
    if (!preparer) return preparer.error();
    return std::unique_ptr<ImagePreparer>{std::move(*preparer)};
  }
  Result<std::unique_ptr<Detector>> make_detector(const FrameSourceInfo& info,
                                                  const CameraSettings& camera) override {
    const LoadedModels::Choice choice = models_.choose(look_of(info, camera), camera.name);
    if (!choice.model) return choice.model.error();
    if (*choice.model == nullptr) return std::unique_ptr<Detector>{};
    auto workers = std::make_unique<Workers>(threads_);
    Result<MadeDetector> made =
        detector_of(settings_, context_, *workers, **choice.model, camera, info.width, info.height);
    if (!made) return made.error();
    if (const std::optional<NightMeasures> night = night_of(night_)) {
      Result<std::unique_ptr<NightDetector>> dark = NightDetector::create(
          context_, *workers, *night, info.width, info.height, std::move(made->detector));
      if (!dark) return dark.error();
      made->detector = std::move(*dark);
      log_.info("detector", fmt::format("pictures darker than {} are {}{}{}", night->target,
                                        night->filter ? "smoothed along the flow" : "",
                                        night->filter && night->curve ? " and " : "",
                                        night->curve ? "brightened" : ""));
    }
    workers_.push_back(std::move(workers));
    const Detector& detector = *made->detector;
    log_.info(
        "detector",
        fmt::format("{} for {}x{} in {} ({}): {}, on {}", detector.name(), info.width, info.height,
                    detector.needs_colour() ? "colour"
                    : is_thermal(camera)    ? "heat"
                                            : "grey",
                    choice.file, made->search,
                    context_.backend() == Backend::cuda ? std::string{"CUDA"}
                                                        : fmt::format("{} CPU threads", threads_)));
    return std::move(made->detector);
  }
  Result<std::unique_ptr<FlowEstimator>> make_flow(const FrameSourceInfo& info) override {
    if (!flow_.enabled) return std::unique_ptr<FlowEstimator>{};
    flow::MotionPointsSettings settings;
    settings.method = method_of(flow_.method);
    settings.widest = flow_.width;
    auto workers = std::make_unique<Workers>(threads_);
    Result<std::unique_ptr<flow::MotionPoints>> made =
        flow::MotionPoints::create(context_, *workers, settings, info.width, info.height);
    if (!made) return made.error();
    workers_.push_back(std::move(workers));
    log_.info(
        "flow",
        fmt::format("{} in {}x{}, on {}", (*made)->name(), (*made)->width(), (*made)->height(),
                    context_.backend() == Backend::cuda ? std::string{"CUDA"}
                                                        : fmt::format("{} CPU threads", threads_)));
    return std::unique_ptr<FlowEstimator>{std::move(*made)};
  }
  Result<std::unique_ptr<SpectralMatcher>> make_spectral(const FrameSourceInfo& info,
                                                         const CameraSettings& camera) override {
    if (!spectral_.enabled || info.mosaic == 0) return std::unique_ptr<SpectralMatcher>{};
    EmdMatcherSettings settings;
    settings.reach = spectral_.reach_nm / 100;
    settings.nanometres = parse_bands(camera.bands_nm).value_or(std::vector<double>{});
    auto workers = std::make_unique<Workers>(threads_);
    Result<std::unique_ptr<SpectralMatcher>> made =
        EmdMatcher::create(context_, *workers, info, settings);
    if (!made) return made.error();
    workers_.push_back(std::move(workers));
    log_.info("spectral",
              fmt::format("{} on {} bands{}, on {}", (*made)->name(), info.mosaic * info.mosaic,
                          settings.nanometres.empty() ? " of unknown wavelengths" : "",
                          context_.backend() == Backend::cuda ? "CUDA" : "CPU"));
    return made;
  }
  TestResult test_detector(const FrameSourceInfo& info, const CameraSettings& camera) override {
    const LoadedModels::Choice choice = models_.choose(look_of(info, camera), camera.name);
    if (!choice.model || *choice.model == nullptr) return TestResult::not_run;
    const hog::Model& model = **choice.model;
    if (const auto known = tested_.find(&model); known != tested_.end()) return known->second;
    const auto start = std::chrono::steady_clock::now();
    Workers workers{threads_};
    const Status found = find_known_person(context_, workers, model);
    const double ms =
        std::chrono::duration<double, std::milli>{std::chrono::steady_clock::now() - start}.count();
    // Another model may not know a drawn person. One that the backend cannot run is broken.
    const bool unknown = !found && found.error().code == Errc::not_found && !knows_person(model);
    const TestResult result = found     ? TestResult::passed
                              : unknown ? TestResult::not_run
                                        : TestResult::failed;
    if (result == TestResult::failed)
      log_.error("detector", fmt::format("{}: {}", choice.file, describe(found.error())));
    log_.info("detector", fmt::format("self-test of {} on {}: {}, {:.1f} ms", model.name,
                                      name_of(context_.backend()), name_of(result), ms));
    tested_.emplace(&model, result);
    return result;
  }

 private:
  Context context_;  // stays where it is from here on
  GpuFrameMemory memory_;
  DetectorSettings settings_;
  NightSettings night_;
  FlowSettings flow_;
  SpectralSettings spectral_;
  LoadedModels models_;
  std::map<const hog::Model*, TestResult> tested_;  // models are shared by cameras
  int threads_;
  std::vector<std::unique_ptr<Workers>> workers_;  // a pool for each detector: they run at once
  Log& log_;
};

/// Whether a camera has colour, from its settings alone.
enum class Colours : std::uint8_t { some, none, unknown };

Colours colours_of(const CameraSettings& camera) {
  if (camera.mosaic != 0) return Colours::none;
  if (PixelFormat format{}; parse(camera.format, format))
    return kerb::has_colour(format) ? Colours::some : Colours::none;
  return camera.format == "auto" && camera.kind == CameraKind::v4l2 ? Colours::unknown
                                                                    : Colours::some;
}

/// Whether the model for this look is one that the camera can get.
bool may_be(const CameraSettings& camera, Look look, bool has_grey_model) {
  if (is_thermal(camera)) return look == Look::thermal;
  if (look == Look::thermal) return false;
  const Colours colours = colours_of(camera);
  if (look == Look::colour) return colours != Colours::none;
  // A camera that may turn out grey is checked as grey where there is a grey model.
  return colours == Colours::none || (colours == Colours::unknown && has_grey_model);
}

}  // namespace

DetectorModels find_models(const DetectorSettings& settings) {
  DetectorModels files;
  if (!settings.enabled) return files;
  files.model = settings.model.empty() ? hog::shipped_model(hog::kDefaultModel) : settings.model;
  files.thermal = settings.thermal_model;
  if (files.model.empty()) return files;
  if (files.thermal.empty()) files.thermal = hog::thermal_variant(files.model);
  files.grey = settings.grey_model.empty() ? hog::grey_variant(files.model) : settings.grey_model;
  return files;
}

std::string why_no_model(const DetectorSettings& settings) {
  if (!settings.enabled) return "detector.enabled is false";
  return fmt::format("detector.model is empty, and there is no {} in {}", hog::kDefaultModel,
                     hog::shipped_models());
}

Result<std::unique_ptr<Vision>> Vision::create(const Config& config, Log& log) {
  Result<Context> context = Context::create(choice_of(config.vision_backend));
  if (!context) return context.error();
  const ContextInfo& info = context->info();
  if (context->backend() == Backend::cuda) {
    log.info("vision", fmt::format("CUDA on {} (compute capability {}.{})", info.device.view(),
                                   info.compute_capability / 10, info.compute_capability % 10));
  } else {
    log.info("vision",
             info.reason.empty() ? std::string{"CPU"} : fmt::format("CPU: {}", info.reason.view()));
  }
  if (find_models(config.detector).model.empty())
    log.warning("detector", fmt::format("detection off: {}", why_no_model(config.detector)));
  return std::unique_ptr<Vision>{std::make_unique<GpuVision>(std::move(*context), config, log)};
}

std::optional<DetectorProblem> check_detector(const Config& config) {
  const LoadedModels models{config};
  const auto problem = [](const LoadedModels::Choice& choice, const Error& error) {
    return DetectorProblem{choice.key, choice.file, error};
  };
  const LoadedModels::Choice any = models.choose(Look::colour, "");  // whatever the cameras are
  if (!any.model) return problem(any, any.model.error());
  // On the CPU, which every machine has: a search that works there works on CUDA, memory aside.
  const Result<Context> context = Context::create(BackendChoice::cpu);
  if (!context) return problem(any, context.error());
  Workers workers{1};
  for (const CameraSettings& camera : config.cameras) {
    const bool size_known = camera.kind == CameraKind::v4l2 || camera.kind == CameraKind::pattern;
    for (const Look look : {Look::colour, Look::grey, Look::thermal}) {
      if (!may_be(camera, look, models.has_grey())) continue;
      const LoadedModels::Choice choice = models.choose(look, camera.name);
      if (!choice.model) return problem(choice, choice.model.error());
      if (*choice.model == nullptr || !size_known) continue;
      const Result<MadeDetector> made = detector_of(
          config.detector, *context, workers, **choice.model, camera, camera.width, camera.height);
      if (!made) return problem(choice, made.error());
    }
  }
  return std::nullopt;
}

}  // namespace kerb
