// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/judge/fault_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kerb::sim {
namespace {

/// What is over before it is due need not be told, nor what is due when somebody was hit: from then
/// on the camera looks into the person. Pictures that are good but for their time are none.
bool is_to_be_told(const FaultSpec& fault, const Truth& truth, double wanted) {
  if (fault.kind == FaultSpec::Kind::camera_time_jump) return false;
  if (fault.to_s - fault.from_s < wanted - kTimeSlack) return false;
  return !truth.contact || fault.from_s + wanted < truth.contact->t;
}

const Sent::State* active_between(const Sent& sent, double from, double to) {
  for (const Sent::State& state : sent.states)
    if (state.at > from && state.at < to - kTimeSlack && state.health.state == HealthState::active)
      return &state;
  return nullptr;
}

/// What is late does not come at first, and may be called missing; but not for good.
bool is_named(const FaultSpec& fault, const Sent& sent, const CommonRules& rules) {
  if (fault.kind != FaultSpec::Kind::signals_late ||
      fault.to_s - fault.from_s < fault.amount + rules.naming)
    return true;
  return std::ranges::any_of(sent.states, [&](const Sent::State& state) {
    return state.at >= fault.from_s && state.at <= fault.to_s &&
           state.health.cause == Cause::signals_late;
  });
}

Verdict told(const FaultSpec& fault, double until, const Sent& sent, const CommonRules& rules,
             double wanted) {
  constexpr const char* kRule = "fault_told_within";
  const char* name = name_of(fault.kind);
  const HealthReport* before = health_at(sent, fault.from_s - 2 * kTimeSlack);
  if (before == nullptr || before->state != HealthState::active)
    return {kRule, false,
            fmt::format("{} before {} begins at {:.2f} s, instead of ACTIVE", in_words(before),
                        name, fault.from_s)};
  const HealthReport* other = nullptr;
  for (const Sent::State& state : sent.states) {
    if (state.at < fault.from_s - kTimeSlack) continue;
    if (state.at > fault.to_s + rules.recovery) break;
    if (!tells(state.health, fault.kind)) {
      if (other == nullptr && state.health.state != HealthState::active) other = &state.health;
      continue;
    }
    if (!is_named(fault, sent, rules))
      return {kRule, false,
              fmt::format("{} was reported only as {}", name, name_of(state.health.cause))};
    const double after = state.at - fault.from_s;
    if (const Sent::State* well = active_between(sent, state.at, std::min(fault.to_s, until)))
      return {kRule, false,
              fmt::format("ACTIVE again at {:.2f} s, but {} lasts until {:.2f} s", well->at, name,
                          std::min(fault.to_s, until))};
    return {kRule, after <= wanted + kTimeSlack,
            fmt::format("{} reported {:.2f} s after {} began, at most {:.2f} allowed",
                        in_words(&state.health), after, name, wanted)};
  }
  return {kRule, false,
          other != nullptr
              ? fmt::format("{} was not reported; instead {}", name, in_words(other))
              : fmt::format("{} from {:.2f} s on was never reported", name, fault.from_s)};
}

}  // namespace

void judge_faults(const Scenario& scenario, const Truth& truth, const Sent& sent,
                  const CommonRules& rules, std::vector<Verdict>& out) {
  const double wanted = scenario.criteria.fault_told_within_s.value_or(0);
  const double until = truth.contact ? truth.contact->t : scenario.seconds;
  for (const FaultSpec& fault : scenario.faults) {
    if (is_to_be_told(fault, truth, wanted)) out.push_back(told(fault, until, sent, rules, wanted));
    if (fault.to_s + rules.recovery >= scenario.seconds) continue;
    const HealthReport* after = health_at(sent, fault.to_s + rules.recovery);
    out.push_back({"recovers", after != nullptr && after->state == HealthState::active,
                   fmt::format("{} {:.1f} s after {} ended", in_words(after), rules.recovery,
                               name_of(fault.kind))});
  }
}

const HealthReport* health_at(const Sent& sent, double t) noexcept {
  const HealthReport* last = nullptr;
  for (const Sent::State& state : sent.states)
    if (state.at <= t + kTimeSlack) last = &state.health;
  return last;
}

std::string in_words(const HealthReport* health) {
  if (health == nullptr) return "silent";
  return health->cause == Cause::none
             ? std::string{name_of(health->state)}
             : fmt::format("{} ({})", name_of(health->state), name_of(health->cause));
}

bool tells(const HealthReport& health, FaultSpec::Kind kind) noexcept {
  using Kind = FaultSpec::Kind;
  if (health.state != HealthState::degraded && health.state != HealthState::failed) return false;
  switch (kind) {
    case Kind::camera_blinded:
      return health.cause == Cause::camera_blinded;
    case Kind::camera_frozen:
      return health.cause == Cause::camera_frozen;
    case Kind::camera_dark:
      return health.cause == Cause::camera_dark;
    case Kind::camera_silent:
      return health.cause == Cause::camera_silent;
    case Kind::camera_dirty:
      return health.cause == Cause::camera_dirty;
    case Kind::camera_misaligned:
      return health.cause == Cause::camera_misaligned;
    case Kind::camera_time_jump:
      return true;
    case Kind::vision_hangs:  // pictures come, but nothing is made of them: no protection
      return health.state == HealthState::failed;
    case Kind::signals_lost:
    case Kind::signals_stuck:
      return health.cause == Cause::signals_missing;
    case Kind::signals_late:  // nothing comes at first, and then what is late
      return health.cause == Cause::signals_missing || health.cause == Cause::signals_late;
    case Kind::signals_implausible:
    case Kind::signals_reverse:
    case Kind::signals_standing:
      return health.cause == Cause::signals_implausible;
  }
  return false;
}

}  // namespace kerb::sim
