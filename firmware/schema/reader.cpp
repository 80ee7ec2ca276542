// SPDX-License-Identifier: Apache-2.0
#include "firmware/schema/reader.hpp"

#include <algorithm>
#include <cmath>

#include "firmware/schema/reference.hpp"
#include "firmware/schema/words.hpp"

namespace kerb::schema {
namespace {

const Field* find(const Table& table, std::string_view name) {
  const auto found = std::ranges::find(table.fields, name,
                                       [](const Field& f) { return std::string_view{f.name}; });
  return found == table.fields.end() ? nullptr : &*found;
}

/// Where else a key of this name would belong; empty when nowhere.
std::string elsewhere(const Table& table, const std::string& key, std::string_view name,
                      int depth = 0) {
  if (depth > 0 && find(table, name) != nullptr) return join(key, name);
  for (const Field& field : table.fields)
    if (field.table != nullptr && depth < 3)
      if (std::string found = elsewhere(*field.table, join(key, field.name), name, depth + 1);
          !found.empty())
        return found;
  return "";
}

std::string hint(const Table& root, const Table& table, std::string_view name) {
  std::vector<std::string_view> candidates;
  for (const Field& field : table.fields) candidates.emplace_back(field.name);
  if (std::string near = did_you_mean(name, candidates); !near.empty()) return near;
  const std::string other = elsewhere(root, "", name);
  return other.empty() ? "" : "; did you mean '" + other + "'?";
}

bool obeys(const Field& field, const std::string& text) {
  if (text.size() < static_cast<std::size_t>(field.low) ||
      text.size() > static_cast<std::size_t>(field.high))
    return false;
  if (printable(text, std::string::npos) != text) return false;
  switch (field.text_rule) {
    case TextRule::name:
      return std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
      });
    case TextRule::interface:
      return std::ranges::none_of(text, [](char c) { return c == ' ' || c == '/'; });
    case TextRule::printable:
      break;
  }
  return true;
}

/// What a value of this kind is in TOML; empty where allowed() says it all.
std::string wanted(Kind kind) {
  if (kind == Kind::integer) return "an integer: ";
  if (kind == Kind::number) return "a number: ";
  return kind == Kind::text || kind == Kind::choice ? "a string: " : "";
}

void store(const Slot& slot, std::int64_t value) {
  if (auto* const* to = std::get_if<int*>(&slot)) **to = static_cast<int>(value);
  if (auto* const* to = std::get_if<std::int64_t*>(&slot)) **to = value;
  if (auto* const* to = std::get_if<std::uint32_t*>(&slot))
    **to = static_cast<std::uint32_t>(value);
  if (auto* const* to = std::get_if<std::optional<int>*>(&slot)) **to = static_cast<int>(value);
  if (auto* const* to = std::get_if<std::chrono::nanoseconds*>(&slot))
    **to = std::chrono::milliseconds{value};
}
void store(const Slot& slot, double value) {
  if (auto* const* to = std::get_if<double*>(&slot)) **to = value;
  if (auto* const* to = std::get_if<std::optional<double>*>(&slot)) **to = value;
  if (auto* const* to = std::get_if<std::chrono::nanoseconds*>(&slot))
    **to = std::chrono::nanoseconds{std::llround(value * 1e6)};
}

}  // namespace

void Reader::read_file(const Table& root, const Node& tree, void* object) {
  root_ = &root;
  places_[""] = {tree.where.file, 0, 0};
  read_table(root, tree, object, "");
}

bool Reader::is_bad(const std::string& key) const {
  return std::ranges::any_of(bad_, [&](const std::string& bad) {
    return bad.starts_with(key) &&
           (bad.size() == key.size() || bad[key.size()] == '.' || bad[key.size()] == '[');
  });
}

std::string Reader::file() const {
  const auto found = places_.find("");
  return found == places_.end() || !found->second.file ? "" : *found->second.file;
}

