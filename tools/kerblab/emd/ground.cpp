// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/emd/ground.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "tools/files/npy.hpp"
#include "tools/files/text.hpp"

namespace kerb::lab {
namespace {

Result<std::vector<NumberRow>> rows_of_array(const char* where, const std::string& path,
                                             const std::string& bytes) {
  const Result<files::NpyTable> table = files::parse_npy(where, path, bytes);
  if (!table) return table.error();
  if (table->values.empty()) return files::line_error(where, path, 0, "contains no numbers");
  std::vector<NumberRow> rows;
  rows.reserve(table->rows);
  for (std::size_t i = 0; i < table->rows; ++i) {
    const double* const row = table->values.data() + i * table->columns;
    const double* const bad = std::find_if(
        row, row + table->columns, [](double value) { return !std::isfinite(value) || value < 0; });
    if (bad != row + table->columns)
      return files::line_error(where, path, 0,
                               fmt::format("row {}: {:g} is {}", i + 1, *bad,
                                           std::isfinite(*bad) ? "below zero" : "not finite"));
    rows.push_back({static_cast<int>(i) + 1, {row, row + table->columns}});
  }
  return rows;
}

}  // namespace

Result<std::vector<NumberRow>> read_rows(const char* where, const std::string& path) {
  const Result<std::string> text = files::read_text(where, path);
  if (!text) return text.error();
  if (files::is_npy(*text)) return rows_of_array(where, path, *text);
  std::vector<NumberRow> rows;
  files::Lines lines{*text};
  for (std::string_view line; lines.next(line);) {
    std::string numbers{line.substr(0, line.find('#'))};
    std::replace_if(
        numbers.begin(), numbers.end(), [](char c) { return c == '\t' || c == ','; }, ' ');
    NumberRow row{lines.number(), {}};
    for (const std::string_view word : files::split(numbers, ' ')) {
      if (word.empty()) continue;
      const std::optional<double> value = files::number(word);
      if (!value || *value < 0)
        return files::line_error(
            where, path, row.line,
            fmt::format("'{}' is {}", word.substr(0, 20), value ? "below zero" : "not a number"));
      row.numbers.push_back(*value);
    }
    if (!row.numbers.empty()) rows.push_back(std::move(row));
  }
  if (rows.empty()) return files::line_error(where, path, 0, "contains no numbers");
  return rows;
}

Result<std::vector<double>> costs_of(const std::string& word, int bins, int most) {
  if (bins < emd::kMinBins || bins > most)
    return Error{Errc::invalid_argument, 0, "bins",
                 Text<112>{fmt::format("{}: must be {}..{}", bins, emd::kMinBins, most)}};
  std::vector<double> costs;
  if (word == "line" || word == "circle" || word == "flat") {
    for (int i = 0; i < bins; ++i)
      for (int j = 0; j < bins; ++j) {
        const int apart = std::abs(i - j);
        costs.push_back(word == "line"     ? apart
                        : word == "circle" ? std::min(apart, bins - apart)
                                           : std::min(apart, 1));
      }
    return costs;
  }
  constexpr const char* kWhere = "read ground distance";
  const Result<std::vector<NumberRow>> rows = read_rows(kWhere, word);
  if (!rows) return rows.error();
  const auto side = static_cast<std::size_t>(bins);
  const bool square = rows->size() == side &&
                      std::all_of(rows->begin(), rows->end(),
                                  [&](const NumberRow& row) { return row.numbers.size() == side; });
  if (!square)
    return files::line_error(kWhere, word, 0,
                             fmt::format("must have {} rows of {} costs, one per bin", bins, bins),
                             Errc::invalid_argument);
  for (const NumberRow& row : *rows)
    for (const double cost : row.numbers) {
      constexpr double kLeast = std::numeric_limits<float>::min();
      constexpr double kMost = std::numeric_limits<float>::max();
      if (cost > kMost || (cost > 0 && cost < kLeast))
        return files::line_error(
            kWhere, word, row.line,
            fmt::format("cost {:g}: must be 0 or {:.3g}..{:.3g}", cost, kLeast, kMost),
            Errc::invalid_argument);
      costs.push_back(cost);
    }
  return costs;
}

Result<emd::Ground> ground_of(const std::string& word, int bins) {
  const Result<std::vector<double>> costs = costs_of(word, bins);
  if (!costs) return costs.error();
  return ground_of(*costs, bins);
}

Result<emd::Ground> ground_of(const std::vector<double>& costs, int bins) {
  const std::vector<float> floats(costs.begin(), costs.end());
  return emd::Ground::create(bins, floats.data(), floats.size());
}

Result<emd::Ground> ground_between(const std::vector<double>& places) {
  std::vector<float> costs;
  for (const double a : places)
    for (const double b : places) costs.push_back(static_cast<float>(std::abs(a - b)));
  return emd::Ground::create(static_cast<int>(places.size()), costs.data(), costs.size());
}

}  // namespace kerb::lab
