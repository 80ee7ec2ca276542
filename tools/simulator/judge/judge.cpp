// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/judge/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/simulator/judge/common_rules.hpp"
#include "tools/simulator/judge/fault_rules.hpp"
#include "tools/simulator/judge/identities.hpp"
#include "tools/simulator/judge/interruptions.hpp"
#include "tools/simulator/judge/limited_view.hpp"

namespace kerb::sim {
namespace {

using Warning = Sent::Warning;

constexpr double kLeastFollowed = 0.5;

std::string kmh(double mps) { return fmt::format("{:.0f} km/h", mps * 3.6); }

/// The rules a scenario sets.
class Judge {
 public:
  Judge(const Scenario& scenario, const Truth& truth, const CommonRules& rules, Judgement& out)
      : scenario_{scenario}, truth_{truth}, rules_{rules}, out_{out} {}

  void run() {
    const Criteria& c = scenario_.criteria;
    find_warning();
    if (c.impact_expected) geometry();
    if (c.collision_warning_either && c.collision_warning_before_impact_s &&
        c.collision_warning_after_half_visible_s) {
      in_time(*c.collision_warning_before_impact_s, *c.collision_warning_after_half_visible_s);
    } else {
      if (c.collision_warning_before_impact_s) before_impact(*c.collision_warning_before_impact_s);
      if (c.collision_warning_after_half_visible_s)
        after_half_visible(*c.collision_warning_after_half_visible_s);
    }
    if (truth_.contact && !c.no_collision_warning) not_too_early();
    if (std::optional<Verdict> verdict =
            judge_not_interrupted(truth_, out_.sent, rules_, c.information_within_s.has_value()))
      out_.verdicts.push_back(std::move(*verdict));
    if (c.information_within_s) information(*c.information_within_s);
    if (c.no_collision_warning) no_collision_warning();
    if (c.most_informations) informations(*c.most_informations);
    if (c.most_identity_changes) identities_kept(*c.most_identity_changes);
    if (c.fault_told_within_s) judge_faults(scenario_, truth_, out_.sent, rules_, out_.verdicts);
    if (scenario_.faults.empty()) no_false_fault();
  }

 private:
  void add(const char* rule, bool passed, std::string reason) {
    out_.verdicts.push_back({rule, passed, std::move(reason)});
  }
  [[nodiscard]] const std::vector<Warning>& warnings() const { return out_.sent.warnings; }

