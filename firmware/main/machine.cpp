// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/machine.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "drivers/alsa/alsa_tone.hpp"
#include "drivers/gpio/linux_output_line.hpp"
#include "drivers/isotp/isotp_link.hpp"
#include "drivers/replay/open_replay.hpp"
#include "drivers/socketcan/socketcan_bus.hpp"
#include "drivers/thermal/sysfs_thermal.hpp"
#include "drivers/v4l2/v4l2_camera.hpp"
#include "drivers/watchdog/hardware_watchdog.hpp"
#include "drivers/watchdog/systemd_watchdog.hpp"
#include "drivers/watchdog/watchdog_group.hpp"
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

/// Opens an output for the first time; later it reopens itself when the device returns.
template <typename Reopens, typename Output>
Status open_output(const OutputOpener<Output>& open, const char* name, const Clock& clock, Log& log,
                   std::unique_ptr<Output>& output, Output*& device) {
  Result<std::unique_ptr<Output>> first = open();
  if (!first) return first.error();
  output = std::make_unique<Reopens>(std::move(*first), open, name, clock, log);
  device = output.get();
  return Done{};
}

}  // namespace

int fail(std::string_view text) {
  std::fprintf(stderr, "kerbwatch: error: %.*s\n", static_cast<int>(text.size()), text.data());
  return 2;
}

namespace {

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

  Status open_all(const Config& config, const Clock& clock, Log& log) {
    if (Result<ServiceNotifier> notifier = ServiceNotifier::open())
      notifier_ = std::move(*notifier);
    // The watchdog last: an error before it must not leave it armed.
    if (Status s = open_cameras(config, clock, log); !s) return s;
    if (Status s = open_bus(config, clock); !s) return s;
    open_tester(config, clock, log);
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
      // Run anyway: lamp and bus must show the driver that vision has failed.
      if (opened->detector_error)
        log.error("detector", fmt::format("camera {}: {}; detection off", settings.name,
                                          describe(*opened->detector_error)));
      cameras_.push_back({settings.name, opened->pipeline.get(), opened->detector_error,
                          opened->flow_error, opened->spectral_error, settings.imaging});
      pipelines_.push_back(std::move(opened->pipeline));
    }
    return Done{};
  }
  Status open_bus(const Config& config, const Clock& clock) {
    if (!config.can.enabled) return Done{};
    SocketCanOptions options;
    options.interface = config.can.interface;
    options.fd = config.can.fd;
    for (const std::uint32_t id :
         {can::kVehicleMotionId, can::kVehicleBodyId, can::kDriverId, can::kServiceId})
      options.filters.push_back({id, 0x7FF});
    Result<std::unique_ptr<SocketCanBus>> bus = SocketCanBus::open(options, clock);
    if (!bus) return bus.error();
    bus_ = std::move(*bus);
    devices_.bus = bus_.get();
    return Done{};
  }
  void open_tester(const Config& config, const Clock& clock, Log& log) {
    if (!config.diagnostics.enabled) return;
    Result<std::unique_ptr<IsotpLink>> tester =
        IsotpLink::open({config.can.interface, config.diagnostics.request_id,
                         config.diagnostics.response_id, config.diagnostics.functional_id},
                        clock);
    if (!tester) {  // a workshop can wait, a driver cannot
      log.error("diagnostics", describe(tester.error()) + "; no tester will be answered");
      return;
    }
    tester_ = std::move(*tester);
    devices_.tester = tester_.get();
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
    if (!thermal) {  // a desk may have none, without danger; a Jetson always has one
      log.warning("thermal",
                  describe(thermal.error()) + "; continuing without temperature monitoring");
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
        log.warning("watchdog",
                    config.watchdog.device +
                        " stops when Kerbwatch crashes: it protects against hanging only");
      if ((*dog)->caused_last_restart())
        log.error("watchdog", "the watchdog caused the last restart of this board");
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
  std::unique_ptr<DiagnosticLink> tester_;
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
