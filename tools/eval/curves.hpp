// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/eval/matching.hpp"

namespace kerb::eval {

/// Performance of a detector at one threshold; detections of at least this score count.
struct CurvePoint {
  double threshold = 0;
  double false_alarms = 0;  ///< per image, or per window
  double miss_rate = 1;     ///< 0..1
};

/// By falling threshold, a point for each score there is: false alarms never fall, misses never
/// rise. Detections of equal score come together, so their order does not count.
using Curve = std::vector<CurvePoint>;

/// Miss rate over false positives per image (FPPI). Without people the miss rate is 0 everywhere.
[[nodiscard]] Curve fppi_curve(const std::vector<Judged>& pictures);

/// Miss rate over false positives per window (FPPW).
///   positives  a score for each person's window, -infinity for one the model rejected
///   negatives  scores of the windows without a person that were not rejected
///   windows    all windows without a person that were looked at
[[nodiscard]] Curve fppw_curve(const std::vector<double>& positives,
                               const std::vector<float>& negatives, std::int64_t windows);

/// The last point with no more false alarms than `rate`: as Dollar's toolbox reads a curve. A curve
/// that ends before `rate` keeps its last value, its least miss rate, from there on; where no point
/// has so few, the miss rate is 1, and the threshold infinite.
[[nodiscard]] CurvePoint at(const Curve& curve, double rate);

/// What the curve says at a threshold: of the detections that score at least it. Without any such
/// detection: no false alarms, and a miss rate of 1.
[[nodiscard]] CurvePoint at_threshold(const Curve& curve, double threshold);

/// The nine rates of the log-average miss rate: 10^-2 to 10^0, evenly spaced in their logarithm.
[[nodiscard]] std::vector<double> reference_rates();

/// exp(mean(log(miss rate))) over reference_rates(), each at least 1e-10.
[[nodiscard]] double log_average_miss_rate(const Curve& curve);

/// People of one range of heights, and how many of them are missed at a threshold.
struct HeightBin {
  double from = 0, to = 0;  ///< pixels; from <= height < to
  int people = 0;
  std::vector<int> missed;  ///< for each threshold asked for
};

/// By the height in the truth, for the ranges between `edges` (rising) and outside of them.
[[nodiscard]] std::vector<HeightBin> by_height(const std::vector<Judged>& pictures,
                                               const std::vector<double>& edges,
                                               const std::vector<double>& thresholds);

/// No more than `most` of the points, such that a plot over the logarithm of the false alarms looks
/// the same: the first, the last, and those in between that step furthest. Order stays.
[[nodiscard]] Curve thinned(const Curve& curve, std::size_t most);

}  // namespace kerb::eval
