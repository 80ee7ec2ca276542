// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/machine.hpp"

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "drivers/alsa/alsa_tone.hpp"
#include "drivers/gpio/linux_output_line.hpp"
#include "drivers/gpu_nodes/gpu_nodes.hpp"
#include "drivers/guard/guard_link.hpp"
#include "drivers/isotp/isotp_link.hpp"
#include "drivers/pwm/linux_pwm.hpp"
#include "drivers/replay/open_replay.hpp"
#include "drivers/socketcan/socketcan_bus.hpp"
#include "drivers/thermal/sysfs_thermal.hpp"
#include "drivers/v4l2/v4l2_camera.hpp"
#include "drivers/watchdog/hardware_watchdog.hpp"
#include "drivers/watchdog/systemd_watchdog.hpp"
#include "drivers/watchdog/watchdog_group.hpp"
#include "firmware/control/background_dimmer.hpp"
#include "firmware/control/background_thermal.hpp"
#include "firmware/control/reopening_devices.hpp"
#include "firmware/log/closable_log.hpp"
#include "firmware/vision/open_pipeline.hpp"
#include "firmware/warning/reopening_outputs.hpp"

namespace kerb {
namespace {

/// Makes a Result of a base class from one of a derived class.
template <typename Base, typename Derived>
Result<std::unique_ptr<Base>> as(Result<std::unique_ptr<Derived>> result) {
  if (!result) return result.error();
  return std::unique_ptr<Base>{std::move(*result)};
}

/// For what a thread works on that is left behind when a device hangs.
struct Lasting {
  Lasting(double rate, Log& behind) : clock{rate}, log{behind} {}
  SystemClock clock;
  ClosableLog log;
};

/// The real devices. Members are destroyed from the last to the first: pipelines before what they
/// use.
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
    if (notifier_) static_cast<void>(notifier_->send(state));  // no receiver is not an error
  }

  void beat(Nanos now) override {
    if (guard_ == nullptr || now < beat_at_) return;
    beat_at_ = now + kBeat;
    if (lamps_are_ours_ || guard_->beat()) return;
    // The guard has died, and nobody drives the lamps: this process opens them.
    if (!std::exchange(guard_died_, true))
      log_.error("guard",
                 "the guard has died: nobody starts this program again; it drives its own lamps");
    lamps_are_ours_ = true;
    for (ReopeningLine* lamp : {status_lamp_.get(), warning_lamp_.get()})
      if (lamp != nullptr && !lamp->repeat()) lamps_are_ours_ = false;
  }
  [[nodiscard]] bool starts_again() const override {
    return (guard_ != nullptr && !guard_died_) || notifier_ || config_.watchdog.enabled;
  }
  [[nodiscard]] const std::optional<Error>& gpu_gap() const override { return gpu_gap_; }

  LinuxMachine(const Config& config, const Clock& clock, Log& log)
      : config_{config},
        clock_{clock},
        log_{log},
        lasting_{std::make_shared<Lasting>(config.clock_rate, log)},
        guard_{GuardLink::take()} {
    open_lamps();  // first: whatever fails from here on, the driver sees it
    if (Result<ServiceNotifier> notifier = ServiceNotifier::open())
      notifier_ = std::move(*notifier);
    open_bus();
    open_tester();
    open_tone();
    open_thermal();
    open_watchdogs();
  }

  ~LinuxMachine() override { lasting_->log.close(); }
  LinuxMachine(const LinuxMachine&) = delete;
  LinuxMachine& operator=(const LinuxMachine&) = delete;

  std::optional<StartFailure> open_cameras(bool strict) override {
    try {
      std::optional<StartFailure> failure = open_vision(strict);
      // A camera is tried again with what is there already; anything else begins anew.
      if (failure && failure->cause == Cause::vision_failed) close_vision();
      return failure;
    } catch (const std::exception&) {
      close_vision();
      throw;
    }
  }

