// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "gpu/emd/ground.hpp"

namespace kerb::lab {

/// Rows of numbers, as a text file holds them: a row a line, numbers parted by commas or blanks.
/// Empty lines, and what follows a '#', are passed over. Fails, naming file and line: not_found,
/// io, damaged (something that is no finite number; no row at all).
Result<std::vector<std::vector<float>>> read_rows(const char* where, const std::string& path);

/// The ground distance a user means by "line" (|i - j|), "circle" (min(|i - j|, bins - |i - j|)),
/// "flat" (1 between any two bins) or by the name of a file with a row of costs for each bin.
/// Fails: invalid_argument (bins, or a file with another number of rows or costs), and as
/// read_rows().
Result<emd::Ground> ground_of(const std::string& word, int bins);

/// Bins at these places, in rising or falling order, or any other: |place i - place j|.
Result<emd::Ground> ground_between(const std::vector<double>& places);

}  // namespace kerb::lab
