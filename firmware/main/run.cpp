// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/run.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "drivers/jpeg/jpeg_encoder.hpp"
#include "firmware/control/starter.hpp"
#include "firmware/diagnostics/life_book.hpp"
#include "firmware/events/events.hpp"
#include "firmware/events/storage_test.hpp"
#include "firmware/main/console.hpp"
#include "firmware/main/diagnostics_setup.hpp"
#include "firmware/main/instance.hpp"
#include "firmware/main/machine.hpp"
#include "firmware/main/report.hpp"
#include "firmware/main/version.hpp"
#include "firmware/threads/bell.hpp"
#include "firmware/threads/real_time.hpp"
#include "firmware/vision/open_recorder.hpp"
#include "hal/base/fault_point.hpp"

namespace kerb {
namespace {

/// For the report at the end, of real time: nobody may read it.
constexpr Nanos kReportLimit = std::chrono::milliseconds{500};
constexpr Nanos kAlive = std::chrono::seconds{1};          // between signs of life during the start
constexpr Nanos kFlushLimit = std::chrono::seconds{2};     // of real time, for a disk that hangs
constexpr Nanos kLogTime = std::chrono::milliseconds{50};  // for the thread that writes the log
constexpr Nanos kLastAttempt = std::chrono::seconds{3};    // at the end, for one that is under way
/// Not 0, so that a service manager starts it again even where it does so after failures only.
constexpr int kResetExitCode = 3;
constexpr int kVisionLostExitCode = 4;

volatile std::sig_atomic_t g_signal = 0;

void on_signal(int number) { g_signal = number; }

/// Signals that end it in order, like SIGTERM: the lamps are left as they must be, the reason is in
/// the log. SIGHUP too: it comes when a terminal closes, and there is nothing to read again.
struct NamedSignal {
  int number;
  const char* name;
};
constexpr NamedSignal kEnds[] = {{SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"},
                                 {SIGQUIT, "SIGQUIT"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}};

void listen_to_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const NamedSignal& signal : kEnds) sigaction(signal.number, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

const char* name_of_signal(int number) {
  for (const NamedSignal& signal : kEnds)
    if (signal.number == number) return signal.name;
  return "a signal";
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

/// The folders that are written to.
std::vector<std::string> folders_of(const Config& config) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& file) {
    out.push_back(std::filesystem::path{file}.parent_path().string());
  };
  if (config.events.enabled) add(config.events.path);
  if (config.record.enabled) out.push_back(config.record.path);
  if (config.diagnostics.enabled) add(config.diagnostics.path);
  if (config.life.enabled) add(config.life.path);
  return out;
}

/// One run: the start, in which devices may be missing, then rounds until the end.
class Product {
 public:
  Product(const Config& config, const RunOptions& options, RealTime& real_time, Log& log)
      : config_{config},
        options_{options},
        real_time_{real_time},
        log_{log},
        clock_{config.clock_rate},
        machine_{Machine::make(config, clock_, log)},
        start_{clock_.now()},
        end_{options.seconds > 0 ? start_ + Nanos{static_cast<Nanos::rep>(options.seconds * 1e9)}
                                 : Nanos{std::numeric_limits<Nanos::rep>::max()}} {
    devices_ = machine_->devices();
    if (Result<std::unique_ptr<EventLog>> events = open_events(config.events, clock_)) {
      events_ = std::move(*events);
      devices_.events = events_.get();
    } else {
      log.error("events", describe(events.error()));
      devices_.gaps.events = events.error();
    }
    open_life();
    if (config.self_test.enabled) {
      storage_.emplace(folders_of(config));
      devices_.storage = &*storage_;
    }
    post(events::started(start_, kVersion, "run", events::boot_id().view()));
    post(events::config_loaded(start_, options.config_path, static_cast<int>(config.cameras.size()),
                               config.can.enabled ? config.can.interface : ""));
  }

  int run() {
    if (const std::optional<int> code = start()) return *code;
    log_.info("main", fmt::format("kerbwatch {} runs", kVersion));
    Bell bell;
    for (const ControlledCamera& camera : machine_->cameras()) {
      camera.pipeline->set_bell(&bell);
      camera.pipeline->set_thread_start([this](ThreadRole role) { real_time_.begin(role); });
    }
    // Whatever is thrown: no thread may be left that uses the bell or the recorder.
    const std::unique_ptr<Machine, void (*)(Machine*)> stopped{
        machine_.get(), [](Machine* machine) { machine->stop(); }};
    machine_->start();
    real_time_.lock_memory();
    real_time_.begin(ThreadRole::control);
    const char* reason = loop(bell);
    real_time_.end(ThreadRole::control);  // what is left to do must not hold up anybody
    if (end_at_once_) give_up_vision(reason);
    machine_->notify("STOPPING=1");
    controller_->silence(clock_.now());  // before anything that may take a while
    const int code = controller_->reset_requested() ? kResetExitCode : 0;
    stop_threads(reason, code);
    conclude(reason, code);
    print_within(render_report(*controller_, machine_->cameras(), clock_.now() - start_),
                 kReportLimit);
    return code;
  }

