// SPDX-License-Identifier: Apache-2.0
#include "tests/board/events.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace kerb::board {
namespace {

/// Walks over JSON; each function is false where the text is not what it must be.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  bool object() {
    if (!take('{')) return false;
    if (take('}')) return true;
    do {
      if (!string() || !take(':') || !value()) return false;
    } while (take(','));
    return take('}');
  }
  bool at_end() const { return at_ == text_.size(); }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view w) {
    if (text_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }
  bool digits() {
    const std::size_t start = at_;
    while (std::isdigit(static_cast<unsigned char>(peek())) != 0) ++at_;
    return at_ > start;
  }
  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('+')) take('-');
    return digits();
  }
  bool string() {
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\') continue;
      const char escaped = peek();
      ++at_;
      if (std::string_view("\"\\/bfnrt").find(escaped) != std::string_view::npos) continue;
      if (escaped != 'u') return false;
      for (int i = 0; i < 4; ++i, ++at_)
        if (std::isxdigit(static_cast<unsigned char>(peek())) == 0) return false;
    }
    return false;
  }
  bool array() {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      if (!value()) return false;
    } while (take(','));
    return take(']');
  }
  bool value() {
    switch (peek()) {
      case '{':
        return object();
      case '[':
        return array();
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_json_object(std::string_view line) {
  JsonReader reader(line);
  return reader.object() && reader.at_end();
}

EventFile::EventFile(const std::string& path, const std::string& more) {
  read(path);
  if (!more.empty()) read(more);
}

void EventFile::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    if (end == all.size()) ++broken_;  // it may still be being written
    lines_.push_back(all.substr(at, end - at));
    if (end < all.size() && !is_json_object(lines_.back())) ++broken_;
    at = end + 1;
  }
}

bool EventFile::is_gapless() const {
  int expected = 0;
  std::string run;
  for (const std::string& line : lines_) {
    int seq = -1;
    char id[17] = {};
    if (std::sscanf(line.c_str(), "{\"seq\":%d,\"run\":\"%16[0-9a-f]", &seq, id) != 2) return false;
    if (run != id) expected = 0;
    run = id;
    if (seq != expected++) return false;
  }
  return true;
}

int EventFile::count(const std::string& kind, const std::vector<std::string>& parts) const {
  const auto has = [](const std::string& line, const std::string& part) {
    return line.find(part) != std::string::npos;
  };
  return static_cast<int>(std::count_if(lines_.begin(), lines_.end(), [&](const std::string& line) {
    return has(line, "\"kind\":\"" + kind + "\"") &&
           std::all_of(parts.begin(), parts.end(),
                       [&](const std::string& part) { return has(line, part); });
  }));
}

std::string EventFile::last_kind() const {
  constexpr std::string_view kKey = "\"kind\":\"";
  if (lines_.empty()) return {};
  const std::size_t at = lines_.back().find(kKey);
  if (at == std::string::npos) return {};
  const std::size_t start = at + kKey.size();
  return lines_.back().substr(start, lines_.back().find('"', start) - start);
}

}  // namespace kerb::board
