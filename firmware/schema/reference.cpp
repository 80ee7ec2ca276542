// SPDX-License-Identifier: Apache-2.0
#include "firmware/schema/reference.hpp"

#include <cmath>
#include <set>

#include "firmware/schema/words.hpp"

namespace kerb::schema {
namespace {

std::string limits(const Field& field) { return decimal(field.low) + ".." + decimal(field.high); }

/// What is in other units in the file comes back as a person would write it, without a tail.
std::string number_text(const Field& field, double value) {
  return field.factor == 1 ? decimal(value) : decimal(std::round(value / field.factor * 1e6) / 1e6);
}

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

const char* type_name(const Field& field) {
  constexpr const char* kNames[] = {"boolean", "integer", "number", "text",
                                    "text",    "",        "table",  "tables"};
  return field.custom != nullptr ? field.custom->type : kNames[static_cast<int>(field.kind)];
}

std::string default_text(const Field& field, const Table& table) {
  if (field.fallback != nullptr) return field.fallback;
  const std::string value = value_text(field, table.fresh());
  return value.empty() ? "unset" : "`" + value + "`";
}

/// '|' would end a cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string{"\\|"} : std::string{c};
  return out;
}

class Reference {
 public:
  explicit Reference(int level) : marks_(static_cast<std::size_t>(level), '#') {}

  /// `key`: "people[].walk"; a table that several others have is described once.
  void add(const Table& table, const std::string& key, const std::string& title) {
    if (!done_.insert(&table).second) return;
    std::string rows;
    for (const Field& field : table.fields)
      if (field.table == nullptr || *field.doc != '\0')
        rows += "| `" + std::string{field.name} + "` | " + type_name(field) + " | " +
                default_text(field, table) + " | " + cell(allowed(field)) + " | " +
                cell(field.doc) + " |\n";
    if (!title.empty()) text += marks_ + " `" + title + "`\n\n";
    if (!rows.empty())
      text += std::string{table.doc} +
              "\n\n| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n" + rows +
              "\n";
    for (const Field& field : table.fields)
      if (field.table != nullptr) {
        const std::string sub = join(key, field.name);
        add(*field.table, field.kind == Kind::tables ? sub + "[]" : sub,
            heading(field, sub, field.table->name));
      }
  }

  std::string text;

 private:
  const std::string marks_;
  std::set<const Table*> done_;
};

}  // namespace

std::string range_text(const Field& field) {
  return limits(field) + (*field.unit == '\0' ? "" : " (" + std::string{field.unit} + ")");
}

std::string allowed(const Field& field) {
  constexpr const char* kTexts[] = {" printable characters", " letters, digits, '-' or '_'",
                                    " characters without blanks and '/'"};
  switch (field.kind) {
    case Kind::boolean:
      return "true or false";
    case Kind::integer:
    case Kind::number:
      return range_text(field);
    case Kind::text:
      return limits(field) + kTexts[static_cast<int>(field.text_rule)];
    case Kind::choice: {
      std::string out;
      for (const char* name : field.choices)
        out += (out.empty() ? "one of " : ", ") + std::string{name};
      return out;
    }
    case Kind::custom:
      return field.custom->allowed(field);
    case Kind::table:
      return "a table";
    case Kind::tables:
      return limits(field) + " tables";
  }
  return "";
}

std::string value_text(const Field& field, const void* object) {
  if (field.slot == nullptr) return "";
  // Slots point into something that may be written to; reading through them leaves it as it is.
  return std::visit(Overloaded{
                        [](const bool* value) { return std::string{*value ? "true" : "false"}; },
                        [](const std::string* value) { return quoted(*value, std::string::npos); },
                        [&](const double* value) { return number_text(field, *value); },
                        [&](const std::optional<double>* value) {
                          return *value ? number_text(field, **value) : std::string{};
                        },
                        [](const std::optional<int>* value) {
                          return *value ? std::to_string(**value) : std::string{};
                        },
                        [](const std::chrono::nanoseconds* value) {
                          return decimal(std::chrono::duration<double, std::milli>{*value}.count());
                        },
                        [&](const EnumRef& value) {
                          const int index = value.get(value.object) - static_cast<int>(field.low);
                          if (index < 0 || index >= std::ssize(field.choices)) return std::string{};
                          return quoted(field.choices[static_cast<std::size_t>(index)]);
                        },
                        [](const auto* value) { return std::to_string(*value); },
                    },
                    field.slot(const_cast<void*>(object)));
}

std::string value_at(const Table& table, const void* object, std::string_view key) {
  const std::string_view step = key.substr(0, key.find('.'));
  const std::string_view name = step.substr(0, step.find('['));
  for (const Field& field : table.fields) {
    if (name != field.name) continue;
    if (step.size() == key.size()) return value_text(field, object);
    std::size_t index = 0;
    for (const char c : step.substr(name.size()))
      if (c >= '0' && c <= '9') index = index * 10 + static_cast<std::size_t>(c - '0');
    const void* const part = field.find == nullptr ? nullptr : field.find(object, index);
    if (part == nullptr) return "";
    return value_at(*field.table, part, key.substr(step.size() + 1));
  }
  return "";
}

std::string heading(const Field& field, const std::string& key, const std::string& name) {
  if (field.kind == Kind::tables)
    return key == field.name ? "[[" + key + "]]" : name + " = [{...}, ...]";
  return key.find('[') == std::string::npos ? "[" + key + "]" : name + " = {...}";
}

std::string reference(const Table& root, int level) {
  Reference out{level};
  out.add(root, "", "");
  return std::move(out.text);
}

}  // namespace kerb::schema
