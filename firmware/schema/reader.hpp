// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "firmware/schema/problem.hpp"
#include "firmware/schema/schema.hpp"
#include "firmware/schema/tree.hpp"

namespace kerb::schema {

/// Puts the values of a tree where they belong, and collects what is wrong with them. Keys are
/// named as in a Problem: "camera[0].width".
class Reader {
 public:
  /// Reads a file's tree; `root` is the table of the file as a whole. Call it
  /// once per Reader.
  template <typename T>
  void read(const Table& root, const Node& tree, T& out) {
    if (root.owner != &kTypeOf<T>) std::terminate();
    read_file(root, tree, &out);
  }

  /// Adds a problem with a value of the file.
  void refuse(const std::string& key, const Node& node, std::string rule);
  /// Adds a problem that a rule between keys found, at the place of the key or of what it is in.
  void report(const std::string& key, const std::string& value, std::string rule);

  /// The file has this key, well or badly.
  [[nodiscard]] bool has(const std::string& key) const { return places_.contains(key); }
  /// The value was refused, or one in it: no rule may build on it.
  [[nodiscard]] bool is_bad(const std::string& key) const;
  /// As it was named; empty before read().
  [[nodiscard]] std::string file() const;
  [[nodiscard]] bool ok() const noexcept { return problems_.empty(); }
  /// In the order of the file.
  [[nodiscard]] std::vector<Problem> problems() const;

 private:
  void read_file(const Table& root, const Node& tree, void* object);
  void read_table(const Table& table, const Node& node, void* object, const std::string& key);
  void read_field(const Field& field, const Node& node, void* object, const std::string& key);
  void read_tables(const Field& field, const Node& node, void* object, const std::string& key);
  void assign(const Field& field, const Node& node, const Slot& slot, const std::string& key);

  const Table* root_ = nullptr;
  std::vector<Problem> problems_;
  std::map<std::string, Where> places_;
  std::set<std::string> bad_;
};

}  // namespace kerb::schema
