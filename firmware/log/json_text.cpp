// SPDX-License-Identifier: Apache-2.0
#include "firmware/log/json_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ctime>

namespace kerb {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr char kHex[] = "0123456789abcdef";

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
}

struct Sequence {
  std::size_t size;  // bytes to take
  bool good;
};

/// The UTF-8 sequence at `i`, by Unicode's table 3-7: no overlong forms, no surrogates, nothing
/// above U+10FFFF. An ill-formed one is as long as its well-formed beginning, as Unicode
/// recommends.
Sequence sequence_at(std::string_view text, std::size_t i) {
  const unsigned lead = byte_at(text, i);
  if (lead < 0x80) return {1, true};
  unsigned low = 0x80, high = 0xBF;  // what the second byte may be
  std::size_t size = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    size = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    size = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    size = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {1, false};
  }
  for (std::size_t k = 1; k < size; ++k) {
    const unsigned next = byte_at(text, i + k);
    if (next < low || next > high) return {k, false};
    low = 0x80;
    high = 0xBF;
  }
  return {size, true};
}

/// Calls `ascii` for each ASCII character and appends the rest, made well-formed.
template <typename Ascii>
void append_well_formed(std::string& out, std::string_view text, Ascii ascii) {
  for (std::size_t i = 0; i < text.size();) {
    const Sequence sequence = sequence_at(text, i);
    if (!sequence.good) {
      out += kReplacement;
    } else if (sequence.size == 1) {
      ascii(text[i]);
    } else {
      out += text.substr(i, sequence.size);
    }
    i += sequence.size;
  }
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

void append_json(std::string& out, std::string_view text) {
  out += '"';
  append_well_formed(out, text, [&out](char c) {
    switch (c) {
      case '"':
        out += "\\\"";
        return;
      case '\\':
        out += "\\\\";
        return;
      case '\n':
        out += "\\n";
        return;
      case '\r':
        out += "\\r";
        return;
      case '\t':
        out += "\\t";
        return;
      default:
        break;
    }
    if (is_control(c)) {
      const auto code = static_cast<unsigned char>(c);
      out += "\\u00";
      out += kHex[code >> 4];
      out += kHex[code & 15];
    } else {
      out += c;
    }
  });
  out += '"';
}

void append_json(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

void append_printable(std::string& out, std::string_view text) {
  append_well_formed(out, text, [&out](char c) {
    if (!is_control(c)) {
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      const auto code = static_cast<unsigned char>(c);
      out += "\\x";
      out += kHex[code >> 4];
      out += kHex[code & 15];
    }
  });
}

void append_utc(std::string& out, std::chrono::nanoseconds since_epoch) {
  // A clock that was never set, or set wildly, must not break the format. 64-bit nanoseconds end in
  // 2262.
  const auto ms = std::max(since_epoch, std::chrono::nanoseconds::zero()).count() / 1'000'000;
  const auto seconds = static_cast<std::time_t>(ms / 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 80> text;
  const int n = std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
                              parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
                              parts.tm_min, parts.tm_sec, static_cast<int>(ms % 1000));
  out.append(text.data(), static_cast<std::size_t>(n));
}

}  // namespace kerb