 private:
  void post(const Event& event) {
    if (events_ != nullptr) events_->post(event);
  }

  void open_life() {
    if (!config_.life.enabled) return;
    diagnostics::LifeBookOptions options;
    options.path = config_.life.path;
    options.interval = config_.life.interval;
    if (Result<std::unique_ptr<diagnostics::LifeBook>> book =
            diagnostics::LifeBook::open(options, log_)) {
      life_ = std::move(*book);
      devices_.life = life_.get();
      devices_.resumes = life_->was_interrupted();
    } else {
      log_.error("diagnostics", describe(book.error()) + "; nothing is counted in this run");
      devices_.resumes = true;  // it may be
    }
    if (devices_.resumes)
      log_.info("main", "the last run did not end in order: no lamp is tried at this start");
  }

  /// Opens what takes long. On the starter's thread.
  std::optional<StartFailure> open() {
    if (fault_point("start.open")) return StartFailure{.error = {Errc::io, errno, "start"}};
    real_time_.begin(ThreadRole::vision);  // the operators' threads are made here
    std::optional<StartFailure> failure = machine_->open_cameras(options_.strict);
    real_time_.end(ThreadRole::vision);
    if (failure) return failure;
    std::vector<CameraPipeline*> pipelines;
    for (const ControlledCamera& camera : machine_->cameras()) pipelines.push_back(camera.pipeline);
    Result<std::unique_ptr<records::WarningRecorder>> recorder =
        open_recorder(config_, pipelines, kVersion, make_record_encoder, log_);
    ControlDevices devices = devices_;
    devices.gaps.gpu = machine_->gpu_gap();
    if (recorder) {
      recorder_ = std::move(*recorder);
      devices.recorder = recorder_.get();
    } else {
      log_.error("records", describe(recorder.error()));
      devices.gaps.recorder = recorder.error();
    }
    diagnostician_.emplace(open_diagnostics(config_, devices.tester, log_));
    if (diagnostician_->setup != nullptr) diagnostician_->setup->life = life_.get();
    devices.diagnostics = diagnostician_->setup.get();
    controller_ = std::make_unique<Controller>(config_, devices, machine_->cameras(), clock_, log_);
    return std::nullopt;
  }

  /// Tries until everything is open. Nothing then; else the exit code.
  std::optional<int> start() {
    StartRound round{config_, devices_, log_, start_};
    Starter starter{[this] { return open(); }};
    HealthState told = HealthState::starting;
    Nanos tick = clock_.now(), alive{};
    while (!starter.step(tick)) {
      if (const std::optional<StartFailure>& why = starter.failure();
          why && (options_.strict || why->lasting))
        return give_up(describe(why->error), 2);
      round.tick(tick, starter.failure());
      machine_->beat(tick);
      if (tick >= alive) {
        machine_->notify("WATCHDOG=1");
        alive = tick + kAlive;
      }
      if (round.health().state != told) {
        told = round.health().state;
        machine_->notify(fmt::format("READY=1\nSTATUS={}", render_health(round.health())).c_str());
      }
      if (g_signal != 0) return give_up(starter, round, name_of_signal(g_signal));
      if (tick >= end_) return give_up(starter, round, "--seconds reached");
      clock_.sleep_until(tick + Controller::kTick);
      tick = clock_.now();
    }
    if (options_.strict)
      if (const Status all = machine_->check_devices(); !all) {
        controller_->finish(clock_.now());
        return give_up(describe(all.error()), 2);
      }
    controller_->take_over(round.messages());
    if (storage_ && storage_->error() != nullptr) log_.error("main", describe(*storage_->error()));
    return std::nullopt;
  }
  int give_up(const std::string& reason, int code) {
    post(events::stopped(clock_.now(), reason, code, clock_.now() - start_));
    if (life_) life_->finish();
    return code == 2 ? fail(reason) : code;
  }
  /// The end, before there was a start.
  int give_up(const Starter& starter, StartRound& round, const char* reason) {
    machine_->notify("STOPPING=1");
    round.finish(clock_.now());
    log_.info("main", fmt::format("stops before it has started: {}", reason));
    give_up(reason, 0);
    for (const auto limit = SteadyClock::now() + kLastAttempt; starter.busy();) {
      clock_.sleep_until(clock_.now() + Controller::kTick);
      if (SteadyClock::now() < limit) continue;
      events_.reset();  // what it was given is on the disk
      life_.reset();
      std::_Exit(0);  // a driver holds the attempt, and would hold us
    }
    return 0;
  }

