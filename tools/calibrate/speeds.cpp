// SPDX-License-Identifier: Apache-2.0
#include "tools/calibrate/speeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>

namespace kerb::calibrate {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> number(std::string_view text) {
  text = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

}  // namespace

Result<Speeds> Speeds::read(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) return Error{Errc::not_found, errno, "read speeds", Text<112>{path}};
  return parse(std::string{std::istreambuf_iterator<char>{file}, {}}, path);
}

Result<Speeds> Speeds::parse(std::string_view text, const std::string& name) {
  Speeds out;
  int line_number = 0;
  const auto wrong = [&](const char* what) {
    return Error{Errc::invalid_argument, 0, "read speeds",
                 Text<112>{fmt::format("{}:{}: {}", name, line_number, what)}};
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string_view> cells;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t comma = std::min(line.find(',', at), line.size());
      cells.push_back(line.substr(at, comma - at));
      at = comma + 1;
    }
    const std::optional<double> seconds = number(cells[0]);
    if (!seconds && out.rows_.empty() && line_number == 1) continue;  // the columns' names
    if (!seconds || cells.size() < 2 || cells.size() > 3)
      return wrong("must be seconds,m/s or seconds,m/s,rad/s");
    Row row;
    row.seconds = *seconds;
    const std::optional<double> speed = number(cells[1]);
    if (!speed) return wrong("the speed must be a number");
    row.speed_mps = *speed;
    if (cells.size() == 3 && !trimmed(cells[2]).empty()) {
      row.yaw_rate_radps = number(cells[2]);
      if (!row.yaw_rate_radps) return wrong("the yaw rate must be a number");
    }
    if (!out.rows_.empty() && row.seconds <= out.rows_.back().seconds)
      return wrong("time must increase from line to line");
    out.rows_.push_back(row);
  }
  if (out.rows_.empty()) return wrong("contains no speeds");
  return out;
}

ego::VehicleMotion Speeds::at(double seconds) const {
  const auto after = std::ranges::lower_bound(rows_, seconds, {}, &Row::seconds);
  if (after == rows_.end()) return {};
  if (after == rows_.begin()) {
    if (after->seconds > seconds) return {};
    return {after->speed_mps, after->yaw_rate_radps};
  }
  const Row &a = *(after - 1), &b = *after;
  const double share = (seconds - a.seconds) / (b.seconds - a.seconds);
  ego::VehicleMotion out{a.speed_mps + share * (b.speed_mps - a.speed_mps), std::nullopt};
  if (a.yaw_rate_radps && b.yaw_rate_radps)
    out.yaw_rate_radps = *a.yaw_rate_radps + share * (*b.yaw_rate_radps - *a.yaw_rate_radps);
  return out;
}

}  // namespace kerb::calibrate
