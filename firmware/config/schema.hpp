// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "firmware/config/config.hpp"

/// The one list of what may stand in a configuration file. Reading, checking, the example file and
/// the reference in docs/ are all made from it; defaults are those of Config itself.
namespace kerb::config {

/// An enumeration's value, by its number, which is also its place in Key::choices.
struct EnumRef {
  void* object = nullptr;
  void (*set)(void* object, int number) = nullptr;
  int (*get)(const void* object) = nullptr;
};

/// Where a value goes. A Nanos is filled from milliseconds.
using Slot = std::variant<bool*, int*, std::int64_t*, double*, std::string*, Nanos*,
                          std::optional<int>*, std::optional<double>*, EnumRef>;

enum class Kind : std::uint8_t { boolean, integer, number, text, choice };

/// What a text may be made of, beside its length.
enum class TextRule : std::uint8_t {
  printable,  ///< no control characters
  name,       ///< letters, digits, '-' and '_'
  interface   ///< no blanks, no '/'
};

struct Key {
  const char* table;  ///< "camera", "can.vehicle"
  const char* name;
  Kind kind;
  double low, high;  ///< of numbers, both allowed; of texts, the length in bytes
  const char* unit;  ///< "" when it has none
  std::span<const char* const> choices;
  TextRule text_rule;
  const char* doc;                                   ///< one line
  Slot (*slot)(Config& config, std::size_t camera);  ///< `camera` counts for [[camera]] only
};

struct Table {
  const char* name;
  bool repeated;  ///< written [[name]], once for each
  const char* doc;
};

[[nodiscard]] std::span<const Table> tables();
[[nodiscard]] std::span<const Key> keys();

/// Nothing when there is none.
[[nodiscard]] const Table* find_table(std::string_view name);
[[nodiscard]] const Key* find_key(std::string_view table, std::string_view name);

/// "64..4096 (pixels)", "one of auto, cpu, cuda", "true or false".
[[nodiscard]] std::string allowed(const Key& key);
/// "integer", "text"...
[[nodiscard]] const char* type_name(Kind kind);
/// The value as a file would have it; empty for one that is unset.
[[nodiscard]] std::string value_text(const Key& key, const Config& config, std::size_t camera = 0);

}  // namespace kerb::config
