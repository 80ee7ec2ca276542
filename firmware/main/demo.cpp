// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/demo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "drivers/replay/open_replay.hpp"
#include "firmware/can/codec.hpp"
#include "firmware/control/controller.hpp"
#include "firmware/main/console.hpp"
#include "firmware/main/report.hpp"
#include "firmware/vision/open_pipeline.hpp"
#include "hal/fake/can_bus.hpp"
#include "hal/fake/output_line.hpp"
#include "hal/fake/tone.hpp"

namespace kerb {
namespace {

using std::chrono::milliseconds;

constexpr Nanos kPatience = std::chrono::seconds{30};  // past the end, for the last step to finish

/// Prints what happens, each line with its time.
class Teller {
 public:
  explicit Teller(const Clock& clock) : clock_{clock}, start_{clock.now()} {}
  void say(const std::string& text) const {
    const double seconds = static_cast<double>((clock_.now() - start_).count()) * 1e-9;
    print("{:6.2f} s  {}\n", seconds, text);
    flush_output();
  }

 private:
  const Clock& clock_;
  Nanos start_;
};

/// A camera that can be unplugged: while `cut`, its frames are lost.
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

/// Whether the product works in this state. A busy desk, or a build with sanitizers, misses budgets
/// and skips frames; that is printed, but is not a failure of the product.
bool works(const HealthReport& health) {
  return health.state == HealthState::active || health.cause == Cause::over_budget ||
         (health.state == HealthState::degraded && health.cause == Cause::frames_dropped);
}

/// The rest of the car: sends its speed every 20 ms, requests a warning test, and reads the bus.
class DemoCar {
 public:
  DemoCar(CanBus& bus, const Teller& teller, Nanos start)
      : bus_{bus}, teller_{teller}, next_{start}, next_test_{start} {}

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
        hear(*status);
      } else if (const Result<can::WarningMessage> warning = can::decode_warning(*frame)) {
        hear(*warning);
      } else if (const Result<can::ObjectFrame> object = can::decode_objects(*frame)) {
        hear(*object);
      }
    }
  }
  /// Requests a warning test, and repeats it until it is accepted: it is refused as long as the
  /// speed is not known.
  void ask_for_warning_test(Nanos now) {
    if (warned_ || !speed_known_ || now < next_test_) return;
    teller_.say("the workshop requests a warning test");
    can::ServiceMessage request;
    request.request = can::ServiceRequest::warning_test;
    request.level = WarningLevel::collision;
    request.duration_s = 0.5;
    request.counter = static_cast<std::uint8_t>(requests_++ % 16);
    static_cast<void>(bus_.send(can::encode(request)));
    next_test_ = now + milliseconds{1500};
  }
  [[nodiscard]] bool heard_it_work() const { return worked_; }
  /// Drops what came before: this machine was standing still.
  void forget_lost_cameras() { lost_ = false; }
  [[nodiscard]] bool heard_the_camera_is_lost() const { return lost_; }
  /// All expected messages came: ACTIVE, the lost camera, the test, ACTIVE again; and, with a
  /// detector that keeps up with the camera, the people (late ones are not sent).
  [[nodiscard]] bool content(bool with_detector, bool keeps_up) const {
    return worked_ && lost_ && warned_ && works(last_) &&
           (!keeps_up || (lists_ > 0) == with_detector);
  }

 private:
  void hear(const can::StatusMessage& status) {
    const HealthReport& health = status.health;
    speed_known_ = status.speed_valid;
    if (health.state != last_.state || health.cause != last_.cause)
      teller_.say("on the bus: KW_Status: " + render_health(health));
    last_ = health;
    worked_ = worked_ || works(health);
    lost_ = lost_ || health.cause == Cause::camera_silent;
  }
  void hear(const can::WarningMessage& warning) {
    if (warning.level == level_) return;
    teller_.say(fmt::format("on the bus: KW_Warning: {}{}", name_of(warning.level),
                            warning.test ? " (test)" : ""));
    level_ = warning.level;
    warned_ = warned_ || level_ == WarningLevel::collision;
  }
  void hear(const can::ObjectFrame& object) {
    const bool last = object.count == 0 || (object.index == object.count - 1 &&
                                            object.part == can::ObjectFrame::Part::motion);
    if (!last) return;
    if (lists_++ == 0)
      teller_.say(fmt::format("on the bus: KW_Objects: {} {}", object.count,
                              object.count == 1 ? "person" : "people"));
  }

  CanBus& bus_;
  const Teller& teller_;
  Nanos next_, next_test_;
  int counter_ = 0, requests_ = 0;
  std::uint64_t lists_ = 0;
  HealthReport last_{};
  WarningLevel level_ = WarningLevel::none;
  bool worked_ = false, lost_ = false, warned_ = false, speed_known_ = false;
};

}  // namespace

