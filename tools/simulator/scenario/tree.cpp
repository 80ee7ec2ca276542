// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/scenario/tree.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "firmware/config/toml_parser.hpp"
#include "firmware/config/toml_text.hpp"
#include "firmware/config/words.hpp"

namespace kerb::sim {
namespace {

using config::printable;
using File = std::shared_ptr<const std::string>;

/// More is refused by check_text(): reading one byte past the limit is enough to know.
constexpr std::size_t kReadAtMost = (1 << 20) + 1;

Where where_of(const File& file, const toml::source_region& source) {
  return {file, static_cast<int>(source.begin.line), static_cast<int>(source.begin.column)};
}

/// Nothing of ours is nested deeper: what is, is known by its type alone.
constexpr int kDeepest = 24;

Node convert(const toml::node& from, const File& file, const Where& where, int depth = 0) {
  Node out;
  out.where = where;
  if (depth > kDeepest) {
    out.kind = Node::Kind::other;
    out.text = "...";
  } else if (const toml::table* table = from.as_table()) {
    out.kind = Node::Kind::table;
    for (const auto& [key, value] : *table)
      out.entries.emplace_back(std::string{key.str()},
                               convert(value, file, where_of(file, key.source()), depth + 1));
  } else if (const toml::array* list = from.as_array()) {
    out.kind = Node::Kind::list;
    for (const toml::node& item : *list)
      out.items.push_back(convert(item, file, where_of(file, item.source()), depth + 1));
  } else if (const auto* text = from.as_string()) {
    out.kind = Node::Kind::text;
    out.text = text->get();
  } else if (const auto* integer = from.as_integer()) {
    out.kind = Node::Kind::integer;
    out.integer = integer->get();
    out.number = static_cast<double>(out.integer);
  } else if (const auto* number = from.as_floating_point()) {
    out.kind = Node::Kind::number;
    out.number = number->get();
  } else if (const auto* boolean = from.as_boolean()) {
    out.kind = Node::Kind::boolean;
    out.boolean = boolean->get();
  } else {
    out.kind = Node::Kind::other;
    std::ostringstream written;
    from.visit([&](const auto& value) {
      if constexpr (toml::is_value<decltype(value)>) written << value.get();
    });
    out.text = written.str();
  }
  return out;
}

Problem refused(const File& file, std::string rule, config::Place place = {}) {
  return {{file, place.line, place.column}, "", "", std::move(rule)};
}

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

Node& entry(Node& table, const std::string& name, const Where& where) {
  for (auto& [key, value] : table.entries)
    if (key == name) return value;
  Node fresh;
  fresh.where = where;
  return table.entries.emplace_back(name, std::move(fresh)).value;
}

}  // namespace

std::string Problem::line() const {
  std::string out = where.file ? printable(*where.file, 1024) : "";
  if (where.line > 0) out += ':' + std::to_string(where.line) + ':' + std::to_string(where.column);
  out += ": ";
  if (!key.empty()) out += key + (value.empty() ? "" : " = " + value) + ": ";
  return out + rule;
}

const Node* Node::find(std::string_view name) const {
  for (const auto& [key, value] : entries)
    if (key == name) return &value;
  return nullptr;
}

bool Node::all_tables() const {
  return std::ranges::all_of(items, [](const Node& item) { return item.kind == Kind::table; });
}

std::string Node::written() const {
  switch (kind) {
    case Kind::boolean:
      return boolean ? "true" : "false";
    case Kind::integer:
      return std::to_string(integer);
    case Kind::number:
      return config::decimal(number);
    case Kind::text:
      return config::quoted(text, 60);
    case Kind::other:
      return printable(text, 60);
    case Kind::list: {
      if (items.size() > 4 || std::ranges::any_of(items, [](const Node& item) {
            return item.kind == Kind::list || item.kind == Kind::table;
          }))
        return "[...]";
      std::string out = "[";
      for (const Node& item : items) out += (out.size() > 1 ? ", " : "") + item.written();
      return out + "]";
    }
    case Kind::table:
      break;
  }
  return "";
}

const char* Node::type_text() const {
  constexpr const char* kTexts[] = {"a boolean",     "an integer", "a number with a fraction",
                                    "a string",      "a list",     "a table",
                                    "a date or time"};
  return kTexts[static_cast<int>(kind)];
}

std::variant<Node, Problem> parse_tree(std::string_view text, const std::string& name) {
  const auto file = std::make_shared<const std::string>(name);
  if (const std::optional<config::TextProblem> problem = config::check_text(text))
    return refused(file, problem->rule, problem->place);
  try {
    const toml::table parsed = toml::parse(text, std::string_view{});
    return convert(parsed, file, {file, 0, 0});
  } catch (const toml::parse_error& error) {
    const Where where = where_of(file, error.source());
    return refused(file, "not valid TOML: " + printable(error.description(), 160),
                   {where.line, where.column});
  } catch (const std::logic_error&) {
    const config::Place place = config::nameless_header(text);
    return refused(
        file, place.line > 0 ? "not valid TOML: a table's name must follow '['" : "not valid TOML",
        place);
  } catch (const std::exception& error) {
    return refused(file, "cannot be parsed: " + printable(error.what(), 160));
  }
}

std::variant<Node, Problem> read_tree(const std::string& path) {
  namespace fs = std::filesystem;
  const auto file = std::make_shared<const std::string>(path);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return refused(file, "no such file");
  if (error) return refused(file, "cannot be read: " + error.message());
  if (status.type() == fs::file_type::directory)
    return refused(file, "is a directory, must be a file");
  if (status.type() != fs::file_type::regular) return refused(file, "must be a regular file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream{std::fopen(path.c_str(), "rbe"),
                                                               &std::fclose};
  if (!stream) return refused(file, "cannot be read: " + std::generic_category().message(errno));
  std::string text(kReadAtMost, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stream.get()));
  if (std::ferror(stream.get()) != 0)
    return refused(file, "cannot be read: " + std::generic_category().message(errno));
  return parse_tree(text, path);
}

std::string put(Node& root, std::string_view key, const Node& value) {
  std::vector<Step> steps;
  if (!parse_steps(key, steps)) return "is not a key such as people[0].impact.kmh";
  Node* at = &root;
  for (const Step& step : steps) {
    if (at->kind != Node::Kind::table) return "leads into a value that is not a table";
    at = &entry(*at, step.name, value.where);
    for (const std::size_t item : step.items) {
      if (at->kind != Node::Kind::list || item >= at->items.size())
        return "there is no " + step.name + "[" + std::to_string(item) + "] in the scenario";
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
