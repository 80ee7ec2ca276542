// SPDX-License-Identifier: Apache-2.0
// What the schema says in words: in problems, and in docs/simulator.md.
#include <cmath>
#include <set>

#include "firmware/config/words.hpp"
#include "tools/simulator/scenario/schema.hpp"

namespace kerb::sim {
namespace {

std::string range(const Field& field) {
  return config::decimal(field.low) + ".." + config::decimal(field.high);
}
std::string unit(const Field& field) {
  return *field.unit == '\0' ? "" : " (" + std::string{field.unit} + ")";
}

/// A number as a person would write it: what was km/h or degrees before comes back without a tail.
std::string short_decimal(double value) { return config::decimal(std::round(value * 1e6) / 1e6); }

void render(const Table& table, const std::string& header, std::set<const Table*>& done,
            std::string& out) {
  if (!done.insert(&table).second) return;
  if (!header.empty()) out += "#### `" + header + "`\n\n";
  out += std::string{table.doc} + "\n\n| key | allowed | default | meaning |\n|---|---|---|---|\n";
  for (const Field& field : table.fields) {
    if (field.table != nullptr && *field.doc == '\0') continue;  // has its own heading
    std::string fallback;
    if (field.fallback != nullptr) {
      fallback = field.fallback;
    } else if (field.slot != nullptr) {
      fallback = value_text(field, field.slot(table.fresh()));
    }
    out += std::string{"| `"} + field.name + "` | " + allowed(field) + " | " + fallback + " | " +
           field.doc + " |\n";
  }
  out += '\n';
  for (const Field& field : table.fields)
    if (field.table != nullptr) {
      const std::string name = field.table->name;
      const bool listed = field.kind == FieldKind::tables;
      const bool top = header.empty();
      render(*field.table,
             top ? (listed ? "[[" + name + "]]" : "[" + name + "]")
                 : (listed ? name + " = [{...}, ...]" : name + " = {...}"),
             done, out);
    }
}

}  // namespace

std::string allowed(const Field& field) {
  switch (field.kind) {
    case FieldKind::boolean:
      return "true or false";
    case FieldKind::integer:
    case FieldKind::number:
      return range(field) + unit(field);
    case FieldKind::text:
      return "at most " + config::decimal(field.high) + " printable bytes";
    case FieldKind::choice: {
      std::string out = "one of ";
      for (const char* name : field.choices)
        out += (out.size() > 7 ? ", " : "") + std::string{name};
      return out;
    }
    case FieldKind::point:
      return "[x, y], each " + range(field) + unit(field);
    case FieldKind::size:
      return "[length, width, height], each " + range(field) + unit(field);
    case FieldKind::surface:
      return "a colour like \"#8040ff\", or {colour, reflectance, celsius}";
    case FieldKind::table:
      return "a table";
    case FieldKind::tables:
      return range(field) + " tables";
  }
  return "";
}

std::string value_text(const Field& field, const Slot& slot) {
  if (auto* const* value = std::get_if<bool*>(&slot)) return **value ? "true" : "false";
  if (auto* const* value = std::get_if<int*>(&slot)) return std::to_string(**value);
  if (auto* const* value = std::get_if<std::uint32_t*>(&slot)) return std::to_string(**value);
  if (const auto* value = std::get_if<Scaled>(&slot))
    return short_decimal(*value->value / value->factor);
  if (const auto* value = std::get_if<ScaledOptional>(&slot))
    return *value->value ? short_decimal(**value->value / value->factor) : "";
  if (auto* const* value = std::get_if<std::optional<int>*>(&slot))
    return **value ? std::to_string(***value) : "";
  if (auto* const* value = std::get_if<std::string*>(&slot)) return "\"" + **value + "\"";
  if (const auto* value = std::get_if<EnumRef>(&slot))
    return field.choices[static_cast<std::size_t>(value->get(value->object))];
  return "";
}

std::string render_scenario_reference() {
  std::string out;
  std::set<const Table*> done;
  render(scenario_table(), "", done, out);
  return out;
}

}  // namespace kerb::sim
