// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firmware/control/controller.hpp"
#include "firmware/threads/bell.hpp"
#include "hal/fake/can_bus.hpp"
#include "hal/fake/dimmer.hpp"
#include "hal/fake/frame_source.hpp"
#include "hal/fake/log.hpp"
#include "hal/fake/output_line.hpp"
#include "hal/fake/spectral_matcher.hpp"
#include "hal/fake/thermal.hpp"
#include "hal/fake/tone.hpp"
#include "hal/fake/watchdog.hpp"
#include "tests/support/eventually.hpp"
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

/// A camera whose plug can be pulled, and put in again: it is then opened again like any other.
struct Plug {
  explicit Plug(const Clock& clock) : camera{clock} {}
  FakeFrameSource camera;
  std::atomic<Errc> fails{Errc::end};  ///< gone, no_signal; end: it does not fail
};

/// The whole product on a road, in steps: pipeline and controller as in a car, but time waits for
/// them. So a drive goes the same way on every machine, and as fast as that machine can; where the
/// machine stands still, so does time.
class Drive : public Listener {
 public:
  static constexpr Nanos kFrame = std::chrono::microseconds{33'333};
  static constexpr Nanos kLatency = std::chrono::milliseconds{20};  ///< from exposure to processing

  enum class Detectors { all, none, of_the_first, broken, second_broken };
  struct Options {
    int cameras = 1;
    Sensitivity sensitivity = Sensitivity::normal;
    Detectors detectors = Detectors::all;
    records::WarningRecorder* recorder = nullptr;     ///< outlives the drive
    EventLog* events = nullptr;                       ///< likewise
    const diagnostics::Setup* diagnostics = nullptr;  ///< null: no workshop asks
    diagnostics::LifeBook* life = nullptr;            ///< null: nothing outlives it
    StartGaps gaps{};
    bool bus = true;                        ///< false: can.enabled is
    bool bands = false;                     ///< every camera has some
    std::optional<Error> spectral_error{};  ///< what looks at them could not be made
    bool measures_view = false;             ///< every camera measures how far it sees
    LimitedViewSettings limited_view{};
    bool service = true;                        ///< service.enabled
    bool can_required = true;                   ///< can.required
    VehicleLayout layout = kerbwatch_layout();  ///< of the car; it talks as this one does
    HealthSettings health{.recover = std::chrono::milliseconds{200}};
    bool plugs = false;          ///< cameras have plugs
    PeopleSink* sink = nullptr;  ///< of the first camera; null: the recorder's, where there is one
  };
  /// A camera, as the test sees it.
  struct Eye {
    FakeFrameSource* camera = nullptr;  ///< null: it has left for good
    std::shared_ptr<Plug> plug;         ///< with Options::plugs; `camera` is its
    bool films = true;
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
  explicit Drive(const Options& options);
  ~Drive();
  Drive(const Drive&) = delete;
  Drive& operator=(const Drive&) = delete;

  /// A hundredth of a second: the car and people move, the car talks, cameras deliver, the
  /// controller has its round.
  void step();
  bool until(const std::function<bool()>& so, Nanos limit = std::chrono::seconds{10});
  void run(Nanos duration);
  /// As on any start: frames flow, the speed is known.
  bool becomes_ready();
  /// The bus has said so.
  bool heard(HealthState state, Cause cause);
  /// The controller knows, whether or not anybody hears it.
  bool reaches(HealthState state, Cause cause);
  void send(const CanFrame& frame) { static_cast<void>(theirs_.send(frame)); }
  [[nodiscard]] std::size_t cameras() const noexcept { return eyes_.size(); }
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
  FakeDimmer dimmer;
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
  std::vector<Walker> people;        ///< before the rear axle; every camera sees them
  std::optional<double> speed = 0;   ///< as told; none: the car says that it does not know
  std::optional<double> told_speed;  ///< told instead
  std::optional<double> yaw_rate = 0;
  std::optional<Gear> gear;                             ///< none: the car does not tell
  std::optional<double> lamp_brightness, sound_volume;  ///< with the gear; none: it does not tell
  std::optional<can::VehicleDriver> buttons;            ///< as the gear
  bool talking = true, filming = true;
  bool unheard = false;                    ///< the car talks, and it is lost on the way
  int brightness = 120;                    ///< grey value of the pictures, up to 253
  bool frozen = false;                     ///< the camera shows the same picture again and again
  std::atomic<bool> opening_hangs{false};  ///< of a camera that has left

 private:
  void add_camera(bool with_detector, bool with_bands, const Options& options);
  void talk(Nanos now);
  void tell(const CanFrame& frame) {
    if (!unheard) send(frame);
  }
  /// A frame that was exposed a while ago, seen through to its end.
  void film(Nanos now);
  /// Each thread of each pipeline wakes ten times a second, whatever its camera does. One that this
  /// machine does not let run gets a fifth of a second of life for every step.
  void await_threads(Nanos now);

  FakeCanBus theirs_{wire, clock};
  std::vector<Eye> eyes_;
  std::vector<Walker> then_;
  Nanos frame_due_{}, motion_due_{}, body_due_{}, buttons_due_{};
  std::uint8_t motion_counter_ = 0, body_counter_ = 0, buttons_counter_ = 0;
  int pictures_ = 0, shown_ = 0;
};

}  // namespace kerb::test
