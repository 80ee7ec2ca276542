// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "firmware/control/controller.hpp"
#include "firmware/threads/bell.hpp"
#include "hal/fake/can_bus.hpp"
#include "hal/fake/frame_source.hpp"
#include "hal/fake/log.hpp"
#include "hal/fake/output_line.hpp"
#include "hal/fake/spectral_matcher.hpp"
#include "hal/fake/thermal.hpp"
#include "hal/fake/tone.hpp"
#include "hal/fake/watchdog.hpp"
#include "tests/support/unity.hpp"
#include "tests/unit/firmware/control/listener.hpp"
#include "tests/unit/firmware/control/road.hpp"
#include "tests/unit/firmware/control/step_clock.hpp"

namespace kerb::test {

/// Life as that clock sees it, for what counts real time: a watchdog.
class LifeOfSteps final : public Clock {
 public:
  explicit LifeOfSteps(const StepClock& steps) : steps_{steps} {}
  [[nodiscard]] Nanos now() const override { return steps_.real(steps_.now()); }
  [[nodiscard]] Nanos from_monotonic(Nanos kernel_time) const override { return kernel_time; }
  [[nodiscard]] Nanos real(Nanos duration) const override { return duration; }
  void sleep_until(Nanos instant) const override { steps_.sleep_until(instant); }

