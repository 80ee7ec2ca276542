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
///       number<&Band::centre_nm>("centre_nm", 300, 15000, "nm", "Middle of the band.")};
///   constexpr Table kBandTable = table_of<Band>("camera.bands", "A spectral band.", kBand);
/// Several members lead into parts of an object: number<&CarDraft::spec, &CarSpec::length_m>. A key
/// of another object than its table's, or of a type that its kind cannot fill, does not compile.
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

/// From an object to something in it, through members of members.
template <auto First, auto... Rest>
struct At {
  template <typename V, typename T>
  static T object_of(V T::*);
  using Object = decltype(object_of(First));
  // clang-format off
  static auto& of(void* object) { return ((static_cast<Object*>(object)->*First) .* ... .* Rest); }
  // clang-format on
  using Value = std::remove_reference_t<decltype(of(nullptr))>;
  static constexpr const void* kOwner = &kTypeOf<Object>;
};

struct Field {
  const char* name;
  Kind kind;
  const char* doc;    ///< one line; a table without one has its own heading instead
  const void* owner;  ///< &kTypeOf of the object
  Slot (*slot)(void* object) = nullptr;  ///< of single values
  double low = 0, high = 0;  ///< both allowed; of texts, the length in bytes; of tables, how many;
                             ///< of choices, `low` is the first one's number
  const char* unit = "";     ///< "" when it has none
  std::span<const char* const> choices{};
  TextRule text_rule = TextRule::printable;
  double factor = 1;               ///< of a number: value = file * factor
  const char* fallback = nullptr;  ///< the reference's default; nullptr: the value of a new object
  bool& (*given)(void* object) = nullptr;  ///< set when the file has it; nullptr: not recorded
  const Custom* custom = nullptr;
  const Table* table = nullptr;  ///< of table and tables
  /// What a custom kind fills; a table's object, made if need be; of tables, that with this index.
  void* (*part)(void* object, std::size_t index) = nullptr;
  /// Of table and tables, to read: the same object, nullptr where there is none. Makes nothing.
  const void* (*find)(const void* object, std::size_t index) = nullptr;
  void (*resize)(void* object, std::size_t count) = nullptr;  ///< of tables: new ones, so many
  std::size_t (*count)(void* object) = nullptr;               ///< of tables

  /// Of numbers other than nanoseconds: what is stored is `by` times what the file has.
  [[nodiscard]] constexpr Field scaled(double by) const {
    if (kind != Kind::number) throw std::logic_error{"only numbers have a factor"};
    Field out = *this;
    out.factor = by;
    return out;
  }
  [[nodiscard]] constexpr Field by_default(const char* text) const {
    Field out = *this;
    out.fallback = text;
    return out;
  }
  template <auto... Members>
  [[nodiscard]] constexpr Field noted_in() const {
    if (owner != At<Members...>::kOwner) throw std::logic_error{"of another object"};
    Field out = *this;
    out.given = [](void* object) -> bool& { return At<Members...>::of(object); };
    return out;
  }
};

struct Table {
  const char* name;  ///< as the reference calls it: "people.walk"
  const char* doc;
  std::span<const Field> fields;
  const void* owner;  ///< &kTypeOf of its objects
  void* (*fresh)();   ///< an object with defaults, for the reference; static
};
/// A table with its object in its type: as a constant of another source, it can be checked where it
/// is used though it cannot be read there when compiling.
template <typename T>
struct TypedTable : Table {};

template <typename T, typename... Others>
concept OneOf = (std::same_as<T, Others> || ...);

