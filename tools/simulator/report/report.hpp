// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tools/simulator/judge/judge.hpp"
#include "tools/simulator/report/intervals.hpp"

namespace kerb::sim {

/// A picture of an important moment, for the reader of the report.
struct Picture {
  double t = 0;
  std::string caption;
  std::vector<std::uint8_t> jpeg;
  int width = 0, height = 0;
};

/// One run, as it is reported.
struct ReportedRun {
  std::string suite;  ///< or the file
  Scenario scenario;
  Truth truth;
  Judgement judgement;
  std::vector<Picture> pictures;
  int frames = 0;        ///< pictures that were drawn for the firmware
  double took_s = 0;     ///< of life
  double drawing_s = 0;  ///< of that
  /// Of a run that was read from a report: what the report says of it, as JSON. Only what is summed
  /// up and listed is then in the members above.
  std::string source;
  int false_informations = 0;  ///< likewise; of other runs it follows from `truth` and `judgement`
};

/// Runs that ask for no collision warning at all, and those they got.
struct Silence {
  int runs = 0;
  double seconds = 0;  ///< driven
  int collision_warnings = 0;
  [[nodiscard]] double per_hour() const noexcept;
  [[nodiscard]] Interval per_hour_95() const noexcept;  ///< exact, of a Poisson process
};

/// Runs that are judged together: of them a share must pass, and all must keep the common rules.
struct GroupResult {
  std::string name;
  int runs = 0, passed_runs = 0;
  double share = 1;
  bool passed = true;
  /// The shortest time from a warning to the impact, and the longest from half visible to the
  /// warning, over the runs that have such a criterion and got a warning.
  std::optional<double> least_before_impact, most_after_half_visible;
  /// The medians of the same, where a run without a warning counts as worse than all others; unset
  /// where that is the median.
  std::optional<double> median_before_impact, median_after_half_visible;
  int never_warned = 0;  ///< of the runs that have such a criterion
  Silence silence;
};

struct SuiteResult {
  std::string name, title;
  int runs = 0, passed_runs = 0;
  bool passed = true;
  std::vector<GroupResult> groups;  ///< in the order of their first runs
  std::vector<Verdict> verdicts;    ///< on all its runs together
  Silence silence;
  std::optional<double> most_informations_per_10min;
};

/// Criteria of a suite for all its runs together.
struct SuiteRules {
  std::string name, title;
  std::optional<double> most_informations_per_10min;
};

/// A file by its content.
struct FileId {
  std::string name, crc32;  ///< without its folder; eight hexadecimal digits
};

/// What was driven, besides the runs. Where two reports agree in all of it, their runs can be
/// counted together.
struct Report {
  std::string candidate;            ///< "product", "oracle", ...
  std::string version;              ///< of the program
  std::string commit;               ///< of its source; empty: not known
  std::vector<FileId> models;       ///< that the candidate uses
  std::string configuration_crc32;  ///< of all settings that matter to it; empty: it has none
  double latency_s = 0;   ///< from a picture to its result, where that is set; NaN: several
  double clock_rate = 1;  ///< of the board: seconds of the scenario per second of real time
  std::vector<ReportedRun> runs;
  std::vector<SuiteResult> suites;
  [[nodiscard]] bool passed() const noexcept;
};

/// Fills `suites` from the runs.
void sum_up(Report& report, const std::vector<SuiteRules>& rules);

/// Three or four important moments with captions, in order of time.
struct MomentThatMatters {
  double t = 0;
  std::string caption;
};
[[nodiscard]] std::vector<MomentThatMatters> moments_of(const Scenario& scenario,
                                                        const Truth& truth,
                                                        const Judgement& judgement);

/// For machines: docs/simulator.md says what each key means.
[[nodiscard]] std::string render_json(const Report& report);
/// For the terminal, a line for each group of a suite: how many of its runs passed with the
/// interval of the share, times of warnings, false warnings where none is allowed.
[[nodiscard]] std::string render_table(const SuiteResult& suite);
/// For people: one page that needs nothing else.
[[nodiscard]] std::string render_html(const Report& report);
/// A run's time line as an SVG element: distance, time to collision, what was seen and said.
[[nodiscard]] std::string render_time_line(const ReportedRun& run);

/// Text as it stands in HTML and in attributes.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace kerb::sim
