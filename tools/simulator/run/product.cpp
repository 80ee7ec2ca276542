// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "drivers/jpeg/jpeg_encoder.hpp"
#include "firmware/control/controller.hpp"
#include "firmware/risk/people_estimator.hpp"
#include "firmware/vision/open_pipeline.hpp"
#include "firmware/vision/open_recorder.hpp"
#include "tools/simulator/run/firmware.hpp"
#include "tools/simulator/run/hanging_vision.hpp"
#include "tools/simulator/run/lockstep_source.hpp"
#include "tools/simulator/run/logged_vision.hpp"
#include "tools/simulator/run/painter.hpp"

namespace kerb::sim {
namespace {

class Product final : public Firmware {
 public:
  Product(const Config& config, const FrameSourceInfo& info, const Reach& reach, SimClock& clock,
          Log& log)
      : config_{config},
        reach_{reach},
        clock_{clock},
        log_{log},
        camera_{std::make_shared<LockstepCamera>(info, clock)} {}
  ~Product() override { stop(); }

  /// `keeper`: keeps what vision delivers; null: it is not kept.
  Status open(const Scenario& scenario, VisionKeeper* keeper) {
    Result<std::unique_ptr<Vision>> vision = Vision::create(config_, log_);
    if (!vision) return vision.error();
    vision_ = std::move(*vision);
    if (keeper != nullptr) around_ = keeper->keeping(*vision_);
    if (has_hangs(scenario)) around_ = make_hanging_vision(*vision_, scenario, *camera_, clock_);
    Result<OpenedPipeline> opened = open_pipeline(config_, config_.cameras.front(), opener(),
                                                  around_ ? *around_ : *vision_, clock_, log_);
    if (!opened) return opened.error();
    if (opened->detector_error) return *opened->detector_error;
    if (opened->spectral_error) return *opened->spectral_error;
    pipeline_ = std::move(opened->pipeline);
    if (keeper != nullptr) {
      pipeline_->set_sink(keeper);
      keeper->start();
    }
    return start();
  }
  /// With a log instead of vision; `info` is that of the pictures which it was made from.
  Status open(std::shared_ptr<const VisionLog> vision, const FrameSourceInfo& info) {
    player_.emplace(std::move(vision));
    const CameraSettings& settings = config_.cameras.front();
    const records::RecordedCamera people =
        people_settings(config_, settings, info.width, info.height, player_->log().scores);
    pipeline_ = std::make_unique<CameraPipeline>(
        std::make_unique<ReopeningSource>(camera_->open(), camera_->info(), opener(), clock_, log_),
        player_->make_preparer(), player_->make_detector(), StageBudgets{}, HandOver::every, clock_,
        make_motion_estimator(config_, settings, info, player_->make_flow()),
        std::make_unique<PeopleEstimator>(people.model, people.tracker, people.car, people.contact,
                                          player_->make_appearance()));
    pipeline_->set_view_source(player_->make_view());
    return start();
  }
  [[nodiscard]] bool uses_pictures() const noexcept override { return true; }
  void show(const std::vector<std::uint8_t>& bytes, Nanos captured) override {
    if (player_ && !player_->show(captured)) return;
    camera_->show(bytes, captured);
  }
  void tick(Nanos now) override {
    camera_->settle();
    controller_->tick(now);
  }
  void finish(Nanos now) override {
    stop();
    controller_->finish(now);
  }
  [[nodiscard]] const DetectionList& found() override { return pipeline_->detections().people; }
  // The controller's round reads the same report: both on the stepper's thread.
  [[nodiscard]] const risk::PeopleReport& followed() override { return pipeline_->people(); }

 private:
  [[nodiscard]] SourceOpener opener() {
    return [this]() -> Result<std::unique_ptr<FrameSource>> { return camera_->open(); };
  }
  /// Around the pipeline, as in the car.
  Status start() {
    CameraPipeline* const pipelines[] = {pipeline_.get()};
    Result<std::unique_ptr<records::WarningRecorder>> recorder =
        open_recorder(config_, pipelines, KERB_VERSION, make_record_encoder, log_);
    if (!recorder) return recorder.error();
    recorder_ = std::move(*recorder);
    ControlDevices devices;
    devices.recorder = recorder_.get();
    devices.bus = &reach_.bus;
    devices.warning_lamp = &reach_.warning_lamp;
    devices.status_lamp = &reach_.status_lamp;
    devices.tone = &reach_.tone;
    controller_.emplace(
        config_, devices,
        std::vector<ControlledCamera>{{config_.cameras.front().name, pipeline_.get()}}, clock_,
        log_);
    pipeline_->set_live();
    pipeline_->start();
    return Done{};
  }
  void stop() {
    camera_->end();
    if (pipeline_) pipeline_->stop();
  }

