// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/simulator/scenario/schema.hpp"
#include "tools/simulator/scenario/tree.hpp"

namespace kerb::sim {

/// Puts the values of a tree where they belong, and collects what is wrong with them.
class Reader {
 public:
  /// Reads the tree of a scenario file.
  void read(const Node& root, ScenarioDraft& out);
  /// Adds a problem with a key, at the place of the key or of what it is in.
  void report(const std::string& key, const std::string& value, std::string rule);
  /// The file has this key, well or badly.
  [[nodiscard]] bool has(const std::string& key) const { return places_.contains(key); }
  /// Already a problem, it or something in it: no rule may build on it.
  [[nodiscard]] bool is_bad(const std::string& key) const;
  /// In the order of the file.
  [[nodiscard]] std::vector<Problem> problems() const;

 private:
  void read_table(const Table& table, const Node& node, void* object, const std::string& shown);
  void read_field(const Field& field, const Node& node, void* object, const std::string& shown);
  void read_tables(const Field& field, const Node& node, void* object, const std::string& shown);
  void assign(const Field& field, const Node& node, const Slot& slot, const std::string& shown);
  void read_surface(const Node& node, Surface& out, const std::string& shown);
  void read_coordinates(const Field& field, const Node& node, const Slot& slot,
                        const std::string& shown);
  void refuse(const std::string& key, const Node& node, std::string rule);
  std::vector<Problem> problems_;
  std::map<std::string, Where> places_;
  std::map<std::string, std::string> written_;
  std::set<std::string> bad_;
};

}  // namespace kerb::sim
