// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/includes/definitions.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "tests/unit/includes/include_rules.hpp"

namespace kerb::test {
namespace {

struct Token {
  std::string text;
  int line = 0;
};
using Tokens = std::vector<Token>;

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_word(const std::string& text) { return !text.empty() && is_word_char(text.front()); }

/// Cuts a text into words and signs. Strings become `""`; comments and preprocessor lines vanish.
class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_{text} {}

  Tokens run() {
    while (at_ < text_.size()) step();
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] bool sees(std::string_view what) const {
    return text_.substr(at_, what.size()) == what;
  }

  void skip(std::size_t count) {
    for (; count > 0 && at_ < text_.size(); --count)
      if (text_[at_++] == '\n') ++line_;
  }

  /// To behind the next `end`, or to the end of the text.
  void skip_past(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    skip(found == std::string_view::npos ? text_.size() - at_ : found + end.size() - at_);
  }

  void add(std::size_t length) {
    tokens_.push_back({std::string{text_.substr(at_, length)}, line_});
    at_ += length;
  }

  void step() {
    const char c = text_[at_];
    const bool first = line_is_empty_;
    if (c == '\n') line_is_empty_ = true;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) return skip(1);
    line_is_empty_ = false;
    if (c == '#' && first) return preprocessor();
    if (sees("//")) return skip(std::min(text_.find('\n', at_), text_.size()) - at_);
    if (sees("/*")) return skip_past("*/");
    if (c == '"' || c == '\'') return quoted();
    if (is_word_char(c)) return word();
    for (const std::string_view sign : {"::", "->", "==", "!=", "<=", ">="})
      if (sees(sign)) return add(2);
    add(1);
  }

  void preprocessor() {
    while (at_ < text_.size() && text_[at_] != '\n') skip(sees("\\\n") ? 2 : 1);
  }

  void quoted() {
    tokens_.push_back({"\"\"", line_});
    const char quote = text_[at_];
    for (skip(1); at_ < text_.size() && text_[at_] != quote;) skip(text_[at_] == '\\' ? 2 : 1);
    skip(1);
  }

  void word() {
    std::size_t length = 1;
    const bool number = std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
    while (at_ + length < text_.size() &&
           (is_word_char(text_[at_ + length]) || (number && text_[at_ + length] == '\'')))
      ++length;
    if (at_ + length < text_.size() && text_[at_ + length] == '"' && text_[at_ + length - 1] == 'R')
      return raw_string(length + 1);
    if (text_.substr(at_, length) == "operator") return operator_name();
    add(length);
  }

  void raw_string(std::size_t open) {
    tokens_.push_back({"\"\"", line_});
    at_ += open;
    const std::size_t bracket = std::min(text_.find('(', at_), text_.size());
    skip_past(")" + std::string{text_.substr(at_, bracket - at_)} + "\"");
  }

