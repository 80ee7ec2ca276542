// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "tools/simulator/scenario/draft.hpp"

/// The list of all keys of a scenario file. Reading, checking and the reference in
/// docs/simulator.md are all made from it; defaults are those of the drafts themselves.
namespace kerb::sim {

/// An enumeration's value, by its number, which is also its place in Field::choices.
struct EnumRef {
  void* object = nullptr;
  void (*set)(void* object, int number) = nullptr;
  int (*get)(const void* object) = nullptr;
};
/// A number in other units: file = value / factor.
struct Scaled {
  double* value = nullptr;
  double factor = 1;
};
struct ScaledOptional {
  std::optional<double>* value = nullptr;
  double factor = 1;
};
using Slot = std::variant<std::monostate, bool*, int*, std::uint32_t*, Scaled, ScaledOptional,
                          std::optional<int>*, std::string*, EnumRef, Vec2*, Vec3*, Surface*>;

enum class FieldKind : std::uint8_t {
  boolean,
  integer,
  number,
  text,
  choice,
  point,    ///< [x, y]
  size,     ///< [length, width, height]
  surface,  ///< "#rrggbb" or {colour, reflectance, celsius}
  table,    ///< [name] or name = {...}
  tables    ///< [[name]] or name = [{...}, ...]
};

struct Table;

struct Field {
  const char* name;
  FieldKind kind;
  double low, high;  ///< of numbers and coordinates, both allowed; of texts the length; of tables
                     ///< how many
  const char* unit;  ///< "" when it has none
  std::span<const char* const> choices;
  const char* doc;
  const char* fallback;          ///< shown as the default; nullptr: the value of a fresh object
  Slot (*slot)(void* object);    ///< where it goes
  bool* (*given)(void* object);  ///< set to true if the file has the key; nullptr: not needed
  const Table* table;            ///< of a table or tables
  void* (*open)(void* object);   ///< the sub-table's object, created if missing
};

struct Table {
  const char* name;  ///< as the reference calls it: "people.walk"
  const char* doc;
  std::span<const Field> fields;
  void* (*fresh)();  ///< an object with defaults, for the reference; static
};

/// The file as a whole: a ScenarioDraft.
[[nodiscard]] const Table& scenario_table();
/// "0.5..2.3 (m)", "one of noon, dusk", "true or false".
[[nodiscard]] std::string allowed(const Field& field);
/// The value as written in a file; empty if unset.
[[nodiscard]] std::string value_text(const Field& field, const Slot& slot);
/// All keys in Markdown, a table for each TOML table: what docs/simulator.md holds between marks.
[[nodiscard]] std::string render_scenario_reference();

}  // namespace kerb::sim