  const Config config_;
  Reach reach_;
  SimClock& clock_;
  Log& log_;
  std::shared_ptr<LockstepCamera> camera_;
  std::unique_ptr<Vision> vision_, around_;
  std::optional<VisionPlayer> player_;
  std::unique_ptr<records::WarningRecorder> recorder_;
  std::unique_ptr<CameraPipeline> pipeline_;
  std::optional<Controller> controller_;
};

Result<FrameSourceInfo> info_of(const CameraSpec& camera) {
  FrameSourceInfo info;
  info.name = "proving ground";
  info.width = camera.width;
  info.height = camera.height;
  info.rate_hz = camera.rate_hz;
  info.memory = "own";
  switch (camera.sensor) {
    case Sensor::grey:
    case Sensor::thermal:
      info.format = PixelFormat::grey8;
      return info;
    case Sensor::rgb:
      info.format = PixelFormat::rgb24;
      return info;
    case Sensor::mosaic:
      info.format = PixelFormat::grey8;
      info.mosaic = mosaic_side(camera);
      return info;
    case Sensor::bands:
      break;
  }
  return Error{Errc::unsupported, 0, "run scenario",
               "the product supports a mosaic, but not sensor = \"bands\""};
}

/// What a log of vision does not have: the pictures, by which a faulty camera is recognised, and
/// bands.
Status can_decide_anew(const Scenario& scenario) {
  constexpr const char* kWhere = "decide by a log of vision";
  if (scenario.camera.sensor == Sensor::mosaic)
    return Error{Errc::unsupported, 0, kWhere, "the camera has bands"};
  for (const FaultSpec& fault : scenario.faults)
    if (is_of_camera(fault.kind))
      return Error{Errc::unsupported, 0, kWhere, "a fault of the camera"};
  return Done{};
}

}  // namespace

Config config_for(const Config& base, const Scenario& scenario) {
  Config config = base;
  config.cameras.resize(1);
  CameraSettings& camera = config.cameras.front();
  const CameraSpec& spec = scenario.camera;
  camera.name = "front";
  camera.kind = CameraKind::pattern;  // no device; each frame when we say
  // While vision hangs the camera goes on, as a real one does. Pictures then bear the time at
  // which they were taken, a latency ago: budgets are not for that.
  camera.pace = has_hangs(scenario) ? Pace::real : Pace::recorded;
  if (has_hangs(scenario)) {
    const Nanos long_time = std::chrono::seconds{1};
    config.budget = {long_time, long_time, long_time, long_time,
                     long_time, long_time, long_time, long_time};
  }
  camera.width = spec.width;
  camera.height = spec.height;
  camera.rate_hz = spec.rate_hz;
  camera.format = "auto";
  camera.mosaic = 0;
  camera.bands_nm.clear();
  if (spec.sensor == Sensor::mosaic)
    for (const auto& band : spec.bands)
      camera.bands_nm += fmt::format("{}{:g}", camera.bands_nm.empty() ? "" : ",", band.centre_nm);
  camera.fov_deg = spec.fov_deg;
  camera.focal_px.reset();
  camera.center_x.reset();
  camera.center_y.reset();
  camera.height_m = spec.height_m;
  camera.pitch_deg = -spec.pitch_deg;  // the product counts upwards, a scenario downwards
  camera.yaw_deg = spec.yaw_deg;
  camera.roll_deg = spec.roll_deg;
  camera.k1 = spec.k1;
  camera.k2 = spec.k2;
  camera.k3 = camera.p1 = camera.p2 = 0;
  // The middle of the front follows the way, with its heading: that is where this car turns, as a
  // real one does about its rear axle.
  camera.ahead_m = -spec.behind_m;
  camera.left_m = spec.left_m;
  config.car.width_m = scenario.car.width_m;
  config.car.length_m = scenario.car.length_m;
  config.car.axle_to_bumper_m = 0;
  config.can.enabled = true;
  config.can.interface = "in memory";
  config.watchdog.enabled = false;
  config.thermal.enabled = false;
  config.events.enabled = false;
  config.clock_rate = 1;
  return config;
}

Result<std::unique_ptr<Firmware>> make_product(const Config& config, const Scenario& scenario,
                                               const Reach& reach, SimClock& clock, Log& log) {
  const Result<FrameSourceInfo> info = info_of(scenario.camera);
  if (!info) return info.error();
  auto product = std::make_unique<Product>(config_for(config, scenario), *info, reach, clock, log);
  if (Status opened = product->open(scenario, nullptr); !opened) return opened.error();
  return std::unique_ptr<Firmware>{std::move(product)};
}

Result<std::unique_ptr<Firmware>> make_kept_product(const Config& config, const Scenario& scenario,
                                                    const Reach& reach, SimClock& clock, Log& log,
                                                    VisionKeeper& keeper) {
  if (config.record.enabled)
    return Error{Errc::unsupported, 0, "keep what vision delivers", "together with records"};
  const Result<FrameSourceInfo> info = info_of(scenario.camera);
  if (!info) return info.error();
  if (Status can = can_decide_anew(scenario); !can) return can.error();
  auto product = std::make_unique<Product>(config_for(config, scenario), *info, reach, clock, log);
  if (Status opened = product->open(scenario, &keeper); !opened) return opened.error();
  return std::unique_ptr<Firmware>{std::move(product)};
}

Result<std::unique_ptr<Firmware>> make_replaying_product(const Config& config,
                                                         const Scenario& scenario,
                                                         const Reach& reach, SimClock& clock,
                                                         Log& log,
                                                         std::shared_ptr<const VisionLog> vision) {
  const Result<FrameSourceInfo> info = info_of(scenario.camera);
  if (!info) return info.error();
  if (Status can = can_decide_anew(scenario); !can) return can.error();
  FrameSourceInfo small = *info;
  small.width = kSmallWidth;
  small.height = kSmallHeight;
  small.format = PixelFormat::grey8;
  auto product = std::make_unique<Product>(config_for(config, scenario), small, reach, clock, log);
  if (Status opened = product->open(std::move(vision), *info); !opened) return opened.error();
  return std::unique_ptr<Firmware>{std::move(product)};
}

}  // namespace kerb::sim
