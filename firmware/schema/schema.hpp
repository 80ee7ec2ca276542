// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// What may stand in a TOML file: tables of keys, each with its limits, unit and meaning, and where
/// its value goes. Reading, checking and the reference in docs/ are all made from them; defaults
/// are those of the objects themselves. The tables are constants:
///   constexpr Field kBand[] = {
///       number("centre_nm", 300, 15000, "nm", "Middle of the band.", KERB_AT(Band, centre_nm))};
///   constexpr Table kBandTable = table_of<Band>("camera.bands", "A spectral band.", kBand);
/// A key of another object than its table's, or of a type that its kind cannot fill, does not
/// compile.
namespace kerb::schema {

struct Field;
struct Node;
struct Table;
class Reader;

/// An enumeration's value, by its number.
struct EnumRef {
  void* object = nullptr;
  void (*set)(void* object, int number) = nullptr;
  int (*get)(const void* object) = nullptr;
};

/// Where a value goes. Nanoseconds are filled from milliseconds.
using Slot =
    std::variant<bool*, int*, std::int64_t*, std::uint32_t*, double*, std::string*,
                 std::chrono::nanoseconds*, std::optional<int>*, std::optional<double>*, EnumRef>;

enum class Kind : std::uint8_t {
  boolean,
  integer,
  number,
  text,
  choice,
  custom,  ///< its owner reads it
  table,   ///< [name] or name = {...}
  tables   ///< [[name]] or name = [{...}, ...]
};

/// What a text may be made of, beside its length.
enum class TextRule : std::uint8_t {
  printable,  ///< no control characters
  name,       ///< letters, digits, '-' and '_'
  interface   ///< no blanks, no '/'
};

/// Stands for a type, by its address.
template <typename T>
inline constexpr char kTypeOf{};

/// How values of a custom kind are read and described.
struct Custom {
  const char* type;                            ///< as the reference calls it: "array"
  std::string (*allowed)(const Field& field);  ///< completes "must be"
  /// Stores the value in `to`, or refuses it: see Reader::refuse().
  void (*read)(Reader& reader, const Field& field, const Node& node, void* to,
               const std::string& key);
  const void* stores;  ///< &kTypeOf of what `to` points to
};

struct Field {
  const char* name;
  Kind kind;
  const char* doc;           ///< one line; a table without one has its own heading instead
  double low = 0, high = 0;  ///< both allowed; of texts, the length in bytes; of tables, how many;
                             ///< of choices, `low` is the first one's number
  const char* unit = "";     ///< "" when it has none
  std::span<const char* const> choices{};
  TextRule text_rule = TextRule::printable;
  const Custom* custom = nullptr;
  const Table* table = nullptr;    ///< of table and tables
  double factor = 1;               ///< of a number: value = file * factor
  const char* fallback = nullptr;  ///< the reference's default; nullptr: the value of a new object
  const void* owner = nullptr;     ///< &kTypeOf of the object
  Slot (*slot)(void* object) = nullptr;
  /// The object of a table, made if need be; of tables, the one with this index.
  void* (*part)(void* object, std::size_t index) = nullptr;
  void (*resize)(void* object, std::size_t count) = nullptr;  ///< of tables: new ones, so many
  std::size_t (*count)(void* object) = nullptr;               ///< of tables
  bool& (*given)(void* object) = nullptr;  ///< set when the file has it; nullptr: nobody asks

