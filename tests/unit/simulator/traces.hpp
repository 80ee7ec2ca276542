// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "firmware/can/codec.hpp"
#include "firmware/can/publisher.hpp"
#include "firmware/warning/alert_outputs.hpp"
#include "tools/simulator/judge/judge.hpp"

/// Traces by hand, for tests of the judge.
namespace kerb::sim::test {

struct Say {
  WarningLevel level = WarningLevel::none;
  double begin = 0, end = 0;
};
struct Unwell {
  Cause cause = Cause::none;
  double begin = 0, end = 0;
};

/// What a firmware sends that says this, every 10 ms, through the product's own encoders.
struct Speaker {
  double seconds = 6;
  std::vector<Say> says;
  std::vector<Unwell> unwell;
  bool lamp = true, sound = true, status_lamp = true;
  TonePattern pattern;
  double status_from = 0;                    ///< silent before
  double mute_from = 1e9, mute_until = 1e9;  ///< no KW_Warning
  double status_lamp_until = 1e9;            ///< dark from then on
  double limited_from = 1e9,
         limited_until = 1e9;                ///< KW_Ready says limited_view; else it is not sent
  bool tells_limited = true;                 ///< false: the lamp blinks, KW_Ready does not say why
  Readiness then = Readiness::limited_view;  ///< what KW_Ready says instead of limited_view

  [[nodiscard]] Trace trace() const {
    Trace out;
    struct Line final : OutputLine {
      Status set(bool on) override {
        note(*to, *now, on);
        return Done{};
      }
      [[nodiscard]] Result<bool> get() const override { return false; }
      std::vector<Trace::Level>* to;
      const Nanos* now;
    };
    struct Sounder final : Tone {
      Status play(const TonePattern& p) override {
        note(*to, *now, p);
        return Done{};
      }
      Status stop() override {
        note(*to, *now, std::nullopt);
        return Done{};
      }
      std::vector<Trace::Sound>* to;
      const Nanos* now;
    };
    Nanos now{};
    Line warning_line, status_line;
    warning_line.to = &out.warning_lamp;
    status_line.to = &out.status_lamp;
    Sounder tone;
    tone.to = &out.tone;
    warning_line.now = status_line.now = tone.now = &now;
    AlertOutputs outputs{lamp ? &warning_line : nullptr, status_lamp ? &status_line : nullptr,
                         sound ? &tone : nullptr, pattern};
    can::StatusPublisher statuses{Nanos{static_cast<Nanos::rep>(status_from * 1e9)}};
    can::WarningPublisher warnings;
    can::ReadyPublisher readies{Nanos::zero()};
    for (int i = 0; i * 0.01 <= seconds; ++i) {
      now = std::chrono::milliseconds{10} * i;
      const double t = i * 0.01;
      WarningLevel level = WarningLevel::none;
      for (const Say& say : says)
        if (t >= say.begin - 1e-9 && t < say.end - 1e-9) level = say.level;
      can::StatusMessage status;
      status.health.state = t < 0.2 ? HealthState::starting : HealthState::active;
      for (const Unwell& u : unwell)
        if (t >= u.begin - 1e-9 && t < u.end - 1e-9)
          status.health = {HealthState::degraded, u.cause, 0, -1};
      const bool limited = t >= limited_from - 1e-9 && t < limited_until - 1e-9;
      const bool amber = status.health.state != HealthState::active && t < status_lamp_until;
      outputs.show(level, level == WarningLevel::collision,
                   amber || (limited && !can_warn(then) && t < status_lamp_until) ? StatusLight::on
                   : limited ? StatusLight::slow_blink
                             : StatusLight::off,
                   now);
      const auto send = [&](const std::optional<CanFrame>& frame) {
        if (frame) out.frames.push_back({now, *frame});
      };
      if (t >= status_from) send(statuses.poll(now, status));
      can::WarningMessage warning;
      warning.level = level;
      if (t < mute_from - 1e-9 || t >= mute_until - 1e-9) send(warnings.poll(now, warning));
      can::ReadyMessage ready;
      ready.readiness = limited && tells_limited ? then : Readiness::ready;
      ready.view_m = limited ? 12 : 45;
      if (limited_from < seconds) send(readies.poll(now, ready));
    }
    return out;
  }
};

}  // namespace kerb::sim::test
