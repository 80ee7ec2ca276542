// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firmware/schema/problem.hpp"

namespace kerb::schema {

struct Entry;

/// A TOML file as a tree that can be changed; every value has its line and column.
struct Node {
  enum class Kind : std::uint8_t { boolean, integer, number, text, list, table, other };
  Kind kind = Kind::table;
  bool boolean = false;
  bool is_inline = false;  ///< of a table: written as {...}
  std::int64_t integer = 0;
  double number = 0;           ///< of an integer, too
  std::string text;            ///< of other: as written
  std::vector<Node> items;     ///< of a list
  std::vector<Entry> entries;  ///< of a table
  Where where;

  [[nodiscard]] const Node* find(std::string_view name) const;
  [[nodiscard]] bool is_number() const noexcept {
    return kind == Kind::integer || kind == Kind::number;
  }
  /// A list of tables and nothing else, which may be empty.
  [[nodiscard]] bool is_tables() const;
  /// As written, near enough to recognise; empty for what has its own lines.
  [[nodiscard]] std::string written() const;
  /// "an integer", "a table"...
  [[nodiscard]] const char* type_text() const;
};
/// A table's key and its value.
struct Entry {
  Entry(std::string key_name, Node node) : name{std::move(key_name)}, value{std::move(node)} {}
  std::string name;
  Node value;
};

}  // namespace kerb::schema
