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
#include "hal/fake/can_bus.hpp"
#include "hal/fake/frame_source.hpp"
#include "hal/fake/log.hpp"
#include "hal/fake/output_line.hpp"
#include "hal/fake/tone.hpp"
#include "tests/unit/firmware/control/listener.hpp"
#include "tests/unit/firmware/control/road.hpp"

namespace kerb::test {

/// Moves only when it is told to. Whoever waits does so for a moment of life, and looks again.
class StepClock final : public Clock {
 public:
  [[nodiscard]] Nanos now() const override { return Nanos{now_.load()}; }
  [[nodiscard]] Nanos from_monotonic(Nanos kernel_time) const override { return kernel_time; }
  [[nodiscard]] Nanos real(Nanos duration) const override {
    return std::min<Nanos>(duration, std::chrono::milliseconds{20});
  }
  void sleep_until(Nanos) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  void advance(Nanos by) { now_.fetch_add(by.count()); }

 private:
  std::atomic<Nanos::rep> now_{Nanos{std::chrono::seconds{100}}.count()};
};

class GreyPreparer final : public ImagePreparer {
 public:
  Result<PreparedImage> prepare(const RawImageView<Space::host>& image) override {
    PreparedImage out;
    out.grey = {image.data, image.width, image.height, image.row_stride};
    return out;
  }
  [[nodiscard]] const char* backend() const noexcept override { return "plain"; }
};

/// The whole product on a road, in steps: pipeline and controller as in a car, but time waits for
/// them. So a drive goes the same way on every machine, and as fast as that machine can.
class Drive : public Listener {
 public:
  static constexpr Nanos kFrame = std::chrono::microseconds{33'333};
  static constexpr Nanos kLatency = std::chrono::milliseconds{20};  ///< from exposure to processing

  struct Options {
    int cameras = 1;
    Sensitivity sensitivity = Sensitivity::normal;
  };

  Drive() : Drive(Options{}) {}
  explicit Drive(const Options& options) {
    config.service_enabled = true;
    config.health.recover = std::chrono::milliseconds{200};
    config.warning.sensitivity = options.sensitivity;
    std::vector<ControlledCamera> controlled;
    for (int i = 0; i < options.cameras; ++i) {
      add_camera();
      controlled.push_back({"camera " + std::to_string(i), eyes_.back().pipeline.get()});
    }
    ControlDevices devices;
    devices.bus = &ours_;
    devices.warning_lamp = &lamp;
    devices.status_lamp = &amber;
    devices.tone = &tone;
    controller = std::make_unique<Controller>(config, devices, std::move(controlled), clock, log);
    frame_due_ = motion_due_ = body_due_ = buttons_due_ = clock.now();
    for (const Eye& eye : eyes_) eye.pipeline->start();
  }
  ~Drive() {
    for (const Eye& eye : eyes_) eye.camera->end_after_script();
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
      frame_due_ += kFrame;
      film(now);
    }
    const std::uint64_t before = meter != nullptr ? meter() : 0;
    controller->tick(now);
    if (meter != nullptr) metered += meter() - before;
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
  void send(const CanFrame& frame) { static_cast<void>(theirs_.send(frame)); }
  [[nodiscard]] CameraPipeline& pipeline(std::size_t camera = 0) { return *eyes_[camera].pipeline; }
  [[nodiscard]] int shown() const noexcept { return shown_; }  ///< boxes in the last frame

  StepClock clock;
  FakeLog log;
  Config config;
  FakeOutputLine lamp, amber;
  FakeTone tone;
  std::unique_ptr<Controller> controller;
  std::function<void()> each_step;
  /// What rises while the product works: from the detector's call to the end of the frame, and
  /// through the controller's rounds.
  std::uint64_t (*meter)() noexcept = nullptr;
  std::uint64_t metered = 0;

  // The world, at any time.
  std::vector<Walker> people;       ///< before the rear axle; every camera sees them
  std::optional<double> speed = 0;  ///< as told; none: the car says that it does not know
  std::optional<double> yaw_rate = 0;
  std::optional<can::Gear> gear;              ///< none: the car does not tell
  std::optional<can::VehicleDriver> buttons;  ///< likewise
  bool talking = true, filming = true;

 private:
  struct Eye {
    FakeFrameSource* camera = nullptr;
    Crowd* crowd = nullptr;
    std::unique_ptr<CameraPipeline> pipeline;
  };

  void add_camera() {
    auto source = std::make_unique<FakeFrameSource>(clock);
    auto crowd = std::make_unique<Crowd>();
    Eye eye;
    eye.camera = source.get();
    eye.crowd = crowd.get();
    const SourceOpener never = []() -> Result<std::unique_ptr<FrameSource>> {
      return Error{Errc::not_found, 0, "open"};
    };
    eye.pipeline = std::make_unique<CameraPipeline>(
        std::make_unique<ReopeningSource>(std::move(source), FrameSourceInfo{}, never, clock, log),
        std::make_unique<GreyPreparer>(), std::move(crowd), StageBudgets{}, HandOver::newest, clock,
        nullptr, road_watch(config.car));
    eyes_.push_back(std::move(eye));
  }
  void talk(Nanos now) {
    if (!talking) return;
    if (now >= motion_due_) {
      motion_due_ += std::chrono::milliseconds{20};
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
      body.turn_signal = can::TurnSignal::off;
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
    then_ = people;
    const double ago = std::chrono::duration<double>{kLatency}.count();
    for (Walker& w : then_) {
      w.x_m -= (w.vx_mps - speed.value_or(0)) * ago;
      w.y_m -= w.vy_mps * ago;
    }
    FakeFrame frame;
    frame.captured = now - kLatency;
    frame.fill = static_cast<std::uint8_t>(120 + pictures_++ % 3);  // never twice the same
    for (const Eye& eye : eyes_) {
      shown_ = eye.crowd->show(then_);
      eye.crowd->meter = meter;
      const std::uint64_t before = eye.pipeline->facts().processed;
      eye.camera->push(frame);
      while (eye.pipeline->facts().processed == before)
        std::this_thread::sleep_for(std::chrono::microseconds{20});
      if (meter != nullptr) metered += meter() - eye.crowd->at_call;
    }
  }

  FakeCanWire wire_;
  FakeCanBus ours_{wire_, clock}, theirs_{wire_, clock};
  std::vector<Eye> eyes_;
  std::vector<Walker> then_;
  Nanos frame_due_{}, motion_due_{}, body_due_{}, buttons_due_{};
  std::uint8_t motion_counter_ = 0, body_counter_ = 0, buttons_counter_ = 0;
  int pictures_ = 0, shown_ = 0;
};

}  // namespace kerb::test
