// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/run.hpp"

#include <fmt/format.h>

#include <csignal>
#include <limits>
#include <optional>
#include <vector>

#include "drivers/jpeg/jpeg_encoder.hpp"
#include "firmware/events/events.hpp"
#include "firmware/main/diagnostics_setup.hpp"
#include "firmware/main/machine.hpp"
#include "firmware/main/report.hpp"
#include "firmware/main/version.hpp"
#include "firmware/threads/bell.hpp"
#include "firmware/vision/open_recorder.hpp"

namespace kerb {
namespace {

// Not 0, so that a service manager starts it again even where it does so after failures only.
constexpr int kResetExitCode = 3;

volatile std::sig_atomic_t g_signal = 0;

void on_signal(int number) { g_signal = number; }

void listen_to_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

/// The event log, with events.enabled. One that cannot be written yet has an error in its status.
Result<std::unique_ptr<EventLog>> open_events(const EventSettings& settings, const Clock& clock) {
  if (!settings.enabled) return std::unique_ptr<EventLog>{};
  EventLogOptions options;
  options.path = settings.path;
  options.max_file_bytes = static_cast<std::uint64_t>(settings.max_bytes);
  options.files = settings.files;
  return EventLog::open(options, clock);
}

/// Runs rounds until the end; returns the reason.
const char* loop(Controller& controller, Machine& machine, Bell& bell, const Clock& clock,
                 Nanos end) {
  HealthState told = HealthState::starting;
  Nanos tick = clock.now();
  while (g_signal == 0) {
    // New people start a round at once.
    const bool rang = bell.wait_until(SteadyClock::now() + clock.real(tick - clock.now()));
    const Nanos now = clock.now();
    controller.tick(now);
    if (controller.health().state != told) {
      told = controller.health().state;
      machine.notify(fmt::format("READY=1\nSTATUS={}", render_health(controller.health())).c_str());
    }
    if (controller.reset_requested()) return "a tester's reset";
    if (controller.ended()) return "end of the recordings";
    if (now >= end) return "--seconds reached";
    if (rang && now < tick) continue;
    tick += Controller::kTick;
    if (tick < now - std::chrono::seconds{1}) tick = now;  // after a long stop, do not catch up
  }
  return g_signal == SIGTERM ? "SIGTERM" : "SIGINT";
}

}  // namespace

int run_product(const Config& config, const std::string& config_path, double seconds, Log& log) {
  listen_to_signals();
  const SystemClock clock{config.clock_rate};
  Result<std::unique_ptr<EventLog>> events = open_events(config.events, clock);
  if (!events) return fail(describe(events.error()));
  EventLog* const log_of_events = events->get();
  const auto post = [&](const Event& event) {
    if (log_of_events != nullptr) log_of_events->post(event);
  };
  const Nanos start = clock.now();
  post(events::started(start, kVersion, "run", events::boot_id().view()));
  post(events::config_loaded(start, config_path, static_cast<int>(config.cameras.size()),
                             config.can.enabled ? config.can.interface : ""));

  Result<std::unique_ptr<Machine>> machine = Machine::open(config, clock, log);
  if (!machine) {
    post(events::stopped(clock.now(), describe(machine.error()), 2, clock.now() - start));
    return fail(describe(machine.error()));
  }
  std::vector<CameraPipeline*> pipelines;
  for (const ControlledCamera& camera : (*machine)->cameras()) pipelines.push_back(camera.pipeline);
  // Made after the machine and destroyed before it, when the pipelines' threads have stopped.
  const Result<std::unique_ptr<records::WarningRecorder>> recorder =
      open_recorder(config, pipelines, kVersion, make_record_encoder, log);
  if (!recorder) {
    post(events::stopped(clock.now(), describe(recorder.error()), 2, clock.now() - start));
    return fail(describe(recorder.error()));
  }
  ControlDevices devices = (*machine)->devices();
  devices.events = log_of_events;
  devices.recorder = recorder->get();
  const Diagnostician diagnostician = open_diagnostics(config, devices.tester, log);
  devices.diagnostics = diagnostician.setup.get();
  Controller controller{config, devices, (*machine)->cameras(), clock, log};

  log.info("main", fmt::format("kerbwatch {} runs", kVersion));
  Bell bell;
  for (const ControlledCamera& camera : (*machine)->cameras()) camera.pipeline->set_bell(&bell);
  (*machine)->start();
  const Nanos end = seconds > 0 ? start + Nanos{static_cast<Nanos::rep>(seconds * 1e9)}
                                : Nanos{std::numeric_limits<Nanos::rep>::max()};
  const char* reason = loop(controller, **machine, bell, clock, end);

  (*machine)->notify("STOPPING=1");
  (*machine)->stop();
  controller.finish(clock.now());
  const Nanos ran = clock.now() - start;
  const int code = controller.reset_requested() ? kResetExitCode : 0;
  post(events::stopped(clock.now(), reason, code, ran));
  log.info("main", fmt::format("stops: {}", reason));
  fmt::print("{}", render_report(controller, (*machine)->cameras(), ran));
  return code;
}

}  // namespace kerb