 private:
  const StepClock& steps_;
};

/// Waits, in life, until it is so: true; false after a minute, which no machine needs.
inline bool comes_to_be(const std::function<bool()>& so, Nanos limit = std::chrono::minutes{1}) {
  const auto end = SteadyClock::now() + limit;
  for (int looks = 0; !so(); ++looks) {
    if (looks < 100) {
      std::this_thread::yield();
      continue;
    }
    if (SteadyClock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds{20});
  }
  return true;
}

/// The whole product on a road, in steps: pipeline and controller as in a car, but time waits for
/// them. So a drive goes the same way on every machine, and as fast as that machine can; where the
/// machine stands still, so does time.
class Drive : public Listener {
 public:
  static constexpr Nanos kFrame = std::chrono::microseconds{33'333};
  static constexpr Nanos kLatency = std::chrono::milliseconds{20};  ///< from exposure to processing

  enum class Detectors { all, none, of_the_first, broken };
  struct Options {
    int cameras = 1;
    Sensitivity sensitivity = Sensitivity::normal;
    Detectors detectors = Detectors::all;
    records::WarningRecorder* recorder = nullptr;  ///< outlives the drive
    EventLog* events = nullptr;                    ///< likewise
    bool bands = false;                            ///< every camera has some
    std::optional<Error> spectral_error{};         ///< what looks at them could not be made
    PeopleSink* sink = nullptr;  ///< of the first camera; null: the recorder's, where there is one
  };
  /// A camera, as the test sees it.
  struct Eye {
    FakeFrameSource* camera = nullptr;  ///< null: it has left for good
    GreyPreparer* preparer = nullptr;
    Crowd* crowd = nullptr;                       ///< null: it has no detector
    FakeSpectralMatcher* matcher = nullptr;       ///< null: it has no bands
    std::optional<std::vector<Walker>> people{};  ///< none: it sees those of the drive
    std::unique_ptr<CameraPipeline> pipeline;
    bool awaited = true;  ///< false: its threads are stuck, and time does not wait for them
    std::uint64_t capture_beats = 0, process_beats = 0;
    Nanos beat_at{};
  };

  Drive() : Drive(Options{}) {}
  explicit Drive(const Options& options) {
    config.service_enabled = true;
    config.health.recover = std::chrono::milliseconds{200};
    config.warning.sensitivity = options.sensitivity;
    std::vector<ControlledCamera> controlled;
    for (int i = 0; i < options.cameras; ++i) {
      add_camera(options.detectors == Detectors::all ||
                     (options.detectors == Detectors::of_the_first && i == 0),
                 options.bands && !options.spectral_error);
      controlled.push_back({"camera " + std::to_string(i), eyes_.back().pipeline.get()});
      if (options.detectors == Detectors::broken)
        controlled.back().detector_error = Error{Errc::damaged, 0, "load model", "x.kwm"};
      controlled.back().spectral_error = options.spectral_error;
    }
    ControlDevices devices;
    devices.bus = &ours;
    devices.warning_lamp = &lamp;
    devices.status_lamp = &amber;
    devices.tone = &tone;
    devices.thermal = &thermal;
    devices.watchdog = &watchdog;
    devices.recorder = options.recorder;
    devices.events = options.events;
    for (std::size_t i = 0; options.recorder != nullptr && i < eyes_.size(); ++i)
      eyes_[i].pipeline->set_sink(&options.recorder->camera(i));
    if (options.sink != nullptr) eyes_[0].pipeline->set_sink(options.sink);
    controller = std::make_unique<Controller>(config, devices, std::move(controlled), clock, log);
    frame_due_ = motion_due_ = body_due_ = buttons_due_ = clock.now();
    for (const Eye& eye : eyes_) eye.pipeline->start();
  }
  ~Drive() {
    opening_hangs = false;
    for (const Eye& eye : eyes_) {
      eye.preparer->stuck = false;
      if (eye.camera != nullptr) eye.camera->end_after_script();
    }
    for (const Eye& eye : eyes_) eye.pipeline->stop();
  }
  Drive(const Drive&) = delete;
  Drive& operator=(const Drive&) = delete;

  /// A hundredth of a second: the car and people move, the car talks, cameras deliver, the
  /// controller has its round.
  void step() {
    clock.advance(Controller::kTick);
    const double dt = std::chrono::duration<double>{Controller::kTick}.count();
    for (Walker& w : people) {
      w.x_m += (w.vx_mps - speed.value_or(0)) * dt;
      w.y_m += w.vy_mps * dt;
    }
    const Nanos now = clock.now();
    talk(now);
    if (filming && now >= frame_due_) {
      frame_due_ = std::max(frame_due_ + kFrame, now);
      film(now);
    }
    await_threads(now);
    const std::uint64_t before = meter != nullptr ? meter() : 0;
    const std::uint64_t before_round = round_meter != nullptr ? round_meter() : 0;
    controller->tick(now);
    if (meter != nullptr) metered += meter() - before;
    if (round_meter != nullptr) last_round = round_meter() - before_round;
    hear(theirs_);
    if (each_step) each_step();
  }
  bool until(const std::function<bool()>& so, Nanos limit = std::chrono::seconds{10}) {
    for (const Nanos end = clock.now() + limit; clock.now() < end;) {
      step();
      if (so()) return true;
    }
    return false;
  }
  void run(Nanos duration) {
    for (const Nanos end = clock.now() + duration; clock.now() < end;) step();
  }
  /// As on any start: frames flow, the speed is known.
  bool becomes_ready() {
    return until([this] { return readiness() == Readiness::ready; });
  }
  /// The bus has said so.
  bool heard(HealthState state, Cause cause) {
    return until([&] {
      return !statuses.empty() && statuses.back().health.state == state &&
             statuses.back().health.cause == cause;
    });
  }
  /// The controller knows, whether or not anybody hears it.
  bool reaches(HealthState state, Cause cause) {
    return until(
        [&] { return controller->health().state == state && controller->health().cause == cause; });
  }
  void send(const CanFrame& frame) { static_cast<void>(theirs_.send(frame)); }
  [[nodiscard]] Eye& eye(std::size_t camera = 0) { return eyes_[camera]; }
  [[nodiscard]] CameraPipeline& pipeline(std::size_t camera = 0) { return *eyes_[camera].pipeline; }
  [[nodiscard]] int shown() const noexcept { return shown_; }  ///< boxes in the last frame

  StepClock clock;
  FakeLog log;
  Config config;
  FakeCanWire wire;
  FakeCanBus ours{wire, clock};
  FakeOutputLine lamp, amber;
  FakeTone tone;
  FakeThermal thermal;
  LifeOfSteps life{clock};
  FakeWatchdogTimer timer{life, clock.real(std::chrono::seconds{4})};
  FakeWatchdog watchdog{timer};
  std::unique_ptr<Controller> controller;
  std::function<void()> each_step;
  /// What rises while the product works: from the detector's call to the end of the frame, and
  /// through the controller's rounds.
  std::uint64_t (*meter)() noexcept = nullptr;
  std::uint64_t metered = 0;
  std::uint64_t (*round_meter)() noexcept = nullptr;  ///< the same for the last round alone
  std::uint64_t last_round = 0;

  // The world, at any time.
  std::vector<Walker> people;       ///< before the rear axle; every camera sees them
  std::optional<double> speed = 0;  ///< as told; none: the car says that it does not know
  std::optional<double> yaw_rate = 0;
  std::optional<Gear> gear;                   ///< none: the car does not tell
  std::optional<can::VehicleDriver> buttons;  ///< likewise
  bool talking = true, filming = true;
  bool frozen = false;                     ///< the camera shows the same picture again and again
  std::atomic<bool> opening_hangs{false};  ///< of a camera that has left

 private:
  void add_camera(bool with_detector, bool with_bands) {
    auto source = std::make_unique<FakeFrameSource>(clock);
    auto preparer = std::make_unique<GreyPreparer>();
    std::unique_ptr<Crowd> crowd;
    std::unique_ptr<PeopleEstimator> watch;
    if (with_detector) {
      crowd = std::make_unique<Crowd>();
      watch = road_watch(config.car);
    }
    Eye eye;
    std::unique_ptr<SpectralSearch> spectral;
    if (with_bands) {
      auto matcher = std::make_unique<FakeSpectralMatcher>();
      eye.matcher = matcher.get();
      spectral = std::make_unique<SpectralSearch>(std::move(matcher), Nanos::zero());
    }
    eye.camera = source.get();
    eye.preparer = preparer.get();
    eye.crowd = crowd.get();
    eye.beat_at = clock.now();
    const SourceOpener never = [this]() -> Result<std::unique_ptr<FrameSource>> {
      while (opening_hangs) std::this_thread::sleep_for(std::chrono::milliseconds{1});
      return Error{Errc::not_found, 0, "open"};
    };
    eye.pipeline = std::make_unique<CameraPipeline>(
        std::make_unique<ReopeningSource>(std::move(source), FrameSourceInfo{}, never, clock, log),
        std::move(preparer), std::move(crowd), StageBudgets{}, HandOver::newest, clock, nullptr,
        std::move(watch), std::move(spectral));
    eyes_.push_back(std::move(eye));
  }
  void talk(Nanos now) {
    if (!talking) return;
    if (now >= motion_due_) {
      motion_due_ = std::max(motion_due_ + std::chrono::milliseconds{20}, now);
      can::VehicleMotion motion;
      motion.speed_mps = speed;
      motion.yaw_rate_radps = yaw_rate;
      motion.counter = motion_counter_++ & 15;
      send(can::encode(motion));
    }
    if (gear && now >= body_due_) {
      body_due_ = now + std::chrono::milliseconds{100};
      can::VehicleBody body;
      body.gear = *gear;
      body.turn_signal = TurnSignal::off;
      body.counter = body_counter_++ & 15;
      send(can::encode(body));
    }
    if (buttons && now >= buttons_due_) {
      buttons_due_ = now + std::chrono::milliseconds{100};
      buttons->counter = buttons_counter_++ & 15;
      send(can::encode(*buttons));
    }
  }
  /// A frame that was exposed a while ago, seen through to its end.
  void film(Nanos now) {
    if (!frozen) then_ = people;
    const double ago = std::chrono::duration<double>{kLatency}.count();
    for (Walker& w : then_) {
      if (frozen) break;
      w.x_m -= (w.vx_mps - speed.value_or(0)) * ago;
      w.y_m -= w.vy_mps * ago;
    }
    FakeFrame frame;
    frame.captured = now - kLatency;
    if (!frozen) ++pictures_;
    frame.fill = static_cast<std::uint8_t>(120 + pictures_ % 3);  // never twice the same
    for (const Eye& eye : eyes_) {
      if (eye.crowd != nullptr) {
        shown_ = eye.crowd->show(eye.people ? *eye.people : then_);
        eye.crowd->meter = meter;
      }
      if (!eye.awaited && eye.camera->waiting() > 1) continue;
      eye.camera->push(frame);
      if (!eye.awaited) continue;
      // Taken, and given back when processing is done with it.
      if (!comes_to_be([&] { return eye.camera->waiting() == 0 && eye.camera->loans() == 0; }))
        TEST_FAIL_MESSAGE("the pipeline does not take its frame");
      if (meter != nullptr && eye.crowd != nullptr) metered += meter() - eye.crowd->at_call;
    }
  }
  /// Each thread of each pipeline wakes ten times a second, whatever its camera does. One that this
  /// machine does not let run gets a fifth of a second of life for every step.
  void await_threads(Nanos now) {
    for (Eye& eye : eyes_) {
      const auto beaten = [&eye] {
        const PipelineFacts facts = eye.pipeline->facts();
        return facts.capture_beats != eye.capture_beats && facts.process_beats != eye.process_beats;
      };
      const bool late = eye.awaited && now - eye.beat_at > std::chrono::milliseconds{150};
      if (!(late ? comes_to_be(beaten, std::chrono::milliseconds{200}) : beaten())) continue;
      const PipelineFacts facts = eye.pipeline->facts();
      eye.capture_beats = facts.capture_beats;
      eye.process_beats = facts.process_beats;
      eye.beat_at = now;
    }
  }

  FakeCanBus theirs_{wire, clock};
  std::vector<Eye> eyes_;
  std::vector<Walker> then_;
  Nanos frame_due_{}, motion_due_{}, body_due_{}, buttons_due_{};
  std::uint8_t motion_counter_ = 0, body_counter_ = 0, buttons_counter_ = 0;
  int pictures_ = 0, shown_ = 0;
};

}  // namespace kerb::test
