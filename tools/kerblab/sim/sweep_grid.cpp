// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/sim/sweep_grid.hpp"

#include <utility>

namespace kerb::lab {

std::optional<SweepAxis> parse_axis(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
  SweepAxis axis{std::string{text.substr(0, equals)}, {{}}};
  char quote = 0;
  int depth = 0;
  for (const char c : text.substr(equals + 1)) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[') {
      ++depth;
    } else if (c == ']') {
      --depth;
    } else if (c == ',' && depth == 0) {
      axis.values.emplace_back();
      continue;
    }
    axis.values.back().push_back(c);
  }
  for (const std::string& value : axis.values)
    if (value.empty()) return std::nullopt;
  return quote == 0 && depth == 0 ? std::optional{std::move(axis)} : std::nullopt;
}

std::vector<std::vector<std::string>> grid_of(const std::vector<SweepAxis>& axes) {
  std::vector<std::vector<std::string>> points{{}};
  for (const SweepAxis& axis : axes) {
    std::vector<std::vector<std::string>> more;
    for (const std::vector<std::string>& point : points)
      for (const std::string& value : axis.values) {
        more.push_back(point);
        more.back().push_back(axis.key + "=" + value);
      }
    points = std::move(more);
    if (points.size() > kMostSweepPoints) break;
  }
  return points;
}

}  // namespace kerb::lab
