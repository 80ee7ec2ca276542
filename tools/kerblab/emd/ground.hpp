// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "gpu/emd/ground.hpp"

namespace kerb::lab {

/// Numbers of one line of a file.
struct NumberRow {
  int line = 0;  ///< from 1; of an array: its row
  std::vector<double> numbers;
};
/// Rows of numbers, as a text file holds them: one row per line, numbers separated by commas or
/// blanks. Empty lines, and what follows a '#', are passed over. Or those of a NumPy array, see
/// npy.hpp. Fails, naming file and line: not_found, io, damaged (not a finite number, or below
/// zero; no row), unsupported (another array).
Result<std::vector<NumberRow>> read_rows(const char* where, const std::string& path);

/// The costs a user means by "line" (|i - j|), "circle" (min(|i - j|, bins - |i - j|)), "flat" (1
/// between any two bins) or by the name of a file with a row of costs for each bin: bins x bins.
/// Fails: invalid_argument (bins, of which there may be `most`, or a file with another number of
/// rows or costs; a cost beyond what a float holds), and as read_rows().
Result<std::vector<double>> costs_of(const std::string& word, int bins, int most = emd::kMaxBins);

/// The ground distance of these costs. Fails as costs_of() and emd::Ground::create().
Result<emd::Ground> ground_of(const std::string& word, int bins);
Result<emd::Ground> ground_of(const std::vector<double>& costs, int bins);

/// Bins at these places, in rising or falling order, or any other: |place i - place j|.
Result<emd::Ground> ground_between(const std::vector<double>& places);

}  // namespace kerb::lab
