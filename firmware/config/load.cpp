// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include "firmware/config/config.hpp"
#include "firmware/config/rules.hpp"
#include "firmware/config/schema.hpp"
#include "firmware/config/toml_parser.hpp"
#include "firmware/config/toml_text.hpp"
#include "firmware/config/words.hpp"

namespace kerb {
namespace {

using config::decimal;
using config::Key;
using config::Kind;
using config::Place;
using config::printable;
using config::quoted;
using config::Table;

/// Reads one byte past the limit at most: check_text() refuses more.
constexpr std::size_t kReadAtMost = (1 << 20) + 1;

Place place_of(const toml::source_region& source) {
  return {static_cast<int>(source.begin.line), static_cast<int>(source.begin.column)};
}

const char* type_text(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return node.is_array_of_tables() ? "an array of tables" : "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "a boolean";
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time:
      return "a date or time";
    case toml::node_type::none:
      break;
  }
  return "nothing";
}

/// The value about as written; empty where it has many lines.
std::string written(const toml::node& node) {
  if (const auto* text = node.as_string()) return quoted(text->get(), 60);
  if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
  if (const auto* number = node.as_floating_point()) return decimal(number->get());
  if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
  if (node.is_array()) return node.is_array_of_tables() ? "" : "[...]";
  if (node.is_table()) return node.as_table()->is_inline() ? "{...}" : "";
  std::ostringstream date_or_time;
  node.visit([&](const auto& value) {
    if constexpr (toml::is_value<decltype(value)>) date_or_time << value.get();
  });
  return date_or_time.str();
}

const char* wanted(Kind kind) {
  constexpr const char* kTexts[] = {"true or false", "an integer", "a number", "a string",
                                    "a string"};
  return kTexts[static_cast<int>(kind)];
}

bool obeys(const Key& key, const std::string& text) {
  if (text.size() < static_cast<std::size_t>(key.low) ||
      text.size() > static_cast<std::size_t>(key.high))
    return false;
  if (printable(text, std::string::npos) != text) return false;
  const auto alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  switch (key.text_rule) {
    case config::TextRule::name:
      return std::ranges::all_of(text,
                                 [&](char c) { return alphanumeric(c) || c == '-' || c == '_'; });
    case config::TextRule::interface:
      return std::ranges::none_of(text, [](char c) { return c == ' ' || c == '/'; });
    case config::TextRule::printable:
      break;
  }
  return true;
}

/// Stores the values of a parsed file in the Config.
class Reader {
 public:
  explicit Reader(LoadResult& out) : out_{out} {}

  void read(const toml::table& root) {
    read_table(root, "", "", 0);
    config::RuleContext context;
    context.is_set = [this](const std::string& key) { return places_.contains(key); };
    context.is_bad = [this](const std::string& key) { return bad_.contains(key); };
    context.report = [this](Problem problem) {
      const Place place = nearest_place(problem.key);
      problem.line = place.line;
      problem.column = place.column;
      out_.problems.push_back(std::move(problem));
    };
    config::check_rules(out_.config, context);
    std::ranges::stable_sort(out_.problems, [](const Problem& a, const Problem& b) {
      return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    });
  }

 private:
  static std::string join(std::string_view table, std::string_view name) {
    return table.empty() ? std::string{name} : std::string{table}.append(".").append(name);
  }

  void refuse(const std::string& key, const toml::node& node, std::string rule, Place place) {
    bad_.insert(key);
    out_.problems.push_back(
        {printable(key, 120), written(node), std::move(rule), place.line, place.column});
  }

  /// The place of a key; else of its table; else none.
  [[nodiscard]] Place nearest_place(std::string key) const {
    while (!key.empty()) {
      if (const auto found = places_.find(key); found != places_.end()) return found->second;
      const std::size_t dot = key.rfind('.');
      key.resize(dot == std::string::npos ? 0 : dot);
    }
    return {};
  }

