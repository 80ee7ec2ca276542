// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tools/eval/curves.hpp"
#include "tools/eval/intervals.hpp"
#include "tools/eval/placement.hpp"
#include "tools/eval/plot.hpp"
#include "tools/eval/things.hpp"
#include "tools/kerblab/eval/contestants.hpp"

namespace kerb::lab {

/// What was judged, in numbers.
struct EvalFacts {
  std::string name;  ///< of the set; empty for the one of a command line
  int pictures = 0, negatives = 0, crops = 0;
  int people = 0, ignored = 0;  ///< of the truth: to be found; not, by a flag or by the settings
  eval::MatchSettings match;
  std::optional<eval::RoadCamera> camera;
};

/// How well the boxes of those who are found are placed at one threshold.
struct Placement {
  double threshold = 0;
  std::vector<eval::PlacementBin> bins;  ///< between kHeights, then of all heights
};

/// One detector, judged.
struct Report {
  const Performance* performance = nullptr;
  eval::Curve fppi, fppw;  ///< fppw: empty where there was no crop or no negative
  double log_average = 1;
  std::vector<eval::CurvePoint> operating;  ///< at kOperating
  std::vector<eval::CurvePoint> fixed;      ///< at the thresholds that were asked for
  std::vector<eval::HeightBin> heights;     ///< at the thresholds of `operating`, then of `fixed`
  eval::Intervals intervals;                ///< at kOperating, and at the thresholds of `fixed`
  /// What the false alarms at the recommended threshold are on, or at 0.1 FPPI where none is; empty
  /// where the truth names no things.
  std::vector<eval::ThingAlarms> things;
  /// At 0.1 FPPI, then at the thresholds of `fixed`; empty unless place_boxes() was called.
  std::vector<Placement> placements;
};
/// What the detectors did in one set of pictures.
struct SetReport {
  EvalFacts facts;
  std::vector<Report> reports;
};
inline constexpr double kOperating[] = {0.1, 1};              ///< FPPI
inline constexpr double kHeights[] = {48, 64, 96, 160, 320};  ///< pixels

/// `things` of each picture; `thresholds` come after the recommended one in `fixed`.
Report make_report(const Performance& performance, const std::vector<eval::Judged>& judged,
                   const std::vector<std::vector<eval::TruthThing>>& things,
                   const std::vector<double>& thresholds, const eval::Resampling& resampling);

/// Adds how well the boxes are placed; `errors`: of everybody who was found.
void place_boxes(Report& report, const std::vector<eval::BoxError>& errors);

/// For people to read; `boxes`: with a table of how well they are placed.
std::string to_text(const std::vector<SetReport>& sets, bool boxes);
/// For programs; curves have up to 400 points.
std::string to_json(const std::vector<SetReport>& sets);
/// Miss rate over FPPI, or over FPPW.
eval::Plot fppi_plot(const SetReport& set);
eval::Plot fppw_plot(const SetReport& set);

}  // namespace kerb::lab
