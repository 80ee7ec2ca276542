// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/alert_publisher.hpp"

#include <array>

#include "firmware/can/codec.hpp"
#include "firmware/control/object_list.hpp"

namespace kerb {

AlertPublisher::AlertPublisher(const Config& config, const ControlDevices& devices, Nanos start,
                               ControlTotals& totals)
    : config_{config},
      bus_{devices.bus},
      totals_{totals},
      outputs_{devices.warning_lamp, devices.status_lamp, devices.tone, config.tone.collision},
      status_{start},
      ready_{start},
      objects_{start} {}

void AlertPublisher::publish(Nanos now, const RoundResult& round, ChangeReporter& reporter) {
  show(now, round, reporter);
  if (bus_ == nullptr) return;
  send_status(now, round);
  send_warning(now, round);
  send_objects(now, round);
}

void AlertPublisher::show(Nanos now, const RoundResult& round, ChangeReporter& reporter) {
  // A person on the road comes before any test.
  const WarningLevel level = round.warner.decision().level;
  const bool tests = level == WarningLevel::none;
  const WarningLevel lamp = tests ? round.service.lamp() : level;
  const bool sound = tests ? round.service.sound() : level == WarningLevel::collision;
  // The amber lamp: no warning would be given. It is on, too, when the driver switched it off.
  const bool amber = round.health.state != HealthState::active || round.warner.switched_off();
  StatusLight status = amber ? StatusLight::on : StatusLight::off;
  if (!amber && round.warner.readiness() == Readiness::limited_view) {
    const ViewLamp view = config_.limited_view.lamp;
    status = view == ViewLamp::on    ? StatusLight::on
             : view == ViewLamp::off ? StatusLight::off
                                     : StatusLight::slow_blink;
  }
  if (const std::optional<bool> held = round.service.status_lamp())
    status = *held ? StatusLight::on : StatusLight::off;
  outputs_.show(lamp, sound, status, now);
  if (lamp == lamp_) return;
  const bool by_test = tests && (round.service.lamp() != WarningLevel::none || lamp_by_test_);
  reporter.lamp(now, lamp_, lamp, by_test);
  lamp_ = lamp;
  lamp_by_test_ = by_test && lamp != WarningLevel::none;
}

void AlertPublisher::send_status(Nanos now, const RoundResult& round) {
  can::StatusMessage status;
  status.health = round.health;
  status.speed_valid = round.speed_mps.has_value();
  status.board_celsius = round.board_celsius;
  status.detector_present = round.detects;
  if (round.rates) {
    status.camera_rate_hz = round.rates->frames_per_s;
    status.dropped_percent = round.rates->dropped_percent;
  }
  if (const std::optional<CanFrame> frame = status_.poll(now, status))
    send(*frame, totals_.status_sent);
}

void AlertPublisher::send_warning(Nanos now, const RoundResult& round) {
  const WarningDecision& decision = round.warner.decision();
  const bool tests = decision.level == WarningLevel::none;
  can::WarningMessage warning;
  warning.level = tests ? round.service.message() : decision.level;
  warning.test = tests && round.service.message() != WarningLevel::none;
  warning.time_to_collision_s = decision.time_to_collision_s;
  if (decision.person) warning.object_id = bus_number(*decision.person, decision.camera);
  if (const std::optional<CanFrame> frame = warning_.poll(now, warning))
    send(*frame, totals_.warnings_sent);
  can::ReadyMessage ready;
  ready.readiness = round.warner.readiness();
  if (const std::optional<ViewReport>& view = round.warner.view()) {
    ready.view_m = view->distance_m;
    ready.view_limit = view->limit;
  }
  if (const std::optional<CanFrame> frame = ready_.poll(now, ready))
    send(*frame, totals_.status_sent);
}

void AlertPublisher::send_objects(Nanos now, const RoundResult& round) {
  if (!round.detects) return;
  // An empty list says that every camera was searched and nobody was there. So there is no list at
  // all unless every camera has a report as recent as its frames must be.
  for (const risk::PeopleReport* report : round.reports)
    if (report == nullptr || now - report->at >= config_.health.camera_silent) return;
  ObjectList objects{};
  const std::size_t count = list_objects(round.people, config_.car.axle_to_bumper_m, objects);
  std::array<CanFrame, can::kMaxObjectFrames> frames;
  const int due = objects_.poll(now, std::span{objects}.first(count), frames);
  if (due == 0) return;
  for (const CanFrame& frame : std::span{frames}.first(static_cast<std::size_t>(due)))
    if (!bus_->send(frame)) {  // a receiver drops a list that is not complete
      ++totals_.send_refused;
      return;
    }
  ++totals_.lists_sent;
}

void AlertPublisher::send(const CanFrame& frame, std::uint64_t& counter) {
  ++(bus_->send(frame) ? counter : totals_.send_refused);
}

void AlertPublisher::finish(Nanos now) {
  outputs_.show(WarningLevel::none, false, true, now);  // a program that ends is not ACTIVE
  if (bus_ != nullptr && lamp_ != WarningLevel::none)   // or the car keeps the last one
    send(can::encode(can::WarningMessage{}), totals_.warnings_sent);
}

}  // namespace kerb
