// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/alert_publisher.hpp"

#include "firmware/control/object_list.hpp"

namespace kerb {
namespace {

/// A list that takes longer, because the bus takes no more, would be too old.
constexpr Nanos kListLimit = 2 * can::kObjectsPeriod;

}  // namespace

AlertPublisher::AlertPublisher(const Config& config, const ControlDevices& devices, Nanos start,
                               ControlTotals& totals)
    : config_{config},
      bus_{devices.bus},
      totals_{totals},
      outputs_{devices.warning_lamp, devices.status_lamp, devices.tone, config.tone.collision,
               devices.dimmer},
      status_{start},
      ready_{start},
      objects_{start} {}

void AlertPublisher::publish(Nanos now, const RoundResult& round, ChangeReporter& reporter) {
  show(now, round, reporter);
  if (bus_ == nullptr) return;
  send_warning(now, round);
  send_status(now, round);
  send_ready(now, round);
  send_objects(now, round);
}

void AlertPublisher::show(Nanos now, const RoundResult& round, ChangeReporter& reporter) {
  // A person on the road comes before any test.
  const WarningLevel level = round.warner.decision().level;
  const bool tests = level == WarningLevel::none;
  const WarningLevel lamp = tests ? round.service.lamp() : level;
  const bool sound = tests ? round.service.sound() : level == WarningLevel::collision;
  // The amber lamp: something is broken, or no warning would be given, for whatever reason.
  const bool amber =
      round.health.state != HealthState::active || !can_warn(round.warner.readiness());
  StatusLight status = amber ? StatusLight::on : StatusLight::off;
  if (!amber && round.warner.readiness() == Readiness::limited_view) {
    const ViewLamp view = config_.limited_view.lamp;
    status = view == ViewLamp::on    ? StatusLight::on
             : view == ViewLamp::off ? StatusLight::off
                                     : StatusLight::slow_blink;
  }
  if (const std::optional<bool> held = round.service.status_lamp())
    status = *held ? StatusLight::on : StatusLight::off;
  outputs_.set_level(round.level);
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
    totals_.status_sent += send(now, *frame);
}

void AlertPublisher::send_warning(Nanos now, const RoundResult& round) {
  const WarningDecision& decision = round.warner.decision();
  const bool tests = decision.level == WarningLevel::none;
  can::WarningMessage warning;
  warning.level = tests ? round.service.message() : decision.level;
  warning.test = tests && round.service.message() != WarningLevel::none;
  warning.time_to_collision_s = decision.time_to_collision_s;
  if (decision.person) warning.object_id = bus_number(*decision.person, decision.camera);
  const std::optional<CanFrame> frame = warning_.poll(now, warning);
  if (!frame) return;
  if (send(now, *frame)) {
    ++totals_.warnings_sent;
  } else {
    warning_.refused();
  }
}

void AlertPublisher::send_ready(Nanos now, const RoundResult& round) {
  can::ReadyMessage ready;
  ready.readiness = round.warner.readiness();
  ready.self_test = round.self_test;
  if (const std::optional<ViewReport>& view = round.warner.view()) {
    ready.view_m = view->distance_m;
    ready.view_limit = view->limit;
  }
  if (const std::optional<CanFrame> frame = ready_.poll(now, ready))
    totals_.status_sent += send(now, *frame);
}

void AlertPublisher::send_objects(Nanos now, const RoundResult& round) {
  // An empty list says that every camera was searched and nobody was there. So there is no list at
  // all unless every camera was looked through as recently as its frames must come.
  bool searched = round.detects;
  for (const risk::PeopleReport* report : round.reports)
    searched &= report != nullptr && now - report->looked_at < config_.health.camera_silent;
  if (!searched) return list_.drop();
  if (now - list_.started() >= kListLimit) list_.drop();
  if (list_.idle()) {
    ObjectList objects{};
    const std::size_t count = list_objects(round.people, config_.car.axle_to_bumper_m, objects);
    list_.start(objects_.poll(now, std::span{objects}.first(count), list_.room()), now);
  }
  while (const CanFrame* frame = list_.next(now)) {
    if (!send(now, *frame)) return;  // again in the next round: a list with a gap is dropped
    list_.sent(now);
    if (list_.idle()) ++totals_.lists_sent;
  }
}

bool AlertPublisher::send(Nanos now, const CanFrame& frame) {
  const Status sent = bus_->send(frame);
  if (sent) {
    sends_.accepted(now);
    return true;
  }
  ++totals_.send_refused;
  if (sent.error().code != Errc::gone) sends_.refused(now, sent.error());
  return false;
}

void AlertPublisher::finish(Nanos now) {
  outputs_.set_level({});                               // nobody dims the amber lamp from here on
  outputs_.show(WarningLevel::none, false, true, now);  // a program that ends is not ACTIVE
  if (bus_ != nullptr && lamp_ != WarningLevel::none)   // or the car keeps the last one
    totals_.warnings_sent += send(now, warning_.end());
  lamp_ = WarningLevel::none;
}

}  // namespace kerb