  /// The collision warning that counts: the first that was there at the impact, or nearly. A hole
  /// that is allowed does not make it two.
  void find_warning() {
    if (!truth_.contact) return;
    const double impact = truth_.contact->t;
    for (const Warning& w : warnings()) {
      if (w.level != WarningLevel::collision) continue;
      if (w.begin > impact || w.end < impact - rules_.late_end) continue;
      warning_ = &w;
      const double begin = begin_with_holes(w);
      out_.warned_before_impact = impact - begin;
      if (truth_.half_visible) out_.warned_after_half_visible = begin - *truth_.half_visible;
      return;
    }
  }
  /// When a collision warning began, with those before it that it continues.
  [[nodiscard]] double begin_with_holes(const Warning& warning) const {
    double begin = warning.begin;
    for (auto w = warnings().rbegin(); w != warnings().rend(); ++w)
      if (w->level == WarningLevel::collision && w->begin < begin &&
          silent_between(out_.sent, WarningLevel::collision, w->begin, warning.begin) <=
              rules_.longest_silence + kTimeSlack)
        begin = w->begin;
    return begin;
  }
  /// Why there is none.
  [[nodiscard]] std::string no_warning() const {
    const double impact = truth_.contact ? truth_.contact->t : 0;
    const Warning* last = nullptr;
    for (const Warning& w : warnings())
      if (w.level == WarningLevel::collision && w.begin <= impact) last = &w;
    if (last != nullptr)
      return fmt::format("the last collision warning ended {:.2f} s before the impact",
                         impact - last->end);
    const auto information = std::find_if(warnings().begin(), warnings().end(), [](const auto& w) {
      return w.level == WarningLevel::information;
    });
    if (information != warnings().end())
      return fmt::format(
          "no collision warning before the impact at {:.2f} s, only information "
          "from {:.2f} s on",
          impact, information->begin);
    return fmt::format("no collision warning before the impact at {:.2f} s", impact);
  }
  void geometry() {
    if (!truth_.contact) {
      add("impact_expected", false, "the scenario should end in an impact, but does not");
      return;
    }
    const Contact& c = *truth_.contact;
    add("impact_expected", true,
        fmt::format("impact at {:.2f} s, {:.0f} % of the width from the right, {}", c.t,
                    100 * c.across, kmh(truth_.contact_mps)));
  }
  /// The time before the impact that can be asked for where something fails when the warning is
  /// due, or so shortly before that nobody could yet be recognised again: then it is due once there
  /// was time for that after the fault.
  [[nodiscard]] double despite_faults(double wanted) const {
    const std::optional<double> after = scenario_.criteria.collision_warning_after_fault_s;
    if (!after) return wanted;
    const double impact = truth_.contact->t, due = impact - wanted;
    const double latest = impact - std::min(wanted, rules_.least_despite_fault);
    double then = due;
    for (const FaultSpec& fault : scenario_.faults)
      if (fault.from_s < due && fault.to_s > due - *after)
        then = std::max(then, std::min(fault.to_s + *after, latest));
    return impact - then;
  }
  void before_impact(double asked) {
    constexpr const char* kRule = "collision_warning_before_impact";
    if (!truth_.contact) return add(kRule, false, "there is no impact to warn of");
    const double wanted = despite_faults(asked);
    const bool late = warning_ == nullptr || *out_.warned_before_impact < wanted - kTimeSlack;
    if (late && limited_view_stands_in(scenario_, truth_, out_.sent, wanted))
      return add(kRule, true,
                 fmt::format("told of a limited view in time: {:.2f} lx at the person, contrast "
                             "{:.1f} grey levels in noise of {:.1f}",
                             truth_.light->lux, truth_.light->contrast, truth_.light->noise));
    if (warning_ == nullptr)
      return add(kRule, false,
                 fmt::format("{}, required {:.2f} s before impact", no_warning(), wanted));
    const double lead = *out_.warned_before_impact;
    add(kRule, lead >= wanted - kTimeSlack,
        fmt::format("collision warning {:.2f} s before impact, required {:.2f}", lead, wanted));
  }
  void after_half_visible(double wanted) {
    constexpr const char* kRule = "collision_warning_after_half_visible";
    if (!truth_.contact) return add(kRule, false, "there is no impact to warn of");
    if (!truth_.half_visible)
      return add(kRule, false, "the person is never half visible before the impact");
    if (warning_ == nullptr) return add(kRule, false, no_warning());
    const double after = *out_.warned_after_half_visible;
    add(kRule, after <= wanted + kTimeSlack,
        fmt::format("collision warning {:.2f} s after the person was half visible (at {:.2f} s), "
                    "at most {:.2f} allowed",
                    after, *truth_.half_visible, wanted));
  }
  /// Early enough before the impact, or soon enough after the person could be seen.
  void in_time(double before, double after_visible) {
    constexpr const char* kRule = "collision_warning_in_time";
    if (!truth_.contact) return add(kRule, false, "there is no impact to warn of");
    if (warning_ == nullptr)
      return add(kRule, false,
                 fmt::format("{}, required {:.2f} s before impact", no_warning(), before));
    const double lead = *out_.warned_before_impact;
    const std::optional<double> after = out_.warned_after_half_visible;
    add(kRule, lead >= before - kTimeSlack || (after && *after <= after_visible + kTimeSlack),
        fmt::format("collision warning {:.2f} s before impact{}, required {:.2f} before, or {:.2f} "
                    "after half visible",
                    lead, after ? fmt::format(", {:.2f} s after half visible", *after) : "", before,
                    after_visible));
  }
  void not_too_early() {
    constexpr const char* kRule = "collision_warning_not_too_early";
    const double impact = truth_.contact->t;
    for (const Warning& w : warnings()) {
      if (w.level != WarningLevel::collision || w.begin > impact) continue;
      const bool of_somebody = std::ranges::any_of(truth_.dangers, [&](const Danger& danger) {
        return w.begin >= danger.begin && w.begin < danger.end;
      });
      if (of_somebody) continue;
      const double lead = impact - w.begin;
      if (lead > rules_.earliest_warning + kTimeSlack)
        return add(
            kRule, false,
            fmt::format(
                "collision warning {:.2f} s before impact: more than {:.2f} is a false alarm", lead,
                rules_.earliest_warning));
      if (!truth_.seen || w.begin < *truth_.seen)
        return add(
            kRule, false,
            truth_.seen
                ? fmt::format("collision warning at {:.2f} s, but the person is not visible before "
                              "{:.2f} s",
                              w.begin, *truth_.seen)
                : fmt::format("collision warning at {:.2f} s, but the person is never visible",
                              w.begin));
    }
    add(kRule, true,
        fmt::format("no collision warning more than {:.2f} s before impact",
                    rules_.earliest_warning));
  }
  void information(double wanted) {
    constexpr const char* kRule = "information_within";
    int told = 0;
    double latest = 0;
    for (const Truth::Close& close : truth_.close) {
      if (close.end - close.begin < wanted) continue;  // gone before it is due
      const auto first = std::find_if(warnings().begin(), warnings().end(), [&](const Warning& w) {
        return w.end > close.begin && w.begin < close.end;
      });
      if (first == warnings().end())
        return add(
            kRule, false,
            fmt::format("no information with somebody in the close zone from {:.2f} to {:.2f} s",
                        close.begin, close.end));
      const double after = std::max(0.0, first->begin - close.begin);
      if (after > wanted + kTimeSlack)
        return add(kRule, false,
                   fmt::format("information {:.2f} s after somebody entered the close zone (at "
                               "{:.2f} s), at most {:.2f} allowed",
                               after, close.begin, wanted));
      latest = std::max(latest, after);
      ++told;
    }
    if (told == 0) return add(kRule, false, "nobody is ever in the close zone: nothing to judge");
    add(kRule, true,
        fmt::format(
            "information {:.2f} s after somebody entered the close zone, at most {:.2f} allowed",
            latest, wanted));
  }
  void no_collision_warning() {
    int count = 0;
    double total = 0;
    const Warning* first = nullptr;
    for (const Warning& w : warnings()) {
      if (w.level != WarningLevel::collision) continue;
      if (first == nullptr) first = &w;
      ++count;
      total += w.end - w.begin;
    }
    add("no_collision_warning", count == 0,
        count == 0 ? std::string{"no collision warning, as required"}
                   : fmt::format("{} collision warning{} instead of none, the first at {:.2f} s, "
                                 "{:.2f} s in total",
                                 count, count == 1 ? "" : "s", first->begin, total));
  }
  void informations(int most) {
    std::optional<double> first;
    const int count = idle_informations(truth_, out_.sent, rules_, &first);
    add("most_informations", count <= most,
        !first ? fmt::format("no information signal with nobody close, {} allowed", most)
               : fmt::format(
                     "{} information signal{} with nobody close, the first at {:.2f} s; {} allowed",
                     count, count == 1 ? "" : "s", *first, most));
  }
  void identities_kept(int most) {
    const Identities found = find_identities(truth_, out_.sent);
    out_.identities = found;
    const bool followed = found.followed >= kLeastFollowed;
    add("identities_kept", followed && found.changes <= most,
        found.due == 0
            ? std::string{"nobody is ever in view: nothing to judge"}
            : fmt::format("{} change{} of a person's id{}, {} allowed; followed {:.0f} % of the "
                          "time in view",
                          found.changes, found.changes == 1 ? "" : "s",
                          found.first ? fmt::format(", the first at {:.2f} s", *found.first) : "",
                          most, 100 * found.followed));
  }
  void no_false_fault() {
    for (const Sent::State& state : out_.sent.states) {
      const bool starting = state.at < rules_.start_up;
      if (state.health.state == HealthState::active || starting) continue;
      // From the impact on, the camera looks into the person: it may well be dark.
      if (truth_.contact && state.at >= truth_.contact->t) continue;
      return add("no_false_fault", false,
                 fmt::format("{} at {:.2f} s without a fault", in_words(&state.health), state.at));
    }
    const double from = std::min(rules_.start_up, scenario_.seconds);
    const HealthReport* health = health_at(out_.sent, from);
    add("no_false_fault", health != nullptr && health->state == HealthState::active,
        fmt::format("{} from {:.1f} s on", in_words(health), from));
  }

