// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "drivers/jpeg/jpeg_encoder.hpp"
#include "firmware/control/controller.hpp"
#include "firmware/vision/open_pipeline.hpp"
#include "firmware/vision/open_recorder.hpp"
#include "tools/simulator/run/firmware.hpp"
#include "tools/simulator/run/lockstep_source.hpp"

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

  Status open() {
    Result<std::unique_ptr<Vision>> vision = Vision::create(config_, log_);
    if (!vision) return vision.error();
    vision_ = std::move(*vision);
    const SourceOpener opener = [this]() -> Result<std::unique_ptr<FrameSource>> {
      return camera_->open();
    };
    const CameraSettings& settings = config_.cameras.front();
    Result<OpenedPipeline> opened =
        open_pipeline(config_, settings, opener, *vision_, clock_, log_);
    if (!opened) return opened.error();
    if (opened->detector_error) return *opened->detector_error;
    if (opened->spectral_error) return *opened->spectral_error;
    pipeline_ = std::move(opened->pipeline);
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
    controller_.emplace(config_, devices,
                        std::vector<ControlledCamera>{{settings.name, pipeline_.get()}}, clock_,
                        log_);
    pipeline_->start();
    return Done{};
  }
  [[nodiscard]] bool uses_pictures() const noexcept override { return true; }
  void show(const std::vector<std::uint8_t>& bytes, Nanos captured) override {
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
  void stop() {
    camera_->end();
    if (pipeline_) pipeline_->stop();
  }

  const Config config_;
  Reach reach_;
  SimClock& clock_;
  Log& log_;
  std::shared_ptr<LockstepCamera> camera_;
  std::unique_ptr<Vision> vision_;
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

}  // namespace

Config config_for(const Config& base, const Scenario& scenario) {
  Config config = base;
  config.cameras.resize(1);
  CameraSettings& camera = config.cameras.front();
  const CameraSpec& spec = scenario.camera;
  camera.name = "front";
  camera.kind = CameraKind::pattern;  // no device; each frame when we say
  camera.pace = Pace::recorded;
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
  if (Status opened = product->open(); !opened) return opened.error();
  return std::unique_ptr<Firmware>{std::move(product)};
}

}  // namespace kerb::sim
