// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/firmware/control/drive.hpp"
#include "firmware/visibility/view_meter.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "firmware/visibility/view_meter.hpp"
#include "tests/support/unity.hpp"

namespace kerb::test {
namespace {

/// What was opened of a plugged camera: counts from its opening on.
class PluggedCamera final : public FrameSource {
 public:
  explicit PluggedCamera(std::shared_ptr<Plug> plug)
      : plug_{std::move(plug)}, before_{plug_->camera.counters()} {}
  Result<Frame> next(Nanos timeout) override {
    if (const Errc fails = plug_->fails; fails != Errc::end) return Error{fails, 0, "the plug"};
    return plug_->camera.next(timeout);
  }
  [[nodiscard]] FrameSourceInfo info() const override { return plug_->camera.info(); }
  [[nodiscard]] FrameCounters counters() const override {
    const FrameCounters now = plug_->camera.counters();
    return {now.delivered - before_.delivered, now.dropped - before_.dropped,
            now.damaged - before_.damaged};
  }

 private:
  std::shared_ptr<Plug> plug_;
  FrameCounters before_;
};

}  // namespace

Drive::Drive(const Options& options) {
  config.service_enabled = options.service;
  config.can.required = options.can_required;
  config.can.layout = options.layout;
  config.health = options.health;
  config.warning.sensitivity = options.sensitivity;
  config.limited_view = options.limited_view;
  std::vector<ControlledCamera> controlled;
  for (int i = 0; i < options.cameras; ++i) {
    add_camera(options.detectors == Detectors::all ||
                   (i == 0 && (options.detectors == Detectors::of_the_first ||
                               options.detectors == Detectors::second_broken)),
               options.bands && !options.spectral_error, options);
    controlled.push_back({"camera " + std::to_string(i), eyes_.back().pipeline.get()});
    if (options.detectors == Detectors::broken ||
        (options.detectors == Detectors::second_broken && i == 1))
      controlled.back().detector_error = Error{Errc::damaged, 0, "load model", "x.kwm"};
    controlled.back().spectral_error = options.spectral_error;
  }
  ControlDevices devices;
  if (options.bus) devices.bus = &ours;
  devices.warning_lamp = &lamp;
  devices.status_lamp = &amber;
  devices.tone = &tone;
  devices.dimmer = &dimmer;
  devices.thermal = &thermal;
  devices.watchdog = &watchdog;
  devices.recorder = options.recorder;
  devices.events = options.events;
  devices.gaps = options.gaps;
  devices.diagnostics = options.diagnostics;
  devices.life = options.life;
  for (std::size_t i = 0; options.recorder != nullptr && i < eyes_.size(); ++i)
    eyes_[i].pipeline->set_sink(&options.recorder->camera(i));
  if (options.sink != nullptr) eyes_[0].pipeline->set_sink(options.sink);
  controller = std::make_unique<Controller>(config, devices, std::move(controlled), clock, log);
  frame_due_ = motion_due_ = body_due_ = buttons_due_ = clock.now();
  for (const Eye& eye : eyes_) eye.pipeline->start();
}

Drive::~Drive() {
  opening_hangs = false;
  for (const Eye& eye : eyes_) {
    eye.preparer->stuck = false;
    if (eye.plug) eye.plug->fails = Errc::end;
    if (eye.camera != nullptr) eye.camera->end_after_script();
  }
  for (const Eye& eye : eyes_) eye.pipeline->stop();
}

void Drive::step() {
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

bool Drive::until(const std::function<bool()>& so, Nanos limit) {
  for (const Nanos end = clock.now() + limit; clock.now() < end;) {
    step();
    if (so()) return true;
  }
  return false;
}

void Drive::run(Nanos duration) {
  for (const Nanos end = clock.now() + duration; clock.now() < end;) step();
}

bool Drive::becomes_ready() {
  return until([this] { return readiness() == Readiness::ready; });
}

bool Drive::heard(HealthState state, Cause cause) {
  return until([&] {
    return !statuses.empty() && statuses.back().health.state == state &&
           statuses.back().health.cause == cause;
  });
}

bool Drive::reaches(HealthState state, Cause cause) {
  return until(
      [&] { return controller->health().state == state && controller->health().cause == cause; });
}

void Drive::add_camera(bool with_detector, bool with_bands, const Options& options) {
  std::unique_ptr<FrameSource> source;
  Eye eye;
  if (options.plugs) {
    eye.plug = std::make_shared<Plug>(clock);
    eye.camera = &eye.plug->camera;
    source = std::make_unique<PluggedCamera>(eye.plug);
  } else {
    auto camera = std::make_unique<FakeFrameSource>(clock);
    eye.camera = camera.get();
    source = std::move(camera);
  }
  auto preparer = std::make_unique<GreyPreparer>();
  std::unique_ptr<Crowd> crowd;
  std::unique_ptr<PeopleEstimator> watch;
  if (with_detector) {
    crowd = std::make_unique<Crowd>();
    watch = road_watch(config.car);
  }
  std::unique_ptr<SpectralSearch> spectral;
  if (with_bands) {
    auto matcher = std::make_unique<FakeSpectralMatcher>();
    eye.matcher = matcher.get();
    spectral = std::make_unique<SpectralSearch>(std::move(matcher), Nanos::zero());
  }
  eye.preparer = preparer.get();
  eye.crowd = crowd.get();
  eye.beat_at = clock.now();
  const SourceOpener open = [this, plug = eye.plug]() -> Result<std::unique_ptr<FrameSource>> {
    while (opening_hangs) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    if (!plug || plug->fails == Errc::gone) return Error{Errc::not_found, 0, "open"};
    return std::unique_ptr<FrameSource>{std::make_unique<PluggedCamera>(plug)};
  };
  eye.pipeline = std::make_unique<CameraPipeline>(
      std::make_unique<ReopeningSource>(std::move(source), FrameSourceInfo{}, open, clock, log),
      std::move(preparer), std::move(crowd), StageBudgets{}, HandOver::newest, clock, nullptr,
      std::move(watch), std::move(spectral));
  if (options.measures_view) {
    const Camera camera = road_camera();
    ViewMeterSettings settings;
    settings.to_bumper_m = config.car.axle_to_bumper_m - camera.ahead_m;
    eye.pipeline->set_view_source(std::make_unique<ViewMeter>(camera, settings));
  }
  eyes_.push_back(std::move(eye));
}

void Drive::talk(Nanos now) {
  if (!talking) return;
  if (now >= motion_due_) {
    motion_due_ = std::max(motion_due_ + std::chrono::milliseconds{20}, now);
    can::VehicleMotion motion;
    motion.speed_mps = told_speed ? told_speed : speed;
    motion.yaw_rate_radps = yaw_rate;
    motion.counter = motion_counter_++ & 15;
    tell(can::encode(motion));
  }
  if (gear && now >= body_due_) {
    body_due_ = now + std::chrono::milliseconds{100};
    can::VehicleBody body;
    body.gear = *gear;
    body.turn_signal = TurnSignal::off;
    body.counter = body_counter_++ & 15;
    body.lamp_brightness = lamp_brightness;
    body.sound_volume = sound_volume;
    tell(can::encode(body));
  }
  if (buttons && now >= buttons_due_) {
    buttons_due_ = now + std::chrono::milliseconds{100};
    buttons->counter = buttons_counter_++ & 15;
    tell(can::encode(*buttons));
  }
}

void Drive::film(Nanos now) {
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
  frame.fill = static_cast<std::uint8_t>(brightness + pictures_ % 3);  // never twice the same
  for (const Eye& eye : eyes_) {
    if (eye.crowd != nullptr) {
      shown_ = eye.crowd->show(eye.people ? *eye.people : then_);
      eye.crowd->meter = meter;
    }
    if (!eye.films || (!eye.awaited && eye.camera->waiting() > 1)) continue;
    eye.camera->push(frame);
    if (!eye.awaited) continue;
    // Taken, and given back when processing is done with it.
    if (!comes_to_be([&] { return eye.camera->waiting() == 0 && eye.camera->loans() == 0; }))
      TEST_FAIL_MESSAGE("the pipeline does not take its frame");
    if (meter != nullptr && eye.crowd != nullptr) metered += meter() - eye.crowd->at_call;
  }
}

void Drive::await_threads(Nanos now) {
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

}  // namespace kerb::test
