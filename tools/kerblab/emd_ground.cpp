// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/emd_ground.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "tools/eval/text.hpp"

namespace kerb::lab {

Result<std::vector<std::vector<float>>> read_rows(const char* where, const std::string& path) {
  const Result<std::string> text = eval::read_text(where, path);
  if (!text) return text.error();
  std::vector<std::vector<float>> rows;
  eval::Lines lines{*text};
  for (std::string_view line; lines.next(line);) {
    std::string numbers{line.substr(0, line.find('#'))};
    std::replace_if(
        numbers.begin(), numbers.end(), [](char c) { return c == '\t' || c == ','; }, ' ');
    std::vector<float> row;
    for (const std::string_view word : eval::split(numbers, ' ')) {
      if (word.empty()) continue;
      const std::optional<double> value = eval::number(word);
      if (!value || !std::isfinite(static_cast<float>(*value)))
        return eval::line_error(where, path, lines.number(),
                                fmt::format("'{}' is no number", word.substr(0, 20)));
      row.push_back(static_cast<float>(*value));
    }
    if (!row.empty()) rows.push_back(std::move(row));
  }
  if (rows.empty()) return eval::line_error(where, path, 0, "no numbers in it");
  return rows;
}

Result<emd::Ground> ground_of(const std::string& word, int bins) {
  if (word == "line") return emd::Ground::line(bins);
  if (word == "circle") return emd::Ground::circle(bins);
  if (bins < emd::kMinBins || bins > emd::kMaxBins)
    return Error{
        Errc::invalid_argument, 0, "bins",
        Text<112>{fmt::format("{}: {}..{} can be told apart", bins, emd::kMinBins, emd::kMaxBins)}};
  const auto side = static_cast<std::size_t>(bins);
  std::vector<float> costs;
  if (word == "flat") {
    for (std::size_t i = 0; i < side; ++i)
      for (std::size_t j = 0; j < side; ++j) costs.push_back(i == j ? 0.0F : 1.0F);
    return emd::Ground::create(bins, costs.data(), costs.size());
  }
  constexpr const char* kWhere = "read ground distance";
  const Result<std::vector<std::vector<float>>> rows = read_rows(kWhere, word);
  if (!rows) return rows.error();
  const bool square = rows->size() == side &&
                      std::all_of(rows->begin(), rows->end(), [&](const std::vector<float>& row) {
                        return row.size() == side;
                      });
  if (!square)
    return eval::line_error(
        kWhere, word, 0, fmt::format("{} rows of {} costs expected, as there are bins", bins, bins),
        Errc::invalid_argument);
  for (const std::vector<float>& row : *rows) costs.insert(costs.end(), row.begin(), row.end());
  return emd::Ground::create(bins, costs.data(), costs.size());
}

Result<emd::Ground> ground_between(const std::vector<double>& places) {
  std::vector<float> costs;
  for (const double a : places)
    for (const double b : places) costs.push_back(static_cast<float>(std::abs(a - b)));
  return emd::Ground::create(static_cast<int>(places.size()), costs.data(), costs.size());
}

}  // namespace kerb::lab
