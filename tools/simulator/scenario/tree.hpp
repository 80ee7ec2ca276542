// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// A TOML file as a tree that can be changed; every value has its line and column.
namespace kerb::sim {

struct Where {
  std::shared_ptr<const std::string> file;
  int line = 0, column = 0;  ///< count from 1; 0: nowhere
};

/// One error of a file.
struct Problem {
  Where where;
  std::string key;    ///< "people[0].height_m"; empty when it is the file as a whole
  std::string value;  ///< as written, shortened; empty when there is none
  std::string rule;   ///< "must be 0.5..2.3 (m)"
  /// "FILE:LINE:COL: KEY = VALUE: RULE", printable.
  [[nodiscard]] std::string line() const;
};

struct Entry;

struct Node {
  enum class Kind : std::uint8_t { boolean, integer, number, text, list, table, other };
  Kind kind = Kind::table;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;  ///< of an integer, too
  std::string text;   ///< of other: as written
  std::vector<Node> items;
  std::vector<Entry> entries;
  Where where;

  [[nodiscard]] const Node* find(std::string_view name) const;
  /// As written, near enough to recognise; empty for what has many lines.
  [[nodiscard]] std::string written() const;
  /// "an integer", "a table"...
  [[nodiscard]] const char* type_text() const;
  [[nodiscard]] bool all_tables() const;  ///< of a list, which may be empty
};
/// A table's key and its value.
struct Entry {
  Entry(std::string key_name, Node node) : name{std::move(key_name)}, value{std::move(node)} {}
  std::string name;
  Node value;
};

/// Parses a text of at most 1 MiB. Any bytes are handled.
[[nodiscard]] std::variant<Node, Problem> parse_tree(std::string_view text,
                                                     const std::string& name);
/// Reads and parses a file.
[[nodiscard]] std::variant<Node, Problem> read_tree(const std::string& path);

/// Sets the value at "people[0].impact.kmh" and creates missing tables. Fails, with the reason, if
/// a part of the key is not a table or a list item does not exist.
[[nodiscard]] std::string put(Node& root, std::string_view key, const Node& value);
/// Lays `over` over `root`: tables into tables, anything else instead of what was there.
void overlay(Node& root, const Node& over);

}  // namespace kerb::sim
