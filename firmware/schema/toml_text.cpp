// SPDX-License-Identifier: Apache-2.0
#include "firmware/schema/toml_text.hpp"

#include <algorithm>

namespace kerb::schema {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;
constexpr std::ptrdiff_t kMaxDots = 4000;  // ours need a few hundred, most of them in comments

/// Where the first letter outside ASCII stands that is neither in a comment nor in a string of one
/// line. Follows strings and comments as TOML has them; of a text that is wrong elsewhere, the
/// parser reads no further than that.
Place stray_letter(std::string_view text) {
  enum class In { plain, comment, basic, literal, long_basic, long_literal };
  In in = In::plain;
  Place place{1, 1};
  for (std::size_t i = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; i < text.size();) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    const std::string_view rest = text.substr(i);
    std::size_t taken = 1;
    switch (in) {
      case In::plain:
        if (byte >= 0x80) return place;
        if (c == '#') in = In::comment;
        if (c == '"' || c == '\'') {
          const bool is_long = rest.starts_with("\"\"\"") || rest.starts_with("'''");
          taken = is_long ? 3 : 1;
          in = c == '"' ? (is_long ? In::long_basic : In::basic)
                        : (is_long ? In::long_literal : In::literal);
        }
        break;
      case In::comment:
        if (c == '\n') in = In::plain;
        break;
      case In::basic:
      case In::literal:
        if (c == '\\' && in == In::basic && rest.size() > 1 && rest[1] != '\n') taken = 2;
        if (c == '\n' || c == (in == In::basic ? '"' : '\'')) in = In::plain;
        break;
      case In::long_basic:
      case In::long_literal:
        if (byte >= 0x80) return place;
        if (c == '\\' && in == In::long_basic && rest.size() > 1 && rest[1] != '\n' &&
            static_cast<unsigned char>(rest[1]) < 0x80)
          taken = 2;
        if (rest.starts_with(in == In::long_basic ? "\"\"\"" : "'''")) {
          // Up to two quotes of its own may stand before the three that end it.
          taken = 3;
          while (taken < 5 && taken < rest.size() && rest[taken] == c) ++taken;
          in = In::plain;
        }
        break;
    }
    for (std::size_t k = 0; k < taken; ++k) {
      const auto passed = static_cast<unsigned char>(text[i + k]);
      if (passed == '\n') {
        ++place.line;
        place.column = 1;
      } else if ((passed & 0xC0u) != 0x80) {  // a letter, not the rest of one
        ++place.column;
      }
    }
    i += taken;
  }
  return {};
}

}  // namespace

std::optional<TextProblem> check_text(std::string_view text) {
  if (text.size() > kMaxBytes)
    return TextProblem{"too large: must be at most " + std::to_string(kMaxBytes) + " bytes", {}};
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    return TextProblem{"not a text file: zero byte at offset " + std::to_string(zero), {}};
  if (std::ranges::count(text, '.') > kMaxDots)
    return TextProblem{"too many dots: more than " + std::to_string(kMaxDots), {}};
  if (const Place place = stray_letter(text); place.line > 0)
    return TextProblem{
        "not valid TOML: characters outside ASCII are allowed only in comments and strings of one "
        "line",
        place};
  return std::nullopt;
}

Place nameless_header(std::string_view text) {
  for (int line = 1; !text.empty(); ++line) {
    const std::string_view row = text.substr(0, text.find('\n'));
    std::size_t at = row.find_first_not_of(" \t");
    if (at != std::string_view::npos && row[at] == '[') {
      at = row.find_first_not_of(" \t", row.substr(at).starts_with("[[") ? at + 2 : at + 1);
      const char c = at == std::string_view::npos ? '\n' : row[at];
      const bool name = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '"' || c == '\'';
      if (!name) return {line, static_cast<int>(std::min(at, row.size())) + 1};
    }
    text.remove_prefix(std::min(row.size() + 1, text.size()));
  }
  return {};
}

}  // namespace kerb::schema
