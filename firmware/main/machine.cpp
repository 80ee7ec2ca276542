// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "drivers/alsa/alsa_tone.hpp"
#include "drivers/gpio/linux_output_line.hpp"
#include "drivers/replay/open_replay.hpp"
#include "drivers/socketcan/socketcan_bus.hpp"
#include "drivers/thermal/sysfs_thermal.hpp"
#include "drivers/v4l2/v4l2_camera.hpp"
#include "drivers/watchdog/hardware_watchdog.hpp"
#include "drivers/watchdog/systemd_watchdog.hpp"
#include "drivers/watchdog/watchdog_group.hpp"
#include "firmware/ego/configured.hpp"
#include "firmware/warning/reopening_outputs.hpp"

namespace kerb {
namespace {

/// Makes a Result of a base class from one of a derived class.
template <typename Base, typename Derived>
Result<std::unique_ptr<Base>> as(Result<std::unique_ptr<Derived>> result) {
  if (!result) return result.error();
  return std::unique_ptr<Base>{std::move(*result)};
}

/// Opens an output for the first time; from then on it opens itself again when it has gone.
template <typename Reopens, typename Output>
Status open_output(const OutputOpener<Output>& open, const char* name, const Clock& clock, Log& log,
                   std::unique_ptr<Output>& output, Output*& device) {
  Result<std::unique_ptr<Output>> first = open();
  if (!first) return first.error();
  output = std::make_unique<Reopens>(std::move(*first), open, name, clock, log);
  device = output.get();
  return Done{};
}

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

/// A frame full of edges through the stages before the first real one: memory is touched, kernels
/// are loaded and recorded now, and not while frames are waiting. Should it fail, so will the first
/// frame, and that is told. What the flow took for one comparison, or zero.
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
  if (!prepared) return Nanos::zero();
  Nanos look{};
  if (flow != nullptr) {
    const auto field = std::make_unique<MotionField>();
    for (int i = 0; i < 3; ++i) {
      const Nanos start = clock.now();
      static_cast<void>(flow->estimate(*prepared, points, *field));
      const Nanos spent = clock.now() - start;
      if (i > 0) look = i == 1 ? spent : std::min(look, spent);
    }
    flow->forget();
  }
  if (detector == nullptr) return look;
  const auto nobody = std::make_unique<DetectionList>();
  static_cast<void>(detector->detect(*prepared, *nobody));
  return look;
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

int fail(std::string_view text) {
  std::fprintf(stderr, "kerbwatch: error: %.*s\n", static_cast<int>(text.size()), text.data());
  return 2;
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
  if (!flow) {
    opened.flow_error = flow.error();
    log.error("flow", fmt::format("camera {}: {}; nobody looks at motion", settings.name,
                                  describe(flow.error())));
  }
  const Nanos look = warm_up(info, **preparer, detector.get(), flow ? flow->get() : nullptr,
                             config.flow.points, clock);
  std::unique_ptr<ego::MotionWatch> motion;
  if (flow && *flow) {
    ego::MotionWatchSettings watch;
    watch.points = config.flow.points;
    watch.flow_budget = config.budget.flow;
    if (info.rate_hz > 0) watch.frame_interval = Nanos{std::llround(1e9 / info.rate_hz)};
    motion = std::make_unique<ego::MotionWatch>(std::move(*flow),
                                                ego::camera_of(settings, info.width, info.height),
                                                ego::settings_of(config.ego), watch);
    if (hand_over == HandOver::newest) motion->expect(look);
  }
  const StageBudgets budgets = budgets_of(config.budget, detector != nullptr, motion != nullptr);
  opened.pipeline = std::make_unique<CameraPipeline>(
      std::make_unique<ReopeningSource>(std::move(source), info, open, clock, log),
      std::move(*preparer), std::move(detector), budgets, hand_over, clock, std::move(motion));
  return opened;
}

namespace {

/// The real devices. Members are destroyed from the last to the first: pipelines before what they
/// stand on.
class LinuxMachine final : public Machine {
 public:
  [[nodiscard]] const ControlDevices& devices() const override { return devices_; }
  [[nodiscard]] const std::vector<ControlledCamera>& cameras() const override { return cameras_; }
  void start() override {
    for (const auto& pipeline : pipelines_) pipeline->start();
  }
  void stop() override {
    for (const auto& pipeline : pipelines_) pipeline->stop();
  }
  void notify(const char* state) override {
    if (notifier_)
      static_cast<void>(notifier_->send(state));  // nobody listening is no fault of ours
  }

  Status open_all(const Config& config, const Clock& clock, Log& log) {
    if (Result<ServiceNotifier> notifier = ServiceNotifier::open())
      notifier_ = std::move(*notifier);
    // The watchdog last: nothing that fails before it may leave one armed.
    if (Status s = open_cameras(config, clock, log); !s) return s;
    if (Status s = open_bus(config, clock); !s) return s;
    if (Status s = open_lamps(config, clock, log); !s) return s;
    if (Status s = open_tone(config, clock, log); !s) return s;
    if (Status s = open_thermal(config, log); !s) return s;
    return open_watchdogs(config, log);
  }