int run_demo(double seconds, const std::string& model, Log& log) {
  Config config;
  config.cameras.front().kind = CameraKind::pattern;
  config.cameras.front().name = "pattern";
  config.can.interface = "in memory";
  config.service_enabled = true;
  config.detector.model = model;
  config.detector.min_height =
      0;  // people in the pattern are near, and slow machines run the demo, too
  config.record.enabled = false;
  config.health.vision_stalled = std::chrono::seconds{5};  // a busy desk is slower than a board

  const SystemClock clock;
  Result<std::unique_ptr<Vision>> vision = Vision::create(config, log);
  if (!vision) return fail(describe(vision.error()));
  std::atomic<bool> cut{false};
  const SourceOpener open = [&]() -> Result<std::unique_ptr<FrameSource>> {
    auto source = open_replay(config.cameras.front(), (*vision)->frame_memory(), clock);
    if (!source) return source;
    return std::unique_ptr<FrameSource>{
        std::make_unique<CuttableSource>(std::move(*source), cut, clock)};
  };
  Result<OpenedPipeline> opened =
      open_pipeline(config, config.cameras.front(), open, **vision, clock, log);
  if (!opened) return fail(describe(opened.error()));
  if (opened->detector_error) return fail(describe(*opened->detector_error));
  CameraPipeline& pipeline = *opened->pipeline;

  FakeCanWire wire;
  FakeCanBus ours{wire, clock}, theirs{wire, clock};
  FakeOutputLine warning_lamp, status_lamp;
  FakeTone tone;
  ControlDevices devices;
  devices.bus = &ours;
  devices.warning_lamp = &warning_lamp;
  devices.status_lamp = &status_lamp;
  devices.tone = &tone;
  const std::vector<ControlledCamera> cameras{
      {config.cameras.front().name, &pipeline, {}, opened->flow_error, opened->spectral_error}};
  Controller controller{config, devices, cameras, clock, log};

  const Nanos start = clock.now();
  const Nanos end = start + Nanos{static_cast<Nanos::rep>(seconds * 1e9)};
  const Nanos third = (end - start) / 3;
  const Teller teller{clock};
  DemoCar car{theirs, teller, start};
  print(
      "Kerbwatch demo: test pattern 1280x720 at 30 Hz, a bus, lamps and a sound in memory, {:.0f} "
      "s\n",
      seconds);
  pipeline.start();
  bool lamp = false, amber = false;
  const bool detects = pipeline.detector() != nullptr;
  std::optional<Nanos> pulled;
  const auto is_content = [&] {
    return car.content(detects,
                       5 * pipeline.stage(Stage::total).median < 4 * config.health.camera_silent);
  };
  // Each step waits for the one before it, and the end for the last: on a machine that stands still
  // for a while the demo takes longer, and shows the same.
  for (Nanos tick = start; tick < end || (!is_content() && tick < end + kPatience);
       tick += Controller::kTick) {
    clock.sleep_until(tick);
    const Nanos now = clock.now();
    if (now - start > third) car.ask_for_warning_test(now);
    if (!pulled && now - start > third * 3 / 2 && car.heard_it_work()) {
      pulled = now;
      cut = true;
      car.forget_lost_cameras();
      teller.say("the camera is unplugged");
    }
    if (cut && now - *pulled >= milliseconds{600} && car.heard_the_camera_is_lost()) {
      cut = false;
      teller.say("the camera is plugged in again");
    }
    car.tick(now);
    controller.tick(now);
    if (warning_lamp.on() != std::exchange(lamp, warning_lamp.on()))
      teller.say(fmt::format("warning lamp {}, sound {}", lamp ? "on" : "off",
                             tone.sounding() ? "on" : "off"));
    if (status_lamp.on() != std::exchange(amber, status_lamp.on()))
      teller.say(fmt::format("status lamp {}", amber ? "on" : "off"));
  }
  pipeline.stop();
  controller.finish(clock.now());
  print("\n{}", render_report(controller, cameras, clock.now() - start));
  const std::uint64_t late = pipeline.stage(Stage::total).over_budget;
  if (const std::uint64_t skipped = pipeline.facts().skipped; late + skipped > 0)
    print(
        "this machine was slow at times: {} frames over budget, {} skipped; not counted as a "
        "failure\n",
        late, skipped);
  const bool good = is_content();
  print_text(good ? "demo: passed\n" : "demo: NOT everything behaved as it should (see above)\n");
  return good ? 0 : 1;
}

}  // namespace kerb