  [[nodiscard]] constexpr Field scaled(double by) const {
    Field out = *this;
    out.factor = by;
    return out;
  }
  [[nodiscard]] constexpr Field by_default(const char* text) const {
    Field out = *this;
    out.fallback = text;
    return out;
  }
  template <typename P>
  [[nodiscard]] constexpr Field noted_in(P /*at*/) const {
    if (owner != &kTypeOf<typename P::Object>) throw std::logic_error{"of another object"};
    Field out = *this;
    out.given = [](void* object) -> bool& { return P::of(object); };
    return out;
  }
};

struct Table {
  const char* name;  ///< as the reference calls it: "people.walk"
  const char* doc;
  std::span<const Field> fields;
  const void* owner;  ///< &kTypeOf of its objects
  void* (*fresh)();   ///< an object with defaults, for the reference; lives for ever
};

/// From an object to something in it.
template <typename T, typename Find>
struct At {
  using Object = T;
  using Value = std::remove_reference_t<decltype(Find{}(std::declval<T&>()))>;
  static Value& of(void* object) { return Find{}(*static_cast<T*>(object)); }
};
template <typename T, typename Find>
constexpr At<T, Find> at(Find /*find*/) {
  return {};
}
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a field, such as spec.start.at
#define KERB_AT(type, field) \
  ::kerb::schema::at<type>([](type & object) -> auto& { return object.field; })

template <typename T, typename... Others>
concept OneOf = (std::same_as<T, Others> || ...);

template <typename P>
Slot slot_at(void* object) {
  return &P::of(object);
}
/// A choice fills an enumeration, a number, or a bool of two names; or it is a text of these.
template <typename P>
Slot choice_at(void* object) {
  using V = typename P::Value;
  if constexpr (std::same_as<V, std::string>)
    return &P::of(object);
  else
    return EnumRef{&P::of(object),
                   [](void* to, int number) { *static_cast<V*>(to) = static_cast<V>(number); },
                   [](const void* from) { return static_cast<int>(*static_cast<const V*>(from)); }};
}

template <typename P>
requires OneOf<typename P::Value, bool>
constexpr Field flag(const char* name, const char* doc, P /*at*/) {
  return {.name = name,
          .kind = Kind::boolean,
          .doc = doc,
          .owner = &kTypeOf<typename P::Object>,
          .slot = slot_at<P>};
}
template <typename P>
requires OneOf<typename P::Value, int, std::int64_t, std::uint32_t, std::optional<int>,
               std::chrono::nanoseconds>
constexpr Field integer(const char* name, double low, double high, const char* unit,
                        const char* doc, P /*at*/) {
  return {.name = name,
          .kind = Kind::integer,
          .doc = doc,
          .low = low,
          .high = high,
          .unit = unit,
          .owner = &kTypeOf<typename P::Object>,
          .slot = slot_at<P>};
}
template <typename P>
requires OneOf<typename P::Value, double, std::optional<double>, std::chrono::nanoseconds>
constexpr Field number(const char* name, double low, double high, const char* unit, const char* doc,
                       P /*at*/) {
  return {.name = name,
          .kind = Kind::number,
          .doc = doc,
          .low = low,
          .high = high,
          .unit = unit,
          .owner = &kTypeOf<typename P::Object>,
          .slot = slot_at<P>};
}
template <typename P>
requires OneOf<typename P::Value, std::string>
constexpr Field text(const char* name, double shortest, double longest, TextRule rule,
                     const char* doc, P /*at*/) {
  return {.name = name,
          .kind = Kind::text,
          .doc = doc,
          .low = shortest,
          .high = longest,
          .text_rule = rule,
          .owner = &kTypeOf<typename P::Object>,
          .slot = slot_at<P>};
}
/// `choices` in the order of the enumeration, of which `first` is the first.
template <typename P>
constexpr Field choice(const char* name, std::span<const char* const> choices, const char* doc,
                       P /*at*/, int first = 0) {
  return {.name = name,
          .kind = Kind::choice,
          .doc = doc,
          .low = static_cast<double>(first),
          .choices = choices,
          .owner = &kTypeOf<typename P::Object>,
          .slot = choice_at<P>};
}
template <typename P>
constexpr Field custom(const char* name, double low, double high, const char* unit, const char* doc,
                       const Custom& how, P /*at*/) {
  if (how.stores != &kTypeOf<typename P::Value>) throw std::logic_error{"of another type"};
  return {.name = name,
          .kind = Kind::custom,
          .doc = doc,
          .low = low,
          .high = high,
          .unit = unit,
          .custom = &how,
          .owner = &kTypeOf<typename P::Object>,
          .part = [](void* object, std::size_t) -> void* { return &P::of(object); }};
}

template <typename T>
struct PartOf {
  using Type = T;
  static void* open(T& part) { return &part; }
};
template <typename T>
struct PartOf<std::optional<T>> {
  using Type = T;
  static void* open(std::optional<T>& part) { return &part.emplace(); }
};
/// An optional part is there when the file has the table.
template <typename P>
constexpr Field table(const char* name, const char* doc, const Table& sub, P /*at*/) {
  using Part = PartOf<typename P::Value>;
  if (sub.owner != &kTypeOf<typename Part::Type>) throw std::logic_error{"of another type"};
  return {.name = name,
          .kind = Kind::table,
          .doc = doc,
          .table = &sub,
          .fallback = "",
          .owner = &kTypeOf<typename P::Object>,
          .part = [](void* object, std::size_t) -> void* { return Part::open(P::of(object)); }};
}
/// A table whose keys are of the same object.
constexpr Field table(const char* name, const char* doc, const Table& sub) {
  return {.name = name,
          .kind = Kind::table,
          .doc = doc,
          .table = &sub,
          .fallback = "",
          .owner = sub.owner,
          .part = [](void* object, std::size_t) { return object; }};
}
/// Tables replace the default items of a vector.
template <typename P>
constexpr Field tables(const char* name, double least, double most, const char* doc,
                       const Table& sub, P /*at*/) {
  if (sub.owner != &kTypeOf<typename P::Value::value_type>)
    throw std::logic_error{"of another type"};
  return {.name = name,
          .kind = Kind::tables,
          .doc = doc,
          .low = least,
          .high = most,
          .table = &sub,
          .fallback = "",
          .owner = &kTypeOf<typename P::Object>,
          .part = [](void* object, std::size_t index) -> void* { return &P::of(object)[index]; },
          .resize =
              [](void* object, std::size_t count) {
                P::of(object).clear();
                P::of(object).resize(count);
              },
          .count = [](void* object) { return P::of(object).size(); }};
}

template <typename T>
constexpr Table table_of(const char* name, const char* doc, std::span<const Field> fields) {
  for (const Field& field : fields)
    if (field.owner != &kTypeOf<T>) throw std::logic_error{"a field of another object"};
  return {name, doc, fields, &kTypeOf<T>, []() -> void* {
            static T object;
            return &object;
          }};
}

}  // namespace kerb::schema
