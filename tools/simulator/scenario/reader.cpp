// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/scenario/reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "firmware/config/words.hpp"

namespace kerb::sim {
namespace {

using config::printable;

std::string join(const std::string& table, std::string_view name) {
  return table.empty() ? std::string{name} : table + "." + std::string{name};
}

const Field* find(const Table& table, std::string_view name) {
  const auto found = std::ranges::find(table.fields, name,
                                       [](const Field& f) { return std::string_view{f.name}; });
  return found == table.fields.end() ? nullptr : &*found;
}

/// Where else a key of this name would belong; empty when nowhere.
std::string elsewhere(const Table& table, const std::string& shown, std::string_view name,
                      int depth = 0) {
  if (depth > 0 && find(table, name) != nullptr) return join(shown, name);
  for (const Field& field : table.fields)
    if (field.table != nullptr && depth < 3) {
      const std::string as = join(shown, field.name);
      if (std::string found = elsewhere(*field.table, as, name, depth + 1); !found.empty())
        return found;
    }
  return "";
}

std::string hint(const Table& table, std::string_view name) {
  std::vector<std::string_view> candidates;
  for (const Field& field : table.fields) candidates.emplace_back(field.name);
  if (const std::string_view near = config::nearest(name, candidates); !near.empty())
    return "; did you mean '" + std::string{near} + "'?";
  if (const std::string other = elsewhere(scenario_table(), "", name); !other.empty())
    return "; did you mean '" + other + "'?";
  return "";
}

const char* wanted(FieldKind kind) {
  constexpr const char* kTexts[] = {"true or false", "an integer", "a number", "a string",
                                    "a string",      "a list",     "a list",   "a colour",
                                    "a table",       "tables"};
  return kTexts[static_cast<int>(kind)];
}

bool is_number(const Node& node) {
  return node.kind == Node::Kind::integer || node.kind == Node::Kind::number;
}

/// Linear light, 0..1, as sRGB has it.
double encode(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

/// What three colours see of a reflectance at 400, 420, ... 1000 nm: means over blue (420..500),
/// green (500..580) and red (580..680).
std::array<double, 3> colour_of(const std::vector<double>& reflectance) {
  const auto mean = [&](std::size_t first, std::size_t last) {
    double sum = 0;
    for (std::size_t i = first; i <= last; ++i) sum += reflectance[i];
    return encode(sum / static_cast<double>(last - first + 1));
  };
  return {mean(9, 14), mean(5, 9), mean(1, 5)};
}

constexpr std::size_t kReflectances = 31;

}  // namespace

void Reader::read(const Node& root, ScenarioDraft& out) {
  places_[""] = {root.where.file, 0, 0};
  read_table(scenario_table(), root, &out, "");
}

bool Reader::is_bad(const std::string& key) const {
  return std::ranges::any_of(bad_, [&](const std::string& bad) {
    return bad.starts_with(key) && (bad.size() == key.size() || bad[key.size()] == '.' ||
                                    bad[key.size()] == '[' || key.empty());
  });
}

std::vector<Problem> Reader::problems() const {
  std::vector<Problem> out = problems_;
  std::ranges::stable_sort(out, [](const Problem& a, const Problem& b) {
    const auto name = [](const Problem& p) { return p.where.file ? *p.where.file : ""; };
    return std::tuple{name(a), a.where.line, a.where.column} <
           std::tuple{name(b), b.where.line, b.where.column};
  });
  return out;
}

void Reader::refuse(const std::string& key, const Node& node, std::string rule) {
  bad_.insert(key);
  problems_.push_back({node.where, printable(key, 120), node.written(), std::move(rule)});
}

void Reader::report(const std::string& key, const std::string& value, std::string rule) {
  std::string at = key;
  while (!at.empty() && !places_.contains(at)) {
    const std::size_t cut = at.find_last_of(".[");
    at.resize(cut == std::string::npos ? 0 : cut);
  }
  bad_.insert(key);
  problems_.push_back({places_[at], printable(key, 120), value, std::move(rule)});
}

void Reader::read_table(const Table& table, const Node& node, void* object,
                        const std::string& shown) {
  for (const auto& [name, value] : node.entries) {
    const std::string key = join(shown, name);
    places_[key] = value.where;
    if (const Field* field = find(table, name)) {
      read_field(*field, value, object, key);
    } else {
      refuse(
          key, value,
          (value.kind == Node::Kind::table ? "unknown table" : "unknown key") + hint(table, name));
    }
  }
}

void Reader::read_field(const Field& field, const Node& node, void* object,
                        const std::string& shown) {
  if (field.given != nullptr) *field.given(object) = true;
  if (field.kind == FieldKind::tables) return read_tables(field, node, object, shown);
  if (field.kind == FieldKind::table) {
    if (node.kind != Node::Kind::table)
      return refuse(
          shown, node,
          std::string{"is "} + node.type_text() + ", must be a table: " + field.name + " = {...}");
    return read_table(*field.table, node, field.open(object), shown);
  }
  assign(field, node, field.slot(object), shown);
}

void Reader::read_tables(const Field& field, const Node& node, void* object,
                         const std::string& shown) {
  if (node.kind != Node::Kind::list || !node.all_tables())
    return refuse(shown, node,
                  (node.kind == Node::Kind::list ? "has other items"
                                                 : std::string{"is "} + node.type_text()) +
                      ", must be tables: " + field.name + " = [{...}, ...]");
  const auto least = static_cast<std::size_t>(field.low),
             most = static_cast<std::size_t>(field.high);
  if (node.items.size() < least)
    return refuse(shown, node, "is empty, must have at least one; leave it out for none");
  if (node.items.size() > most)
    return refuse(
        shown, node,
        "has " + std::to_string(node.items.size()) + ", must be at most " + std::to_string(most));
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string key = shown + '[' + std::to_string(i) + ']';
    places_[key] = node.items[i].where;
    read_table(*field.table, node.items[i], field.open(object), key);
  }
}

void Reader::assign(const Field& field, const Node& node, const Slot& slot,
                    const std::string& shown) {
  const auto wrong_type = [&] {
    refuse(shown, node,
           std::string{"is "} + node.type_text() + ", must be " + wanted(field.kind) +
               (field.kind == FieldKind::boolean ? "" : ": " + allowed(field)));
  };
  const auto wrong_value = [&](const std::string& more = {}) {
    refuse(shown, node, "must be " + allowed(field) + more);
  };
  switch (field.kind) {
    case FieldKind::boolean:
      if (node.kind != Node::Kind::boolean) return wrong_type();
      *std::get<bool*>(slot) = node.boolean;
      return;
    case FieldKind::integer:
      if (node.kind != Node::Kind::integer) return wrong_type();
      if (node.number < field.low || node.number > field.high) return wrong_value();
      if (auto* const* to = std::get_if<int*>(&slot)) **to = static_cast<int>(node.integer);
      if (auto* const* to = std::get_if<std::uint32_t*>(&slot))
        **to = static_cast<std::uint32_t>(node.integer);
      if (auto* const* to = std::get_if<std::optional<int>*>(&slot))
        **to = static_cast<int>(node.integer);
      return;
    case FieldKind::number:
      if (!is_number(node)) return wrong_type();
      if (!(node.number >= field.low && node.number <= field.high))
        return wrong_value();  // so that nan is refused
      if (const auto* to = std::get_if<Scaled>(&slot)) *to->value = node.number * to->factor;
      if (const auto* to = std::get_if<ScaledOptional>(&slot))
        *to->value = node.number * to->factor;
      return;
    case FieldKind::text:
      if (node.kind != Node::Kind::text) return wrong_type();
      if (static_cast<double>(node.text.size()) > field.high ||
          printable(node.text, std::string::npos) != node.text)
        return wrong_value();
      *std::get<std::string*>(slot) = node.text;
      return;
    case FieldKind::choice: {
      if (node.kind != Node::Kind::text) return wrong_type();
      const std::vector<std::string_view> names{field.choices.begin(), field.choices.end()};
      const auto found = std::ranges::find(names, node.text);
      if (found == names.end()) {
        const std::string_view near = config::nearest(node.text, names);
        return wrong_value(near.empty() ? "" : "; did you mean '" + std::string{near} + "'?");
      }
      const auto& to = std::get<EnumRef>(slot);
      return to.set(to.object, static_cast<int>(found - names.begin()));
    }
    case FieldKind::point:
    case FieldKind::size:
      return read_coordinates(field, node, slot, shown);
    case FieldKind::surface:
      return read_surface(node, *std::get<Surface*>(slot), shown);
    case FieldKind::table:
    case FieldKind::tables:
      break;
  }
}

void Reader::read_coordinates(const Field& field, const Node& node, const Slot& slot,
                              const std::string& shown) {
  const std::size_t count = field.kind == FieldKind::point ? 2 : 3;
  if (node.kind != Node::Kind::list || node.items.size() != count ||
      !std::ranges::all_of(node.items, [&](const Node& item) {
        return is_number(item) && item.number >= field.low && item.number <= field.high;
      }))
    return refuse(shown, node, "must be " + allowed(field));
  if (auto* const* to = std::get_if<Vec2*>(&slot))
    **to = {node.items[0].number, node.items[1].number};
  if (auto* const* to = std::get_if<Vec3*>(&slot))
    **to = {node.items[0].number, node.items[1].number, node.items[2].number};
}

void Reader::read_surface(const Node& node, Surface& out, const std::string& shown) {
  if (node.kind == Node::Kind::text) {
    const bool good = node.text.size() == 7 && node.text.front() == '#' &&
                      std::all_of(node.text.begin() + 1, node.text.end(),
                                  [](unsigned char c) { return std::isxdigit(c) != 0; });
    if (!good) return refuse(shown, node, "must be a colour like \"#8040ff\", or a table");
    for (std::size_t i = 0; i < 3; ++i)
      out.rgb[i] = std::stoi(node.text.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    return;
  }
  if (node.kind != Node::Kind::table)
    return refuse(
        shown, node,
        std::string{"is "} + node.type_text() + ", must be a colour like \"#8040ff\", or a table");
  for (const auto& [name, value] : node.entries) {
    const std::string key = join(shown, name);
    if (name == "colour" && value.kind == Node::Kind::text) {
      read_surface(value, out, key);
    } else if (name == "celsius" && is_number(value)) {
      if (!(value.number >= -50 && value.number <= 150))
        refuse(key, value, "must be -50..150 (°C)");
      out.celsius = value.number;
    } else if (name == "reflectance" && value.kind == Node::Kind::list) {
      const bool good = value.items.size() == kReflectances &&
                        std::ranges::all_of(value.items, [](const Node& item) {
                          return is_number(item) && item.number >= 0 && item.number <= 1;
                        });
      if (!good) {
        refuse(key, value, "must be 31 numbers 0..1: the reflectance at 400, 420, ... 1000 nm");
        continue;
      }
      out.reflectance.clear();
      for (const Node& item : value.items) out.reflectance.push_back(item.number);
      if (node.find("colour") == nullptr) out.rgb = colour_of(out.reflectance);
    } else {
      refuse(key, value,
             "must be one of colour (a string), reflectance (a list), celsius (a number)");
    }
  }
}

}  // namespace kerb::sim