  Status check_devices() override {
    if (warning_lamp_)
      if (Status s = warning_lamp_->set(false); !s) return s;
    if (status_lamp_)
      if (Status s = status_lamp_->set(true); !s) return s;
    if (dimmer_)
      if (Status s = dimmer_->set(1); !s) return s;
    if (bus_)
      if (const Error* why = bus_->missing()) return *why;
    if (tone_)
      if (Status s = tone_->stop(); !s) return s;
    if (watchdogs_) return watchdogs_->kick();
    return Done{};
  }

 private:
  static constexpr Nanos kBeat = std::chrono::milliseconds{50};

  std::optional<StartFailure> open_vision(bool strict) {
    if (!vision_) {
      Result<std::unique_ptr<Vision>> vision = Vision::create(config_, log_);
      if (!vision)
        return StartFailure{.cause = Cause::vision_failed, .camera = -1, .error = vision.error()};
      vision_ = std::move(*vision);
      gpu_gap_ = missing_gpu(vision_->fell_back(), find_gpu());
      if (gpu_gap_) log_.error("vision", describe(*gpu_gap_) + ": the CPU does its work");
    }
    while (cameras_.size() < config_.cameras.size())
      if (std::optional<StartFailure> failure = open_next_camera(strict)) return failure;
    return std::nullopt;
  }
  std::optional<StartFailure> open_next_camera(bool strict) {
    const int index = static_cast<int>(cameras_.size());
    const CameraSettings& settings = config_.cameras[cameras_.size()];
    FrameMemory& memory = vision_->frame_memory();
    // Why the camera itself could not be opened. Whoever opens it later keeps this alive.
    const auto absent = std::make_shared<std::optional<Error>>();
    const SourceOpener open = [this, settings, &memory,
                               absent]() -> Result<std::unique_ptr<FrameSource>> {
      Result<std::unique_ptr<FrameSource>> source =
          settings.kind != CameraKind::v4l2
              ? open_replay(settings, memory, clock_)
              : as<FrameSource>(V4l2Camera::open(settings, memory, clock_, kernel_));
      if (!source) *absent = source.error();
      return source;
    };
    Result<OpenedPipeline> opened = open_pipeline(config_, settings, open, *vision_, clock_, log_);
    if (!opened || (strict && *absent))
      return failure_of(*absent ? **absent : opened.error(), absent->has_value(), index);
    // Without a model nobody is detected: unless that is wanted, it is a fault.
    if (!opened->detector_error && opened->pipeline->detector() == nullptr &&
        config_.detector.enabled)
      opened->detector_error = Error{Errc::not_found, 0, "no model is configured or installed"};
    // Run anyway: lamp and bus must show the driver that vision has failed.
    if (opened->detector_error)
      log_.error("detector", fmt::format("camera {}: {}; detection off", settings.name,
                                         describe(*opened->detector_error)));
    const bool tests = config_.self_test.enabled && opened->pipeline->detector() != nullptr;
    const TestResult detector_test =
        tests ? vision_->test_detector(opened->pipeline->info(), settings) : TestResult::not_run;
    if (detector_test == TestResult::failed) {  // this camera does not protect; others may
      opened->detector_error =
          Error{Errc::damaged, 0, "the detector misses the person of the self-test"};
      log_.error("detector",
                 fmt::format("camera {}: {}", settings.name, describe(*opened->detector_error)));
    }
    cameras_.push_back({settings.name, opened->pipeline.get(), opened->detector_error,
                        opened->flow_error, opened->spectral_error, settings.imaging,
                        detector_test});
    pipelines_.push_back(std::move(opened->pipeline));
    return std::nullopt;
  }
  [[nodiscard]] StartFailure failure_of(const Error& error, bool of_camera, int index) const {
    StartFailure failure{.cause = Cause::vision_failed, .camera = index, .error = error};
    const Errc code = error.code;
    const bool wrong = code == Errc::unsupported || code == Errc::invalid_argument;
    if (of_camera && code == Errc::no_signal) failure.cause = Cause::camera_no_signal;
    if (of_camera && code != Errc::no_signal && !wrong) failure.cause = Cause::camera_gone;
    // A recording does not come by itself.
    failure.lasting =
        of_camera && config_.cameras[static_cast<std::size_t>(index)].kind != CameraKind::v4l2;
    return failure;
  }
  void close_vision() {
    cameras_.clear();
    pipelines_.clear();
    vision_.reset();
  }

