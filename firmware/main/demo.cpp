// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/demo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "drivers/replay/open_replay.hpp"
#include "firmware/can/codec.hpp"
#include "firmware/control/controller.hpp"
#include "firmware/main/machine.hpp"
#include "firmware/main/report.hpp"
#include "hal/fake/can_bus.hpp"
#include "hal/fake/output_line.hpp"
#include "hal/fake/tone.hpp"

namespace kerb {
namespace {

using std::chrono::milliseconds;

/// The story as it happens, each line with its time.
class Teller {
 public:
  explicit Teller(const Clock& clock) : clock_{clock}, start_{clock.now()} {}
  void say(const std::string& text) const {
    const double seconds = static_cast<double>((clock_.now() - start_).count()) * 1e-9;
    fmt::print("{:6.2f} s  {}\n", seconds, text);
    std::fflush(stdout);
  }

 private:
  const Clock& clock_;
  Nanos start_;
};

/// A camera with a cable to pull: while `cut`, its frames are lost on the way.
class CuttableSource final : public FrameSource {
 public:
  CuttableSource(std::unique_ptr<FrameSource> source, const std::atomic<bool>& cut,
                 const Clock& clock)
      : source_{std::move(source)}, cut_{cut}, clock_{clock} {}
  Result<Frame> next(Nanos timeout) override {
    const Nanos deadline = clock_.now() + timeout;
    for (;;) {
      Result<Frame> frame = source_->next(std::max(deadline - clock_.now(), Nanos::zero()));
      if (!frame || !cut_) return frame;
    }
  }
  [[nodiscard]] FrameSourceInfo info() const override { return source_->info(); }
  [[nodiscard]] FrameCounters counters() const override { return source_->counters(); }

 private:
  std::unique_ptr<FrameSource> source_;
  const std::atomic<bool>& cut_;
  const Clock& clock_;
};

/// The rest of the car: says how fast it goes every 20 ms, asks for a lamp test, and listens.
class DemoCar {
 public:
  DemoCar(CanBus& bus, const Teller& teller, Nanos start)
      : bus_{bus}, teller_{teller}, next_{start} {}

  void tick(Nanos now) {
    while (now >= next_) {
      can::VehicleMotion motion;
      motion.speed_mps = 0.0;
      motion.yaw_rate_radps = 0.0;
      motion.counter = static_cast<std::uint8_t>(counter_++ % 16);
      static_cast<void>(bus_.send(can::encode(motion)));
      next_ += milliseconds{20};
    }
    while (const Result<CanFrame> frame = bus_.receive(Nanos::zero())) {
      if (const Result<can::StatusMessage> status = can::decode_status(*frame)) {
        ++statuses_;
        if (status->health.state != last_) {
          teller_.say("the car hears KW_Status: " + render_health(status->health));
          last_ = status->health.state;
          lost_ = lost_ || last_ == HealthState::degraded || last_ == HealthState::failed;
          active_ = active_ || last_ == HealthState::active;
        }
      } else if (const Result<can::WarningMessage> warning = can::decode_warning(*frame)) {
        if (warning->level != level_) {
          teller_.say(fmt::format("the car hears KW_Warning: {}{}", name_of(warning->level),
                                  warning->test ? " (test)" : ""));
          level_ = warning->level;
          warned_ = warned_ || level_ == WarningLevel::collision;
        }
      }
    }
  }
  void ask_for_warning_test() {
    can::ServiceMessage request;
    request.request = can::ServiceRequest::warning_test;
    request.level = WarningLevel::collision;
    request.duration_s = 0.5;
    static_cast<void>(bus_.send(can::encode(request)));
  }
  /// It heard ACTIVE, the lost camera, the test, and ACTIVE again at the end.
  [[nodiscard]] bool content() const {
    return active_ && lost_ && warned_ && last_ == HealthState::active && statuses_ > 0;
  }

 private:
  CanBus& bus_;
  const Teller& teller_;
  Nanos next_;
  int counter_ = 0;
  std::uint64_t statuses_ = 0;
  HealthState last_ = HealthState::starting;
  WarningLevel level_ = WarningLevel::none;
  bool active_ = false, lost_ = false, warned_ = false;
};

}  // namespace

int run_demo(double seconds, Log& log) {
  Config config;
  config.cameras.front().kind = CameraKind::pattern;
  config.cameras.front().name = "pattern";
  config.can.interface = "in memory";
  config.service_enabled = true;

  const SystemClock clock;
  Result<std::unique_ptr<Vision>> vision = Vision::create(config.vision_backend, log);
  if (!vision) return fail(describe(vision.error()));
  std::atomic<bool> cut{false};
  const SourceOpener open = [&]() -> Result<std::unique_ptr<FrameSource>> {
    auto source = open_replay(config.cameras.front(), (*vision)->frame_memory(), clock);
    if (!source) return source;
    return std::unique_ptr<FrameSource>{
        std::make_unique<CuttableSource>(std::move(*source), cut, clock)};
  };
  Result<std::unique_ptr<CameraPipeline>> pipeline =
      open_pipeline(config, config.cameras.front(), open, **vision, clock, log);
  if (!pipeline) return fail(describe(pipeline.error()));

  FakeCanWire wire;
  FakeCanBus ours{wire, clock}, theirs{wire, clock};
  FakeOutputLine warning_lamp, status_lamp;
  FakeTone tone;
  ControlDevices devices;
  devices.bus = &ours;
  devices.warning_lamp = &warning_lamp;
  devices.status_lamp = &status_lamp;
  devices.tone = &tone;
  const std::vector<ControlledCamera> cameras{{config.cameras.front().name, pipeline->get()}};
  Controller controller{config, devices, cameras, clock, log};

  const Nanos start = clock.now();
  const Nanos end = start + Nanos{static_cast<Nanos::rep>(seconds * 1e9)};
  const Nanos third = (end - start) / 3;
  const Teller teller{clock};
  DemoCar car{theirs, teller, start};
  fmt::print(
      "Kerbwatch demo: test pattern 1280x720 at 30 Hz, a bus, lamps and a sound in memory, {:.0f} "
      "s\n",
      seconds);
  (*pipeline)->start();
  bool tested = false, lamp = false, amber = false;
  for (Nanos tick = start; tick < end; tick += Controller::kTick) {
    clock.sleep_until(tick);
    const Nanos now = clock.now();
    if (!tested && now - start > third) {
      teller.say("the workshop asks for a warning test");
      car.ask_for_warning_test();
      tested = true;
    }
    const Nanos pulled = now - start - third * 3 / 2;
    const bool hold = pulled > Nanos::zero() && pulled < milliseconds{600};
    if (hold != cut)
      teller.say(hold ? "somebody pulls the camera's cable" : "and plugs it in again");
    cut = hold;
    car.tick(now);
    controller.tick(now);
    if (warning_lamp.on() != std::exchange(lamp, warning_lamp.on()))
      teller.say(fmt::format("warning lamp {}, sound {}", lamp ? "on" : "off",
                             tone.sounding() ? "on" : "off"));
    if (status_lamp.on() != std::exchange(amber, status_lamp.on()))
      teller.say(fmt::format("status lamp {}", amber ? "on" : "off"));
  }
  (*pipeline)->stop();
  controller.finish(clock.now());
  fmt::print("\n{}", render_report(controller, cameras, clock.now() - start));
  const bool good = car.content();
  fmt::print("{}\n", good ? "demo: everything behaved as it should"
                          : "demo: NOT everything behaved as it should (see above)");
  return good ? 0 : 1;
}

}  // namespace kerb