  void conclude(const char* reason, int code, bool watchdog_stays = false) {
    if (watchdog_stays)
      controller_->give_up(clock_.now());
    else
      controller_->finish(clock_.now());
    post(events::stopped(clock_.now(), reason, code, clock_.now() - start_));
    log_.info("main", fmt::format("stops: {}", reason));
  }
  /// Stops the pipelines' threads. Where one cannot be joined, because an operator hangs, the
  /// process ends in order without it. Where it is to start again the watchdog stays armed, because
  /// a thread that hangs in the kernel may keep the process from ending.
  void stop_threads(const char* reason, int code) {
    std::atomic<bool> decided{false};  // who goes on: the caller, or the thread
    Bell joined;
    std::thread limit{[&] {
      if (joined.wait_until(SteadyClock::now() + clock_.real(kLastAttempt)) ||
          decided.exchange(true))
        return;
      log_.error("main", "a thread of the vision hangs: ends without it");
      conclude(reason, code, code != 0);
      leave(code);
    }};
    machine_->stop();
    while (decided.exchange(true)) std::this_thread::sleep_for(kLogTime);  // leave() ends it
    joined.ring();
    limit.join();
  }
  /// The end, with what is written on the disk and without destructors.
  [[noreturn]] void leave(int code) {
    if (recorder_) static_cast<void>(recorder_->flush(kFlushLimit));
    if (events_) static_cast<void>(events_->flush(kFlushLimit));
    life_.reset();
    if (diagnostician_) diagnostician_->store.reset();
    std::this_thread::sleep_for(kLogTime);
    std::_Exit(code);
  }

  /// The end of a process that no thread can be joined of and nothing of the GPU be freed in any
  /// more: either may hang. The watchdog stays armed; records that are not whole are read as those
  /// of a power cut.
  [[noreturn]] void give_up_vision(const char* reason) {
    machine_->notify("STOPPING=1");
    controller_->give_up(clock_.now());
    post(events::stopped(clock_.now(), reason, kVisionLostExitCode, clock_.now() - start_));
    log_.error("main", fmt::format("stops: {}", reason));
    leave(kVisionLostExitCode);
  }
  /// The GPU is lost, and something starts this process again when it ends.
  bool vision_lost() {
    if (!controller_->vision_lost()) return false;
    if (machine_->starts_again()) return true;
    if (!std::exchange(told_lost_, true))
      log_.error("main", "the GPU fails until the process ends, and nothing would start it again");
    return false;
  }

  /// Runs rounds until the end; returns the reason.
  const char* loop(Bell& bell) {
    HealthState told = HealthState::starting;
    Nanos tick = clock_.now();
    while (g_signal == 0) {
      // New people start a round at once.
      const bool rang = bell.wait_until(SteadyClock::now() + clock_.real(tick - clock_.now()));
      static_cast<void>(fault_point("thread.control"));
      const Nanos now = clock_.now();
      controller_->tick(now);
      machine_->beat(now);
      if (controller_->health().state != told) {
        told = controller_->health().state;
        machine_->notify(
            fmt::format("READY=1\nSTATUS={}", render_health(controller_->health())).c_str());
      }
      if (controller_->reset_requested()) return "a tester's reset";
      if (vision_lost()) {
        end_at_once_ = true;
        return "the GPU fails on every frame";
      }
      if (controller_->ended()) return "end of the recordings";
      if (now >= end_) return "--seconds reached";
      if (rang && now < tick) continue;
      tick += Controller::kTick;
      if (tick < now - std::chrono::seconds{1}) tick = now;  // after a long stop, do not catch up
    }
    return name_of_signal(g_signal);
  }

  const Config& config_;
  const RunOptions& options_;
  RealTime& real_time_;
  Log& log_;
  const SystemClock clock_;
  std::unique_ptr<EventLog> events_;
  std::unique_ptr<diagnostics::LifeBook> life_;
  std::optional<StorageTest> storage_;
  std::unique_ptr<Machine> machine_;
  // Made after the machine and destroyed before it, when the pipelines' threads have stopped.
  std::unique_ptr<records::WarningRecorder> recorder_;
  std::optional<Diagnostician> diagnostician_;
  std::unique_ptr<Controller> controller_;
  ControlDevices devices_;
  const Nanos start_, end_;
  bool end_at_once_ = false;
  bool told_lost_ = false;  ///< in the log
};

}  // namespace

int run_product(const Config& config, const RunOptions& options, RealTime& real_time, Log& log) {
  listen_to_signals();
  const Result<Instance> instance = Instance::begin(config, log);
  if (!instance) return fail(describe(instance.error()));
#ifndef KERB_FAULT_POINTS
  if (std::getenv("KERB_FAULTS") != nullptr)
    log.warning("main", "KERB_FAULTS does nothing: this program was built without fault points");
#endif
  if (config.clock_rate < 1)
    log.warning("main", fmt::format("clock.rate is {:g}: every time is {:.3g} times as long as in "
                                    "life; not for a vehicle",
                                    config.clock_rate, 1 / config.clock_rate));
  try {  // a recorder's memory, a pipeline's thread: the lamp is lit, and no watchdog armed yet
    return Product{config, options, real_time, log}.run();
  } catch (const std::exception& e) {
    log.error("main", fmt::format("cannot run: {}", e.what()));
    return 1;
  }
}

}  // namespace kerb
