// SPDX-License-Identifier: Apache-2.0
#include "firmware/dbc/dbc.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

#include "firmware/schema/words.hpp"

namespace kerb::dbc {
namespace {

using schema::Problem;
using schema::Where;

constexpr std::size_t kLargest = std::size_t{4} << 20;
constexpr std::size_t kMostProblems = 50;    // more help nobody
constexpr std::size_t kMostMessages = 4096;  // of one bus
constexpr std::size_t kLongestName = 128;
constexpr unsigned kMostBytes = 64, kMostBits = 64;
constexpr std::uint32_t kExtendedFlag = 0x80000000, kStandardMask = 0x7FF,
                        kExtendedMask = 0x1FFFFFFF;
constexpr std::uint32_t kNoMessage = 0xC0000000;  // of VECTOR__INDEPENDENT_SIG_MSG: loose signals

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Reads the words and numbers of a text, and knows the line it is in.
class Text {
 public:
  explicit Text(std::string_view text) : text_{text} {}

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }
  [[nodiscard]] bool at_line_end() const { return at_end() || text_[at_] == '\n'; }
  [[nodiscard]] int line() const { return line_; }
  [[nodiscard]] int column() const { return static_cast<int>(at_ - line_start_) + 1; }
  void next() {
    if (at_end()) return;
    if (text_[at_] == '\n') {
      ++line_;
      line_start_ = at_ + 1;
    }
    ++at_;
  }
  void skip_blanks() {
    while (!at_end() && is_blank(peek())) next();
  }
  void skip_line() {
    while (!at_line_end()) next();
    next();
  }
  /// Letters, digits and '_'; empty where there are none.
  std::string_view word() {
    skip_blanks();
    const std::size_t from = at_;
    while (!at_end() && is_word(peek())) ++at_;
    return text_.substr(from, at_ - from);
  }
  bool take(char c) {
    skip_blanks();
    if (peek() != c || at_end()) return false;
    next();
    return true;
  }
  template <typename T>
  std::optional<T> number() {
    skip_blanks();
    const char* const from = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    const bool plus = from != end && *from == '+';  // which from_chars() refuses
    T out{};
    const auto [stop, error] = std::from_chars(from + (plus ? 1 : 0), end, out);
    if (error != std::errc{}) return std::nullopt;
    if constexpr (std::is_floating_point_v<T>)
      if (!std::isfinite(out)) return std::nullopt;
    at_ += static_cast<std::size_t>(stop - from);
    return out;
  }
  /// Passes over "..."; false: it does not end, or does not begin here.
  bool skip_string() {
    if (!take('"')) return false;
    while (!at_end() && peek() != '"') {
      if (peek() == '\\') next();
      next();
    }
    return take('"');
  }
  /// What stands in quotes on this line.
  std::optional<std::string_view> string() {
    if (!take('"')) return std::nullopt;
    const std::size_t from = at_;
    while (!at_line_end() && peek() != '"') ++at_;
    const std::string_view out = text_.substr(from, at_ - from);
    if (!take('"')) return std::nullopt;
    return out;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& name)
      : text_{text}, name_{std::make_shared<const std::string>(name)} {}

  File parse() && {
    while (!text_.at_end() && out_.problems.size() < kMostProblems) line();
    finish();
    schema::sort(out_.problems);
    return std::move(out_);
  }

 private:
  Where here() const { return {name_, text_.line(), text_.column()}; }
  void refuse(const Where& where, std::string rule) {
    if (out_.problems.size() < kMostProblems)
      out_.problems.push_back({where, "", "", std::move(rule)});
  }

  void line() {
    text_.skip_blanks();
    const Where where = here();
    const std::string_view word = text_.word();
    if (word == "BO_") return message(where);
    if (word == "SG_") return signal(where);
    if (word.empty()) return text_.skip_line();
    message_ = nullptr;
    if (word == "NS_") return symbols();
    if (word == "BA_") return value_of_attribute(where);
    if (word == "BA_DEF_DEF_") return default_of_attribute(where);
    if (word == "SIG_VALTYPE_") return type_of_signal(where);
    if (word == "VERSION" || word == "BS_" || word == "BU_" || word.back() != '_')
      return text_.skip_line();
    skip_statement(where);
  }

  /// NS_ : and the words that the file may use, one a line.
  void symbols() {
    text_.skip_line();
    while (!text_.at_end()) {
      Text ahead = text_;
      const std::string_view word = ahead.word();
      ahead.skip_blanks();
      if (!ahead.at_line_end() || word == "BO_") return;
      text_ = ahead;
      text_.next();
    }
  }

