// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tools/eval/matching.hpp"

namespace kerb::eval {

/// How pictures are drawn to see how far a figure depends on which ones were taken (bootstrap).
struct Resampling {
  int rounds = 1000;  ///< at least 1
  /// Pictures that follow one another in the list and are drawn together, at least 1: frames of one
  /// drive show the same people and places.
  int block = 1;
  std::uint64_t seed = 1;
};

/// The middle 95 % of what a figure was in all rounds.
struct Interval {
  double low = 0, high = 0;
};

struct Intervals {
  Interval log_average;
  std::vector<Interval> at_rates;                    ///< miss rates
  std::vector<Interval> misses_at, false_alarms_at;  ///< at thresholds; false alarms per image
};

/// In each round draws as many blocks as there are, each any number of times, and reads the curve
/// of these pictures as at(), at_threshold() and log_average_miss_rate() do. Draws without anybody
/// to find are drawn again. At least one picture must have people.
[[nodiscard]] Intervals resample(const std::vector<Judged>& pictures,
                                 const std::vector<double>& rates,
                                 const std::vector<double>& thresholds, const Resampling& how);

}  // namespace kerb::eval