/// A single value with limits; the functions below are its kinds.
template <Kind K, typename P>
constexpr Field ranged(const char* name, double low, double high, const char* unit,
                       const char* doc) {
  return {name, K, doc, P::kOwner, [](void* o) -> Slot { return &P::of(o); }, low, high, unit};
}
template <auto... Members>
constexpr Field flag(const char* name, const char* doc) {
  using P = At<Members...>;
  static_assert(OneOf<typename P::Value, bool>);
  return ranged<Kind::boolean, P>(name, 0, 0, "", doc);
}
template <auto... Members>
constexpr Field integer(const char* name, double low, double high, const char* unit,
                        const char* doc) {
  using P = At<Members...>;
  static_assert(OneOf<typename P::Value, int, std::int64_t, std::uint32_t, std::optional<int>,
                      std::chrono::nanoseconds>);
  constexpr double kLeast = OneOf<typename P::Value, std::uint32_t> ? 0
                            : OneOf<typename P::Value, int, std::optional<int>>
                                ? -2147483648.0
                                : -9007199254740992.0;
  constexpr double kMost = OneOf<typename P::Value, std::uint32_t>             ? 4294967295.0
                           : OneOf<typename P::Value, int, std::optional<int>> ? 2147483647.0
                                                                               : 9007199254740992.0;
  if (low < kLeast || high > kMost) throw std::logic_error{"limits beyond the member's type"};
  return ranged<Kind::integer, P>(name, low, high, unit, doc);
}
template <auto... Members>
constexpr Field number(const char* name, double low, double high, const char* unit,
                       const char* doc) {
  using P = At<Members...>;
  static_assert(OneOf<typename P::Value, double, std::optional<double>, std::chrono::nanoseconds>);
  return ranged<Kind::number, P>(name, low, high, unit, doc);
}
template <auto... Members>
constexpr Field text(const char* name, double shortest, double longest, TextRule rule,
                     const char* doc) {
  using P = At<Members...>;
  static_assert(OneOf<typename P::Value, std::string>);
  Field out = ranged<Kind::text, P>(name, shortest, longest, "", doc);
  out.text_rule = rule;
  return out;
}
/// Fills an enumeration, a number, or a bool of two names, `choices` in their order and the first
/// with the number `first`; or a text that is one of these.
template <auto... Members>
constexpr Field choice(const char* name, std::span<const char* const> choices, const char* doc,
                       int first = 0) {
  using P = At<Members...>;
  using V = typename P::Value;
  static_assert(std::is_enum_v<V> || OneOf<V, bool, int, std::string>);
  if (std::same_as<V, bool> && (choices.size() != 2 || first != 0))
    throw std::logic_error{"a bool has two names"};
  const auto slot = [](void* object) -> Slot {
    if constexpr (std::same_as<V, std::string>)
      return &P::of(object);
    else
      return EnumRef{
          &P::of(object),
          [](void* to, int number) { *static_cast<V*>(to) = static_cast<V>(number); },
          [](const void* from) { return static_cast<int>(*static_cast<const V*>(from)); }};
  };
  return {name, Kind::choice, doc, P::kOwner, slot, static_cast<double>(first), 0, "", choices};
}
template <auto... Members>
constexpr Field custom(const char* name, double low, double high, const char* unit, const char* doc,
                       const Custom& how) {
  using P = At<Members...>;
  if (how.stores != &kTypeOf<typename P::Value>) throw std::logic_error{"of another type"};
  Field out{name, Kind::custom, doc, P::kOwner, nullptr, low, high, unit};
  out.custom = &how;
  out.part = [](void* object, std::size_t) -> void* { return &P::of(object); };
  return out;
}

template <typename T>
struct PartOf {
  using Type = T;
  static void* open(T& part) { return &part; }
  static const void* find(const T& part) { return &part; }
};
template <typename T>
struct PartOf<std::optional<T>> {
  using Type = T;
  static void* open(std::optional<T>& part) { return part ? &*part : &part.emplace(); }
  static const void* find(const std::optional<T>& part) { return part ? &*part : nullptr; }
};
/// A table of a part of the object, which is there when the file has the table if it is optional.
template <auto... Members>
constexpr Field part_table(const char* name, const char* doc, const Table& sub) {
  using P = At<Members...>;
  using Part = PartOf<typename P::Value>;
  Field out{name, Kind::table, doc, P::kOwner};
  out.table = &sub;
  out.fallback = "";
  out.part = [](void* object, std::size_t) { return Part::open(P::of(object)); };
  out.find = [](const void* object, std::size_t) {
    return Part::find(P::of(const_cast<void*>(object)));
  };
  return out;
}
/// The same, checked; without members, a table of the object itself.
template <auto... Members>
constexpr Field table(const char* name, const char* doc, const Table& sub) {
  if constexpr (sizeof...(Members) == 0) {
    Field out{name, Kind::table, doc, sub.owner};
    out.table = &sub;
    out.fallback = "";
    out.part = [](void* object, std::size_t) { return object; };
    out.find = [](const void* object, std::size_t) { return object; };
    return out;
  } else {
    using Part = PartOf<typename At<Members...>::Value>;
    if (sub.owner != &kTypeOf<typename Part::Type>) throw std::logic_error{"of another type"};
    return part_table<Members...>(name, doc, sub);
  }
}
/// The same, of another source.
template <auto... Members, typename T>
constexpr Field table(const char* name, const char* doc, const TypedTable<T>& sub) {
  static_assert(std::same_as<T, typename PartOf<typename At<Members...>::Value>::Type>);
  return part_table<Members...>(name, doc, sub);
}
/// Tables that replace what the vector has by default.
template <auto... Members>
constexpr Field tables(const char* name, double least, double most, const char* doc,
                       const Table& sub) {
  using P = At<Members...>;
  if (sub.owner != &kTypeOf<typename P::Value::value_type>)
    throw std::logic_error{"of another type"};
  Field out{name, Kind::tables, doc, P::kOwner, nullptr, least, most};
  out.table = &sub;
  out.fallback = "";
  out.part = [](void* object, std::size_t index) -> void* { return &P::of(object)[index]; };
  out.find = [](const void* object, std::size_t index) -> const void* {
    const auto& all = P::of(const_cast<void*>(object));
    return index < all.size() ? &all[index] : nullptr;
  };
  out.resize = [](void* object, std::size_t count) {
    P::of(object).clear();
    P::of(object).resize(count);
  };
  out.count = [](void* object) { return P::of(object).size(); };
  return out;
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
