// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tools/eval/curves.hpp"
#include "tools/eval/plot.hpp"
#include "tools/kerblab/eval/contestants.hpp"

namespace kerb::lab {

/// What was judged, in numbers.
struct EvalFacts {
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
};
inline constexpr double kOperating[] = {0.1, 1};              ///< FPPI
inline constexpr double kHeights[] = {48, 64, 96, 160, 320};  ///< pixels

Report make_report(const Performance& performance, const std::vector<eval::Judged>& judged,
                   const std::vector<double>& thresholds);

/// For people to read.
std::string to_text(const EvalFacts& facts, const std::vector<Report>& reports);
/// For programs; curves have up to 400 points.
std::string to_json(const EvalFacts& facts, const std::vector<Report>& reports);
/// Miss rate over FPPI, or over FPPW.
eval::Plot fppi_plot(const EvalFacts& facts, const std::vector<Report>& reports);
eval::Plot fppw_plot(const EvalFacts& facts, const std::vector<Report>& reports);

}  // namespace kerb::lab
