// SPDX-License-Identifier: Apache-2.0
#include "firmware/schema/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

namespace kerb::schema {
namespace {

/// How many bytes of well-formed, printable UTF-8 start here; 0 for none.
std::size_t printable_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const std::size_t length = first >= 0xC3 && first < 0xE0   ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0u) != 0x80) return 0;
  // Overlong forms, surrogates, and what turns lines round or breaks them (U+2028..202E,
  // U+2066..2069).
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) >= 0xA0) return 0;
  if (first == 0xE2 && byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE) return 0;
  if (first == 0xE2 && byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) >= 0x90) return 0;
  return length;
}

std::string escaped(std::string_view text, std::size_t limit, bool in_quotes) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    std::string piece;
    std::size_t taken = printable_length(text);
    if (taken > 0) {
      piece = text.substr(0, taken);
      if (in_quotes && (piece == "\"" || piece == "\\")) piece.insert(0, 1, '\\');
    } else {
      taken = 1;
      const auto byte = static_cast<unsigned char>(text[0]);
      piece = {'\\', 'x', kHex[byte >> 4], kHex[byte & 0xF]};
    }
    if (out.size() + piece.size() > limit) return out + "...";
    out += piece;
    text.remove_prefix(taken);
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  return escaped(text, limit, false);
}

std::string quoted(std::string_view text, std::size_t limit) {
  return '"' + escaped(text, limit, true) + '"';
}

std::string decimal(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (std::abs(value) > 1e15) return value < 0 ? "less than -1e15" : "more than 1e15";
  std::array<char, 400> chars;
  const auto [end, error] =
      std::to_chars(chars.data(), chars.data() + chars.size(), value, std::chars_format::fixed);
  return error == std::errc{} ? std::string{chars.data(), end} : std::string{"?"};
}

int edit_distance(std::string_view a, std::string_view b) {
  // Rows of the usual table: two back (for swaps), one back, this one.
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongest = 64;  // nobody means a word of ours by more
  if (word.empty() || word.size() > kLongest) return {};
  std::string_view best;
  int best_distance = 4;
  for (const std::string_view candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    if (word.size() >= 3 && candidate.starts_with(word)) return candidate;  // "warn"
    const std::size_t longest = std::max(word.size(), candidate.size());
    const int near = longest < 4 ? 0 : static_cast<int>(longest / 3);  // "gpu" is not "cpu"
    if (distance <= near && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view near = nearest(word, candidates);
  return near.empty() ? "" : "; did you mean '" + std::string{near} + "'?";
}

std::string join(std::string_view table, std::string_view name) {
  return table.empty() ? std::string{name} : std::string{table}.append(".").append(name);
}

}  // namespace kerb::schema
