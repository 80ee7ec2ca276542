// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/controller.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <utility>

namespace kerb {
namespace {

bool detects(const ControlledCamera& camera) noexcept {
  return camera.pipeline->follows() && camera.pipeline->detector() != nullptr;
}
bool all_detect(const std::vector<ControlledCamera>& cameras) noexcept {
  return !cameras.empty() && std::ranges::all_of(cameras, detects);
}

/// A camera without a detector beside one that has one sees nobody: a fault, even if nobody meant
/// it to have one.
std::vector<ControlledCamera> with_faults(std::vector<ControlledCamera> cameras) {
  if (std::ranges::none_of(cameras, detects)) return cameras;
  for (ControlledCamera& camera : cameras)
    if (!detects(camera) && !camera.detector_error) {
      camera.detector_error = Error{Errc::not_found, 0, "make detector", "no model for camera "};
      camera.detector_error->what.append(camera.name);
    }
  return cameras;
}

fuse::FuserSettings fusion_of(const Config& config, std::size_t cameras) noexcept {
  return {.cameras = static_cast<int>(cameras),
          .car = {config.car.width_m, config.car.length_m, config.car.axle_to_bumper_m},
          .contact = config.decisions.contact};
}

AlertLevelSettings levels_of(const Config& config) noexcept {
  return {.darkest = config.lamp.dimmer.darkest,
          .quietest = config.tone.quietest,
          .night_volume = config.tone.night_volume};
}

}  // namespace

Controller::Controller(const Config& config, const ControlDevices& devices,
                       std::vector<ControlledCamera> cameras, const Clock& clock, Log& log)
    : Controller{config, devices, std::move(cameras), clock, log, clock.now()} {}

Controller::Controller(const Config& config, const ControlDevices& devices,
                       std::vector<ControlledCamera> cameras, const Clock& clock, Log& log,
                       Nanos start)
    : cameras_{with_faults(std::move(cameras))},
      clock_{clock},
      start_{start},
      detects_{all_detect(cameras_)},
      one_detects_{std::ranges::any_of(cameras_, detects)},
      recorder_{devices.recorder},
      life_{devices.life},
      reporter_{config, cameras_, devices.events, log, totals_},
      bus_{devices, config.can.vehicle, config.can.layout, start},
      monitor_{start + config.health.start, config.health.recover,
               static_cast<int>(cameras_.size())},
      cameras_judge_{config.health, cameras_, start},
      bus_judge_{config, devices.bus, start},
      board_judge_{config.thermal, devices.thermal, start},
      output_judge_{devices},
      test_{config, devices},
      service_{config.service_enabled},
      warner_{config.decisions.warning.at(config.warning.sensitivity), config.limited_view,
              fusion_of(config, cameras_.size())},
      levels_{levels_of(config)},
      publisher_{config, devices, start, totals_},
      watchdog_{devices.watchdog, clock, log, start},
      summary_{cameras_, start} {
  publish_times_.set_budget(config.budget.publish);
  if (devices.diagnostics != nullptr) diagnostics_.emplace(*devices.diagnostics, service_, log);
  test_.see_detectors(cameras_);
  if (life_ != nullptr)
    warner_.remember(life_->kept_switch().off, life_->kept_switch().ignition_cycle);
  reporter_.detectors(start);
}

void Controller::tick(Nanos now) {
  bus_.read(now, warner_, service_, reporter_, totals_);
  bus_.tell_pipelines(now, cameras_);
  judge(now);
  read_people();
  decide(now);
  count(now);
  serve_tester(now);
  publish(now);
  measure_reactions();
  watchdog_.feed(now, cameras_judge_.alive_at(), totals_);
  summary_.tick(now, reporter_);
  reporter_.tick(now);
}

void Controller::judge(Nanos now) {
  cameras_judge_.judge(now, monitor_, bus_, reporter_);
  bus_judge_.judge(now, bus_, publisher_.sends(), monitor_, reporter_);
  board_judge_.judge(now, monitor_);
  test_.see(publisher_.outputs());
  test_.see_storage();
  test_.see_watchdog(watchdog_.refusal(), totals_.watchdog_kicks);
  output_judge_.judge(now, publisher_.outputs(), watchdog_.refusal(), monitor_, reporter_);
  // After the first show(): an output that is refused has a cause of its own, which is told first.
  if (shown_) test_.judge(now - start_, now, monitor_, reporter_);
  const HealthReport before = std::exchange(health_, monitor_.evaluate(now));
  reporter_.health(now, before, health_);
}

void Controller::read_people() noexcept {
  for (std::size_t i = 0; i < cameras_.size(); ++i) {
    const risk::PeopleReport& report = cameras_[i].pipeline->people();
    reports_[i] = report.at == Nanos::zero() ? nullptr : &report;
  }
}

void Controller::decide(Nanos now) {
  ReadinessFacts facts;
  facts.detector_present = one_detects_;
  take_health(monitor_, health_, static_cast<int>(cameras_.size()), facts);
  const WarningDecision& decision =
      warner_.step(now, reports_, facts, bus_.vehicle(now),
                   recorder_ != nullptr ? &recorder_->control() : nullptr);
  reporter_.warning(decision.level);
  reporter_.readiness(now, warner_.readiness(), warner_.view());
}

void Controller::count(Nanos now) noexcept {
  if (life_ == nullptr) return;
  life_->round({.now = now,
                .state = health_.state,
                .readiness = warner_.readiness(),
                .speed_mps = bus_.vehicle(now).speed_mps.value,
                .informations = totals_.informations,
                .collisions = totals_.collisions},
               monitor_);
  // Until the vehicle has told its ignition, what was kept may still hold.
  if (warner_.switched_off() || warner_.ignition_cycle() != 0)
    life_->keep({warner_.switched_off(), warner_.ignition_cycle()});
}

void Controller::serve_tester(Nanos now) {
  if (!diagnostics_) return;
  using std::chrono::seconds;
  const Nanos utc = std::chrono::system_clock::now().time_since_epoch();
  diagnostics_->round(
      {.now = now,
       .utc_s = static_cast<std::uint32_t>(std::chrono::floor<seconds>(utc).count()),
       .run_s = static_cast<std::uint32_t>(std::chrono::floor<seconds>(now - start_).count()),
       .speed_mps = bus_.vehicle(now).speed_mps.value,
       .readiness = warner_.readiness(),
       .health = health_},
      monitor_);
}

void Controller::publish(Nanos now) {
  const Nanos before = clock_.now();
  const can::VehicleState vehicle = bus_.vehicle(now);
  const std::optional<double> speed = vehicle.speed_mps.value;
  service_.update(speed, now);
  // One camera's people are sent also while it cannot see: they are still tracked. Of several,
  // those of the others may be the same.
  const fuse::Reports& people = cameras_.size() > 1 ? warner_.people() : reports_;
  publisher_.publish(now,
                     {.health = health_,
                      .warner = warner_,
                      .service = service_,
                      .level = levels_.step(now, vehicle.lamp_brightness.value,
                                            vehicle.sound_volume.value, warner_.view()),
                      .speed_mps = speed,
                      .board_celsius = board_judge_.celsius(),
                      .rates = cameras_judge_.worst_rates(),
                      .self_test = test_.report(),
                      .detects = detects_,
                      .reports = std::span{reports_}.first(cameras_.size()),
                      .people = std::span{people}.first(cameras_.size())},
                     reporter_);
  shown_ = true;
  publish_times_.add(clock_.now() - before);
}

void Controller::measure_reactions() noexcept {
  for (std::size_t i = 0; i < cameras_.size(); ++i) {
    if (reports_[i] == nullptr || !cameras_[i].pipeline->live()) continue;
    const Nanos taken = reports_[i]->at;
    if (std::exchange(published_[i], taken) != taken) reaction_times_.add(clock_.now() - taken);
  }
}

void Controller::finish(Nanos now) {
  give_up(now);
  if (life_ != nullptr) life_->finish();
  watchdog_.disarm();
}

void Controller::give_up(Nanos now) {
  summary_.report(now, reporter_);
  reporter_.tick(now, true);
  publisher_.finish(now);
}

}  // namespace kerb
