// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/judge/common_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace kerb::sim {
namespace {

using Warning = Sent::Warning;
constexpr double kStep = 0.01;  // of the looks at lamp and sound

Verdict messages(const Sent& sent, const CommonRules& rules) {
  constexpr const char* kRule = "messages";
  if (sent.undecodable > 0)
    return {kRule, false,
            fmt::format("{} of {} frames cannot be decoded", sent.undecodable, sent.frames)};
  if (sent.counter_faults > 0)
    return {kRule, false,
            fmt::format("{} times a message counter did not increase by one", sent.counter_faults)};
  if (sent.status_gap > rules.status_gap + kTimeSlack)
    return {kRule, false,
            fmt::format("{:.2f} s without KW_Status, at most {:.2f} allowed", sent.status_gap,
                        rules.status_gap)};
  if (sent.warning_gap > rules.warning_gap + kTimeSlack)
    return {kRule, false,
            fmt::format("{:.2f} s without KW_Warning during a warning, at most {:.2f} allowed",
                        sent.warning_gap, rules.warning_gap)};
  if (sent.warning_silence > rules.warning_silence + kTimeSlack)
    return {kRule, false,
            fmt::format("{:.2f} s without KW_Warning, at most {:.2f} allowed", sent.warning_silence,
                        rules.warning_silence)};
  return {kRule, true,
          fmt::format("{} frames, complete and in order; KW_Status at least every {:.2f} s, "
                      "KW_Warning every {:.2f} s",
                      sent.frames, sent.status_gap, sent.warning_silence)};
}

/// The warning that there is at `t`; none when a change is so near that lamp and sound may differ.
enum class Said { none, information, collision, changing };
Said said_at(const Sent& sent, double t, double slack) {
  Said said = Said::none;
  for (const Warning& w : sent.warnings) {
    if ((t >= w.begin && t < w.begin + slack) || (!w.lasts && t >= w.end && t < w.end + slack))
      return Said::changing;
    if (t >= w.begin && t < w.end)
      said = w.level == WarningLevel::collision ? Said::collision : Said::information;
  }
  return said;
}

Verdict outputs(const Sent& sent, double seconds, const CommonRules& rules) {
  constexpr const char* kRule = "lamp_and_sound";
  for (int i = 0; i * kStep < seconds; ++i) {
    const double t = i * kStep;
    const Said said = said_at(sent, t, rules.outputs);
    if (said == Said::changing) continue;
    const bool lamp = within(sent.lamp, t), tone = within(sent.tone, t);
    const char* wrong = nullptr;
    if (said == Said::collision && !lamp) wrong = "lamp off during a collision warning";
    if (said == Said::collision && !tone) wrong = "no sound during a collision warning";
    if (said == Said::information && tone)
      wrong = "sound during information, which uses the lamp only";
    if (said == Said::none && lamp) wrong = "lamp on without a warning";
    if (said == Said::none && tone) wrong = "sound without a warning";
    if (wrong != nullptr) return {kRule, false, fmt::format("{} at {:.2f} s", wrong, t)};
  }
  for (const Warning& w : sent.warnings) {  // it blinks: some time lit, some time dark
    if (w.level != WarningLevel::information || w.end - w.begin < rules.shortest_warning) continue;
    const bool lit = std::any_of(sent.lamp.begin(), sent.lamp.end(),
                                 [&](const auto& s) { return s.begin < w.end && s.end > w.begin; });
    if (!lit)
      return {kRule, false,
              fmt::format("lamp off during the information signal at {:.2f} s", w.begin)};
  }
  // The status lamp is on whenever the state is not ACTIVE or no warning would be given. During a
  // limited view it may blink.
  std::vector<Sent::Stretch> either = sent.limited_view;
  either.insert(either.end(), sent.not_ready.begin(), sent.not_ready.end());
  for (Sent::Stretch& told : either) {
    told.begin -= rules.outputs;
    told.end += rules.outputs;
  }
  for (const Sent::Stretch& told : sent.not_ready)
    for (int k = 0; told.begin + rules.outputs + k * kStep < told.end - rules.outputs; ++k)
      if (const double t = told.begin + rules.outputs + k * kStep; !within(sent.status_lamp, t))
        return {kRule, false, fmt::format("status lamp dark while not ready at {:.2f} s", t)};
  for (std::size_t i = 0; i < sent.states.size(); ++i) {
    const double begin = sent.states[i].at + rules.outputs;
    const double end = i + 1 < sent.states.size() ? sent.states[i + 1].at - rules.outputs : seconds;
    const bool wanted = sent.states[i].health.state != HealthState::active;
    for (int k = 0; begin + k * kStep < end; ++k)
      if (within(sent.status_lamp, begin + k * kStep) != wanted &&
          (wanted || !within(either, begin + k * kStep)))
        return {kRule, false,
                fmt::format("status lamp {} while {} at {:.2f} s", wanted ? "dark" : "on",
                            name_of(sent.states[i].health.state), begin + k * kStep)};
  }
  return {kRule, true, "lamps and sound agree with the bus"};
}

/// Whether it may begin soon after the one before: it is of somebody else, or that one ended blind.
bool may_follow(const Sent& sent, const Warning& before, const Warning& now) {
  if (now.level != WarningLevel::collision) return false;
  if (before.last_of && now.first_of && *before.last_of != *now.first_of) return true;
  const auto next = std::upper_bound(sent.states.begin(), sent.states.end(), before.end,
                                     [](double t, const auto& state) { return t < state.at; });
  return next != sent.states.begin() && std::prev(next)->health.state != HealthState::active;
}

Verdict flicker(const Truth& truth, const Sent& sent, const CommonRules& rules) {
  constexpr const char* kRule = "no_flicker";
  const Warning* last[3] = {};
  for (const Warning& w : sent.warnings) {
    const char* name = name_of(w.level);
    // An information that turns into a collision warning is not cut short.
    const bool escalates =
        std::any_of(sent.warnings.begin(), sent.warnings.end(), [&](const auto& o) {
          return o.level > w.level && o.begin >= w.end - kTimeSlack &&
                 o.begin <= w.end + kTimeSlack;
        });
    if (!w.lasts && !escalates && w.end - w.begin < rules.shortest_warning - kTimeSlack)
      return {kRule, false,
              fmt::format("{} at {:.2f} s lasted only {:.2f} s, at least {:.2f} required", name,
                          w.begin, w.end - w.begin, rules.shortest_warning)};
    const Warning*& before = last[static_cast<int>(w.level)];
    if (before != nullptr && w.begin - before->end < rules.shortest_pause - kTimeSlack) {
      const bool between =
          std::any_of(sent.warnings.begin(), sent.warnings.end(), [&](const auto& o) {
            return o.level > w.level && o.begin >= before->end - kTimeSlack &&
                   o.end <= w.begin + kTimeSlack;
          });
      // Silence would be worse: whether it may be broken at all is judged by its own rule.
      const bool needed = w.level == WarningLevel::collision &&
                          std::ranges::any_of(truth.dangers, [&](const Danger& danger) {
                            return w.begin >= danger.begin - kTimeSlack && w.begin < danger.end;
                          });
      if (!between && !needed && !may_follow(sent, *before, w))
        return {
            kRule, false,
            fmt::format(
                "{} again at {:.2f} s, {:.2f} s after the previous one, at least {:.2f} required",
                name, w.begin, w.begin - before->end, rules.shortest_pause)};
    }
    before = &w;
  }
  return {kRule, true, fmt::format("{} warnings, none cut short", sent.warnings.size())};
}

Verdict sound(const Sent& sent, const CommonRules& rules) {
  constexpr const char* kRule = "sound";
  for (const TonePattern& p : sent.patterns) {
    if (p.frequency_hz < rules.lowest_hz)
      return {kRule, false,
              fmt::format("{:.0f} Hz, at least {:.0f} required", p.frequency_hz, rules.lowest_hz)};
    if (p.pulses_per_s < rules.slowest_pulses || p.pulses_per_s > rules.fastest_pulses)
      return {kRule, false,
              fmt::format("{:.1f} pulses per second, {:.0f} to {:.0f} allowed", p.pulses_per_s,
                          rules.slowest_pulses, rules.fastest_pulses)};
    if (p.duty < rules.least_duty || p.duty > rules.most_duty)
      return {kRule, false,
              fmt::format("sound during {:.2f} of each pulse period, {:.2f} to {:.2f} allowed",
                          p.duty, rules.least_duty, rules.most_duty)};
  }
  return {kRule, true,
          fmt::format("{} periods of sound, all with allowed pitch and pulses", sent.tone.size())};
}

}  // namespace

void judge_common_rules(const Sent& sent, double seconds, const CommonRules& rules,
                        std::vector<Verdict>& out, const Truth& truth) {
  out.push_back(messages(sent, rules));
  out.push_back(outputs(sent, seconds, rules));
  out.push_back(flicker(truth, sent, rules));
  if (!sent.patterns.empty()) out.push_back(sound(sent, rules));
}

}  // namespace kerb::sim
