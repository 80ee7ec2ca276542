// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kerb::sim {
namespace {

std::string group_of(const Scenario& scenario) {
  return scenario.group.empty() ? scenario.name : scenario.group;
}

void put_least(std::optional<double>& to, std::optional<double> value, double sign) {
  if (value && (!to || sign * *value < sign * *to)) to = value;
}

Verdict informations(const Report& report, const SuiteResult& suite, double most) {
  double seconds = 0;
  int count = 0;
  for (const ReportedRun& run : report.runs) {
    if (run.suite != suite.name) continue;
    seconds += run.scenario.seconds;
    count += run.source.empty() ? idle_informations(run.truth, run.judgement.sent, {})
                                : run.false_informations;
  }
  // Fewer than ten minutes are no reason for fewer: one is one.
  const double allowed = std::floor(most * std::max(seconds, 600.0) / 600 + 1e-9);
  return {"most_informations_per_10min", count <= allowed,
          fmt::format("{} information signal{} with nobody close in {:.1f} minutes, {:.0f} allowed",
                      count, count == 1 ? "" : "s", seconds / 60, allowed)};
}

void add_silence(const ReportedRun& run, Silence& silence) {
  if (!run.scenario.criteria.no_collision_warning) return;
  ++silence.runs;
  silence.seconds += run.scenario.seconds;
  for (const Sent::Warning& w : run.judgement.sent.warnings)
    if (w.level == WarningLevel::collision) ++silence.collision_warnings;
}

/// Of times of which those that never came are infinite, in the direction of the worse.
std::optional<double> median(std::vector<double>& times) {
  if (times.empty()) return std::nullopt;
  std::sort(times.begin(), times.end());
  const std::size_t n = times.size();
  const double middle = (times[(n - 1) / 2] + times[n / 2]) / 2;
  return std::isfinite(middle) ? std::optional{middle} : std::nullopt;
}

void add_medians(const Report& report, const std::string& suite, GroupResult& group) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<double> before, after;
  for (const ReportedRun& run : report.runs) {
    if (run.suite != suite || group_of(run.scenario) != group.name) continue;
    const Criteria& asks = run.scenario.criteria;
    if (asks.collision_warning_before_impact_s)
      before.push_back(run.judgement.warned_before_impact.value_or(-kNever));
    if (asks.collision_warning_after_half_visible_s)
      after.push_back(run.judgement.warned_after_half_visible.value_or(kNever));
    if ((asks.collision_warning_before_impact_s || asks.collision_warning_after_half_visible_s) &&
        !run.judgement.warned_before_impact)
      ++group.never_warned;
  }
  group.median_before_impact = median(before);
  group.median_after_half_visible = median(after);
}

void add_run(const ReportedRun& run, GroupResult& group) {
  add_silence(run, group.silence);
  ++group.runs;
  if (run.judgement.passed()) ++group.passed_runs;
  if (!run.judgement.kept_common_rules()) group.passed = false;
  group.share = std::min(group.share, run.scenario.criteria.share);
  const Criteria& asks = run.scenario.criteria;
  if (asks.collision_warning_before_impact_s)
    put_least(group.least_before_impact, run.judgement.warned_before_impact, 1);
  if (asks.collision_warning_after_half_visible_s)
    put_least(group.most_after_half_visible, run.judgement.warned_after_half_visible, -1);
}

}  // namespace

double Silence::per_hour() const noexcept {
  return seconds > 0 ? collision_warnings / seconds * 3600 : 0;
}
Interval Silence::per_hour_95() const noexcept {
  const Interval count = poisson_interval(collision_warnings);
  return seconds > 0 ? Interval{count.low / seconds * 3600, count.high / seconds * 3600}
                     : Interval{0, std::numeric_limits<double>::infinity()};
}

bool Report::passed() const noexcept {
  return std::all_of(suites.begin(), suites.end(), [](const SuiteResult& s) { return s.passed; });
}

void sum_up(Report& report, const std::vector<SuiteRules>& rules) {
  report.suites.clear();
  for (const SuiteRules& rule : rules) {
    SuiteResult suite;
    suite.name = rule.name;
    suite.title = rule.title;
    suite.most_informations_per_10min = rule.most_informations_per_10min;
    for (const ReportedRun& run : report.runs) {
      if (run.suite != rule.name) continue;
      ++suite.runs;
      if (run.judgement.passed()) ++suite.passed_runs;
      add_silence(run, suite.silence);
      const std::string name = group_of(run.scenario);
      auto group = std::find_if(suite.groups.begin(), suite.groups.end(),
                                [&](const GroupResult& g) { return g.name == name; });
      if (group == suite.groups.end()) {
        suite.groups.emplace_back();
        group = suite.groups.end() - 1;
        group->name = name;
      }
      add_run(run, *group);
    }
    for (GroupResult& group : suite.groups) {
      add_medians(report, suite.name, group);
      group.passed =
          group.passed && group.passed_runs >= std::ceil(group.share * group.runs - 1e-9);
      suite.passed = suite.passed && group.passed;
    }
    if (rule.most_informations_per_10min)
      suite.verdicts.push_back(informations(report, suite, *rule.most_informations_per_10min));
    for (const Verdict& verdict : suite.verdicts) suite.passed = suite.passed && verdict.passed;
    report.suites.push_back(std::move(suite));
  }
}

std::vector<MomentThatMatters> moments_of(const Scenario& scenario, const Truth& truth,
                                          const Judgement& judgement) {
  std::vector<MomentThatMatters> out;
  const auto add = [&](double t, std::string caption) {
    out.push_back({std::clamp(t, 0.0, scenario.seconds), std::move(caption)});
  };
  if (truth.half_visible && truth.contact)
    add(*truth.half_visible, fmt::format("half visible, {:.2f} s before impact",
                                         truth.contact->t - *truth.half_visible));
  for (const FaultSpec& fault : scenario.faults)
    if (fault.from_s < scenario.seconds) add(fault.from_s + 0.3, sim::name_of(fault.kind));
  const std::vector<Sent::Warning>& warnings = judgement.sent.warnings;
  for (std::size_t i = 0; i < warnings.size() && i < 2; ++i)
    add(warnings[i].begin,
        fmt::format(
            "{} from {:.2f} s on",
            warnings[i].level == WarningLevel::collision ? "collision warning" : "information",
            warnings[i].begin));
  if (truth.contact) {
    add(truth.contact->t - 0.5, "0.5 s before impact");
  } else if (!truth.close.empty()) {
    add((truth.close[0].begin + truth.close[0].end) / 2, "somebody in the close zone");
  } else {
    const auto nearest = std::min_element(
        truth.samples.begin(), truth.samples.end(), [](const auto& a, const auto& b) {
          const double x = a.person >= 0 && a.visible > 0 ? a.distance : 1e9;
          const double y = b.person >= 0 && b.visible > 0 ? b.distance : 1e9;
          return x < y;
        });
    if (nearest != truth.samples.end() && nearest->person >= 0 && nearest->visible > 0)
      add(nearest->t, fmt::format("nearest, {:.1f} m", nearest->distance));
    else if (out.empty())
      add(scenario.seconds / 2, "half-way");
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.t < b.t; });
  // What falls together is one picture.
  std::vector<MomentThatMatters> apart;
  for (MomentThatMatters& m : out) {
    if (!apart.empty() && m.t - apart.back().t < 0.1)
      apart.back().caption += "; " + m.caption;
    else
      apart.push_back(std::move(m));
  }
  return apart;
}

}  // namespace kerb::sim