 private:
  Status open_cameras(const Config& config, const Clock& clock, Log& log) {
    Result<std::unique_ptr<Vision>> vision = Vision::create(config, log);
    if (!vision) return vision.error();
    vision_ = std::move(*vision);
    for (const CameraSettings& settings : config.cameras) {
      FrameMemory& memory = vision_->frame_memory();
      const SourceOpener open = [this, settings, &memory,
                                 &clock]() -> Result<std::unique_ptr<FrameSource>> {
        if (settings.kind != CameraKind::v4l2) return open_replay(settings, memory, clock);
        return as<FrameSource>(V4l2Camera::open(settings, memory, clock, kernel_));
      };
      Result<OpenedPipeline> opened = open_pipeline(config, settings, open, *vision_, clock, log);
      if (!opened) return opened.error();
      // Run it must, or nobody would tell the driver: lamp and bus say that vision has failed.
      if (opened->detector_error)
        log.error("detector", fmt::format("camera {}: {}; nobody looks for people", settings.name,
                                          describe(*opened->detector_error)));
      cameras_.push_back(
          {settings.name, opened->pipeline.get(), opened->detector_error, opened->flow_error});
      pipelines_.push_back(std::move(opened->pipeline));
    }
    return Done{};
  }
  Status open_bus(const Config& config, const Clock& clock) {
    if (!config.can.enabled) return Done{};
    SocketCanOptions options;
    options.interface = config.can.interface;
    options.fd = config.can.fd;
    for (const std::uint32_t id : {can::kVehicleMotionId, can::kVehicleBodyId, can::kServiceId})
      options.filters.push_back({id, 0x7FF});
    Result<std::unique_ptr<SocketCanBus>> bus = SocketCanBus::open(options, clock);
    if (!bus) return bus.error();
    bus_ = std::move(*bus);
    devices_.bus = bus_.get();
    return Done{};
  }
  Status open_lamps(const Config& config, const Clock& clock, Log& log) {
    if (!config.lamp.enabled) return Done{};
    const auto opener = [&](int line, bool on_when_closed) -> OutputOpener<OutputLine> {
      LinuxOutputLineOptions options;
      options.chip = config.lamp.chip;
      options.line = static_cast<std::uint32_t>(line);
      options.active_low = config.lamp.active_low;
      options.on_when_closed = on_when_closed;
      return [options] { return as<OutputLine>(LinuxOutputLine::open(options)); };
    };
    if (Status warning =
            open_output<ReopeningLine>(opener(config.lamp.warning_line, false), "warning lamp",
                                       clock, log, warning_lamp_, devices_.warning_lamp);
        !warning)
      return warning;
    return open_output<ReopeningLine>(opener(config.lamp.status_line, true), "status lamp", clock,
                                      log, status_lamp_, devices_.status_lamp);
  }
  Status open_tone(const Config& config, const Clock& clock, Log& log) {
    if (!config.tone.enabled) return Done{};
    AlsaToneOptions options;
    options.device = config.tone.device;
    const OutputOpener<Tone> open = [options] { return as<Tone>(AlsaTone::open(options)); };
    return open_output<ReopeningTone>(open, "sound", clock, log, tone_, devices_.tone);
  }
  Status open_thermal(const Config& config, Log& log) {
    if (!config.thermal.enabled) return Done{};
    Result<std::unique_ptr<SysfsThermal>> thermal = SysfsThermal::open({config.thermal.root});
    if (!thermal) {  // a desk has none, and none is no danger; a Jetson always has
      log.warning("thermal", describe(thermal.error()) + "; running without");
      return Done{};
    }
    thermal_ = std::move(*thermal);
    devices_.thermal = thermal_.get();
    return Done{};
  }
  Status open_watchdogs(const Config& config, Log& log) {
    std::vector<std::unique_ptr<Watchdog>> dogs;
    if (config.watchdog.enabled) {
      Result<std::unique_ptr<HardwareWatchdog>> dog = HardwareWatchdog::open(
          {config.watchdog.device, std::chrono::seconds{config.watchdog.timeout_s}});
      if (!dog) return dog.error();
      if (!(*dog)->guards_after_crash())
        log.warning("watchdog", config.watchdog.device +
                                    " stops when we crash: it guards against hanging only");
      if ((*dog)->caused_last_restart())
        log.error("watchdog", "the last restart of this board was the watchdog's");
      dogs.push_back(std::move(*dog));
    }
    if (Result<std::unique_ptr<SystemdWatchdog>> dog = SystemdWatchdog::open()) {
      dogs.push_back(std::move(*dog));
    } else if (dog.error().code != Errc::not_found) {
      return dog.error();
    }
    if (dogs.empty()) return Done{};
    watchdogs_ = std::make_unique<WatchdogGroup>(std::move(dogs));
    devices_.watchdog = watchdogs_.get();
    return Done{};
  }

  LinuxIo kernel_;
  std::unique_ptr<Vision> vision_;
  std::vector<std::unique_ptr<CameraPipeline>> pipelines_;
  std::vector<ControlledCamera> cameras_;
  std::unique_ptr<CanBus> bus_;
  std::unique_ptr<OutputLine> warning_lamp_, status_lamp_;
  std::unique_ptr<Tone> tone_;
  std::unique_ptr<Thermal> thermal_;
  std::unique_ptr<Watchdog> watchdogs_;
  std::optional<ServiceNotifier> notifier_;
  ControlDevices devices_;
};

}  // namespace

Result<std::unique_ptr<Machine>> Machine::open(const Config& config, const Clock& clock, Log& log) {
  auto machine = std::make_unique<LinuxMachine>();
  if (Status opened = machine->open_all(config, clock, log); !opened) return opened.error();
  return std::unique_ptr<Machine>{std::move(machine)};
}

}  // namespace kerb