  /// `table`: its name in the schema; `shown`: its name in a Problem.
  void read_table(const toml::table& values, const std::string& table, const std::string& shown,
                  std::size_t camera) {
    for (const auto& [name_key, node] : values) {
      const std::string_view name = name_key.str();
      const std::string full = join(table, name), shown_key = join(shown, name);
      const Place place = place_of(name_key.source());
      places_[shown_key] = place;
      if (const Table* sub = config::find_table(full)) {
        read_sub_table(*sub, shown_key, node, place);
      } else if (const Key* key = config::find_key(table, name)) {
        assign(*key, shown_key, node, place, camera);
      } else {
        const bool whole = node.is_table() || node.is_array_of_tables();
        refuse(shown_key, node, (whole ? "unknown table" : "unknown key") + hint(table, name),
               place);
      }
    }
  }

  void read_sub_table(const Table& sub, const std::string& shown, const toml::node& node,
                      Place place) {
    const std::string is = std::string{"is "} + type_text(node);
    if (!sub.repeated) {
      if (const toml::table* values = node.as_table())
        return read_table(*values, sub.name, shown, 0);
      return refuse(shown, node, is + ", must be a table: [" + sub.name + "]", place);
    }
    const toml::array* list = node.as_array();
    if (list == nullptr || (!list->empty() && !list->is_array_of_tables()))
      return refuse(shown, node, is + ", must be tables: [[" + sub.name + "]]", place);
    if (list->empty() || list->size() > static_cast<std::size_t>(kMaxCameras))
      return refuse(shown, node,
                    "there are " + std::to_string(list->size()) + ", must be 1.." +
                        std::to_string(kMaxCameras),
                    place);
    out_.config.cameras.assign(list->size(), CameraSettings{});
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string one = shown + '[' + std::to_string(i) + ']';
      places_[one] = place_of((*list)[i].source());
      read_table(*(*list)[i].as_table(), sub.name, one, i);
    }
  }

  static std::string hint(std::string_view table, std::string_view name) {
    std::vector<std::string_view> candidates;
    for (const Key& key : config::keys())
      if (table == key.table) candidates.emplace_back(key.name);
    for (const Table& other : config::tables()) {
      const std::string_view full = other.name;
      const std::size_t dot = full.rfind('.');
      const std::string_view parent = dot == std::string_view::npos ? "" : full.substr(0, dot);
      if (table == parent)
        candidates.push_back(full.substr(dot == std::string_view::npos ? 0 : dot + 1));
    }
    if (const std::string_view near = config::nearest(name, candidates); !near.empty())
      return "; did you mean '" + std::string{near} + "'?";
    for (const Key& key : config::keys())
      if (name == key.name) return "; did you mean '" + join(key.table, key.name) + "'?";
    return {};
  }

  void assign(const Key& key, const std::string& shown, const toml::node& node, Place place,
              std::size_t camera) {
    const config::Slot slot = key.slot(out_.config, camera);
    const auto wrong_type = [&] {
      refuse(shown, node,
             std::string{"is "} + type_text(node) + ", must be " + wanted(key.kind) +
                 (key.kind == Kind::boolean ? "" : ": " + config::allowed(key)),
             place);
    };
    const auto wrong_value = [&](const std::string& more = {}) {
      refuse(shown, node, "must be " + config::allowed(key) + more, place);
    };
    switch (key.kind) {
      case Kind::boolean:
        if (!node.is_boolean()) return wrong_type();
        *std::get<bool*>(slot) = node.as_boolean()->get();
        return;
      case Kind::integer: {
        if (!node.is_integer()) return wrong_type();
        const std::int64_t value = node.as_integer()->get();
        const auto number = static_cast<double>(value);
        if (number < key.low || number > key.high) return wrong_value();
        return store(slot, value);
      }
      case Kind::number: {
        if (!node.is_number()) return wrong_type();
        const double value = node.is_integer() ? static_cast<double>(node.as_integer()->get())
                                               : node.as_floating_point()->get();
        if (!(value >= key.low && value <= key.high))
          return wrong_value();  // so that nan is refused
        return store(slot, value);
      }
      case Kind::text:
        if (!node.is_string()) return wrong_type();
        if (!obeys(key, node.as_string()->get())) return wrong_value();
        *std::get<std::string*>(slot) = node.as_string()->get();
        return;
      case Kind::choice: {
        if (!node.is_string()) return wrong_type();
        const std::string& value = node.as_string()->get();
        const auto found =
            std::ranges::find(key.choices, std::string_view{value},
                              [](const char* name) { return std::string_view{name}; });
        if (found == key.choices.end()) {
          const std::vector<std::string_view> names{key.choices.begin(), key.choices.end()};
          const std::string_view near = config::nearest(value, names);
          return wrong_value(near.empty() ? "" : "; did you mean '" + std::string{near} + "'?");
        }
        if (const auto* number = std::get_if<config::EnumRef>(&slot))
          return number->set(number->object, static_cast<int>(found - key.choices.begin()));
        *std::get<std::string*>(slot) = value;
        return;
      }
    }
  }

