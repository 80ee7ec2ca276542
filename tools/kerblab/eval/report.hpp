// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tools/eval/curves.hpp"
#include "tools/eval/intervals.hpp"
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

/// For people to read.
std::string to_text(const std::vector<SetReport>& sets);
/// For programs; curves have up to 400 points.
std::string to_json(const std::vector<SetReport>& sets);
/// Miss rate over FPPI, or over FPPW.
eval::Plot fppi_plot(const SetReport& set);
eval::Plot fppw_plot(const SetReport& set);

}  // namespace kerb::lab
