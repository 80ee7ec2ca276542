// SPDX-License-Identifier: Apache-2.0
#include "firmware/config/bands.hpp"

#include <algorithm>
#include <charconv>

namespace kerb {
namespace {

constexpr double kShortest = 200, kLongest = 20000;  // nm

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

}  // namespace

std::optional<std::vector<double>> parse_bands(std::string_view text) {
  std::vector<double> out;
  text = trimmed(text);
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = trimmed(text.substr(0, comma));
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    if (!(value >= kShortest && value <= kLongest)) return std::nullopt;
    out.push_back(value);
    if (comma == text.size()) break;
    text = trimmed(text.substr(comma + 1));
    if (text.empty()) return std::nullopt;  // a comma behind the last
  }
  return out;
}

}  // namespace kerb
