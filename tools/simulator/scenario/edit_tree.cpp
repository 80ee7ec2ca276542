// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/scenario/edit_tree.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <vector>

#include "firmware/schema/words.hpp"

namespace kerb::sim {
namespace {

using schema::Node;

/// One step of "people[0].impact": a name and the items of lists behind it.
struct Step {
  std::string name;
  std::vector<std::size_t> items;
};

bool parse_steps(std::string_view key, std::vector<Step>& out) {
  while (!key.empty()) {
    const std::size_t dot = std::min(key.find('.'), key.size());
    std::string_view part = key.substr(0, dot);
    if (dot + 1 == key.size()) return false;
    key.remove_prefix(std::min(dot + 1, key.size()));
    Step step;
    const std::size_t bracket = std::min(part.find('['), part.size());
    step.name = part.substr(0, bracket);
    if (step.name.empty()) return false;
    part.remove_prefix(bracket);
    while (!part.empty()) {
      const std::size_t close = part.find(']');
      if (part.front() != '[' || close == std::string_view::npos) return false;
      std::size_t number = 0;
      const auto [end, error] = std::from_chars(part.data() + 1, part.data() + close, number);
      if (error != std::errc{} || end != part.data() + close) return false;
      step.items.push_back(number);
      part.remove_prefix(close + 1);
    }
    out.push_back(std::move(step));
  }
  return !out.empty() && out.size() < 20;
}

Node& entry(Node& table, const std::string& name, const schema::Where& where) {
  for (auto& [key, value] : table.entries)
    if (key == name) return value;
  Node fresh;
  fresh.where = where;
  return table.entries.emplace_back(name, std::move(fresh)).value;
}

}  // namespace

std::string put(Node& root, std::string_view key, const Node& value) {
  std::vector<Step> steps;
  if (!parse_steps(key, steps)) return "is not a key such as people[0].impact.kmh";
  Node* at = &root;
  for (const Step& step : steps) {
    if (at->kind != Node::Kind::table) return "leads into a value that is not a table";
    at = &entry(*at, step.name, value.where);
    for (const std::size_t item : step.items) {
      if (at->kind != Node::Kind::list || item >= at->items.size())
        return "there is no " + schema::printable(step.name) + "[" + std::to_string(item) +
               "] in the scenario";
      at = &at->items[item];
    }
  }
  *at = value;
  return "";
}

void overlay(Node& root, const Node& over) {
  if (root.kind != Node::Kind::table || over.kind != Node::Kind::table) {
    root = over;
    return;
  }
  for (const auto& [name, value] : over.entries) {
    if (root.find(name) == nullptr) {
      root.entries.emplace_back(name, value);
    } else {
      overlay(entry(root, name, value.where), value);
    }
  }
}

}  // namespace kerb::sim