  /// Up to its ';', over lines and quotes.
  void skip_statement(const Where& where) {
    bool line_begins = false;
    while (!text_.at_end()) {
      if (line_begins) {
        Text ahead = text_;
        if (const std::string_view word = ahead.word(); word == "BO_" || word == "SG_")
          return refuse(where, "a section without ';' before the next message");
        line_begins = false;
      }
      if (text_.peek() == '"') {
        if (!text_.skip_string()) return refuse(where, "a text without its closing '\"'");
      } else if (text_.peek() == ';') {
        return text_.next();
      } else {
        line_begins = text_.peek() == '\n';
        text_.next();
      }
    }
    refuse(where, "a section without ';' at its end");
  }

  void message(const Where& where) {
    message_ = nullptr;
    Message message;
    message.where = where;
    const std::optional<std::uint32_t> id = text_.number<std::uint32_t>();
    message.name = text_.word();
    const bool colon = text_.take(':');
    const std::optional<unsigned> size = text_.number<unsigned>();
    text_.skip_line();
    if (!id || message.name.empty() || message.name.size() > kLongestName || !colon || !size)
      return refuse(where, "must be a message: BO_ ID NAME: BYTES SENDER");
    skipped_ = *id == kNoMessage;
    if (skipped_) return;
    message.extended = (*id & kExtendedFlag) != 0;
    message.id = *id & ~kExtendedFlag;
    if (message.id > (message.extended ? kExtendedMask : kStandardMask))
      return refuse(where, "message " + message.name + ": an identifier has 11 bits, or 29 and " +
                               "bit 31 set");
    if (*size > kMostBytes)
      return refuse(where, "message " + message.name + ": has more than 64 bytes");
    message.size = *size;
    if (out_.messages.size() >= kMostMessages) return refuse(where, "more than 4096 messages");
    if (const auto same = by_name_.find(message.name); same != by_name_.end())
      return refuse(where, "message " + message.name + " is there twice; first " +
                               at_line(out_.messages[same->second].where));
    if (const Message* const same = by_id(*id))
      return refuse(where, "message " + message.name + " has the identifier of " + same->name);
    by_name_.emplace(message.name, out_.messages.size());
    by_id_.emplace(*id, out_.messages.size());
    out_.messages.push_back(std::move(message));
    message_ = &out_.messages.back();
  }

  static std::string at_line(const Where& where) { return "in line " + std::to_string(where.line); }

  void signal(const Where& where) {
    if (message_ == nullptr) {  // its message was refused, or is none
      text_.skip_line();
      if (out_.problems.empty() && !skipped_) refuse(where, "a signal outside a message");
      return;
    }
    Signal signal;
    signal.where = where;
    signal.name = text_.word();
    const bool good = read_signal(signal);
    text_.skip_line();
    if (!good || signal.name.empty() || signal.name.size() > kLongestName)
      return refuse(where,
                    "must be a signal: SG_ NAME : START|BITS@ORDER+ (FACTOR,OFFSET) [MIN|MAX] ...");
    const std::string what = message_->name + "." + signal.name;
    if (signal.length == 0 || signal.length > kMostBits)
      return refuse(where, what + ": must have 1..64 bits");
    if (signal.start >= kMostBytes * 8 || !fits(signal))
      return refuse(where, what + ": is not within the " + std::to_string(message_->size) +
                               " bytes of its message");
    if (signal.factor == 0) return refuse(where, what + ": its factor must not be 0");
    if (const Signal* other = message_->find(signal.name))
      return refuse(where, what + " is there twice; first " + at_line(other->where));
    message_->signals.push_back(std::move(signal));
  }

  bool read_signal(Signal& signal) {
    const std::string_view multiplex = text_.word();
    if (!multiplex.empty())  // "M", "m3", "m3M"
      signal.multiplex = multiplex == "M" ? Multiplex::selector : Multiplex::selected;
    if (!text_.take(':')) return false;
    const std::optional<unsigned> start = text_.number<unsigned>();
    if (!start || !text_.take('|')) return false;
    const std::optional<unsigned> length = text_.number<unsigned>();
    if (!length || !text_.take('@')) return false;
    const char order = text_.peek();
    if (order != '0' && order != '1') return false;
    text_.next();
    const char sign = text_.peek();
    if (sign != '+' && sign != '-') return false;
    text_.next();
    if (!text_.take('(')) return false;
    const std::optional<double> factor = text_.number<double>();
    if (!factor || !text_.take(',')) return false;
    const std::optional<double> offset = text_.number<double>();
    if (!offset || !text_.take(')') || !text_.take('[')) return false;
    const std::optional<double> low = text_.number<double>();
    if (!low || !text_.take('|')) return false;
    const std::optional<double> high = text_.number<double>();
    if (!high || !text_.take(']')) return false;
    signal.start = *start;
    signal.length = *length;
    signal.big_endian = order == '0';
    signal.is_signed = sign == '-';
    signal.factor = *factor;
    signal.offset = *offset;
    signal.low = *low;
    signal.high = *high;
    return true;
  }