std::vector<Problem> Reader::problems() const {
  std::vector<Problem> out = problems_;
  sort(out);
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
  problems_.push_back({places_[at], printable(key, 120), value, std::move(rule)});
}

void Reader::read_table(const Table& table, const Node& node, void* object,
                        const std::string& key) {
  for (const auto& [name, value] : node.entries) {
    const std::string one = join(key, name);
    places_[one] = value.where;
    if (const Field* field = find(table, name)) {
      read_field(*field, value, object, one);
    } else {
      const bool whole =
          value.kind == Node::Kind::table || (value.is_tables() && !value.items.empty());
      refuse(one, value, (whole ? "unknown table" : "unknown key") + hint(*root_, table, name));
    }
  }
}

void Reader::read_field(const Field& field, const Node& node, void* object,
                        const std::string& key) {
  if (field.given != nullptr) field.given(object) = true;
  switch (field.kind) {
    case Kind::custom:
      return field.custom->read(*this, field, node, field.part(object, 0), key);
    case Kind::table:
      if (node.kind == Node::Kind::table)
        return read_table(*field.table, node, field.part(object, 0), key);
      return refuse(key, node,
                    std::string{"is "} + node.type_text() +
                        ", must be a table: " + heading(field, key, field.name));
    case Kind::tables:
      return read_tables(field, node, object, key);
    default:
      return assign(field, node, field.slot(object), key);
  }
}

void Reader::read_tables(const Field& field, const Node& node, void* object,
                         const std::string& key) {
  if (!node.is_tables())
    return refuse(key, node,
                  (node.kind == Node::Kind::list ? std::string{"has other items"}
                                                 : std::string{"is "} + node.type_text()) +
                      ", must be tables: " + heading(field, key, field.name));
  const std::size_t count = node.items.size();
  if (count < static_cast<std::size_t>(field.low) || count > static_cast<std::size_t>(field.high))
    return refuse(key, node,
                  "there are " + std::to_string(count) + ", must be " + decimal(field.low) + ".." +
                      decimal(field.high) + (count == 0 ? "; leave it out for the default" : ""));
  field.resize(object, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string one = key + '[' + std::to_string(i) + ']';
    places_[one] = node.items[i].where;
    read_table(*field.table, node.items[i], field.part(object, i), one);
  }
}

void Reader::assign(const Field& field, const Node& node, const Slot& slot,
                    const std::string& key) {
  const auto wrong_type = [&] {
    refuse(
        key, node,
        std::string{"is "} + node.type_text() + ", must be " + wanted(field.kind) + allowed(field));
  };
  const auto wrong_value = [&](const std::string& more = {}) {
    refuse(key, node, "must be " + allowed(field) + more);
  };
  if (field.kind == Kind::boolean) {
    if (node.kind != Node::Kind::boolean) return wrong_type();
    *std::get<bool*>(slot) = node.boolean;
  } else if (field.kind == Kind::integer) {
    if (node.kind != Node::Kind::integer) return wrong_type();
    if (node.number < field.low || node.number > field.high) return wrong_value();
    store(slot, node.integer);
  } else if (field.kind == Kind::number) {
    if (!node.is_number()) return wrong_type();
    if (!(node.number >= field.low && node.number <= field.high))
      return wrong_value();  // so that nan is refused
    store(slot, node.number * field.factor);
  } else {
    if (node.kind != Node::Kind::text) return wrong_type();
    if (field.kind == Kind::text && !obeys(field, node.text)) return wrong_value();
    if (field.kind == Kind::choice) {
      const std::vector<std::string_view> names{field.choices.begin(), field.choices.end()};
      const auto found = std::ranges::find(names, node.text);
      if (found == names.end()) return wrong_value(did_you_mean(node.text, names));
      if (const auto* to = std::get_if<EnumRef>(&slot))
        return to->set(to->object,
                       static_cast<int>(field.low) + static_cast<int>(found - names.begin()));
    }
    *std::get<std::string*>(slot) = node.text;
  }
}

}  // namespace kerb::schema
