// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/start_round.hpp"

#include <string>
#include <utility>

#include "firmware/events/events.hpp"

namespace kerb {
namespace {

constexpr int kFramesPerRound = 64;  // as the controller reads

}  // namespace

StartRound::StartRound(const Config& config, const ControlDevices& devices, Log& log, Nanos start)
    : config_{config},
      bus_{devices.bus},
      events_{devices.events},
      log_{log},
      start_{start},
      tries_outputs_{config.self_test.enabled && !devices.resumes},
      outputs_{devices.warning_lamp, devices.status_lamp, devices.tone, config.tone.collision,
               devices.dimmer},
      messages_{can::StatusPublisher{start}, can::ReadyPublisher{start},
                SelfTest{config, devices}} {}

void StartRound::tick(Nanos now, const std::optional<StartFailure>& failure) {
  const HealthReport before = std::exchange(health_, judge(now, failure));
  report(now, before, failure);
  const SelfTestSettings& test = config_.self_test;
  const Nanos since = now - start_;
  const bool lamp = tries_outputs_ && since < test.lamp;
  outputs_.show(lamp ? WarningLevel::collision : WarningLevel::none,
                tries_outputs_ && since < test.tone, StatusLight::on, now);
  messages_.test.see(outputs_);
  messages_.test.see_storage();
  if (bus_ == nullptr) return;
  // What is there is thrown away: it would be old when the controller reads it.
  for (int i = 0; i < kFramesPerRound && bus_->receive(Nanos::zero()); ++i) {
  }
  can::StatusMessage status;
  status.health = health_;
  if (const std::optional<CanFrame> frame = messages_.status.poll(now, status))
    static_cast<void>(bus_->send(*frame));  // a bus that comes later gets the next one
  can::ReadyMessage ready;
  ready.readiness =
      health_.state == HealthState::starting ? Readiness::starting : Readiness::not_active;
  ready.self_test = messages_.test.report();
  if (const std::optional<CanFrame> frame = messages_.ready.poll(now, ready))
    static_cast<void>(bus_->send(*frame));
}

void StartRound::finish(Nanos now) {
  outputs_.show(WarningLevel::none, false, StatusLight::on, now);
}

HealthReport StartRound::judge(Nanos now, const std::optional<StartFailure>& failure) {
  if (!failure && now - start_ < config_.health.start) return {};
  HealthReport health{HealthState::failed, Cause::vision_failed, static_cast<double>(Errc::timeout),
                      -1};
  if (!failure) return health;  // something hangs while it is opened
  if (!failing_since_) failing_since_ = now;
  health.cause = failure->cause;
  health.camera = failure->camera;
  const bool is_error_code = failure->cause == Cause::vision_failed;
  health.number = is_error_code ? static_cast<double>(failure->error.code)
                                : static_cast<double>((now - *failing_since_).count()) * 1e-6;
  return health;
}

void StartRound::report(Nanos now, const HealthReport& before,
                        const std::optional<StartFailure>& failure) {
  if (health_.state == before.state && health_.cause == before.cause &&
      health_.camera == before.camera)
    return;
  if (events_ != nullptr) events_->post(events::health_changed(now, before.state, health_));
  log_.error("health", std::string{name_of(health_.state)} + ": " + name_of(health_.cause) +
                           (failure ? ": " + describe(failure->error) + "; retrying"
                                    : ": opening the cameras takes too long"));
}

}  // namespace kerb
