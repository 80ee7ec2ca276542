// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/eval/plot.hpp"
#include "tools/kerblab/sim/calibration.hpp"
#include "tools/simulator/report/report.hpp"

/// What `kerblab sim sweep` finds: a point for each choice of settings, as JSON and as plots.
namespace kerb::lab {

/// Some settings, and what all runs together came to with them.
struct SweepPoint {
  struct Group {
    std::string suite, name;
    int runs = 0, passed = 0;
  };
  std::vector<std::string> set;  ///< "KEY=VALUE" each
  int runs = 0, passed = 0;
  int never_warned = 0;  ///< of the runs that ask for a warning
  /// Time from the warning to the impact over all runs with an impact. A run without a warning is
  /// worse than all others; unset where that is the quantile, or where nobody is hit.
  int impacts = 0;
  std::optional<double> tenth_s, median_s;
  sim::Silence silence;
  std::vector<Group> groups;
  std::vector<std::string> failed;  ///< "SUITE/RUN" each
  Calibration calibration;
};

/// Sums up what was run with these settings.
[[nodiscard]] SweepPoint make_point(std::vector<std::string> set, const sim::Report& report,
                                    const Calibration& calibration);

/// The value below which `share` of them lie: of those given, the nearest below. Unset where there
/// is none, or where it is not finite. `sorted`: from the least on.
[[nodiscard]] std::optional<double> quantile(const std::vector<double>& sorted, double share);

/// As the report has them: {"points": [...]}; docs/simulator.md says what each key means.
[[nodiscard]] std::string render_points(const std::vector<SweepPoint>& points);
/// What render_points() wrote, or in one line what is wrong with it. Any bytes are handled.
[[nodiscard]] std::variant<std::vector<SweepPoint>, std::string> parse_points(
    std::string_view json);

/// The trade of false alarms against time: false collision warnings an hour against the median and
/// the tenth percentile of the warning time, a point for each choice of settings. A quantile that
/// is unset is drawn at 0 s. `before`: another sweep to compare with, dashed; may be empty.
[[nodiscard]] eval::Plot curve_plot(const std::vector<SweepPoint>& points,
                                    const std::vector<SweepPoint>& before);
/// How often predicted contacts came true, with Wilson's 95 % intervals and the number of
/// predictions. Points with the same predictions are one series.
[[nodiscard]] eval::Plot reliability_plot(const std::vector<SweepPoint>& points,
                                          const std::vector<SweepPoint>& before);

}  // namespace kerb::lab