  /// `operator==`, `operator()`, `operator bool`: one token up to the parameters.
  void operator_name() {
    if (sees("operator()")) return add(10);
    add(std::min(text_.find_first_of("(;", at_), text_.size()) - at_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_is_empty_ = true;
  Tokens tokens_;
};

/// The place behind the bracket that closes the one at `at`; npos if none does. `<` and `>` inside
/// round brackets are comparisons.
std::size_t behind(const Tokens& tokens, std::size_t at, std::string_view open,
                   std::string_view close) {
  for (int depth = 0, round = 0; at < tokens.size(); ++at) {
    const std::string& text = tokens[at].text;
    if (open == "<" && text == "(") ++round;
    if (open == "<" && text == ")") --round;
    if (round > 0) continue;
    if (text == open) ++depth;
    if (text == close && --depth == 0) return at + 1;
  }
  return std::string::npos;
}

/// Without attributes, `template <...>` and words with brackets of their own: `alignas(16)`.
Tokens bare(const Tokens& head) {
  static const std::set<std::string> kWithBrackets{"alignas",          "decltype", "noexcept",
                                                   "explicit",         "requires", "__attribute__",
                                                   "__launch_bounds__"};
  Tokens kept;
  for (std::size_t i = 0; i < head.size();) {
    const std::string& text = head[i].text;
    const std::string next = i + 1 < head.size() ? head[i + 1].text : "";
    if (text == "template" && next == "<") {
      i = behind(head, i + 1, "<", ">");
    } else if (text == "[" && next == "[") {
      i = behind(head, i, "[", "]");
    } else if (kWithBrackets.count(text) != 0 && next == "(") {
      i = behind(head, i + 1, "(", ")");
    } else {
      kept.push_back(head[i++]);
    }
  }
  return kept;
}

bool has(const Tokens& head, std::initializer_list<const char*> words) {
  return std::any_of(head.begin(), head.end(), [words](const Token& token) {
    return std::find(words.begin(), words.end(), token.text) != words.end();
  });
}

std::string joined(const Tokens& tokens, std::size_t from, std::size_t to) {
  std::string text;
  for (; from < to; ++from) {
    if (!text.empty() && is_word(tokens[from].text) && is_word_char(text.back())) text += ' ';
    text += tokens[from].text;
  }
  return text;
}

/// The types of a parameter list: `int a, const Box& b = {}` becomes `int,const Box&`.
std::string parameter_types(const Tokens& tokens, std::size_t from, std::size_t to) {
  std::string types;
  for (std::size_t start = from; start < to;) {
    std::size_t end = start, assigned = to;
    for (int depth = 0; end < to && (depth > 0 || tokens[end].text != ","); ++end) {
      const std::string& text = tokens[end].text;
      if (text == "<" || text == "(" || text == "{" || text == "[") ++depth;
      if (text == ">" || text == ")" || text == "}" || text == "]") --depth;
      if (depth == 0 && text == "=") assigned = std::min(assigned, end);
    }
    std::size_t last = std::min(end, assigned);
    if (last - start >= 2 && is_word(tokens[last - 1].text) && tokens[last - 2].text != "::" &&
        tokens[last - 2].text != "const")
      --last;
    if (!types.empty()) types += ',';
    types += joined(tokens, start, last);
    start = end + 1;
  }
  return types;
}

/// Where the name starts that ends before `end`: `Tracker<N>::step`.
std::size_t start_of_name(const Tokens& head, std::size_t end) {
  std::size_t start = end - 1;
  const auto skip_arguments = [&] {  // from `>` back to before its `<`
    for (int depth = 0; start > 0 && (depth > 0 || head[start].text == ">"); --start) {
      if (head[start].text == ">") ++depth;
      if (head[start].text == "<") --depth;
    }
  };
  skip_arguments();
  if (start >= 1 && head[start - 1].text == "~") --start;
  while (start >= 2 && head[start - 1].text == "::") {
    start -= 2;
    skip_arguments();
  }
  return start;
}

/// The name of the type whose body follows `head`; nothing if none does.
std::optional<std::string> type_name(const Tokens& head) {
  std::size_t at = 0;
  while (at < head.size() && (head[at].text == "typedef" || head[at].text == "constexpr")) ++at;
  static const std::set<std::string> kKeys{"struct", "class", "union", "enum"};
  if (at >= head.size() || kKeys.count(head[at].text) == 0) return {};
  while (at < head.size() && kKeys.count(head[at].text) != 0) ++at;
  std::size_t end = at;
  while (end < head.size() && head[end].text != ":" && head[end].text != "final") ++end;
  for (std::size_t i = at; i < end; ++i)
    if (head[i].text == "(" || head[i].text == "=") return {};
  return joined(head, at, end);
}

/// The name of the function whose body follows `head`, with its parameters; nothing if none does.
std::optional<std::string> function_name(const Tokens& head) {
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (head[i].text == "=") return {};
    if (head[i].text == "<") i = std::min(behind(head, i, "<", ">"), head.size()) - 1;
    if (head[i].text != "(") continue;
    if (i == 0 || (!is_word(head[i - 1].text) && head[i - 1].text != ">")) return {};
    const std::size_t close = behind(head, i, "(", ")") - 1;
    return joined(head, start_of_name(head, i), i) + "(" + parameter_types(head, i + 1, close) +
           ")";
  }
  return {};
}

/// TEST(...) { and other macros: a name in capitals.
bool is_macro(const std::string& name) {
  const std::string word = name.substr(0, name.find('('));
  return std::all_of(word.begin(), word.end(), [](char c) {
    return std::isupper(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

class Reader {
 public:
  explicit Reader(Tokens tokens) : tokens_{std::move(tokens)} {}

  std::optional<std::vector<Definition>> run() {
    scope("");
    if (lost_ || open_ != 0) return {};
    return std::move(found_);
  }

 private:
  /// The declarations of a namespace, up to its closing brace, which it takes.
  void scope(const std::string& prefix) {
    Tokens head;
    int depth = 0;  // of round brackets
    while (at_ < tokens_.size()) {
      const Token& token = tokens_[at_];
      if (token.text == "(") ++depth;
      if (token.text == ")") --depth;
      if (depth == 0 && token.text == "}") {
        ++at_;
        if (--open_ < 0) lost_ = true;
        return;
      }
      if (depth == 0 && token.text == ";") {
        head.clear();
        ++at_;
      } else if (depth == 0 && token.text == "{") {
        block(prefix, head);
      } else {
        head.push_back(token);
        ++at_;
      }
    }
    if (depth != 0) lost_ = true;
  }

  /// What `head` begins with the brace at at_.
  void block(const std::string& prefix, Tokens& head) {
    const Tokens words = bare(head);
    if (has(words, {"namespace"})) return name_space(prefix, head, words);
    if (!words.empty() && words.front().text == "extern" && words.back().text == "\"\"") {
      enter(prefix);
      return head.clear();
    }
    if (const std::optional<std::string> type = type_name(words)) {
      if (!type->empty()) found_.push_back({prefix + *type, words.front().line});
      skip_block(head);
      head = {{"}", 0}};  // a variable of that type may follow
      return;
    }
    const std::optional<std::string> function = function_name(words);
    if (!function) return skip_block(head);  // a variable's value
    const std::string& last = words.back().text;
    if (has_initialisers(words) && last != ")" && last != "}") return skip_block(head);
    const bool internal = has(words, {"static"}) || function->rfind("main(", 0) == 0;
    if (!internal && !is_macro(*function))
      found_.push_back({prefix + *function, words.front().line});
    skip_block(head);
    head.clear();
  }

  /// Whether a constructor's list of initialisers has begun: its braces are no body.
  static bool has_initialisers(const Tokens& head) {
    int depth = 0;
    bool parameters = false;
    for (const Token& token : head) {
      if (token.text == "(") ++depth;
      if (token.text == ")" && --depth == 0) parameters = true;
      if (parameters && depth == 0 && token.text == ":") return true;
    }
    return false;
  }

  void name_space(const std::string& prefix, Tokens& head, const Tokens& words) {
    std::string name;
    for (const Token& token : words)
      if (token.text != "namespace" && token.text != "inline") name += token.text;
    if (name.empty()) {
      skip_block(head);
    } else {
      enter(prefix + name + "::");
    }
    head.clear();
  }

  void enter(const std::string& prefix) {
    ++at_;
    ++open_;
    scope(prefix);
  }

  /// Past the block at at_; the head remembers that there was one.
  void skip_block(Tokens& head) {
    const std::size_t end = behind(tokens_, at_, "{", "}");
    if (end > tokens_.size()) lost_ = true;
    at_ = std::min(end, tokens_.size());
    head.push_back({"}", 0});
  }

  Tokens tokens_;
  std::size_t at_ = 0;
  int open_ = 0;  ///< braces of namespaces
  bool lost_ = false;
  std::vector<Definition> found_;
};

/// A source that is built instead of another.
bool is_stand_in(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  return path.extension() == ".cpp" &&
         (stem.rfind("no_", 0) == 0 ||
          (stem.size() > 5 && stem.compare(stem.size() - 5, 5, "_none") == 0));
}

}  // namespace

std::optional<std::vector<Definition>> definitions(std::string_view text) {
  return Reader{Tokenizer{text}.run()}.run();
}

ClashReport check_definitions(const std::filesystem::path& top) {
  ClashReport report;
  std::vector<std::string>& lines = report.complaints;
  std::map<std::string, std::string> first;  // where each name was met first: the file
  for (const SourceFile& file : read_tree(top)) {
    if (is_stand_in(file.path)) continue;
    const std::optional<std::vector<Definition>> read = definitions(text_of(top / file.path));
    if (!read) lines.push_back(file.path + ":1: its braces do not match, as this check reads it");
    if (!read) continue;
    for (const Definition& found : *read) {
      const auto [known, is_new] = first.emplace(found.name, file.path);
      if (!is_new && known->second != file.path)
        lines.push_back(file.path + ":" + std::to_string(found.line) + ": defines " + found.name +
                        ", as " + known->second + " does");
    }
  }
  report.names = first.size();
  return report;
}

}  // namespace kerb::test