  static void store(const config::Slot& slot, std::int64_t value) {
    if (auto* const* field = std::get_if<int*>(&slot)) **field = static_cast<int>(value);
    if (auto* const* field = std::get_if<std::int64_t*>(&slot)) **field = value;
    if (auto* const* field = std::get_if<std::optional<int>*>(&slot))
      **field = static_cast<int>(value);
    if (auto* const* field = std::get_if<Nanos*>(&slot)) **field = std::chrono::milliseconds{value};
  }
  static void store(const config::Slot& slot, double value) {
    if (auto* const* field = std::get_if<double*>(&slot)) **field = value;
    if (auto* const* field = std::get_if<std::optional<double>*>(&slot)) **field = value;
    if (auto* const* field = std::get_if<Nanos*>(&slot)) **field = Nanos{std::llround(value * 1e6)};
  }

  LoadResult& out_;
  std::map<std::string, Place> places_;
  std::set<std::string> bad_;
};

LoadResult refused(std::string name, std::string rule, Place place = {}) {
  LoadResult out;
  out.name = std::move(name);
  out.problems.push_back({"", "", std::move(rule), place.line, place.column});
  return out;
}

}  // namespace

LoadResult parse_config(std::string_view text, std::string name) {
  if (std::optional<config::TextProblem> problem = config::check_text(text))
    return refused(std::move(name), std::move(problem->rule), problem->place);
  try {
    const toml::table parsed = toml::parse(text, std::string_view{});
    LoadResult out;
    out.name = name;
    Reader{out}.read(parsed);
    if (!out.ok()) out.config = Config{};
    return out;
  } catch (const toml::parse_error& error) {
    return refused(std::move(name), "not valid TOML: " + printable(error.description(), 160),
                   place_of(error.source()));
  } catch (const std::logic_error&) {
    const Place place = config::nameless_header(text);
    return refused(
        std::move(name),
        place.line > 0 ? "not valid TOML: a table's name must follow '['" : "not valid TOML",
        place);
  } catch (const std::exception& error) {
    return refused(std::move(name), "cannot be parsed: " + printable(error.what(), 160));
  }
}

LoadResult load_config(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return refused(path, "no such file");
  if (error) return refused(path, "cannot be read: " + error.message());
  if (status.type() == std::filesystem::file_type::directory)
    return refused(path, "is a directory, must be a file");
  if (status.type() != std::filesystem::file_type::regular)
    return refused(path, "must be a regular file");

  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose};
  if (!file) return refused(path, "cannot be read: " + std::generic_category().message(errno));
  std::string text(kReadAtMost, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0)
    return refused(path, "cannot be read: " + std::generic_category().message(errno));
  return parse_config(text, path);
}

std::vector<std::string> LoadResult::lines() const {
  std::vector<std::string> out;
  for (const Problem& problem : problems) {
    std::string line = printable(name, 1024);
    if (problem.line > 0)
      line += ':' + std::to_string(problem.line) + ':' + std::to_string(problem.column);
    line += ": ";
    if (!problem.key.empty()) {
      line += problem.key;
      if (!problem.value.empty()) line += " = " + problem.value;
      line += ": ";
    }
    out.push_back(line + problem.rule);
  }
  return out;
}

}  // namespace kerb