  const Scenario& scenario_;
  const Truth& truth_;
  const CommonRules& rules_;
  Judgement& out_;
  const Warning* warning_ = nullptr;
};

}  // namespace

bool Judgement::passed() const noexcept {
  return std::all_of(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.passed; });
}

bool Judgement::kept_common_rules() const noexcept {
  return std::all_of(verdicts.begin(), verdicts.end(),
                     [](const Verdict& v) { return v.passed || !v.common; });
}

int idle_informations(const Truth& truth, const Sent& sent, const CommonRules& rules,
                      std::optional<double>* first) {
  int count = 0;
  for (const Warning& w : sent.warnings) {
    if (w.level != WarningLevel::information) continue;
    // The parts of it with nobody close, now, soon or lately.
    double from = w.begin, idle = 0;
    while (from < w.end - kTimeSlack) {
      double until = w.end, next = w.end;
      for (const Truth::Close& close : truth.close) {
        const double begin = close.begin - rules.information_early;
        const double end = close.end + rules.information_late;
        if (end <= from || begin >= until) continue;
        until = std::max(begin, from);
        next = end;
      }
      idle += until - from;
      from = next;
    }
    if (idle <= kTimeSlack) continue;
    if (first != nullptr && !*first) *first = w.begin;
    count += 1 + static_cast<int>(idle / rules.idle);
  }
  return count;
}

Judgement judge(const Scenario& scenario, const Truth& truth, const Trace& trace,
                const CommonRules& rules) {
  return judge(scenario, truth, decode_trace(trace, scenario.seconds), rules);
}

Judgement judge(const Scenario& scenario, const Truth& truth, Sent sent, const CommonRules& rules) {
  Judgement out;
  out.sent = std::move(sent);
  Judge{scenario, truth, rules, out}.run();
  const std::size_t own = out.verdicts.size();
  judge_common_rules(out.sent, scenario.seconds, rules, out.verdicts, truth);
  for (std::size_t i = 0; i < out.verdicts.size(); ++i)
    out.verdicts[i].common = i >= own || out.verdicts[i].rule == "no_false_fault";
  return out;
}

}  // namespace kerb::sim