  void open_bus() {
    if (!config_.can.enabled) return;
    SocketCanOptions options;
    options.interface = config_.can.interface;
    options.fd = config_.can.fd;
    options.filters.push_back({can::kServiceId, 0x7FF});
    for (const VehicleMessage& message : config_.can.layout.all_messages())
      options.filters.push_back(
          {message.id, message.extended ? 0x1FFFFFFFu : 0x7FFu, message.extended});
    bus_ = std::make_unique<ReopeningBus>([this, options] { return attach(options); }, "bus",
                                          clock_, log_);
    devices_.bus = bus_.get();
  }
  void open_tester() {
    if (!config_.diagnostics.enabled) return;
    Result<std::unique_ptr<IsotpLink>> tester =
        IsotpLink::open({config_.can.interface, config_.diagnostics.request_id,
                         config_.diagnostics.response_id, config_.diagnostics.functional_id},
                        clock_);
    if (!tester) {  // a workshop can wait, a driver cannot
      log_.error("diagnostics", describe(tester.error()) + "; no tester will be answered");
      return;
    }
    tester_ = std::move(*tester);
    devices_.tester = tester_.get();
  }
  Result<std::unique_ptr<CanBus>> attach(const SocketCanOptions& options) {
    Result<std::unique_ptr<SocketCanBus>> bus = SocketCanBus::open(options, clock_);
    if (!bus) return bus.error();
    if (!(*bus)->recovers_from_bus_off())
      log_.warning("can", fmt::format("{} will stay off the bus after a bus-off: set restart-ms "
                                      "(`ip link set {} type can restart-ms 100`), or give "
                                      "kerbwatch CAP_NET_ADMIN",
                                      options.interface, options.interface));
    return std::unique_ptr<CanBus>{std::move(*bus)};
  }
  [[nodiscard]] std::unique_ptr<ReopeningLine> lamp(GuardedLamp which, int line, bool active_low) {
    const bool amber = which == GuardedLamp::status;
    LinuxOutputLineOptions options;
    options.chip = config_.lamp.chip;
    options.line = static_cast<std::uint32_t>(line);
    options.active_low = active_low;
    options.on_when_opened = options.on_when_closed = amber;
    // The guard drives the lamps of this process while it lives; afterwards they are our own.
    const auto open = [this, which, options]() -> Result<std::unique_ptr<OutputLine>> {
      if (guard_ != nullptr)
        if (Result<std::unique_ptr<OutputLine>> guarded = guard_->line(which)) return guarded;
      return as<OutputLine>(LinuxOutputLine::open(options));
    };
    auto out = std::make_unique<ReopeningLine>(
        nullptr, open, amber ? "status lamp" : "warning lamp", clock_, log_);
    static_cast<void>(out->set(amber));  // or later
    return out;
  }
  void open_lamps() {
    const LampSettings& settings = config_.lamp;
    if (!settings.enabled) return;
    status_lamp_ = lamp(GuardedLamp::status, settings.status_line, settings.status_is_low());
    warning_lamp_ = lamp(GuardedLamp::warning, settings.warning_line, settings.warning_is_low());
    devices_.status_lamp = status_lamp_.get();
    devices_.warning_lamp = warning_lamp_.get();
    if (!settings.dimmer.enabled) return;
    const DimmerSettings& dimmer = settings.dimmer;
    const LinuxPwmOptions options{dimmer.chip, dimmer.channel, dimmer.frequency_hz,
                                  dimmer.active_low};
    Result<std::unique_ptr<BackgroundDimmer>> started =
        BackgroundDimmer::start(std::make_unique<ReopeningDimmer>(
            [options, kept = lasting_] { return as<Dimmer>(LinuxPwm::open(options)); },
            lasting_->clock, lasting_->log));
    if (!started) {  // lamps that are too bright do no harm
      log_.error("dimmer", describe(started.error()) + "; the lamps are not dimmed");
      return;
    }
    dimmer_ = std::move(*started);
    devices_.dimmer = dimmer_.get();
  }
  void open_tone() {
    if (!config_.tone.enabled) return;
    AlsaToneOptions options;
    options.device = config_.tone.device;
    tone_ = std::make_unique<ReopeningTone>(
        nullptr, [options] { return as<Tone>(AlsaTone::open(options)); }, "sound", clock_, log_);
    devices_.tone = tone_.get();
  }
  void open_thermal() {
    if (!config_.thermal.enabled) return;
    const auto sensors = [this] {
      return std::make_unique<ReopeningThermal>(
          [root = config_.thermal.root, kept = lasting_] {
            return as<Thermal>(SysfsThermal::open({root}));
          },
          "temperature", lasting_->clock, lasting_->log);
    };
    Result<std::unique_ptr<BackgroundThermal>> started = BackgroundThermal::start(sensors());
    if (started) {
      thermal_ = std::move(*started);
    } else {
      log_.error("temperature", describe(started.error()) + "; the control thread reads it");
      thermal_ = sensors();
    }
    devices_.thermal = thermal_.get();
  }
  void open_watchdogs() {
    std::vector<std::unique_ptr<Watchdog>> dogs;
    if (config_.watchdog.enabled) {
      const Nanos timeout = std::chrono::seconds{config_.watchdog.timeout_s};
      dogs.push_back(std::make_unique<ReopeningWatchdog>([this, timeout] { return arm(timeout); },
                                                         "watchdog", timeout, clock_, log_));
    }
    if (Result<std::unique_ptr<SystemdWatchdog>> dog = SystemdWatchdog::open()) {
      dogs.push_back(std::move(*dog));
    } else if (dog.error().code != Errc::not_found) {
      log_.error("watchdog", describe(dog.error()));
    }
    if (dogs.empty()) return;
    watchdogs_ = std::make_unique<WatchdogGroup>(std::move(dogs));
    devices_.watchdog = watchdogs_.get();
  }
  Result<std::unique_ptr<Watchdog>> arm(Nanos timeout) {
    const std::string& device = config_.watchdog.device;
    Result<std::unique_ptr<HardwareWatchdog>> dog = HardwareWatchdog::open({device, timeout});
    if (!dog) return dog.error();
    if (!(*dog)->guards_after_crash())
      log_.warning("watchdog",
                   device + " stops when Kerbwatch crashes: it protects against hanging only");
    if ((*dog)->caused_last_restart())
      log_.error("watchdog", "the watchdog caused the last restart of this board");
    return std::unique_ptr<Watchdog>{std::move(*dog)};
  }

  const Config& config_;
  const Clock& clock_;
  Log& log_;
  const std::shared_ptr<Lasting> lasting_;
  LinuxIo kernel_;
  std::unique_ptr<Vision> vision_;
  std::vector<std::unique_ptr<CameraPipeline>> pipelines_;
  std::vector<ControlledCamera> cameras_;
  std::unique_ptr<ReopeningBus> bus_;
  std::unique_ptr<GuardLink> guard_;
  std::unique_ptr<DiagnosticLink> tester_;
  std::unique_ptr<ReopeningLine> warning_lamp_, status_lamp_;
  std::unique_ptr<Dimmer> dimmer_;
  std::unique_ptr<Tone> tone_;
  std::unique_ptr<Thermal> thermal_;
  std::unique_ptr<Watchdog> watchdogs_;
  std::optional<ServiceNotifier> notifier_;
  std::optional<Error> gpu_gap_;
  Nanos beat_at_{};
  bool guard_died_ = false, lamps_are_ours_ = false;  ///< ours: they are open again
  ControlDevices devices_;
};

}  // namespace

std::unique_ptr<Machine> Machine::make(const Config& config, const Clock& clock, Log& log) {
  return std::make_unique<LinuxMachine>(config, clock, log);
}

}  // namespace kerb
