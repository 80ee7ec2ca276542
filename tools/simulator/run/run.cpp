// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/run/run.hpp"

#include <chrono>
#include <cmath>

#include "firmware/control/controller.hpp"
#include "hal/base/crc32.hpp"
#include "hal/fake/can_bus.hpp"
#include "tools/simulator/run/camera_faults.hpp"
#include "tools/simulator/run/car.hpp"
#include "tools/simulator/run/logged_vision.hpp"
#include "tools/simulator/run/person_light.hpp"

namespace kerb::sim {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A lamp whose levels are written down.
class RecordedLine final : public OutputLine {
 public:
  RecordedLine(const SimClock& clock, std::vector<Trace::Level>& out) : clock_{clock}, out_{out} {}
  Status set(bool on) override {
    on_ = on;
    note(out_, clock_.now() - SimClock::kStart, on);
    return Done{};
  }
  [[nodiscard]] Result<bool> get() const override { return on_; }

 private:
  const SimClock& clock_;
  std::vector<Trace::Level>& out_;
  bool on_ = false;
};

class RecordedTone final : public Tone {
 public:
  RecordedTone(const SimClock& clock, std::vector<Trace::Sound>& out) : clock_{clock}, out_{out} {}
  Status play(const TonePattern& pattern) override {
    if (!is_valid(pattern)) return Error{Errc::invalid_argument, 0, "play"};
    note(out_, clock_.now() - SimClock::kStart, pattern);
    return Done{};
  }
  Status stop() override {
    note(out_, clock_.now() - SimClock::kStart, std::nullopt);
    return Done{};
  }

 private:
  const SimClock& clock_;
  std::vector<Trace::Sound>& out_;
};

/// Tells whether a scenario has changed: of when, where and how far away people are.
std::uint32_t checksum(const Truth& truth) {
  std::uint32_t sum = 0;
  const auto add = [&sum](double value) {
    sum = crc32(reinterpret_cast<const std::byte*>(&value), sizeof value, sum);
  };
  for (const Truth::Sample& s : truth.samples)
    for (const double value : {s.t, s.car_mps, s.distance, s.ahead, s.left, s.visible}) add(value);
  return sum;
}

/// The stepper: pictures, the car and the firmware's rounds, in the order of the scenario's clock.
class Stepper {
 public:
  Stepper(const World& world, const RunOptions& options, Log& log, Run& run)
      : world_{world},
        options_{options},
        log_{log},
        run_{run},
        ours_{wire_, clock_},
        theirs_{wire_, clock_},
        car_{world, theirs_},
        lamp_{clock_, run.trace.warning_lamp},
        status_lamp_{clock_, run.trace.status_lamp},
        tone_{clock_, run.trace.tone},
        faults_{world.scenario(), channels_of(world.scenario().camera.sensor)} {}

  Status go() {
    const Scenario& scenario = world_.scenario();
    const Reach reach{ours_, lamp_, status_lamp_, tone_};
    if (options_.candidate == Candidate::product) {
      Result<std::unique_ptr<Firmware>> made =
          options_.vision ? make_replaying_product(options_.config, scenario, reach, clock_, log_,
                                                   options_.vision)
          : options_.keep_vision
              ? make_kept_product(options_.config, scenario, reach, clock_, log_, keeper_)
              : make_product(options_.config, scenario, reach, clock_, log_);
      if (!made) return made.error();
      firmware_ = std::move(*made);
    } else {
      firmware_ = make_stand_in(options_.candidate, scenario, run_.truth, reach, SimClock::kStart);
    }
    if (firmware_->uses_pictures())
      painter_ =
          options_.vision ? make_small_painter() : options_.painter(scenario, options_.threads);
    const double tick = std::chrono::duration<double>(Controller::kTick).count();
    const auto ticks = static_cast<long>(std::floor(scenario.seconds / tick + 1e-6));
    for (long i = 0; i <= ticks; ++i) {
      const double t = static_cast<double>(i) * tick;
      if (painter_) show_pictures(t);
      clock_.move_to(SimClock::of_scenario(t));
      car_.tick(t);
      firmware_->tick(clock_.now());
      listen();
    }
    // What it says on its way out is no part of the run.
    const std::size_t lamps = run_.trace.warning_lamp.size(),
                      status_lamps = run_.trace.status_lamp.size(), tones = run_.trace.tone.size();
    clock_.stop();
    firmware_->finish(clock_.now());
    run_.trace.warning_lamp.resize(lamps);
    run_.trace.status_lamp.resize(status_lamps);
    run_.trace.tone.resize(tones);
    run_.vision = std::move(keeper_.log());
    return Done{};
  }

 private:
  /// Every picture whose result is known by `t`.
  void show_pictures(double t) {
    const double rate = world_.scenario().camera.rate_hz;
    for (;; ++next_picture_) {
      const double captured = static_cast<double>(next_picture_) / rate;
      const double known = captured + options_.latency_s;
      if (known > t) return;
      clock_.move_to(SimClock::of_scenario(known));
      const auto start = std::chrono::steady_clock::now();
      painter_->paint(world_, captured, bytes_);
      run_.drawing_s += seconds_since(start);
      if (!faults_.apply(captured, bytes_)) continue;
      firmware_->show(bytes_, SimClock::of_scenario(faults_.stamp(captured)));
      ++run_.pictures;
      if (options_.on_picture)
        options_.on_picture(captured, firmware_->found(), firmware_->followed());
    }
  }
  void listen() {
    while (const Result<CanFrame> frame = theirs_.receive(Nanos::zero()))
      run_.trace.frames.push_back({frame->received - SimClock::kStart, *frame});
  }

  const World& world_;
  const RunOptions& options_;
  Log& log_;
  Run& run_;
  SimClock clock_;
  FakeCanWire wire_;
  FakeCanBus ours_, theirs_;
  Car car_;
  RecordedLine lamp_, status_lamp_;
  RecordedTone tone_;
  CameraFaults faults_;
  std::unique_ptr<Painter> painter_;
  VisionKeeper keeper_;
  std::unique_ptr<Firmware> firmware_;
  std::vector<std::uint8_t> bytes_;
  long next_picture_ = 0;
};

}  // namespace

Result<Run> run_scenario(const Scenario& scenario, const RunOptions& options, Log& log) {
  const auto start = std::chrono::steady_clock::now();
  const World world{scenario};
  Run run;
  run.scenario = scenario;
  run.candidate = options.candidate;
  run.truth = find_truth(world);
  const std::uint32_t truth = checksum(run.truth);
  if (options.vision && (options.vision->run != scenario.name || options.vision->truth != truth))
    return Error{Errc::invalid_argument, 0, "the log of vision is of another scenario",
                 std::string_view{options.vision->run}};
  const Criteria& criteria = scenario.criteria;
  if (options.person_light && criteria.limited_view_accepted)
    run.truth.light = measure_person_light(
        world, run.truth, criteria.collision_warning_before_impact_s.value_or(0), options.threads);
  if (Status gone = Stepper{world, options, log, run}.go(); !gone) return gone.error();
  run.vision.run = scenario.name;
  run.vision.truth = truth;
  run.judgement = judge(scenario, run.truth, run.trace);
  run.took_s = seconds_since(start);
  return run;
}

}  // namespace kerb::sim
