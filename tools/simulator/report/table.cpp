// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "tools/simulator/report/report.hpp"

namespace kerb::sim {
namespace {

std::string passed_of(int passed, int runs) {
  const Interval share = wilson_interval(passed, runs);
  return fmt::format("{:>4}/{:<4} {:>5.1f} % ({:.1f}..{:.1f})", passed, runs,
                     runs > 0 ? 100.0 * passed / runs : 0, 100 * share.low, 100 * share.high);
}

std::string seconds_or_never(const std::optional<double>& s) {
  return s ? fmt::format("{:.2f} s", *s) : std::string{"never"};
}

std::string times_text(const GroupResult& g) {
  std::string out;
  if (g.least_before_impact || (g.never_warned > 0 && !g.most_after_half_visible))
    out += fmt::format("  before impact: shortest {}, median {}",
                       seconds_or_never(g.least_before_impact),
                       seconds_or_never(g.median_before_impact));
  if (g.most_after_half_visible)
    out += fmt::format("  after half visible: longest {}, median {}",
                       seconds_or_never(g.most_after_half_visible),
                       seconds_or_never(g.median_after_half_visible));
  if (g.never_warned > 0) out += fmt::format(", {} without warning", g.never_warned);
  return out;
}

std::string silence_text(const Silence& s) {
  if (s.runs == 0) return "";
  const Interval rate = s.per_hour_95();
  return fmt::format(
      "  {:.1f} min of silence asked: {} collision warning{}, {:.2f} per hour ({:.2f}..{:.2f})",
      s.seconds / 60, s.collision_warnings, s.collision_warnings == 1 ? "" : "s", s.per_hour(),
      rate.low, rate.high);
}

}  // namespace

std::string render_table(const SuiteResult& suite) {
  std::size_t wide = 10;
  for (const GroupResult& g : suite.groups) wide = std::max(wide, g.name.size());
  std::string out =
      fmt::format("  {:<{}} {:>9} {:>7} {}\n", "group", wide, "passed", "", "(95 % interval)");
  for (const GroupResult& g : suite.groups)
    out += fmt::format("  {:<{}} {} {}{}{}\n", g.name, wide, passed_of(g.passed_runs, g.runs),
                       g.passed ? "passed" : "FAILED", times_text(g), silence_text(g.silence));
  if (suite.groups.size() > 1)
    out += fmt::format("  {:<{}} {} {}{}\n", "all", wide, passed_of(suite.passed_runs, suite.runs),
                       suite.passed ? "passed" : "FAILED", silence_text(suite.silence));
  return out;
}

}  // namespace kerb::sim