  [[nodiscard]] bool fits(const Signal& signal) const {
    const unsigned bits = message_->size * 8;
    if (!signal.big_endian) return signal.start + signal.length <= bits;
    const unsigned from_first = signal.start / 8 * 8 + (7 - signal.start % 8);
    return from_first + signal.length <= bits;
  }

  /// BA_ "GenMsgCycleTime" BO_ ID MS;
  void value_of_attribute(const Where& where) {
    Text ahead = text_;
    if (ahead.string() == "GenMsgCycleTime" && ahead.word() == "BO_")
      if (const auto id = ahead.number<std::uint32_t>())
        if (const auto ms = ahead.number<double>()) cycles_.emplace_back(*id, *ms);
    skip_statement(where);
  }
  void default_of_attribute(const Where& where) {
    Text ahead = text_;
    if (ahead.string() == "GenMsgCycleTime")
      if (const auto ms = ahead.number<double>()) default_cycle_ms_ = *ms;
    skip_statement(where);
  }
  /// SIG_VALTYPE_ ID NAME : 1;
  void type_of_signal(const Where& where) {
    Text ahead = text_;
    if (const auto id = ahead.number<std::uint32_t>()) {
      const std::string_view name = ahead.word();
      if (ahead.take(':') && ahead.number<int>().value_or(0) != 0) floats_.emplace_back(*id, name);
    }
    skip_statement(where);
  }

  Message* by_id(std::uint32_t id) {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : &out_.messages[found->second];
  }
  void finish() {
    const auto set = [](Message& message, double ms) {
      if (ms >= 1 && ms <= 60000) message.cycle_ms = static_cast<int>(std::lround(ms));
    };
    for (Message& message : out_.messages) set(message, default_cycle_ms_);
    for (const auto& [id, ms] : cycles_)
      if (Message* message = by_id(id)) {
        message->cycle_ms.reset();
        set(*message, ms);
      }
    for (const auto& [id, name] : floats_)
      if (Message* message = by_id(id))
        for (Signal& signal : message->signals) signal.is_float |= signal.name == name;
  }

  Text text_;
  std::shared_ptr<const std::string> name_;
  File out_;
  Message* message_ = nullptr;  ///< the one whose signals come
  bool skipped_ = false;        ///< that message has no signals of ours
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::map<std::uint32_t, std::size_t> by_id_;
  std::vector<std::pair<std::uint32_t, double>> cycles_;
  std::vector<std::pair<std::uint32_t, std::string>> floats_;
  double default_cycle_ms_ = 0;
};

File refused(const std::string& name, std::string rule) {
  File out;
  out.problems.push_back(
      {{std::make_shared<const std::string>(name), 0, 0}, "", "", std::move(rule)});
  return out;
}

}  // namespace

const Signal* Message::find(std::string_view signal) const noexcept {
  const auto found = std::ranges::find(signals, signal, &Signal::name);
  return found == signals.end() ? nullptr : &*found;
}

const Message* File::find(std::string_view message) const noexcept {
  const auto found = std::ranges::find(messages, message, &Message::name);
  return found == messages.end() ? nullptr : &*found;
}

unsigned place_of_bit(const Signal& signal, unsigned i) noexcept {
  if (signal.big_endian) return signal.start / 8 * 8 + (7 - signal.start % 8) + i;
  const unsigned bit = signal.start + signal.length - 1 - i;
  return bit / 8 * 8 + (7 - bit % 8);
}

File parse(std::string_view text, const std::string& name) {
  if (text.size() > kLargest) return refused(name, "is larger than 4 MiB");
  return Parser{text, name}.parse();
}

File read(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return refused(path, "no such file");
  if (error) return refused(path, "cannot be read: " + error.message());
  if (status.type() != fs::file_type::regular) return refused(path, "must be a regular file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream{std::fopen(path.c_str(), "rbe"),
                                                               &std::fclose};
  if (!stream) return refused(path, "cannot be read: " + std::generic_category().message(errno));
  std::string text;
  std::array<char, 1 << 16> block;
  for (std::size_t n = 0; text.size() <= kLargest &&
                          (n = std::fread(block.data(), 1, block.size(), stream.get())) > 0;)
    text.append(block.data(), n);
  if (std::ferror(stream.get()) != 0)
    return refused(path, "cannot be read: " + std::generic_category().message(errno));
  return parse(text, path);
}

}  // namespace kerb::dbc
